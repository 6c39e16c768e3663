"""Provides `SearchTask`: everything that defines a search, except its limits."""

from dataclasses import dataclass
from typing import Any

from starspiel.agents.evaluators.base import Evaluator
from starspiel.agents.evaluators.zero import ZeroEvaluator
from starspiel.agents.opponents.model import Opponent
from starspiel.agents.search.options import Options
from starspiel.envs.base import Game


@dataclass(frozen=True, eq=False)
class SearchTask:
    """A decision node and how to search from it. Copies and pickles of it are None, because evaluators and
    states may not support copying.

    Attributes:
        opponent: the model of the player who is not to move at the root; None for best play.
        frame: (collected, scale), which convert the engine's values to the game's.
        seed: seed of random tie-breaking.
    """

    root: Any
    game: Game
    evaluator: Evaluator
    options: Options
    opponent: Opponent | None = None
    frame: tuple[float, float] = (0.0, 1.0)
    seed: int | None = None

    @property
    def draws_ties(self) -> bool:
        """Whether ties are broken at random: zero evaluator, a seed, and `ties` other than "first"."""
        blind = isinstance(self.evaluator, ZeroEvaluator)
        return blind and self.seed is not None and self.options.ties != "first"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(None), ()

    def of_whole_game(self, value: float) -> float:
        """Converts a return to go into the return of the whole game."""
        collected, scale = self.frame
        return collected + scale * value
