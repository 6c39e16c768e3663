"""`JointMove`: simultaneous moves that are chosen one by one, as in records and at a terminal."""

from collections.abc import Sequence
from typing import Any

from starspiel.envs.base import NO_ACTION, SIMULTANEOUS, joint_child, joint_moves


class JointMove:
    """A State in which all players move at once, and some may have chosen already.

    Players are asked in their order, and nothing happens until the last one has chosen. Histories of games
    record joint moves like this, as in OpenSpiel: one action for each player, NO_ACTION for a player who has
    none. Agents are never shown this state, because it would reveal what others have chosen.

    Attributes:
        node: the state in which all players move at once.
        chosen: the actions chosen so far, by the first players.
    """

    def __init__(self, node: Any, chosen: Sequence[int] = ()) -> None:
        self.node = node
        self.chosen = tuple(chosen)

    def current_player(self) -> int:
        """Returns the next player to choose."""
        return len(self.chosen)

    def asking(self, player: int) -> "JointMove":
        """Returns the same position with `player` as the next to choose, whatever others have chosen."""
        return JointMove(self.node, (NO_ACTION,) * player)

    def is_terminal(self) -> bool:
        return False

    def is_chance_node(self) -> bool:
        return False

    def legal_actions(self) -> Sequence[int]:
        return joint_moves(self.node, len(self.node.returns()))[len(self.chosen)]

    def chance_outcomes(self) -> Sequence[tuple[int, float]]:
        return []

    def child(self, action: int) -> Any:
        """Returns the state in which the next player chooses or, after the last, in which all have moved."""
        chosen = (*self.chosen, action)
        if len(chosen) < len(self.node.returns()):
            return JointMove(self.node, chosen)
        return one_by_one(joint_child(self.node, chosen))

    def returns(self) -> Sequence[float]:
        return self.node.returns()  # type: ignore[no-any-return]

    def action_to_string(self, player: int, action: int) -> str:
        return "no move" if action == NO_ACTION else str(self.node.action_to_string(player, action))

    def get_game(self) -> Any:
        return self.node.get_game()

    def __str__(self) -> str:
        return str(self.node)

    def __repr__(self) -> str:
        return f"JointMove({self.node!r}, {self.chosen!r})"


def one_by_one(state: Any) -> Any:
    """Returns the state, as a `JointMove` without choices if all players move at once there."""
    return JointMove(state) if state.current_player() == SIMULTANEOUS else state
