"""Provides the agent `optimal`: perfect play from a solved game."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from starspiel.agents.bots.search_bot import SearchBot
from starspiel.agents.evaluators.solution import SolutionEvaluator
from starspiel.agents.search import Limits, SearchResult
from starspiel.agents.solve.solution import Solution
from starspiel.agents.solve.times import TIE_TOLERANCE, VECTOR_TOLERANCE, soonest_actions
from starspiel.envs.base import Game, has_vector_values
from starspiel.envs.errors import SpecError


class OptimalBot(SearchBot):
    """Plays an action of the best exact value; of several, the one after which the game ends soonest.

    Args:
        game, player, seed: as for SearchBot.
        solution: the game's solution, or its file.
        ties: "soonest", or "first" or "random" among all optimal actions.

    A losing player delays the end instead: see agents/solve/times.py.
    """

    def __init__(
        self, game: Game, solution: str | Solution, *, player: int, seed: int | None, ties: str
    ) -> None:
        evaluator = SolutionEvaluator(game, solution)
        super().__init__(
            game, "expectiminimax", Limits(depth=1), evaluator, player=player, seed=seed, ties=ties
        )
        self._solution = evaluator.solution

    def __repr__(self) -> str:
        return f"<optimal bot for {self._game.name}>"

    def search(self, state: Any, *, limits: Limits | None = None, **options: Any) -> SearchResult:
        result = super().search(state, limits=limits, **options)
        if (
            self._options.ties != "soonest"
            or result.strategies
            or len(result.best_actions) == 1
            or result.depth != 1
        ):
            return result
        best: Sequence[int] = result.best_actions
        if has_vector_values(self._game):
            best, hastens = self._with_all_values(state, best), True
        else:
            to_go = result.value_to_go
            better = to_go if result.player == result.perspective else -to_go
            hastens = self._game.num_players == 1 or better >= -TIE_TOLERANCE * max(1.0, abs(to_go))
        times = {a: self._solution.time(self._game, state.child(a)) for a in best}
        chosen = soonest_actions(times, hastens)
        return replace(
            result,
            best_action=chosen[0],
            soonest_actions=chosen,
            principal_variation=((result.player, chosen[0]),),
            line=(result.names[chosen[0]],) if result.names else (),
        )

    @cached_property
    def _greatest(self) -> float:
        return float(np.abs(self._solution.values).max(initial=0.0))

    def _with_all_values(self, state: Any, actions: Sequence[int]) -> list[int]:
        """Returns the actions after which every player has the value that the solution gives for the state.
        If its rounded values match none, returns all actions.
        """
        solved = np.array(self._solution(self._game, state))
        after = {action: np.array(self._solution(self._game, state.child(action))) for action in actions}
        greatest = max(self._greatest, *(float(np.abs(values).max()) for values in after.values()))
        slack = VECTOR_TOLERANCE * max(min(1.0, greatest), float(np.abs(solved).max()))
        return [a for a, values in after.items() if np.abs(values - solved).max() <= slack] or list(actions)


def optimal(
    game: Game,
    player: int = 0,
    seed: int | None = None,
    *,
    solution: str | Solution = "",
    ties: str = "soonest",
) -> SearchBot:
    """Returns a bot that plays moves whose successors have the best exact values.

    Args:
        solution: a file that `starspiel solve GAME --output FILE` wrote, or a Solution.
        ties: "soonest", "first" or "random" among equally good moves.

    Raises SpecError if `solution` is not given, and StarspielError if it cannot be read or is of another
    game.
    """
    if not solution:
        raise SpecError(
            "needs a solution: optimal(solution=FILE), written by `starspiel solve --output FILE`."
        )
    return OptimalBot(game, solution, player=player, seed=seed, ties=ties)
