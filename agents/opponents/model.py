"""`Opponent`: a player who moves by a policy."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from starspiel.envs.errors import StarspielError, shown

#: (state) -> {action: probability}; omitted actions have probability 0.
Policy = Callable[[Any], Mapping[int, float]]

#: The player whose moves are modelled if none are.
NOBODY = -9
#: Tolerance for sums of probabilities, which may come from single-precision networks.
_TOLERANCE = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Opponent:
    """A player who moves by a policy, so that its decision nodes are worth the mean over its moves.

    Attributes:
        name: its spec, as results show it.
        policy: None for every legal move with equal chances.
        by_position: whether equal positions have equal policies; if not, tables and merging are off.
        player: whose moves are modelled, in a search.
    """

    name: str
    policy: Policy | None = None
    by_position: bool = True
    player: int = NOBODY

    def replies(self, state: Any) -> list[tuple[int, float]]:
        """The moves that it may make at its decision node, ascending, each with its probability."""
        chances = zip(state.legal_actions(), self.chances(state), strict=True)
        return [pair for pair in chances if pair[1] > 0]

    def chances(self, state: Any) -> list[float]:
        """The policy's probability of each legal action of a decision node, ascending; they sum to 1.

        Raises StarspielError if the policy gives something else.
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
        """The note of a search in which `off` is disabled because of the opponent."""
        return f"the opponent {self.name} may move differently in equal positions, so {off} off."

    def of_inner(self) -> "Opponent":
        """Adapts the player to states that contain the state it knows as `state`."""
        policy = self.policy
        return self if policy is None else replace(self, policy=lambda outer: policy(outer.state))
