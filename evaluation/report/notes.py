"""What has to be said of a result, in words: the terminal and the page show it."""

from math import isnan

from starspiel.evaluation.report.words import bounds, points
from starspiel.evaluation.result import SprtResult, TournamentResult
from starspiel.evaluation.statistics import looks
from starspiel.evaluation.statistics.means import values_needed

#: What the table of differences rests on.
DIFFERENCES_NOTE = (
    "95 % over pairs, – if nothing varies; p by flipping the signs of the differences and by the interval, "
    "whichever is greater, corrected for all comparisons."
)
#: What the games of a pair share where chance outcomes are not listed.
COMMON_STARTS_NOTE = (
    "Common starts, not common dice: the chances of this game are not listed, so a pair shares the seed that "
    "its games begin with, and every game then has its own dice from there."
)
#: So many agents are named at most in a sentence.
_NAMED = 5


def few_pairs_note(result: TournamentResult) -> str:
    """Whose mean returns rest on too few pairs for their skew; empty if nobody's do."""
    if result.two_player:
        return ""
    needed = {
        name: values_needed(list(own.values()))
        for name, own in zip(result.agents, result.tally.solo, strict=True)
        if 1 < len(own) < values_needed(list(own.values()))
    }
    if not needed:
        return ""
    return (
        f"Few pairs for such returns: {', '.join(needed)}. Intervals and p hold if returns are about normal; "
        f"if a few games pay much more than the others, they take {max(needed.values()):,} pairs or more."
    )


def own_dice_note(result: TournamentResult) -> str:
    """Whose games share no dice, and why; empty where all do."""
    if not result.own_dice:
        return ""
    what = "a start" if result.common_starts else "dice"
    note = (
        f"Each game of {', '.join(result.own_dice)} has {what} of its own: agents of modules and programs "
        "could remember what was rolled before."
    )
    if result.settings is None:  # a ladder, which has no such setting
        return note
    return f"{note} Where you trust them, --common-dice makes intervals narrower."


def looks_note(result: TournamentResult) -> str:
    """Which differences are sure even if the tournament is stopped or extended at will."""
    said = looks.in_words(result.tally, result.agents, result.gauntlet)
    if len(result.agents) < 3 or not said or result.settings is None:  # a ladder has no length
        return said
    return f"{said} For a length that was fixed beforehand, the p of the report and of JSON are smaller."


def sprt_note(result: TournamentResult) -> str:
    """How the sequential test stands, in words; empty without one."""
    if result.sprt is None:
        return ""
    own = "Its games are its own: a match of fixed length by the same seed plays others."
    return f"{in_words(result.sprt, *result.agents)} {own}"


def clock_note(result: TournamentResult) -> str:
    """What the clock was, and whom it cannot hold to it."""
    if result.clock is None:
        return ""
    without = f" No clock of their own: {', '.join(result.clockless)}." if result.clockless else ""
    return f"Moves of more than {result.clock:g} s are overruns.{without}"


def timed_note(result: TournamentResult) -> str:
    """Whose games depend on the machine and its load; empty where nobody's do."""
    if not result.timed:
        return ""
    return (
        f"Limited by seconds: {', '.join(result.timed)}. What they find depends on the machine and its "
        "load, so their games cannot be played again move for move."
    )


def zero_named(result: TournamentResult) -> str:
    """Whose rating is 0, or whose mean."""
    zero = result.ratings.zero
    played = int((result.results.pairs.sum(axis=-1) > 0).sum())
    if len(zero) >= played > 1:
        return "the mean of the field"
    names = [result.agents[agent] for agent in zero]
    if len(names) == 1:
        return names[0]
    named = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) <= _NAMED else f"{len(names)} agents"
    return f"the mean of {named}, between whom the results bound every difference"


def zero_note(result: TournamentResult) -> str:
    """What it costs that the results choose the zero; empty if they do not."""
    played = int((result.results.pairs.sum(axis=-1) > 0).sum())
    if result.anchor is not None or len(result.ratings.zero) >= played:
        return ""
    return (
        "The results have chosen who makes the zero: with few pairs, intervals of Elo may hold the truth "
        "in no more than 88 % of cases. --anchor sets it beforehand."
    )


def key_shown(result: TournamentResult) -> str:
    """The key, or what has become of it."""
    return result.key or "kept until all is played"


def alike_note(result: TournamentResult) -> str:
    """Whose scores differ by the dice alone; empty where no agents played alike."""
    notes = []
    for group in result.groups_alike:
        i, j = (result.agents.index(name) for name in group[:2])
        pairs = int(result.results.pairs[i, j])
        met = "the only pair" if pairs == 1 else f"all {pairs:,} pairs"
        notes.append(
            f"{', '.join(group[:-1])} and {group[-1]} played alike, move for move, in {met} of each two of "
            "them: what their scores differ by is luck, for they met the others with other dice."
        )
    return " ".join(notes)


def in_words(sprt: SprtResult, agent: str, opponent: str) -> str:
    """The test in a sentence or two, with the names of the two agents."""
    low, high = sprt.test.bounds
    accepted = "undecided"
    if sprt.verdict is not None:
        hypothesis = sprt.test.upper if sprt.verdict == "upper" else sprt.test.lower
        accepted = f"accepted {'nElo' if sprt.test.normalized else 'Elo'} {hypothesis:g}"
    return (
        f"SPRT {sprt.test}: {accepted} after {sum(sprt.five):,} pairs, LLR {sprt.llr:.2f} "
        f"({low:.2f}, {high:.2f}). Elo and points are those of {agent} against {opponent}: "
        f"pairs LL LD DD+WL WD WW {' '.join(map(str, sprt.five))}. Adjusted for stopping, its score is "
        f"{100 * sprt.score[0]:.1f} % ({100 * sprt.score[1]:.1f} … {100 * sprt.score[2]:.1f}, 95 %); "
        "so is Elo, but no other number of the table."
    )


def difference_rows(result: TournamentResult) -> list[tuple[str, ...]]:
    """Agent, the one it is compared with, pairs, mean difference, its interval, and p, as text."""
    return [
        (
            *(result.agents[agent] for agent in each.agents),
            f"{each.pairs:,}",
            points(each.mean, "+"),
            bounds(each.low, each.high, "+"),
            "–" if isnan(each.p_holm) else f"{each.p_holm:.3g}",
        )
        for each in result.differences
    ]
