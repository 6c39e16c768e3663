"""Converts the findings of a Monte-Carlo tree search to a search result."""

from collections.abc import Mapping, Sequence
from typing import Any

from starspiel.agents.search import SearchResult
from starspiel.agents.search.result import Statistics, tie_tolerance
from starspiel.agents.search.strategy import Strategy
from starspiel.envs.base import SIMULTANEOUS, Game, collected_by, has_vector_values
from starspiel.envs.outlook import outlook
from starspiel.envs.plays import play_names
from starspiel.envs.plays.plays import name_of


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
    """Returns the result at a decision node: `value` is that of the move played, and `depth` is 0.

    Args:
        values: the value of each action tried: player 0's expected return, or in games whose values are
            vectors that of the player to move.
        visits: the number of simulations that tried each action.
        best: the action that the search plays, usually the most visited one.
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


def joint_tree_result(
    game: Game,
    state: Any,
    policies: Sequence[Mapping[int, float]],
    values: Sequence[Mapping[int, float]],
    visits: Mapping[int, int],
    *,
    algorithm: str,
    evaluator: str,
    seconds: float,
) -> SearchResult:
    """Returns the result at a node of joint moves: each player's strategy.

    Args:
        policies: each player's probabilities of moves.
        values: player 0's expected return by each move that a player tried, against the other's strategy.
        visits: the number of simulations that tried each move of player 0.
        algorithm, evaluator: what was run.
    """
    strategies = tuple(
        Strategy(player, policy, worth, {action: name_of(state, player, action) for action in policy})
        for player, (policy, worth) in enumerate(zip(policies, values, strict=True))
    )
    first = strategies[0]
    known = sum(first.policy[action] for action in first.action_values)
    value = sum(first.policy[action] * worth for action, worth in first.action_values.items()) / known
    return SearchResult(
        value=value,
        value_to_go=value - collected_by(0, game, state),
        best_action=first.most_likely,
        best_actions=(first.most_likely,),
        soonest_actions=(first.most_likely,),
        action_values=first.action_values,
        principal_variation=tuple((each.player, each.most_likely) for each in strategies),
        player=SIMULTANEOUS,
        depth=0,
        exact=False,
        algorithm=algorithm,
        evaluator=evaluator,
        engine="python",
        statistics=Statistics(nodes=sum(visits.values()), seconds=seconds),
        names=first.names,
        line=tuple(each.names[each.most_likely] for each in strategies),
        strategies=strategies,
        visits=visits,
        outlook=outlook(game),
    )
