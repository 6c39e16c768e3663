"""Value and nodes by depth of the three exact searches, as a table and as a chart."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from starspiel.agents.bots.search_bot import SearchBot
from starspiel.agents.search import Limits
from starspiel.agents.search.result import tie_tolerance
from starspiel.envs.errors import StarspielError
from starspiel.evaluation.report.chart import Line, line_chart, stacked

ALGORITHMS = ("expectiminimax", "star1", "star2")


@dataclass(frozen=True)
class AtDepth:
    """One search: its algorithm and depth, player 0's expected return, and the states it visited."""

    algorithm: str
    depth: int
    value: float
    nodes: int


def by_depth(bot: SearchBot, state: Any, depth: int) -> list[AtDepth]:
    """Searches by each algorithm, to each depth up to `depth`, each anew and otherwise as the bot.

    Raises StarspielError where the bot's algorithm is none of them, or `depth` is 0.
    """
    if bot.algorithm not in ALGORITHMS or depth < 1:
        raise StarspielError(
            f"value and nodes by depth are of {', '.join(ALGORITHMS)}, to 1 ply or more; got "
            f"{bot.algorithm}, depth {depth}."
        )
    found = []
    for algorithm in ALGORITHMS:
        searching = bot.with_algorithm(algorithm)
        for plies in range(1, depth + 1):
            result = searching.search(state, limits=Limits(depth=plies))
            found.append(AtDepth(algorithm, plies, result.value, result.nodes))
    return found


def depth_chart(found: Sequence[AtDepth], title: str) -> str:
    """Two charts, one below the other: the value, one line where it is the same for all, and the nodes."""

    def lines(what: str) -> list[Line]:
        return [
            Line(name, [(each.depth, getattr(each, what)) for each in found if each.algorithm == name])
            for name in ALGORITHMS
        ]

    valued = lines("value")
    if all(abs(a - b) <= tie_tolerance(abs(a)) for line in valued for a, b in _pairs(line, valued[0])):
        valued = [Line("all three alike", valued[0].points)]
    values = line_chart(
        valued, title=f"{title}: value for player 0", across="depth: plies", up="expected return"
    )
    nodes = line_chart(
        lines("nodes"), title=f"{title}: nodes", across="depth: plies", up="states visited", logarithmic=True
    )
    return stacked([values, nodes])


def _pairs(line: Line, other: Line) -> list[tuple[float, float]]:
    """The values of two lines at the same depths."""
    return [(value, same) for (_, value), (_, same) in zip(line.points, other.points, strict=True)]
