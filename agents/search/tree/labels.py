"""Provides the texts of a node in drawings of a tree."""

from collections.abc import Callable, Iterator

from starspiel.agents.search.tree.node import TreeNode
from starspiel.agents.search.tree.visit import Source
from starspiel.agents.search.tree.words import interval, number, shortened, window
from starspiel.envs.text import plain

_SOURCES = {
    Source.TABLE: "answered by the table",
    Source.EVALUATOR: "valued by the evaluator",
    Source.TERMINAL: "the game is over",
    Source.PROBCUT: "likely to be beyond the window by its value at one ply less (ChanceProbCut)",
}
#: The legend of shapes and colours, as (kind, meaning) pairs.
LEGEND = (
    ("max", "player 0 moves and maximises"),
    ("min", "player 1 moves and minimises"),
    ("chance", "chance: the mean of the outcomes"),
    ("end", "the game is over"),
)


def move(node: TreeNode, length: int | None = None) -> str:
    """Returns the move or outcome that leads to a node, with its probability; the name is on one line, and of
    at most `length` characters if given."""
    if node.action is None:
        return "root"
    name = plain(node.name) if length is None else shortened(plain(node.name), length)
    return name if node.chance is None else f"{name}, chance {node.chance:.4g}"


def value(node: TreeNode, written: Callable[[float], str] = number) -> str:
    """Returns a node's value, formatted by `written`, with the sign of a bound if it is one."""
    if not node.searched:
        low, high = node.interval
        return f"in {interval(low, high)}" if node.probes else "not searched"
    return {"exact": "", "at most": "≤ ", "at least": "≥ "}[node.relation] + written(node.value)


def marks(node: TreeNode) -> Iterator[str]:
    """Yields the short remarks shown beside a value."""
    if node.source is Source.TABLE:
        yield "table"
    if node.source is Source.EVALUATOR:
        yield "evaluator"
    if node.source is Source.PROBCUT:
        yield "probcut"
    if node.is_probe:
        yield "probe"
    if node.probes:
        yield "probed" if node.searched else "only probed"
    if node.cut:
        yield node.cut


def facts(node: TreeNode) -> Iterator[str]:
    """Yields everything known about a node, in phrases."""
    if node.searched:
        low, high = node.interval
        known = f"value {number(node.value)}, exact" if node.relation == "exact" else f"value {value(node)}"
        yield known if low == high else f"{known}: it lies in {interval(low, high)}"
        yield f"window {window(*node.window)}"
        if node.depth:
            yield f"{node.depth} {'ply' if node.depth == 1 else 'plies'} to go"
    if node.source in _SOURCES:
        yield _SOURCES[node.source]
    if node.is_probe:
        yield "probed by Star2 from the chance node two steps up"
    if node.probes:
        moves = "one move" if node.probes == 1 else f"{node.probes} moves"
        known = interval(*node.interval)
        yield f"a Star2 probe looked at {moves}" + ("" if node.searched else f": the value lies in {known}")
    if node.reason:
        yield node.reason
    if node.greyed:
        yield f"not searched: {node.greyed}"
