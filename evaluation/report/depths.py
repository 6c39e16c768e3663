"""Value and nodes by depth of the three exact searches, as a table and as a chart."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from starspiel.agents.bots.search_bot import SearchBot
from starspiel.agents.search import Limits
from starspiel.agents.search.result import tie_tolerance
from starspiel.envs.chart.plot import Line, line_chart
from starspiel.envs.chart.svg import element
from starspiel.envs.errors import StarspielError

ALGORITHMS = ("expectiminimax", "star1", "star2")


class AtDepth(NamedTuple):
    """One search: its algorithm and depth, the expected return of `perspective`, the states it visited."""

    algorithm: str
    depth: int
    value: float
    nodes: int
    perspective: int = 0


def by_depth(bot: SearchBot, state: Any, depth: int) -> list[AtDepth]:
    """Searches by each algorithm, to each depth up to `depth`, each anew and otherwise as the bot.

    Raises StarspielError if the bot's algorithm is none of them, or `depth` is 0.
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
            found.append(AtDepth(algorithm, plies, result.value, result.nodes, result.perspective))
    return found


def depth_chart(found: Sequence[AtDepth], title: str) -> str:
    """Two charts, one below the other: the value, one line if it is the same for all, and the nodes."""
    of_each = {name: [each for each in found if each.algorithm == name] for name in ALGORITHMS}
    valued = [Line(name, [(each.depth, each.value) for each in own]) for name, own in of_each.items()]
    nodes = [Line(name, [(each.depth, each.nodes) for each in own]) for name, own in of_each.items()]
    first = {each.depth: each.value for each in of_each[ALGORITHMS[0]]}
    if all(abs(each.value - first[each.depth]) <= tie_tolerance(abs(each.value)) for each in found):
        valued = [Line("all three alike", valued[0].points)]
    across = "depth: plies"
    values_title, nodes_title = f"{title}: value for player {found[0].perspective}", f"{title}: nodes"
    return stacked(
        [
            line_chart(valued, title=values_title, across=across, up="expected return"),
            line_chart(nodes, title=nodes_title, across=across, up="states visited", logarithmic=True),
        ]
    )


def stacked(charts: Sequence[str]) -> str:
    """Charts one below the other, as one."""
    sizes = [tuple(map(int, re.findall(r'viewBox="0 0 (\d+) (\d+)"', each)[0])) for each in charts]
    parts, top = [], 0
    for each, (_, height) in zip(charts, sizes, strict=True):
        parts.append(each.strip().replace("<svg ", f'<svg y="{top}" ', 1))
        top += height
    width = max(width for width, _ in sizes)
    head = {"xmlns": "http://www.w3.org/2000/svg", "viewBox": f"0 0 {width} {top}"}
    return element("svg", "".join(parts), **head, width=width, height=top) + "\n"
