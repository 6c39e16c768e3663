"""What agents did wrong, in words, and whose ratings it moves."""

from typing import NamedTuple

from starspiel.envs.text import printable
from starspiel.evaluation.result import TournamentResult

#: Behind the name of an agent whose rating rests on forfeits.
FLAG = "\u2020"
#: Different messages of an agent that a page shows.
_MOST = 20


class FaultLine(NamedTuple):
    """A kind of fault and its message, of one agent: what became of the game, and how often it happened."""

    agent: str
    outcome: str
    kind: str
    message: str
    times: int


def fault_lines(result: TournamentResult) -> list[FaultLine]:
    """The faults of every agent with their messages, most frequent first."""
    lines = []
    for name, totals in zip(result.agents, result.tally.agents, strict=True):
        for outcome, faults in (("forfeited", totals.faults), ("void, played again", totals.void_faults)):
            ordered = faults.most_common()
            for (kind, message), times in ordered[:_MOST]:
                lines.append(FaultLine(name, outcome, kind, printable(message), times))
            if rest := ordered[_MOST:]:
                times = sum(count for _, count in rest)
                lines.append(FaultLine(name, outcome, "", f"{len(rest)} more messages", times))
    return lines


def flagged(result: TournamentResult) -> frozenset[str]:
    """The agents that won or lost games by a forfeit."""
    return frozenset(
        name
        for name, totals in zip(result.agents, result.tally.agents, strict=True)
        if totals.won_by_forfeit or totals.faults
    )


def flag_note(result: TournamentResult) -> str:
    """How much of whose rating is forfeits; empty if there are none, and in one-player games."""
    parts = []
    for name, totals in zip(result.agents, result.tally.agents, strict=True):
        by_verb = ("lost", totals.forfeits.total()), ("won", totals.won_by_forfeit)
        if how := [f"{verb} {games:,}" for verb, games in by_verb if games]:
            parts.append(f"{name} {' and '.join(how)} of {totals.games:,}")
    if not parts or not result.two_player:
        return ""
    return (
        f"{FLAG} Forfeited games count as lost and won, and affect ratings: {'; '.join(parts)}. They "
        "are excluded from game lengths."
    )
