"""Provides the solution of a game whose values are vectors."""

from dataclasses import dataclass
from typing import Any, ClassVar

from starspiel.agents.solve.solution import Solution
from starspiel.envs.base import CHANCE, TERMINAL, Game, possible_outcomes


@dataclass(frozen=True)
class VectorSolution(Solution):
    """The exact values of a game in which each player maximises their own return: see backups.py.

    Attributes:
        value: each player's expected return at the start.
        values: values of the decision nodes, of shape (positions, players); these games pay at their end.
    """

    layout: ClassVar[str] = "vectors"

    value: tuple[float, ...]  # type: ignore[assignment]

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", tuple(self.value))  # a file stores a list

    def __call__(self, game: Game, state: Any) -> tuple[float, ...]:  # type: ignore[override]
        """Returns each player's expected return. Raises StarspielError for a position that is not in the
        solution.
        """
        player = state.current_player()
        if player == TERMINAL:
            return tuple(map(float, state.returns()))
        if player == CHANCE:
            means = [0.0] * game.num_players
            try:
                for outcome, p in possible_outcomes(state):
                    for i, each in enumerate(self(game, state.child(outcome))):
                        means[i] += p * each
            except RecursionError:
                raise self._endless_chance(state) from None
            return tuple(means)
        return tuple(self.values[self._place(game, state)].tolist())

    def __str__(self) -> str:
        returns = ", ".join(f"{each:.12g}" for each in self.value)
        return (
            f"{self.game}: values ({returns}) over {self.states:,} states, "
            f"residual {self.residual:.1e}, {self.seconds:.1f} s"
        )
