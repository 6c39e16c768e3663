"""Provides `SearchTree`: the tree of a search, to draw and to traverse."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from starspiel.agents.search.result import SearchResult, Statistics
from starspiel.agents.search.sampling import undrawn
from starspiel.agents.search.task import SearchTask
from starspiel.agents.search.tree.html import Answer, fragment, page
from starspiel.agents.search.tree.node import Frame, TreeNode
from starspiel.agents.search.tree.part import SHOWN, Drawn, part
from starspiel.agents.search.tree.recorder import MAX_RECORDED, TooLargeError, record_search
from starspiel.agents.search.tree.svg import svg
from starspiel.agents.search.tree.visit import Record
from starspiel.agents.search.tree.words import number
from starspiel.envs.base import check_two_sided
from starspiel.envs.errors import StarspielError
from starspiel.envs.outlook import Outlook, outlook
from starspiel.envs.text import plain

#: Tolerance for networks: the native core sums single-precision numbers in another order.
_ROUNDING = 1e-6
#: The number of other moves that a page names after the best.
_OTHERS = 4


@dataclass(frozen=True, eq=False)
class SearchTree:
    """The tree that the Python engine searches, to one depth.

    Notebooks display it, `save` writes it, and `root` is its first node.

    Attributes:
        root: the position searched; values are player 0's expected return.
        game: the game's name.
        algorithm, evaluator: what was run.
        depth: decision plies; fewer than the search's if its tree was too large to record.
        statistics: the cost of the recorded search.
        told: how to print values for people.
        notes: remarks for the reader, one sentence each.
    """

    root: TreeNode
    game: str
    algorithm: str
    evaluator: str
    depth: int
    statistics: Statistics
    told: Outlook
    notes: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return (
            f"{plain(self.game)}: {self.algorithm}, {_plies(self.depth)}, evaluator {plain(self.evaluator)}"
        )

    def to_html(self, shown: int = SHOWN) -> str:
        """Returns a self-contained page with at most `shown` nodes; nodes with more successors say so.

        Raises StarspielError if `shown` is not a whole number from 1 to 5,000.
        """
        top, drawn = part(self.root, shown)
        return page(top, self.title, self.told, self._answer(), self._notes(top, drawn))

    def to_svg(self, shown: int = SHOWN) -> str:
        """Returns the tree as an SVG picture; arguments and errors are those of `to_html`."""
        top, drawn = part(self.root, shown)
        answer = self._answer()
        best = f"Best: {answer.best}. " if answer.best else ""
        value, spent, *notes = self._notes(top, drawn)
        return svg(top, self.title, (f"{best}{answer.worth} ({value}). {spent}", *notes))

    def save(self, path: str | Path, shown: int = SHOWN) -> None:
        """Writes the page or the picture, depending on the suffix. Raises StarspielError on failure."""
        check_ending(path)
        text = self.to_svg(shown) if Path(path).suffix.lower() == ".svg" else self.to_html(shown)
        try:
            Path(path).write_text(text, encoding="utf-8")
        except OSError as error:
            raise StarspielError(f"cannot write the tree to {path}: {error.strerror}.") from None

    def __repr__(self) -> str:
        return f"SearchTree({self.title}, {self.statistics.nodes:,} nodes visited)"

    def _repr_html_(self) -> str:
        top, drawn = part(self.root, SHOWN)
        return fragment(top, self.told, self._answer(), self._notes(top, drawn))

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def _answer(self) -> Answer:
        """Returns the best move, and the values of moves, as seen by the player to move."""
        state, root = undrawn(self.root.state), self.root
        told, player = self.told, state.current_player()
        best = root.best
        others = sorted(
            (child for child in root.children if child is not best and child.searched),
            key=lambda child: told.of(child.value, player),
            reverse=True,
        )
        named: dict[str, TreeNode] = {}
        for child in others:
            if best is None or child.name != best.name:
                named.setdefault(plain(child.name), child)
        signs = ("≥ ", "≤ ") if player == 1 else ("≤ ", "≥ ")
        bounds = {"exact": "", "at most": signs[0], "at least": signs[1]}
        worth = f"{told.word.capitalize()} {told.text(root.value, player)} for player {player}, who moves"
        return Answer(
            plain(self.game),
            self.title,
            "" if best is None else best.name,
            worth,
            tuple(
                f"{name}: {bounds[child.relation]}{told.text(child.value, player)}"
                for name, child in list(named.items())[:_OTHERS]
            ),
        )

    def _notes(self, top: Drawn, drawn: int) -> tuple[str, ...]:
        notes = [
            f"value {number(self.root.value)} for player 0",
            f"{self.statistics.nodes:,} nodes visited, repeated visits counted.",
        ]
        if _hides(top):
            notes.append(
                f"This is a part: {drawn:,} nodes, the best line first, then level by level from the root. "
                "If successors are left out, their number is given."
            )
        return (*notes, *self.notes)


def _hides(drawn: Drawn) -> bool:
    return drawn.hidden > 0 or any(map(_hides, drawn.children))


def check_ending(path: str | Path) -> None:
    """Raises StarspielError unless a file name ends in .html or .svg."""
    if Path(path).suffix.lower() not in (".html", ".htm", ".svg"):
        raise StarspielError(f"a tree is written to a .html page or a .svg picture, got {str(path)!r}.")


def tree_of(result: SearchResult) -> SearchTree:
    """Returns the tree of the search behind `result`. Raises StarspielError as in `SearchResult.tree`."""
    if result.depth == 0:
        raise StarspielError(
            "the search ended before its first ply was done, so there is no tree; give greater limits."
        )
    task: SearchTask = result.origin
    check_two_sided(task.game, "the tree of a search")
    kept = () if task.options.filters is None else tuple(result.action_values)
    depth, (record, statistics, bounds) = _deepest(task, result.depth, kept)
    frame = Frame(*bounds, task.of_whole_game, task.opponent)
    root = TreeNode(task.root, 0, None, "", None, "", record, record.visits[0], None, frame)
    notes = _notes(result)
    if depth < result.depth:
        notes.append(
            f"Drawn to {_plies(depth)}, the deepest that can be recorded (at most {MAX_RECORDED:,} "
            f"nodes); the search went to {_plies(result.depth)} and answered {number(result.value)}."
        )
    elif abs(root.value - result.value) > _ROUNDING * max(1.0, abs(result.value)):
        notes.append(
            f"The search itself answered {number(result.value)}: the evaluator does not always value the "
            "same position alike."
        )
    return SearchTree(
        root=root,
        game=task.game.name,
        algorithm=result.algorithm,
        evaluator=result.evaluator,
        depth=depth,
        statistics=statistics,
        told=result.outlook or outlook(task.game),
        notes=tuple(notes),
    )


def _deepest(
    task: SearchTask, depth: int, kept: Sequence[int]
) -> tuple[int, tuple[Record, Statistics, tuple[float, float]]]:
    """Returns the depth and the recorded search to it: `depth`, or the greatest depth that can be recorded.

    Raises TooLargeError if not even one ply can be recorded.
    """
    try:
        return depth, record_search(task, depth, kept)
    except TooLargeError:
        if depth == 1:
            raise
    # Upwards, so that at most one attempt fails.
    found = 1, record_search(task, 1, kept)
    for shallower in range(2, depth):
        try:
            found = shallower, record_search(task, shallower, kept)
        except TooLargeError:
            break
    return found


def _plies(depth: int) -> str:
    return "1 ply" if depth == 1 else f"{depth} plies"


def _notes(result: SearchResult) -> list[str]:
    notes = list(result.notes)
    if result.engine != "python":
        notes += [
            "Drawn from the Python engine, with the same depth, options and values.",
            "The native engine, which searched, merges, orders and keeps a table in its own way: it visits "
            "more nodes or fewer.",
        ]
    return notes
