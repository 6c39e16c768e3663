"""Provides `Opponent`: a player who moves by a policy."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from starspiel.envs.errors import StarspielError, shown

#: A function (state) -> {action: probability}; omitted actions have probability 0.
Policy = Callable[[Any], Mapping[int, float]]

#: Stands for the modelled player if there is none.
NOBODY = -9
#: Tolerance for sums of probabilities, which may come from single-precision networks.
_TOLERANCE = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Opponent:
    """A player who moves by a policy, so the value of their decision nodes is the mean over their moves.

    Attributes:
        name: its spec, as results show it.
        policy: the policy; None for equal probabilities of all legal moves.
        by_position: whether equal positions have equal policies; if not, tables and merging are off.
        player: the player whose moves are modelled in a search.
    """

    name: str
    policy: Policy | None = None
    by_position: bool = True
    player: int = NOBODY

    def replies(self, state: Any) -> list[tuple[int, float]]:
        """Returns the moves of positive probability at its decision node, ascending, with their
        probabilities.
        """
        chances = zip(state.legal_actions(), self.chances(state), strict=True)
        return [pair for pair in chances if pair[1] > 0]

    def chances(self, state: Any) -> list[float]:
        """Returns the policy's probability of each legal action of a decision node, ascending; they sum to 1.

        Raises StarspielError if the policy is not a distribution over the legal actions.
        """
        actions = state.legal_actions()
        if self.policy is None:
            return [1 / len(actions)] * len(actions)
        given = self.policy(state)
        chances = [float(given.get(action, 0.0)) for action in actions]
        total = sum(chances)
        legal = set(actions)
        sound = all(chance >= 0 for chance in chances) and abs(total - 1) <= _TOLERANCE
        if not sound or any(chance and action not in legal for action, chance in given.items()):
            raise StarspielError(
                f"opponent {self.name}: expected probabilities of the legal actions that sum to 1, got "
                f"{shown(dict(given))} at the state\n{state}"
            )
        return [chance / total for chance in chances]

    def not_by_position(self, off: str) -> str:
        """Returns the note of a search in which `off`, such as "the table is", is off because of the
        opponent.
        """
        return f"the opponent {self.name} may move differently in equal positions, so {off} off."

    def of_inner(self) -> "Opponent":
        """Adapts the model to states that contain the original state as `state`."""
        policy = self.policy
        return self if policy is None else replace(self, policy=lambda outer: policy(outer.state))
