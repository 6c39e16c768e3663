"""Collects the actions of the agent and its opponents for joint moves in an environment."""

from collections.abc import Mapping, Sequence
from typing import Any

from starspiel.envs.base import joint_child
from starspiel.envs.environments.opponents import Seated, answer_of
from starspiel.envs.errors import UnsupportedGameError


class JointChoice:
    """The actions that have been chosen so far for a joint move.

    Args:
        players: the number of players.
        seat: the agent's seat; None if it decides for all seats, one after the other.
    """

    def __init__(self, players: int, seat: int | None) -> None:
        self._players, self._seat = players, seat
        self._made: list[int] = []

    def turn(self, state: Any) -> tuple[int, Sequence[int]]:
        """Returns the player whose action the agent chooses next, and the legal actions.

        Raises UnsupportedGameError if there are none.
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
        """Returns the state after the agent's action, which is the same state until all have chosen."""
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
