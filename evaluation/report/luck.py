"""Luck in words: how much of it the evaluator took out, and what to do where that is little."""

from math import isnan

from starspiel.evaluation.result import TournamentResult
from starspiel.evaluation.statistics.adjusted import Adjusted
from starspiel.evaluation.statistics.lucks import ALARM
from starspiel.evaluation.statistics.means import with_margin

#: A variance factor below this is called out.
LITTLE = 1.1


def luck_rows(result: TournamentResult) -> list[tuple[str, ...]]:
    """Agent, opponent, pairs, those left out, raw and adjusted mean, variance factor, as text."""
    return [
        (
            *((*(result.agents[agent] for agent in line.agents), "")[:2]),
            f"{line.pairs:,}",
            f"{line.left_out:,}",
            with_margin(line.raw, line.raw_margin),
            with_margin(line.adjusted, line.adjusted_margin),
            factor_in_words(line),
        )
        for line in result.adjusted
    ]


def lucks_rows(result: TournamentResult) -> list[tuple[str, ...]]:
    """Agent, pairs, luck per game with its margin, and z, as text; marked where it exceeds chance."""
    return [
        (
            result.agents[line.agent],
            f"{line.pairs:,}",
            with_margin(line.mean, line.margin),
            "–" if isnan(line.z) else f"{line.z:+.1f}" + (" !" if line.exceeds_chance else ""),
        )
        for line in result.lucks
    ]


def luck_alarm(result: TournamentResult) -> str:
    """Names the agents whose luck exceeds chance; empty where none's does."""
    lucky = [line for line in result.lucks if line.exceeds_chance]
    if not lucky:
        return ""
    names = ", ".join(f"{result.agents[line.agent]} (z {line.z:+.1f})" for line in lucky)
    return (
        f"Luckier than chance allows: {names}. Whoever does not know the dice to come has a luck of zero in "
        f"the mean, and exceeds a z of {ALARM:g} less than once in 5,000 tournaments, unless its bad luck is "
        "great and so rare that few pairs show it. Look at how it plays, and play again with --secret and "
        "with it in a process of its own."
    )


def factor_in_words(line: Adjusted) -> str:
    """The variance factor with its 95 % interval; a dash where it is unknown."""
    low, high = line.variance_factor_interval
    if isnan(line.variance_factor):
        return "–"
    return f"{line.variance_factor:.2f}" + ("" if isnan(low) else f" ({low:.2f} … {high:.2f})")


def luck_note(result: TournamentResult) -> str:
    """Where the adjustment gains little, and what to do about it; empty where it gains enough."""
    little = [line for line in result.adjusted if line.variance_factor < LITTLE]
    if not little:
        return ""
    if all(line.raw_error == line.adjusted_error for line in little):
        found = "nothing was luck: the dice change nothing in its eyes, or the game has none"
    else:
        least = min(line.variance_factor for line in little)
        noise = ", and adds noise of its own" if least < 1.0 else ""
        found = f"little of the luck comes out{noise} (variance factor {least:.2f}, below {LITTLE:g})"
    several = f", in {len(little)} of {len(result.adjusted)} meetings" if len(result.adjusted) > 1 else ""
    return (
        f"To {result.luck_evaluator} {found}{several}. Take an evaluator that knows the game better: "
        f"{_trained(result)}solution(file=…) made by starspiel solve; --luck alone takes the best that comes "
        "with starspiel. Decide before the games, or play others."
    )


def _trained(result: TournamentResult) -> str:
    """What `starspiel train` makes for the game; it takes games of two, and star_2048."""
    if result.game.partition("(")[0] == "star_2048":
        return "ntuple(file=…) made by starspiel train, or "
    return "net(file=…) made by starspiel train, or " if len(result.adjusted[0].agents) == 2 else ""
