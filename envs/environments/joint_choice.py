"""Joint moves in an environment: collects the actions of the agent and its opponents."""

from collections.abc import Mapping, Sequence
from typing import Any

from starspiel.envs.base import joint_child
from starspiel.envs.environments.opponents import Seated, answer_of
from starspiel.envs.errors import UnsupportedGameError


class JointChoice:
    """The actions of a joint move chosen so far.

    Args:
        players: how many the game has.
        seat: the agent's; None if it decides for all seats, one after the other.
    """

    def __init__(self, players: int, seat: int | None) -> None:
        self._players, self._seat = players, seat
        self._made: list[int] = []

    def turn(self, state: Any) -> tuple[int, Sequence[int]]:
        """Whose action the agent is asked for, and the legal ones.

        Raises UnsupportedGameError if there is none.
        """
        player = len(self._made) if self._seat is None else self._seat
        legal = state.legal_actions(player)
        if not legal:
            raise UnsupportedGameError(
                f"{state.get_game()}: player {player} has no action while others move, and an environment "
                f"asks for one, at\n{state}"
            )
        return player, legal

    def after(self, state: Any, action: int, others: Mapping[int, Seated]) -> Any:
        """The state after the agent's action: the same one until all have chosen."""
        if self._seat is None:
            self._made.append(action)
            if len(self._made) < self._players:
                return state
            chosen, self._made = self._made, []
            return joint_child(state, chosen)
        seats = range(self._players)
        chosen = [action if seat == self._seat else answer_of(others[seat], state, seat) for seat in seats]
        for other in others.values():
            other.inform_all(state, chosen)
        return joint_child(state, chosen)
