"""Selects the part of a tree to draw: all of a small one, otherwise the best line and its surroundings."""

from dataclasses import dataclass, field
from heapq import heappop, heappush

from starspiel.agents.search.tree.node import TreeNode
from starspiel.envs.arguments import whole_number

#: Default number of nodes drawn.
SHOWN = 300
#: The most nodes drawn; browsers become slow beyond.
MOST_SHOWN = 5_000


@dataclass(eq=False)
class Drawn:
    """A node that is drawn.

    Attributes:
        on_line: whether it is on the best line, which follows the likeliest outcomes.
        children: those of its successors that are drawn, in the game's order.
        hidden: the number of successors that are not drawn.
    """

    node: TreeNode
    on_line: bool
    children: list["Drawn"] = field(default_factory=list)
    hidden: int = 0


def part(root: TreeNode, shown: int) -> tuple[Drawn, int]:
    """Returns the root with at most `shown` nodes in all, and their number: the best line first, then the
    levels from the root down. Raises StarspielError if `shown` is not a whole number from 1 to MOST_SHOWN.
    """
    left = whole_number("shown", shown, 1, MOST_SHOWN) - 1
    top = Drawn(root, on_line=True)
    waiting = [(False, 0, 0, top)]
    met = 0
    while waiting:
        drawn = heappop(waiting)[3]
        children = drawn.node.children
        best = drawn.node.best
        # The best successor is drawn before the others.
        chosen = sorted(range(len(children)), key=lambda i: children[i] is not best)[:left]
        left -= len(chosen)
        drawn.hidden = len(children) - len(chosen)
        for i in sorted(chosen):
            child = Drawn(children[i], drawn.on_line and children[i] is best)
            drawn.children.append(child)
            met += 1
            heappush(waiting, (not child.on_line, child.node.level, met, child))
    return top, met + 1
