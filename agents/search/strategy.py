"""Provides `Strategy`: how a player mixes moves when all players move at once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from starspiel.envs.outlook import Outlook

if TYPE_CHECKING:
    from rich.table import Table


@dataclass(frozen=True, slots=True)
class Strategy:
    """A player's mixed strategy at the root.

    Attributes:
        player: the player.
        policy: the probability of every legal action.
        action_values: player 0's expected return of the whole game if the player makes the move and the other
            player follows their strategy; exact within the horizon. With `exact_action_values=False`, moves
            that pruning proved no better are missing.
        names: the name of every action.
    """

    player: int
    policy: Mapping[int, float]
    action_values: Mapping[int, float]
    names: Mapping[int, str] = field(default_factory=dict)

    @property
    def most_likely(self) -> int:
        """The likeliest action; the first of several that are equally likely."""
        return max(self.policy, key=lambda action: self.policy[action])

    def rescaled(self, scale: Callable[[float], float]) -> "Strategy":
        """Returns the strategy with all values mapped by a function."""
        return replace(self, action_values={a: scale(v) for a, v in self.action_values.items()})

    def renamed(self, numbers: Mapping[int, int], names: Mapping[int, str]) -> "Strategy":
        """Returns the strategy with other numbers and names for its actions."""
        policy = {numbers[action]: chance for action, chance in self.policy.items()}
        return Strategy(self.player, policy, {numbers[a]: v for a, v in self.action_values.items()}, names)

    def table(self, outlook: Outlook | None = None) -> "Table":
        """Returns a rich table of the moves, likeliest first, with probabilities and values. `outlook`
        formats the values from the player's side; without it, they are player 0's expected returns.
        """
        from rich.table import Table  # slow to load

        sign = -1 if self.player == 0 else 1
        table = Table(box=None, pad_edge=False, title=f"player {self.player}", title_justify="left")
        table.add_column("action", justify="right")
        for column in ("move", "probability", "value" if outlook is None else outlook.word):
            table.add_column(column, justify="left" if column == "move" else "right")
        values = self.action_values
        for action, chance in sorted(
            self.policy.items(), key=lambda move: (-move[1], sign * values.get(move[0], 0.0), move[0])
        ):
            value = "" if action not in values else f"{round(values[action], 6) + 0.0:+.6f}"
            if outlook is not None and action in values:
                value = outlook.text(values[action], self.player)
            name = self.names.get(action, "")
            table.add_row(
                str(action), name, f"{100 * chance:.2f} %", value, style="bold" if chance > 0 else ""
            )
        return table
