"""Calls factories, the user's functions and classes that make bots or evaluators, with what they ask for."""

import inspect
import random
import secrets
from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel

from starspiel.agents.bot import ASKED, check_seat
from starspiel.envs.base import Game
from starspiel.envs.errors import StarspielError
from starspiel.envs.openspiel.counterpart import pyspiel_game
from starspiel.envs.openspiel.game import OpenSpielGame

#: Arguments that a factory of bots may name, in addition to OpenSpiel's names below.
BOT_ARGUMENTS = ("game", "player", "seed")
#: OpenSpiel's names of the seat, a NumPy generator and the number of actions.
OPENSPIEL_ARGUMENTS = ("player_id", "rng", "num_actions")


def game_for_factory(game: Game, factory: Any = None) -> Any:
    """Returns the game in the form that factories get: a `pyspiel.Game` for OpenSpiel's games, else the Game.

    OpenSpiel's own classes always get a `pyspiel.Game`. Raises UnsupportedGameError if the game has none.
    """
    if str(getattr(factory, "__module__", "")).partition(".")[0] == "open_spiel":
        return pyspiel_game(game)
    return game.pyspiel_game if isinstance(game, OpenSpielGame) else game


def arguments_asked_for(factory: Callable[..., Any]) -> tuple[str, ...]:
    """Returns the names of the arguments that a factory of bots gets. OpenSpiel's names are included only if
    the signature lists them, since a factory with `**kwargs` may pass on what it gets.
    """
    named = inspect.signature(factory).parameters
    needed = {name for name, parameter in named.items() if parameter.default is parameter.empty}
    offered = {"player_id", "rng"} & named.keys() | {"num_actions"} & needed
    return BOT_ARGUMENTS + tuple(name for name in OPENSPIEL_ARGUMENTS if name in offered)


def bot_argument(name: str, game: Any, player: int, seed: int | None) -> Any:
    """Returns the value of one argument; `rng` is a `numpy.random.RandomState` made from the seed."""
    if name in ("player", "player_id"):
        return player
    if name == "num_actions":
        return game.num_distinct_actions() if isinstance(game, pyspiel.Game) else game.num_distinct_actions
    if name == "rng":
        return np.random.RandomState(random.Random(seed).getrandbits(32))
    return game if name == "game" else seed


def made_by(factory: Callable[..., Any], game: Game, seat: int, seed: int) -> Any:
    """Returns what a function or class makes for a seat.

    It is called as factory(game, seat, seed). It is called with keywords, as from a spec, if it names
    `player` or one of OpenSpiel's arguments, or if it is a class that does not take three arguments.
    """
    try:
        signature = inspect.signature(factory)
    except (TypeError, ValueError):  # written in C, without a signature
        return factory(game_for_factory(game), seat, seed)
    named = {"player", *OPENSPIEL_ARGUMENTS} & signature.parameters.keys()
    if not named and not (inspect.isclass(factory) and not _takes_three(signature)):
        return factory(game_for_factory(game), seat, seed)
    handed = game_for_factory(game, factory)
    asked = [name for name in arguments_asked_for(factory) if name in signature.parameters]
    return factory(**{name: bot_argument(name, handed, seat, seed) for name in asked})


def _takes_three(signature: inspect.Signature) -> bool:
    try:
        signature.bind(None, 0, 0)
    except TypeError:
        return False
    return True


def in_python(factory: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the factory. For a function of pyspiel, whose parameters have no names, returns a wrapper that
    names them.
    """
    named = _PYSPIEL.get(getattr(factory, "__name__", ""))
    ours = named is not None and factory is getattr(pyspiel, named.__name__)
    return named if named is not None and ours else factory


def make_uniform_random_bot(player_id: int, seed: int | None) -> pyspiel.Bot:
    """Returns OpenSpiel's bot that moves at random."""
    return AtDecisionsOnly(pyspiel.make_uniform_random_bot(player_id, _c_int(seed)))


def make_stateful_random_bot(game: pyspiel.Game, player_id: int, seed: int | None) -> pyspiel.Bot:
    """Returns OpenSpiel's random bot that tracks the game, which exists for tests."""
    return AtDecisionsOnly(pyspiel.make_stateful_random_bot(game, player_id, _c_int(seed)))


class AtDecisionsOnly(pyspiel.Bot):  # type: ignore[misc]  # pyspiel has no type hints
    """A C++ bot guarded against states without a decision, at which it would terminate the process.

    At other states, `step`, `step_with_policy` and `get_policy` raise StarspielError. They also raise it on
    the turn of another player than `seat`, unless `seat` is None.
    """

    seat: int | None = None

    def __init__(self, bot: pyspiel.Bot) -> None:
        super().__init__()
        self._bot = bot

    def clone(self) -> "AtDecisionsOnly":
        duplicate = AtDecisionsOnly(self._bot.clone())
        duplicate.seat = self.seat
        return duplicate


def _handed_on(name: str) -> Callable[..., Any]:
    def call(bot: AtDecisionsOnly, *given: Any) -> Any:
        if name in ASKED:
            if given[0].current_player() < 0:
                raise StarspielError(
                    f"no player moves at this state; expected a decision node, got\n{given[0]}"
                )
            check_seat(given[0], bot.seat)
        return getattr(bot._bot, name)(*given)

    return call


for _name in vars(pyspiel.Bot):  # inherited C++ methods would call those of this class instead of the bot's
    if not _name.startswith("_") and _name != "clone":
        setattr(AtDecisionsOnly, _name, _handed_on(_name))


#: pyspiel's factories that take no other parameters; parameter names are those of the C++ headers.
_PYSPIEL = {made.__name__: made for made in (make_uniform_random_bot, make_stateful_random_bot)}


def _c_int(seed: int | None) -> int:
    """Returns a seed that fits into an int of C++."""
    return secrets.randbits(31) if seed is None else random.Random(seed).getrandbits(31)
