"""Provides `as_policy`, `as_rl_agent`, `as_mcts_evaluator` and `as_bot`, which adapt agents to OpenSpiel."""

from collections.abc import Callable
from typing import Any

from starspiel.agents.bot import Bot
from starspiel.agents.evaluators import Evaluator
from starspiel.agents.evaluators.registry import as_evaluator
from starspiel.agents.from_openspiel import for_seat, fresh_bot, is_player, is_policy
from starspiel.agents.roster import make_bot
from starspiel.agents.seated import seated
from starspiel.envs.arguments import finite_number, seed_number, whole_number
from starspiel.envs.base import Game
from starspiel.envs.errors import SpecError, StarspielError, shown
from starspiel.envs.load import load_game
from starspiel.envs.openspiel.counterpart import pyspiel_game
from starspiel.envs.spec import Spec


def as_policy(agent: Any, game: Any = None, *, seed: int | None = 0) -> Any:
    """Returns an agent as an `open_spiel.python.policy.Policy` for all seats: a fixed function of the state.

    An agent that draws among moves gives each its probability: `star2(depth=3,ties=random)` has equal ones
    for all equally good moves.

    Args:
        agent: a spec, a bot, an OpenSpiel RL agent or MCTS evaluator, or a list of one for each seat. A
            policy is returned as it is.
        game: the game to play, as for `load_game`; optional if `agent` is one of starspiel's bots.
        seed: seed of everything random in the agent, and of the policy's `sample_action`.

    Raises StarspielError if the agent cannot play the game, or if no game is given.
    """
    if is_policy(agent):
        return agent
    from starspiel.agents.openspiel.policy import AgentPolicy

    played = _game(agent, game, "as_policy")
    seats = range(played.num_players)
    return AgentPolicy(played, [_bot(agent, played, seat, seed) for seat in seats], seed)


def as_rl_agent(
    agent: Any, game: Any = None, player_id: int = 0, *, seed: int | None = None, name: str | None = None
) -> Any:
    """Returns an agent as an `open_spiel.python.rl_agent.AbstractAgent` for one seat, which learns nothing.

    It plays in `rl_environment.Environment(game, include_full_state=True)`.

    Args:
        agent: as for `as_policy`, or a policy.
        game: as for `as_policy`.
        player_id: the seat, from 0.
        seed: seed of everything random in the agent; None for a different one each time.
        name: the agent's name; defaults to its spec, or the bot's text.

    Raises StarspielError as `as_policy` does.
    """
    from starspiel.agents.openspiel.rl_agent import BotAgent

    played = _game(agent, game, "as_rl_agent")
    pyspiel_game(played)  # raises for other games, which OpenSpiel's environment does not support
    bot = _bot(agent, played, player_id, seed)
    return BotAgent(whole_number("player_id", player_id), bot, played, name or str(agent))


def as_mcts_evaluator(
    evaluator: Evaluator | Callable[[Any], float] | str | Spec | None,
    game: Any,
    *,
    temperature: float | None = None,
    seed: int | None = None,
) -> Any:
    """Returns an evaluator as an `open_spiel.python.algorithms.mcts.Evaluator`, for OpenSpiel's MCTS in
    Python.

    Args:
        evaluator: as for `search`.
        game: the game to play, as for `load_game`.
        temperature: as for MCTSEvaluator.
        seed: seed of evaluators that use chance.

    Raises StarspielError if the game is neither OpenSpiel's nor registered with OpenSpiel.
    """
    from starspiel.agents.openspiel.mcts_evaluator import MCTSEvaluator

    if temperature is not None and not (temperature := finite_number("temperature", temperature)) > 0:
        raise SpecError(f"temperature must be a number above 0, got {shown(temperature)}.")
    played = load_game(game)
    pyspiel_game(played)  # raises for other games, which OpenSpiel's MCTS does not support
    return MCTSEvaluator(as_evaluator(evaluator, played, seed), played, temperature)


def as_bot(agent: Any, game: Any, player: int | None = None, seed: int | None = None, **options: Any) -> Any:
    """Returns a `pyspiel.Bot` for one game, made from anything that can play.

    Args:
        agent: a spec; an OpenSpiel policy, RL agent or MCTS evaluator; a bot; or a list of one of these for
            each seat. A bot is copied, and its random numbers follow from the seed.
        game: the game to play, as for `load_game`.
        player: the seat, from 0, on whose turn alone the bot moves. None for a bot that is made for seat 0,
            but moves for whichever player is to move.
        seed: seed of everything random in the bot; None for a different one each time.
        options: `use_observation` for an RL agent; `simulations` and `uct_c` for an MCTS evaluator. See
            agents/openspiel/bots.py.

    Raises StarspielError if it cannot play the game or the seat, or does not support an option.
    """
    played = load_game(game)
    if options and isinstance(agent, str | Spec):
        raise SpecError(f"{', '.join(options)}: options of OpenSpiel's agents; write them into the spec.")
    try:
        bot = _bot(agent, played, player or 0, seed, **options)
    except TypeError as error:
        if not options:
            raise
        raise SpecError(f"{type(agent).__name__} as a bot: {error}.") from None
    return seated(bot, player)


def _game(agent: Any, game: Any, door: str) -> Game:
    if game is not None:
        return load_game(game)
    if isinstance(agent, Bot) and (own := vars(agent).get("_game")) is not None:
        return load_game(own)
    raise StarspielError(f"{door} needs the game, too: {door}({shown(agent)}, game).")


def _bot(agent: Any, game: Game, player: int, seed: int | None, **options: Any) -> Any:
    seat = whole_number("player", player, 0)
    if seat >= game.num_players:
        raise SpecError(f"player must be in 0..{game.num_players - 1} for {game.name}, got {seat}.")
    chosen = for_seat(agent, game, seat)
    if isinstance(chosen, str | Spec):
        return make_bot(chosen, game, seat, seed)
    if isinstance(chosen, list | tuple) or not is_player(chosen):
        raise SpecError(
            "expected a spec, a bot, or a policy, an RL agent or an MCTS evaluator of OpenSpiel's, got "
            f"{shown(agent)}."
        )
    return fresh_bot(agent, game, seat, seed_number(seed), **options)
