"""Provides `SearchResult` and `Statistics`: the result of a search and its cost."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from io import StringIO
from typing import TYPE_CHECKING, Any

from starspiel.agents.registry import extra
from starspiel.agents.search.strategy import Strategy
from starspiel.envs.base import SIMULTANEOUS
from starspiel.envs.errors import StarspielError
from starspiel.envs.outlook import Outlook
from starspiel.envs.text import ShownInNotebooks

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

#: Algorithm and engine of results from an opening book: see agents/book/answer.py.
BOOK = "book"

#: Values that differ by less than this are ties, relative to the greatest magnitude if that is above 1.
TIE_TOLERANCE = 1e-9


def tie_tolerance(size: float) -> float:
    """Returns the greatest difference between ties; `size` is the search's greatest value by magnitude."""
    return TIE_TOLERANCE * max(1.0, size)


@dataclass(frozen=True, slots=True)
class Statistics:
    """The work of one search, summed over its iterations.

    Attributes:
        nodes: states visited, including the root.
        leaves: states valued: terminal ones, and those valued by the evaluator.
        decision_cutoffs, chance_cutoffs: nodes left before all their successors were searched.
        probes, probes_won: Star2 probes tried, and those that cut off the chance node.
        unprobed: chance nodes that Star2 did not probe (native engine, with ordering; docs/native.md).
        table_hits: nodes answered from the transposition table.
        merged_outcomes, merged_moves: successors not searched because an equal sibling was searched.
        filtered_moves: moves that move filters excluded from the search.
        probcuts: chance nodes cut off by ChanceProbCut.
        seconds: wall-clock seconds.
    """

    nodes: int = 0
    leaves: int = 0
    decision_cutoffs: int = 0
    chance_cutoffs: int = 0
    probes: int = 0
    probes_won: int = 0
    unprobed: int = 0
    table_hits: int = 0
    merged_outcomes: int = 0
    merged_moves: int = 0
    filtered_moves: int = 0
    probcuts: int = 0
    seconds: float = 0.0

    @property
    def nodes_per_second(self) -> float:
        """States visited per wall-clock second; 0.0 if no time passed."""
        return self.nodes / self.seconds if self.seconds else 0.0


#: The labels of the counters of Statistics.
_COUNTERS = {
    "decision_cutoffs": "cut-offs at decision nodes",
    "chance_cutoffs": "cut-offs at chance nodes",
    "probes": "probes",
    "probes_won": "probes won",
    "unprobed": "chance nodes not probed",
    "table_hits": "table hits",
    "merged_outcomes": "merged outcomes",
    "merged_moves": "merged moves",
    "filtered_moves": "filtered moves",
    "probcuts": "ChanceProbCut cut-offs",
}


@dataclass(frozen=True, slots=True)
class SearchResult(ShownInNotebooks):
    """The answer of a search at a decision node.

    Values are the expected return of the player `perspective` in the whole game, comparable with `returns()`
    at its end: rewards collected on the way to the root are included, and discounts count from the start.

    Attributes:
        value: the value of the root under best play within the horizon (`depth` 0: the evaluator's).
        value_to_go: the part of it that is still to be collected, as if the game began at the root. The same
            as `value` in games that pay only at their end.
        best_action: the first of `soonest_actions`.
        best_actions: every action within `tie_tolerance` of the best, ascending.
        soonest_actions: those of `best_actions` that were best for the most depths in a row, counted back
            from `depth`; all of them with other `ties`. See agents/search/tie_breaking.py.
        action_values: the exact value (within the horizon) of each root action. Left out are actions that
            pruning proved worse, with `exact_action_values=False`, those that filters leave out, those that a
            Monte-Carlo tree search did not try, and all but the answer of a book.
        principal_variation: best play from the root as (player, action) pairs, following the likeliest
            outcome (player CHANCE) at every chance node.
        player: the player to move at the root.
        perspective: the player whose return the values are: player 0 in games for one player and zero-sum
            games for two, otherwise `player`.
        returns: every player's expected return under best play, one of which is `value`. None for searches
            that know only one player's (Monte-Carlo tree searches, and paranoid ones if values are vectors),
            and for answers from a book.
        action_returns: every player's expected return by each action of `action_values`; None if `returns`
            is.
        depth: decision plies searched in full. It is 0 in an answer from a book, and if the limit ended the
            search before the first ply was completed. In the latter case, `action_values` are those of the
            moves that were searched, and `best_action` is the best of them (or the first legal one).
        exact: whether the value is the game's own because no evaluator was used. Whether a search manages
            without one depends on its algorithm, options and threads. True is always sound.
        unfinished: the exact values, at one ply more than `depth`, of the actions searched in an iteration
            that the limit ended, if one of them was better than the best action of `depth` plies. The best
            actions are then the best of these; `value`, `action_values`, `returns` and `action_returns`
            remain those of `depth`. Otherwise empty.
        algorithm, evaluator, engine: what was run. For an answer from a book, "book" and the agent that found
            its move.
        statistics: the cost of the search.
        notes: what a reader must know, e.g. why pruning was off; one sentence each.
        names: the readable name of every root action; actions of the same effect share a name.
        line: the principal variation in words.
        strategies: each player's mixed strategy if all players move at once at the root, otherwise empty.
            `player` is then SIMULTANEOUS; fields about actions describe those of player 0, and `best_action`
            is the likeliest.
        visits: the number of simulations of each action in a Monte-Carlo tree search, whose best move is the
            most visited one, or one proven to be better; otherwise empty.
        outlook: how to print values for people: as the winning chances of the player to move, if the game has
            them. If None, values are printed as returns.
        origin: the task of the search, for `tree`; None in a copy.
    """

    value: float
    value_to_go: float
    best_action: int
    best_actions: tuple[int, ...]
    soonest_actions: tuple[int, ...]
    action_values: Mapping[int, float]
    principal_variation: tuple[tuple[int, int], ...]
    player: int
    depth: int
    exact: bool
    algorithm: str
    evaluator: str
    engine: str
    statistics: Statistics
    notes: tuple[str, ...] = ()
    unfinished: Mapping[int, float] = field(default_factory=dict)
    names: Mapping[int, str] = field(default_factory=dict)
    line: tuple[str, ...] = ()
    perspective: int = 0
    returns: tuple[float, ...] | None = None
    action_returns: Mapping[int, tuple[float, ...]] | None = None
    strategies: tuple[Strategy, ...] = ()
    visits: Mapping[int, int] = field(default_factory=dict)
    outlook: Outlook | None = field(default=None, repr=False, compare=False)
    origin: Any = field(default=None, repr=False, compare=False)

    @property
    def nodes(self) -> int:
        """States visited."""
        return self.statistics.nodes

    @property
    def leaves(self) -> int:
        """States valued: terminal ones, and those valued by the evaluator."""
        return self.statistics.leaves

    @property
    def seconds(self) -> float:
        """Wall-clock seconds."""
        return self.statistics.seconds

    @property
    def policies(self) -> tuple[Mapping[int, float], ...]:
        """{action: probability} for each player, if all move at once at the root; otherwise empty."""
        return tuple(strategy.policy for strategy in self.strategies)

    def tree(self) -> Any:
        """Returns the `SearchTree` of this search, recorded by the Python engine with an empty table.

        If a search to `depth` plies is too large to record, returns the tree of the greatest depth that is
        not; a note says so. The native engine visits a different number of nodes.

        Raises StarspielError for a Monte-Carlo tree search, if even one ply is too large to record, if
        `depth` is 0, and if the result is a copy or was made without `explain`. Raises UnsupportedGameError
        if values are vectors, or if all players move at once.
        """
        if self.algorithm == BOOK:
            raise StarspielError("the book gave this answer and nothing was searched: search without it.")
        if self.visits:
            raise StarspielError(
                "this result is of a Monte-Carlo tree search, which is not drawn: use search()."
            )
        if self.origin is None:
            raise StarspielError(
                "this result does not hold what its search began with: it is a copy, or was made with "
                "explain=False; search again for a tree."
            )
        return extra("tree of a search")(self)

    def ranked_actions(self) -> list[tuple[int, float]]:
        """Returns the (action, value) pairs of `action_values`, the best for the player to move first."""
        sign = -1 if self.player in (self.perspective, SIMULTANEOUS) else 1
        return sorted(self.action_values.items(), key=lambda item: (sign * item[1], item[0]))

    def __str__(self) -> str:
        from rich.console import Console  # slow to load, and needed only for printing

        console = Console(file=StringIO(), width=160, highlight=False)
        console.print(self)
        assert isinstance(console.file, StringIO)
        return "\n".join(line.rstrip() for line in console.file.getvalue().rstrip().split("\n"))

    def tables(self) -> "list[Table]":
        """Returns a table of the moves with their values, or of each player's mixed strategy."""
        from rich.table import Table  # slow to load, and needed only for printing

        if self.strategies:
            return [each.table(self.outlook) for each in self.strategies]
        table = Table(box=None, pad_edge=False)
        table.add_column("action", justify="right")
        table.add_column("move")
        table.add_column("value" if self.outlook is None else self.outlook.word, justify="right")
        if self.visits:
            table.add_column("simulations", justify="right")
        rows: dict[tuple[str, str], list[int]] = {}  # actions of the same name and value share a row
        for action, value in self.ranked_actions():
            rows.setdefault((self.names.get(action, str(action)), self.told(value)), []).append(action)
        for (name, shown), actions in rows.items():
            best = any(action in self.best_actions for action in actions)
            move = name if self.names else ""
            tried = [f"{sum(self.visits[action] for action in actions):,}"] if self.visits else []
            table.add_row(", ".join(map(str, actions)), move, shown, *tried, style="bold" if best else "")
        return [table]

    def __rich__(self) -> "RenderableType":
        from rich.console import Group  # slow to load, and needed only for printing
        from rich.text import Text

        tables, spent = self.tables(), self.statistics
        if self.algorithm == BOOK:
            head = f"book by {self.evaluator}: {self._told_value()}"
            return Group(Text(head, style="bold"), *tables, *self._shown_notes())
        if self.visits:
            head = f"{self.algorithm}, by {self.evaluator}: {self._told_value()}"
            took = f"{spent.nodes:,} simulations in {spent.seconds:.3f} s ({self.engine} engine)"
            return Group(Text(head, style="bold"), *tables, Text(took), *self._shown_notes())
        work = [
            f"{spent.nodes:,} nodes, {spent.leaves:,} leaves in {spent.seconds:.3f} s "
            f"({spent.nodes_per_second:,.0f} nodes/s, {self.engine} engine)"
        ]
        counts = {name: getattr(spent, counter) for counter, name in _COUNTERS.items()}
        if any(counts.values()):
            work.append(", ".join(f"{name} {count:,}" for name, count in counts.items() if count))
        head = (
            f"{self.algorithm}, depth {self.depth}, evaluator {self.evaluator}: "
            f"{self._told_value()}{' (exact)' if self.exact else ''}"
        )
        parts: list[RenderableType] = [Text(head, style="bold"), *tables]
        if self.line:
            parts.append(Text("line: " + "  ".join(self.line)))
        parts.extend(Text(line) for line in work)
        parts.extend(self._shown_notes())
        return Group(*parts)

    def told(self, value: float) -> str:
        """Returns a value as the result prints it: by its `outlook`, for the player to move."""
        return _signed(value) if self.outlook is None else self.outlook.text(value, self.player)

    def _told_value(self) -> str:
        whose = self.player if self.outlook is not None and self.player >= 0 else self.perspective
        word = "value" if self.outlook is None else self.outlook.word
        told = f"{word} {self.told(self.value)} for player {whose}"
        to_go = f", {self.told(self.value_to_go)} of it to go"
        return told + (to_go if self.value_to_go != self.value else "")

    def _shown_notes(self) -> "list[Text]":
        from rich.text import Text

        return [Text(f"note: {note}", style="yellow") for note in self.notes]


def _signed(value: float) -> str:
    """Returns a value with six decimals and a sign; 0 for a sum that misses 0 by a rounding error."""
    return f"{round(value, 6) + 0.0:+.6f}"
