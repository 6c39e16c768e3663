"""`JointMove`: simultaneous moves chosen one by one, as in records and at a terminal."""

from collections.abc import Sequence
from typing import Any

from starspiel.envs.base import NO_ACTION, SIMULTANEOUS, joint_child, joint_moves


class JointMove:
    """A position in which all players move at once, some of whom have chosen already: a State.

    Players are asked in their order, and nothing happens until the last one has chosen. Histories of games
    hold joint moves like that, as OpenSpiel's do: one action of each player, NO_ACTION of one who has none.
    No agent is shown it, which would tell what others have chosen.

    Attributes:
        node: the state in which all move at once.
        chosen: the actions so far, of the first players.
    """

    def __init__(self, node: Any, chosen: Sequence[int] = ()) -> None:
        self.node = node
        self.chosen = tuple(chosen)

    def current_player(self) -> int:
        """The next player to choose."""
        return len(self.chosen)

    def asking(self, player: int) -> "JointMove":
        """The same with `player` as the next to choose: what they may do, whatever others have chosen."""
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
        """The state after all have moved if this was the last choice, else that of the next one."""
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
    """The state; if all players move at once there, as the `JointMove` that begins."""
    return JointMove(state) if state.current_player() == SIMULTANEOUS else state
