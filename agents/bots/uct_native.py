"""Runs UCT in the native core: the searches of `UCTSearch` and `VectorUCTSearch`, visit for visit."""

import math
from typing import Any

from starspiel.agents.bots.uct_search import UCTSettings, finite_value
from starspiel.agents.bots.uct_tree import Tried, best_tried
from starspiel.agents.bots.uct_vectors import finite_vector
from starspiel.agents.evaluators.base import Evaluator, core_counterpart
from starspiel.agents.native_positions import for_core
from starspiel.agents.search.native import evaluating
from starspiel.envs.base import Game, has_vector_values


class NativeUCTSearch:
    """A search from a state, with the interface of `UCTSearch`.

    Args:
        core: the native core, which must support the game.
        evaluator: values leaves, by its native counterpart if it has one; None for rollouts.
        seed: seed of all random numbers except the evaluator's.
    """

    engine = "native"

    def __init__(
        self,
        core: Any,
        game: Game,
        state: Any,
        settings: UCTSettings,
        evaluator: Evaluator | None,
        seed: int,
    ) -> None:
        self._core, self._game, self._state, self._evaluator = core, game, state, evaluator
        self._are_vectors = has_vector_values(game)
        self._sign = 1.0 if self._are_vectors or state.current_player() == 0 else -1.0
        bounds = game.utility_range or (-math.inf, math.inf)
        self._told = {
            "seed": seed,
            "rollouts": settings.rollouts,
            "rollout_moves": settings.rollout_moves,
            "uct_c": settings.uct_c,
            "solve": settings.solve,
            "most_nodes": settings.most_nodes,
            "bounds": bounds,
            "scaled": game.step_rewards or not all(map(math.isfinite, bounds)),
            "vectors": self._are_vectors,
        }
        self._random_games = None
        self._search = self._begun()

    def _begun(self) -> Any:
        root = for_core(self._core, self._state)
        if self._evaluator is None:
            return self._core.UCT(root, evaluator=None, **self._told)
        counterpart = core_counterpart(self._evaluator, self._core, root, self._game)
        if counterpart is not None:
            try:
                search = self._core.UCT(root, evaluator=counterpart, **self._told)
            except ValueError:  # the core has no heuristic before the pieces are placed
                pass
            else:
                self._random_games = counterpart if hasattr(counterpart, "random_state") else None
                return search
        return self._core.UCT(root, evaluator=self._core.Function(self._value), **self._told)

    def _value(self, state: Any) -> Any:
        assert self._evaluator is not None
        returned = self._evaluator(state)
        return (
            finite_vector(returned, self._game.num_players) if self._are_vectors else finite_value(returned)
        )

    def run(self, simulations: int, seconds: float | None) -> int:
        """Simulates until a limit is reached or the root is proven; returns the number of simulations."""
        if self._evaluator is None:
            return int(self._search.run(simulations, seconds))
        with evaluating(self._evaluator, self._random_games):
            return int(self._search.run(simulations, seconds))

    def tried(self) -> dict[int, Tried]:
        """Returns the statistics of each action."""
        return {action: Tried(*found) for action, *found in sorted(self._search.tried())}

    def best_action(self) -> int:
        """Returns the action to play: see `best_tried`."""
        return best_tried(self.tried(), self._sign)
