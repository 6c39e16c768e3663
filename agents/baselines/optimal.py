"""Perfect play from a solution."""

from starspiel.agents.bots import SearchBot
from starspiel.agents.evaluators.solution import SolutionEvaluator
from starspiel.agents.search import Limits
from starspiel.agents.solve.solution import Solution
from starspiel.envs.base import Game
from starspiel.envs.errors import SpecError


def optimal(
    game: Game,
    player: int = 0,
    seed: int | None = None,
    *,
    solution: str | Solution = "",
    ties: str = "first",
) -> SearchBot:
    """The move whose successors have the best exact values.

    Args:
        solution: the file that `starspiel solve GAME --output FILE` wrote, or a Solution.
        ties: "first" or "random" among equally good moves.
    """
    if not solution:
        raise SpecError(
            "needs a solution: optimal(solution=FILE), written by `starspiel solve --output FILE`."
        )
    evaluator = SolutionEvaluator(game, solution)
    return SearchBot(game, "expectiminimax", Limits(depth=1), evaluator, player=player, seed=seed, ties=ties)
