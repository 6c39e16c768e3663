"""`Opponent`: a player who makes the best move or, at an error rate, moves by a policy."""

from collections.abc import Callable, Mapping, Sequence
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
    """A player who makes the best move and, at a rate of `error`, moves by a policy.

    The value of its decision nodes is (1 - error) x the value of its best move + error x the policy's mean.

    Attributes:
        name: its spec, as results show it.
        error: how often it moves by the policy, above 0 and up to 1.
        policy: None for every legal move with equal chances.
        by_position: whether equal positions have equal policies; if not, tables and merging are off.
        player: whose moves are modelled, in a search.
    """

    name: str
    error: float = 1.0
    policy: Policy | None = None
    by_position: bool = True
    player: int = NOBODY

    def replies(self, state: Any) -> list[tuple[int, float]]:
        """The moves that count at its decision node, ascending, each with its probability by the policy."""
        chances = zip(state.legal_actions(), self.chances(state), strict=True)
        return [pair for pair in chances if pair[1] > 0 or self.error < 1]

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

    def value(self, values: Sequence[float], chances: Sequence[float], player: int) -> float:
        """Player 0's value of a decision node, by those of its successors and the policy's probabilities."""
        mean = 0.0  # as the native engine adds up; `sum` is more exact from Python 3.12 on
        for chance, value in zip(chances, values, strict=True):
            mean += chance * value
        if self.error == 1:
            return mean
        best: float = max(values) if player == 0 else min(values)
        return (1 - self.error) * best + self.error * mean

    def not_by_position(self, off: str) -> str:
        """The note of a search in which `off` is disabled because of the opponent."""
        return f"the opponent {self.name} may move differently in equal positions, so {off} off."

    def of_inner(self) -> "Opponent":
        """Adapts the player to states that contain the state it knows as `state`."""
        policy = self.policy
        return self if policy is None else replace(self, policy=lambda outer: policy(outer.state))
