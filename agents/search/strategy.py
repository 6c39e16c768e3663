"""What a search answers where all players move at once: a mixed strategy of each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table


@dataclass(frozen=True, slots=True)
class Strategy:
    """How one player mixes moves at the root.

    Attributes:
        player: who.
        policy: the probability of every legal action.
        action_values: player 0's expected return of the whole game if the player makes the move, and the
            other mixes; exact within the horizon. Of all moves, unless the search was told
            `exact_action_values=False`: then those that pruning proved no better are left out.
        names: what people call every action.
    """

    player: int
    policy: Mapping[int, float]
    action_values: Mapping[int, float]
    names: Mapping[int, str] = field(default_factory=dict)

    @property
    def most_likely(self) -> int:
        """The action played most often, the first of several."""
        return max(self.policy, key=lambda action: self.policy[action])

    def rescaled(self, scale: Callable[[float], float]) -> "Strategy":
        """The same with all values changed by a function."""
        return replace(self, action_values={a: scale(v) for a, v in self.action_values.items()})

    def renamed(self, numbers: Mapping[int, int], names: Mapping[int, str]) -> "Strategy":
        """The same with other numbers for its actions, and their names."""
        policy = {numbers[action]: chance for action, chance in self.policy.items()}
        return Strategy(self.player, policy, {numbers[a]: v for a, v in self.action_values.items()}, names)

    def table(self) -> "Table":
        """The moves, the likeliest first, with their probabilities and values, as rich prints them."""
        from rich.table import Table  # slow to load, and only what is shown needs it

        sign = -1 if self.player == 0 else 1
        table = Table(box=None, pad_edge=False, title=f"player {self.player}", title_justify="left")
        table.add_column("action", justify="right")
        for column in ("move", "probability", "value"):
            table.add_column(column, justify="left" if column == "move" else "right")
        values = self.action_values
        for action, chance in sorted(
            self.policy.items(), key=lambda move: (-move[1], sign * values.get(move[0], 0.0), move[0])
        ):
            value = f"{round(values[action], 6) + 0.0:+.6f}" if action in values else ""
            name = self.names.get(action, "")
            table.add_row(
                str(action), name, f"{100 * chance:.2f} %", value, style="bold" if chance > 0 else ""
            )
        return table
