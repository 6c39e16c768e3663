"""Writes the notes on a result that the terminal and the page show."""

from starspiel.evaluation.play.pairing import units
from starspiel.evaluation.report.faults import flag_note
from starspiel.evaluation.report.luck import luck_alarm, luck_note
from starspiel.evaluation.result import TournamentResult
from starspiel.evaluation.sprt_result import SprtResult
from starspiel.evaluation.statistics import looks
from starspiel.evaluation.statistics.always_valid import OPENING
from starspiel.evaluation.statistics.blocks import Blocks
from starspiel.evaluation.statistics.means import values_needed

#: The maximum number of agents that a sentence names.
_NAMED = 5


def notes_of(result: TournamentResult) -> dict[str, str]:
    """Returns topic -> note, in the order in which the terminal shows them; "" if there is nothing to say."""
    return {
        "flag": flag_note(result),
        "few_pairs": _few_pairs(result),
        "common_starts": _common_starts(result),
        "own_dice": _own_dice(result),
        "sprt": _sprt(result.sprt, result.agents) if result.sprt is not None else "",
        "looks": _looks(result) if result.sprt is None else "",
        "luck_alarm": luck_alarm(result),
        "luck": luck_note(result),
        "clock": _clock(result),
        "timed": _timed(result),
        "alike": _alike(result),
        "repeated": _repeated(result),
    }


def blocks_note(result: TournamentResult, blocks: Blocks) -> str:
    """Returns a note on how to read the table of blocks, and on how often each seat wins."""
    unit = units(blocks.seats).removesuffix("s")
    shares = ", ".join(f"{100 * share:.1f} %" for share in blocks.by_seat[1])
    dice = "" if result.own_dice or result.common_starts else "with the same dice, "
    rounds, missing = "", ""
    if blocks.unit == "rounds":
        rounds = "A round is a block of each lineup; all agents hold equally many of its seats. "
        if blocks.left_out:
            some = "1 block" if blocks.left_out == 1 else f"{blocks.left_out:,} blocks"
            missing = f" Means and wins leave out {some} of an incomplete round."
    elif result.is_ladder:
        missing = " Compare agents by Elo: their opponents differ."
    elif len(met := _meetings(result, blocks)) > 1:
        missing = (
            f" Every two agents met in {min(met):,} to {max(met):,} {unit}s, so means are not over the same "
            f"opponents: the differences compare agents in the {unit}s that they share."
        )
    return (
        f"A {unit} is {blocks.seats} games {dice}in which its agents rotate through the seats; every seat "
        f"counts as a game. {rounds}95 % is over {blocks.unit}. Shared wins count in part. Elo follows "
        f"the Plackett-Luce model of who finished above whom. {zero_note(result)} Wins by seat, in order: "
        f"{shares}.{missing}"
    )


def _meetings(result: TournamentResult, blocks: Blocks) -> set[int]:
    """Returns the numbers of blocks in which two agents met (in a gauntlet, the first and another)."""
    ones = range(1 if result.gauntlet else blocks.field)
    return {int(blocks.meetings[i, j]) for i in ones for j in range(i + 1, blocks.field)}


def differences_note(result: TournamentResult) -> str:
    """Returns a note on how the table of differences is computed."""
    return (
        f"95 % over {result.observations}, – if nothing varies; p is the greater of two: by flipping the "
        "signs of the differences, and by the interval. It is corrected for all comparisons."
    )


def zero_note(result: TournamentResult) -> str:
    """Returns a note on what Elo 0 is, with a caution if the results determine it."""
    zero = result.ratings.zero
    played = sum(totals.games > 0 for totals in result.tally.agents)
    whole_field = len(zero) >= played > 1
    names = [result.agents[agent] for agent in zero]
    if whole_field:
        named = "the mean of the field"
    elif len(names) == 1:
        named = names[0]
    else:
        some = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) <= _NAMED else f"{len(names)} agents"
        named = f"the mean of {some}, whose differences the results bound"
    if result.anchor is not None or len(zero) >= played:
        return f"Elo 0 is {named}."
    return (
        f"Elo 0 is {named}. The results determine which agents define it: with few {result.observations}, "
        "intervals of Elo may cover the truth in only 88 % of cases. --anchor fixes the zero beforehand."
    )


def key_shown(result: TournamentResult) -> str:
    """Returns the key, or a remark that it is still kept secret."""
    return result.key or "secret until all is played"


def _few_pairs(result: TournamentResult) -> str:
    needed = {
        name: least
        for name, own in zip(result.agents, result.mean_returns, strict=True)
        if 1 < len(own) < (least := values_needed(list(own.values())))
    }
    if not needed:
        return ""
    kind = result.observations
    return (
        f"Too few {kind} for such returns: {', '.join(needed)}. Intervals and p are valid if returns are "
        f"roughly normal; if a few games pay much more than the others, they need {max(needed.values()):,} "
        f"{kind} or more."
    )


def _common_starts(result: TournamentResult) -> str:
    if not result.common_starts:
        return ""
    return (
        "Common starts, not common dice: the chance outcomes of this game are sampled, so the games of a "
        "pair start from the same seed, and each then has its own dice."
    )


def _own_dice(result: TournamentResult) -> str:
    if not result.own_dice:
        return ""
    what = "start" if result.common_starts else "dice"
    note = (
        f"Each game of {', '.join(result.own_dice)} has its own {what}: agents from modules and programs "
        "could remember earlier rolls."
    )
    if result.is_ladder:  # ladders do not have the setting
        return note
    return f"{note} If you trust them, --common-dice makes intervals narrower."


def _looks(result: TournamentResult) -> str:
    said = looks.in_words(result.tally, result.agents, result.gauntlet)
    if not said:
        return said
    if result.interrupted or result.is_ladder:  # their verdict already uses these p-values
        return f"{said} The intervals are for a length fixed beforehand, and narrower."
    return (
        "The verdict at the top is for a length fixed beforehand. If you stop or extend because of results, "
        f"a stricter test counts{said.removeprefix(OPENING)}"
    )


def _clock(result: TournamentResult) -> str:
    if result.clock is None:
        return ""
    without = f" Not limited by the clock: {', '.join(result.clockless)}." if result.clockless else ""
    return f"Moves of more than {result.clock:g} s are overruns.{without}"


def _timed(result: TournamentResult) -> str:
    if not result.timed:
        return ""
    return (
        f"Limited by seconds: {', '.join(result.timed)}. Their moves depend on the machine and its load, so "
        "their games cannot be played again move for move."
    )


def _alike(result: TournamentResult) -> str:
    notes = []
    for group in result.groups_alike:
        i, j = (result.agents.index(name) for name in group[:2])
        pairs = int(result.results.pairs[i, j])
        met = "the only pair" if pairs == 1 else f"all {pairs:,} pairs"
        whose = "of these two" if len(group) == 2 else "of any two of them"
        differ = (
            ": their scores differ only by luck, because they met the others with different dice"
            if len(result.agents) > 2
            else ""
        )
        notes.append(
            f"{', '.join(group[:-1])} and {group[-1]} played alike, move for move, in {met} {whose}{differ}."
        )
    return " ".join(notes)


def _repeated(result: TournamentResult) -> str:
    meetings = result.tally.repeated_meetings
    if not meetings:
        return ""
    named = ", ".join(" against ".join(result.agents[agent] for agent in each) for each in meetings[:_NAMED])
    more = f" and {len(meetings) - _NAMED:,} more" if len(meetings) > _NAMED else ""
    return (
        f"The same games were repeated from one start, move for move: {named}{more}. Repeats tell nothing "
        "new: intervals and p are valid only for the starts that were played. Set others with --starts."
    )


def _sprt(sprt: SprtResult, agents: tuple[str, ...]) -> str:
    low, high = sprt.test.bounds
    accepted = "undecided"
    if sprt.verdict is not None:
        hypothesis = sprt.test.upper if sprt.verdict == "upper" else sprt.test.lower
        accepted = f"accepted {'nElo' if sprt.test.normalized else 'Elo'} {hypothesis:g}"
    score, *ends = (100 * share for share in sprt.score)
    if sprt.together > 1:
        return (
            f"SPRT {sprt.test}: {accepted} after {sum(sprt.five):,} rounds of {sprt.together} blocks, one of "
            f"each lineup, LLR {sprt.llr:.2f} ({low:.2f}, {high:.2f}). Rounds by {agents[0]}'s score of 0, "
            f"¼, ½, ¾ and 1, its share of finishing above {agents[1]}: {' '.join(map(str, sprt.five))}. "
            f"Adjusted for stopping, its score is {score:.1f} % ({ends[0]:.1f} … {ends[1]:.1f}, 95 %); the "
            "numbers of the table are not adjusted. A match of fixed length with the same seed plays other "
            "games."
        )
    return (
        f"SPRT {sprt.test}: {accepted} after {sum(sprt.five):,} pairs, LLR {sprt.llr:.2f} "
        f"({low:.2f}, {high:.2f}). Elo and points are those of {agents[0]} against {agents[1]}: "
        f"pairs LL LD DD+WL WD WW {' '.join(map(str, sprt.five))}. Adjusted for stopping, its score is "
        f"{score:.1f} % ({ends[0]:.1f} … {ends[1]:.1f}, 95 %); so is Elo, but no other number of the table. "
        "A match of fixed length with the same seed plays other games."
    )
