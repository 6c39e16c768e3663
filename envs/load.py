"""`load_game`: makes a Game from anything that names or is one."""

from collections.abc import Callable
from operator import index
from typing import Any

import gymnasium
import pyspiel

from starspiel.envs.base import Game, conforms
from starspiel.envs.cache import ByIdentity
from starspiel.envs.errors import SpecError, StarspielError, UnsupportedGameError, shown
from starspiel.envs.games import is_shipped, make_game
from starspiel.envs.gymnasium.aec import is_pettingzoo
from starspiel.envs.gymnasium.game import load_gymnasium
from starspiel.envs.gymnasium.making import is_gymnasium_id
from starspiel.envs.gymnasium.options import IN_STRINGS, in_string
from starspiel.envs.gymnasium.refusals import refuse_other
from starspiel.envs.named import called, made_by_module, names_module, takes
from starspiel.envs.openspiel.game import OpenSpielGame, load_pyspiel
from starspiel.envs.openspiel.parameters import instead_of_bare
from starspiel.envs.openspiel.registered import RegisteredGame, RegisteredState
from starspiel.envs.rules import Rules
from starspiel.envs.spec import Spec, check_keys, parse_spec


def load_game(spec: Any, **options: Any) -> Game:
    """Returns the Game for a game string or an object.

    A string names a shipped game, a game of OpenSpiel, a Gymnasium environment such as
    `FrozenLake-v1(horizon=100)`, or what a module holds or makes: `package.module:name(sides=8)`. An object
    is a `pyspiel.Game`, a Gymnasium environment, an AEC environment of PettingZoo, `Rules` or any Game.

    `options` are for environments: those of `EnvOptions`, by name (horizon, discount, ...).

    Raises `UnsupportedGameError` if search cannot play the game soundly, and `StarspielError` if there is no
    such game.
    """
    if isinstance(spec, type):
        raise StarspielError(
            f"expected a game, got the class {spec.__name__}; create an instance: {spec.__name__}(...)"
        )
    if isinstance(spec, str):
        return _of_string(spec, options)
    if isinstance(spec, gymnasium.Env) or is_pettingzoo(spec):
        return load_gymnasium(spec, **options)
    _refuse_options(spec, options)
    if isinstance(spec, pyspiel.Game):
        return _adapted(spec)
    if conforms(spec, Game):
        _check_declared(spec)
        return spec
    if isinstance(spec, Rules):
        missing = [part for part in ("name", "num_distinct_actions") if not hasattr(spec, part)]
        raise StarspielError(f"{type(spec).__name__} does not set {', '.join(missing)}; see Rules.")
    refuse_other(spec)
    raise StarspielError(
        f"expected a game string, a pyspiel.Game, a Gymnasium environment or a Game, got {shown(spec)}."
    )


def _check_declared(game: Game) -> None:
    """Raises UnsupportedGameError if an attribute of a game has an invalid value."""
    for attribute, is_sound, expected in _DECLARED:
        declared = getattr(game, attribute)
        try:
            sound = is_sound(declared)
        except (TypeError, ValueError):
            sound = False
        if not sound:
            raise UnsupportedGameError(f"{game.name} has {attribute}={shown(declared)}; expected {expected}.")
    if isinstance(game, Rules) and game.discount != 1.0:
        raise UnsupportedGameError(
            f"{game.name} has discount={game.discount:g}, but returns of rules are not discounted; expected "
            "1. Count moves in the position, and let utility() discount."
        )


_DECLARED: tuple[tuple[str, Callable[[Any], bool], str], ...] = (
    ("name", lambda name: isinstance(name, str) and bool(name), "a text"),
    ("num_players", lambda players: type(players) is int and players > 0, "a whole number above 0"),
    ("num_distinct_actions", lambda actions: index(actions) > 0, "a whole number above 0"),
    (
        "utility_range",
        lambda bounds: bounds is None or (len(bounds) == 2 and bounds[0] + 0.0 <= bounds[1] + 0.0),
        "(least, greatest), or None",
    ),
    ("discount", lambda discount: 0.0 < discount <= 1.0, "a number above 0, at most 1"),
)


def _of_string(spec: str, options: dict[str, Any]) -> Game:
    try:
        check_keys(spec.strip())
    except SpecError as error:
        raise SpecError(f"{error}{instead_of_bare(spec.strip())}") from None
    if names_module(spec):
        return _of_module(spec, options)
    if is_gymnasium_id(spec):
        return load_gymnasium(spec, **options)
    _refuse_options(spec, options)
    return make_game(spec) if is_shipped(spec) else _adapted(load_pyspiel(spec))


def _refuse_options(spec: Any, options: dict[str, Any]) -> None:
    if options:
        raise StarspielError(f"{', '.join(options)}: options of environments, but {shown(spec)} is not one")


def game_of(state: Any) -> Game:
    """Returns the Game of `state`. Raises StarspielError if it is not a state."""
    try:
        game = state.get_game()
    except AttributeError:
        hint = " Call its new_initial_state()." if hasattr(state, "new_initial_state") else ""
        raise StarspielError(f"expected a state of a game, got {shown(state)}.{hint}") from None
    return load_game(game)


def searchable(state: Any) -> Any:
    """Returns the State behind a state of a game registered with OpenSpiel; other states unchanged."""
    return state.state if isinstance(state, RegisteredState) else state


def _of_module(spec: str, options: dict[str, Any]) -> Game:
    """Returns the Game that a module makes, holds, or registers as an environment, under its full name."""
    parsed = parse_spec(spec)
    noted = {name: in_string(value) for name, value in options.items() if name in IN_STRINGS}
    name = str(Spec(parsed.name, {**parsed.params, **noted}))
    if is_gymnasium_id(parsed.name):
        return called(load_gymnasium(spec, **options), name, load_game)
    own = {key: value for key, value in parsed.params.items() if takes(parsed.name, key)}
    declared = {key: value for key, value in parsed.params.items() if key not in own}
    made = made_by_module(Spec(parsed.name, own))
    try:
        game = load_game(made, **{**declared, **options})
    except StarspielError as error:
        raise type(error)(f"game {parsed}: {error}") from None
    return called(game, name, load_game)


def _adapted(game: pyspiel.Game) -> Game:
    return game.starspiel_game if isinstance(game, RegisteredGame) else _adapter_of(game)


# Cached because get_game() makes a new Python object each time if nothing else holds the state's game.
_adapter_of: ByIdentity[pyspiel.Game, OpenSpielGame] = ByIdentity(OpenSpielGame, kind=pyspiel.Game, most=128)
