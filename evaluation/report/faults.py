"""Describes the faults of agents, and whose ratings they affect."""

from typing import NamedTuple

from starspiel.envs.text import printable
from starspiel.evaluation.result import TournamentResult

#: The mark after the name of an agent whose rating includes forfeits.
FLAG = "\u2020"
#: The maximum number of different messages of an agent that a page shows.
_MOST = 20


class FaultLine(NamedTuple):
    """One agent's fault of a kind and message: the outcome for the game, and how often it happened."""

    agent: str
    outcome: str
    kind: str
    message: str
    times: int


def fault_lines(result: TournamentResult) -> list[FaultLine]:
    """Returns the faults of every agent with their messages, most frequent first."""
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
    """Returns the agents that won or lost games by a forfeit."""
    return frozenset(
        name
        for name, totals in zip(result.agents, result.tally.agents, strict=True)
        if totals.won_by_forfeit or totals.faults
    )


def flag_note(result: TournamentResult) -> str:
    """Returns a note on how forfeited games count; "" without any."""
    parts = []
    for name, totals in zip(result.agents, result.tally.agents, strict=True):
        by_verb = ("lost", totals.forfeits.total()), ("won", totals.won_by_forfeit)
        if how := [f"{verb} {games:,}" for verb, games in by_verb if games]:
            parts.append(f"{name} {' and '.join(how)} of {totals.games:,}")
    if not parts:
        return ""
    lowest = "at most the lowest return of all whole games"
    counted = f"with {lowest}" if result.players == 1 else "as lost and won, and affect ratings"
    note = f"{FLAG} Forfeited games count {counted}: {'; '.join(parts)}. They are excluded from game lengths."
    if result.blocks is not None:
        others = "divide the rest" if result.tally.shares_known else "have the mean of their seat in these"
        note += f" In mean returns, an agent at fault has {lowest}, and the others {others}."
        if not (result.tally.shares_known or result.tally.whole_games):
            note += " No game was whole, so mean returns tell nothing."
    return note
