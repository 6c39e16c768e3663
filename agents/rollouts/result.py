"""Defines `RolloutResult`: each move's mean with its interval, and whether the best move is settled."""

from dataclasses import dataclass
from io import StringIO
from math import isnan
from typing import TYPE_CHECKING, Any

from starspiel.envs.text import ShownInNotebooks

if TYPE_CHECKING:
    from rich.console import RenderableType

#: Reasons for the end of a rollout.
SETTLED, GAMES, SECONDS, SAME, INTERRUPTED = "settled", "games", "seconds", "same", "interrupted"

_WHY = {
    SETTLED: "the best move is settled",
    GAMES: "all games allowed were played",
    SECONDS: "the time is over",
    SAME: "no result varies, so more games are not expected to differ",
    INTERRUPTED: "interrupted",
}


@dataclass(frozen=True, slots=True)
class RolledMove:
    """A move and the games played on from it. Values are those of the player `RolloutResult.perspective`.

    Attributes:
        games: the number of games played on from it, or from a move that leads to an equal position.
        value, error, margin: the mean of the luck-adjusted results; its standard error, with an allowance for
            what so few games may have missed; and half the width of the 95 % interval. NaN if unknown.
        raw, raw_error: the mean and standard error of the results without adjustment.
        behind, behind_margin: how much better the best move is, in games with the same dice, and half the
            width of that difference's 95 % interval; 0.0 and NaN for the best move itself.
        dropped: whether it was proven worse at the given confidence; no more games were then played from it.
    """

    action: int
    name: str
    games: int
    value: float
    error: float
    margin: float
    raw: float
    raw_error: float
    behind: float
    behind_margin: float
    dropped: bool

    @property
    def variance_factor(self) -> float:
        """How many times as many games the raw results need for the same error; NaN if unknown."""
        return (self.raw_error / self.error) ** 2


@dataclass(frozen=True, slots=True)
class RolloutResult(ShownInNotebooks):
    """The result of a rollout at a decision node. Values are expected returns of the whole game.

    Attributes:
        perspective: the player whose values are given: player 0, or, in games whose values are vectors,
            `player`.
        player: the player to move.
        moves: the moves, best first: first those not dropped, by value, then the dropped ones, by value.
        confidence: the required probability that no better move was dropped.
        ended: why the rollout ended: "settled", "games", "seconds", "same" (no result varied, which settles
            nothing) or "interrupted".
        evaluator, agent: what valued positions, and who played.
        depth: the number of decisions after which games were cut off; None for never.
        games, decisions: how many were played in all.
        notes: what a reader must know; one sentence each.
    """

    moves: tuple[RolledMove, ...]
    player: int
    confidence: float
    ended: str
    evaluator: str
    agent: str
    depth: int | None
    games: int
    decisions: int
    seconds: float
    notes: tuple[str, ...] = ()
    perspective: int = 0

    @property
    def best_action(self) -> int:
        """The move with the best mean."""
        return self.moves[0].action

    @property
    def value(self) -> float:
        """The value of the best move."""
        return self.moves[0].value

    @property
    def settled(self) -> bool:
        """Whether all moves, except the best and those equal to it, are proven worse."""
        return self.ended == SETTLED

    @property
    def action_values(self) -> dict[int, float]:
        """The value of each move."""
        return {move.action: move.value for move in sorted(self.moves, key=lambda move: move.action)}

    def __str__(self) -> str:
        return as_text(self, 160)

    def __rich__(self) -> "RenderableType":
        from rich.console import Group  # slow to load, and needed only for printing
        from rich.table import Table
        from rich.text import Text

        table = Table("action", "move", box=None, pad_edge=False)
        table.columns[0].justify = "right"
        for column in ("value", "± 95 %", "behind by", "± 95 %", "unadjusted", "± s.e.", "games"):
            table.add_column(column, justify="right")
        rows: dict[tuple[str, float], list[RolledMove]] = {}  # moves of the same effect share a row
        for move in self.moves:
            rows.setdefault((move.name, move.value), []).append(move)
        for same in rows.values():
            move = same[0]
            best = move.action == self.best_action
            table.add_row(
                ", ".join(str(each.action) for each in same),
                move.name,
                f"{move.value:+.4f}",
                shown_margin(move.margin),
                *(("", "") if best else (f"{move.behind:.4f}", shown_margin(move.behind_margin))),
                f"{move.raw:+.4f}",
                shown_margin(move.raw_error),
                f"{move.games:,}",
                style="bold" if best else "dim" if move.dropped else "",
            )
        length = "played to their end" if self.depth is None else f"broken off after {self.depth} moves"
        head = (
            f"rollout, games {length}, played by {self.agent}, evaluator {self.evaluator}, "
            f"expected returns of player {self.perspective}"
        )
        lines = [
            f"{_WHY[self.ended]}: {self.games:,} games, {self.decisions:,} moves in {self.seconds:.1f} s; "
            f"confidence {100 * self.confidence:g} %"
        ]
        factor = self.moves[0].variance_factor
        if not isnan(factor) and not self.notes:
            lines.append(f"unadjusted, the best move would need {factor:.3g} times as many games")
        return Group(
            Text(head, style="bold"),
            table,
            *map(Text, lines),
            *(Text(f"note: {note}", style="yellow") for note in self.notes),
        )


def shown_margin(number: float) -> str:
    """Formats a margin or error; as a dash if it is unknown."""
    return "–" if isnan(number) else f"{number:.4f}"


def as_text(shown: Any, width: int) -> str:
    """Returns the text that a console of `width` columns shows."""
    from rich.console import Console  # slow to load, and needed only for printing

    file = StringIO()
    Console(file=file, width=width, highlight=False).print(shown)
    return "\n".join(line.rstrip() for line in file.getvalue().rstrip().split("\n"))
