"""Makes bots from OpenSpiel's objects: policies, RL agents, MCTS evaluators and bots."""

import copy
import inspect
import secrets
from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel

from starspiel.agents.bot import Bot
from starspiel.agents.factories import AtDecisionsOnly
from starspiel.agents.registry import extra
from starspiel.envs.base import Game, check_in_turn
from starspiel.envs.errors import SpecError, StarspielError, UnsupportedGameError
from starspiel.envs.gymnasium.cloning.dice import generators, reseed
from starspiel.envs.openspiel.game import OpenSpielGame


def is_player(thing: Any) -> bool:
    """Returns whether the object, or each item of a list of them, can play as it is, unlike a factory."""
    if isinstance(thing, list | tuple):
        return bool(thing) and all(is_player(each) and not isinstance(each, list | tuple) for each in thing)
    if isinstance(thing, type):
        return False
    return is_policy(thing) or is_mcts_evaluator(thing) or callable(getattr(thing, "step", None))


def is_policy(thing: Any) -> bool:
    """Returns whether it is an OpenSpiel policy, written in Python or C++."""
    return not isinstance(thing, type) and callable(getattr(thing, "action_probabilities", None))


def is_mcts_evaluator(thing: Any) -> bool:
    """Returns whether it has the methods `evaluate` and `prior` of OpenSpiel's `mcts.Evaluator`."""
    methods = (getattr(thing, "evaluate", None), getattr(thing, "prior", None))
    is_one = isinstance(thing, pyspiel.Evaluator) or all(map(callable, methods))
    return is_one and not isinstance(thing, type)


def is_rl_agent(thing: Any) -> bool:
    """Returns whether its `step` takes a time step of `rl_environment`, as that of every `rl_agent` does."""
    step = getattr(thing, "step", None)
    if isinstance(thing, type | pyspiel.Bot) or not callable(step):
        return False
    if any(kind.__module__ == "open_spiel.python.rl_agent" for kind in type(thing).__mro__):
        return True
    try:
        return next(iter(inspect.signature(step).parameters), None) == "time_step"
    except (TypeError, ValueError):
        return False


def for_seat(thing: Any, game: Game, player: int) -> Any:
    """Returns the object that plays the seat. Raises StarspielError if `thing` is a list whose length is not
    the number of seats.
    """
    if not isinstance(thing, list | tuple):
        return thing
    if len(thing) != game.num_players:
        raise StarspielError(
            f"expected one for each seat of {game.name}, which has {game.num_players}, got {len(thing)}."
        )
    return thing[player]


def bot_of(thing: Any, game: Game, player: int, seed: int | None, **options: Any) -> Any:
    """Returns the bot made from what a factory returned: wraps a policy, an RL agent or an evaluator.

    `options` are keywords of the bot's class in agents/openspiel/bots.py.

    Raises UnsupportedGameError if it cannot play the game, and StarspielError if it is for another seat.
    """
    thing = for_seat(thing, game, player)
    if is_policy(thing):
        seats = getattr(thing, "player_ids", None)
        if seats is not None and player not in list(seats):
            raise _wrong_seat(thing, player)
        return extra("bot of a policy")(game, thing, seed, player=player, **options)
    if is_rl_agent(thing):
        return extra("bot of an RL agent")(game, thing, seed, **options)
    if is_mcts_evaluator(thing):
        if isinstance(thing, pyspiel.Evaluator):
            raise UnsupportedGameError(
                "an evaluator of pyspiel's can be called from C++ only; use mcts(simulations=…)."
            )
        return extra("bot of an MCTS evaluator")(game, thing, seed, **options)
    return _shown_pyspiel_states(thing, game, seed)


def fresh_bot(thing: Any, game: Game, player: int, seed: int | None, **options: Any) -> Any:
    """Returns a bot for one game, made from an object as in `bot_of`.

    A bot is copied and its random number generators are seeded; one of starspiel's is given the seed. C++
    bots, and others that cannot be copied, are restarted instead and keep the state of their random numbers.
    """
    given = for_seat(thing, game, player)
    if is_mcts_evaluator(given):
        given = _reseeded(given, seed) if generators(given) else given
        return bot_of(given, game, player, seed, **options)
    if is_policy(given) or is_rl_agent(given):
        return bot_of(given, game, player, seed, **options)
    if options:
        raise SpecError(f"{', '.join(options)}: {type(given).__name__} is a bot and takes no options.")
    if isinstance(given, Bot):
        duplicate = given.seeded(secrets.randbits(63) if seed is None else seed)
        duplicate.player = player  # the player whose strategy it plays if all players move at once
        if duplicate.seat is not None:
            duplicate.seat = player
        return duplicate
    if isinstance(given, pyspiel.Bot) and _library(given) == "pyspiel":
        if type(given) is pyspiel.Bot and given is thing and game.num_players > 1:
            raise StarspielError(
                "a C++ bot does not say which seat it was made for; give a list with one per seat."
            )
        if not isinstance(game, OpenSpielGame) or game.contents.classes:
            raise _no_cpp(game)
        check_in_turn(game, "a C++ bot of OpenSpiel's")
        given.restart()
        return AtDecisionsOnly(given)
    if seat_of(given) not in (None, player):
        raise _wrong_seat(given, player)
    return _shown_pyspiel_states(_reseeded(given, seed), game, seed)


def seat_of(agent: Any) -> int | None:
    """Returns the seat that a bot or RL agent was made for; None if it does not say."""
    for name in ("player_id", "_player_id"):
        seat = getattr(agent, name, None)
        if callable(seat):
            seat = seat()
        if isinstance(seat, int | np.integer) and not isinstance(seat, bool):
            return int(seat)
    return None


def maker_of(thing: Any, game: Game) -> Callable[[int, int | None], Any]:
    """Returns a function (seat, seed) -> bot for one game, made from an object that can play as it is."""
    return lambda player, seed: fresh_bot(thing, game, player, seed)


def _library(thing: Any) -> str:
    return type(thing).__module__.partition(".")[0]


def _shown_pyspiel_states(bot: Any, game: Game, seed: int | None) -> Any:
    """Returns the bot, wrapped to see pyspiel states if it is OpenSpiel's and the game's states are not."""
    if isinstance(game, OpenSpielGame):
        return bot
    if _library(bot) == "pyspiel" or isinstance(bot, AtDecisionsOnly):
        raise _no_cpp(game)
    if _library(bot) != "open_spiel":
        return bot
    return extra("bot of one of OpenSpiel's")(game, bot, seed)


def _wrong_seat(thing: Any, player: int) -> StarspielError:
    return StarspielError(
        f"{type(thing).__name__} was made for another seat than {player}; give a list with one per seat."
    )


def _no_cpp(game: Game) -> UnsupportedGameError:
    return UnsupportedGameError(f"OpenSpiel's C++ bots play its games in C++ only, not {game.name}.")


def _reseeded(thing: Any, seed: int | None) -> Any:
    """Returns a seeded copy, or the object itself if it cannot be copied."""
    try:
        duplicate = _copy(thing)
    except Exception:  # copying may fail with an error of any kind
        return thing
    streams = np.random.SeedSequence(seed)
    for held in generators(duplicate):
        reseed(held, streams.spawn(1)[0])
    return duplicate


def _copy(thing: Any) -> Any:
    """Returns a copy. A bot's C++ part cannot be copied; the copy has all of its Python attributes."""
    if not isinstance(thing, pyspiel.Bot):
        return copy.deepcopy(thing)
    kind: Any = type(thing)
    duplicate = kind.__new__(kind)
    pyspiel.Bot.__init__(duplicate)
    duplicate.__dict__.update(copy.deepcopy(vars(thing)))
    return duplicate
