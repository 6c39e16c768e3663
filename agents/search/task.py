"""What a search is asked, but for how far it may go."""

from dataclasses import dataclass
from typing import Any

from starspiel.agents.evaluators.base import Evaluator
from starspiel.agents.evaluators.zero import ZeroEvaluator
from starspiel.agents.opponents.model import Opponent
from starspiel.agents.search.options import Options
from starspiel.envs.base import Game


@dataclass(frozen=True, eq=False)
class SearchTask:
    """A decision node and how to search from it, as an engine gets them.

    A copy, pickled or not, is None: evaluators and states need not be made for that.

    Attributes:
        opponent: the model of the player who is not to move at the root; None for best moves.
        frame: (collected, scale), by which the engine's values become the game's.
        seed: of drawn ties; None if none are drawn.
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
        """Whether moves that look alike are drawn: the search knows nothing of the game, and has a seed."""
        blind = isinstance(self.evaluator, ZeroEvaluator)
        return blind and self.seed is not None and self.options.ties != "first"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(None), ()

    def of_whole_game(self, value: float) -> float:
        """The return of the whole game, by that of play from a root that has left out what was collected."""
        collected, scale = self.frame
        return collected + scale * value
