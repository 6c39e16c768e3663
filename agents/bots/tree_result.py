"""What a Monte-Carlo tree search found, as a search's answer."""

from collections.abc import Mapping
from typing import Any

from starspiel.agents.search import SearchResult
from starspiel.agents.search.result import Statistics, tie_tolerance
from starspiel.envs.base import Game, collected_by, has_vector_values
from starspiel.envs.outlook import outlook
from starspiel.envs.plays import play_names


def tree_result(
    game: Game,
    state: Any,
    values: Mapping[int, float],
    visits: Mapping[int, int],
    best: int,
    *,
    algorithm: str,
    evaluator: str,
    engine: str,
    seconds: float,
) -> SearchResult:
    """The answer at a decision node: `value` is that of the move that the search plays, `depth` is 0.

    Args:
        values: each tried action's value: player 0's expected return, or in games whose values are vectors
            that of the player to move.
        visits: the simulations that tried each action.
        best: the action that the search plays, most often the most visited one.
        algorithm, evaluator, engine: what was run.
    """
    player = int(state.current_player())
    perspective = player if has_vector_values(game) else 0
    value, names = values[best], play_names(game, state)
    tied = tuple(a for a, v in sorted(values.items()) if abs(v - value) <= tie_tolerance(abs(value)))
    best_actions = tied if len({visits[a] for a in tied}) == 1 else (best,)
    return SearchResult(
        value=value,
        value_to_go=value - collected_by(perspective, game, state),
        best_action=best,
        best_actions=best_actions,
        soonest_actions=(best,),
        action_values=values,
        principal_variation=((player, best),),
        player=player,
        depth=0,
        exact=False,
        algorithm=algorithm,
        evaluator=evaluator,
        engine=engine,
        statistics=Statistics(nodes=sum(visits.values()), seconds=seconds),
        names=names,
        line=(names[best],),
        perspective=perspective,
        visits=visits,
        outlook=outlook(game),
    )
