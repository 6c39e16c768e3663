"""Names and identities of games, and games from users' modules: `package.module:name(size=8)`."""

import inspect
import types
from collections.abc import Callable
from functools import cache
from typing import Any

import pyspiel

from starspiel.envs.base import Game, conforms
from starspiel.envs.errors import SpecError, StarspielError
from starspiel.envs.gymnasium.options import IN_STRINGS
from starspiel.envs.modules import find_in_module
from starspiel.envs.openspiel.game import OpenSpielGame, load_pyspiel
from starspiel.envs.openspiel.identity import contents_of
from starspiel.envs.spec import Spec, call_with_params


def names_module(text: str) -> bool:
    """Returns whether a game string is `package.module:name`, with or without parameters."""
    return ":" in text.partition("(")[0]


def made_by_module(spec: Spec) -> Any:
    """Returns the object that the spec names in a module; calls classes and functions with its parameters.

    Raises SpecError if the module, the name or a parameter does not exist, or if the call fails.
    """
    found = find_in_module(spec.name, "game")
    if not isinstance(found, type) and (conforms(found, Game) or not callable(found)):
        if spec.params:
            raise SpecError(f"game {spec}: {spec.name} is no class or function, so it takes no parameters.")
        return found
    _refuse_agents(spec, found)
    # A game inside a game's parameters stays a string, as it does for OpenSpiel's.
    params = {key: str(value) if isinstance(value, Spec) else value for key, value in spec.params.items()}
    try:
        return call_with_params(found, Spec(spec.name, params))
    except StarspielError as error:
        raise type(error)(f"game {spec}: {error}") from None
    except (Exception, SystemExit) as error:
        raise SpecError(f"game {spec}: making it raised {type(error).__name__}: {error}.") from error


def _refuse_agents(spec: Spec, found: Any) -> None:
    """Raises SpecError if `found` makes agents: if it is a bot class, or requires a parameter `game`."""
    try:
        parameters = inspect.signature(found).parameters
    except (TypeError, ValueError):
        parameters = types.MappingProxyType({})
    steps = callable(getattr(found, "step", None)) and not hasattr(found, "reset")  # environments have both
    is_bot = isinstance(found, type) and (issubclass(found, pyspiel.Bot) or steps)
    asks = "game" in parameters and parameters["game"].default is inspect.Parameter.empty
    if is_bot or (asks and "game" not in spec.params):
        raise SpecError(
            f"{spec.name} makes an agent, and a game is expected here. Agents follow --agents of "
            "tournaments, --opponent of play and --agent of check."
        )


def takes(name: str, parameter: str) -> bool:
    """Returns whether a parameter of a game string is passed to the object `name` of the module.

    It is if the object accepts it (by name or as any keyword), or if it is not an option of environments.
    """
    found = find_in_module(name, "game")
    if parameter not in IN_STRINGS or not callable(found):
        return True
    try:
        parameters = inspect.signature(found).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(p.name == parameter or p.kind is p.VAR_KEYWORD for p in parameters)


def called(game: Game, name: str, load: Callable[[str], Game]) -> Game:
    """Returns a copy of `game` under the name by which `load` makes it again.

    The name that the game gave itself is the copy's `declared_name`.
    """
    make: Callable[[Game], Game] = _class_called(type(game), game.name, name, load)
    return make(game)


def short_names(game: Game) -> list[str]:
    """Returns the game's short name and the short form of its own name, which differ for modules' games."""
    return [name.partition("(")[0] for name in (game.name, getattr(game, "declared_name", game.name))]


def goes_by(game: Game, name: str) -> bool:
    """Returns whether `name` names the game.

    It may be the game's name, the name that it gave itself, an environment's name without its module, or
    another string from which OpenSpiel makes the same game.
    """
    names = {game.name, getattr(game, "declared_name", game.name)}
    if name in names or name.partition(":")[2] in names:
        return True
    if not isinstance(game, OpenSpielGame) or name.partition("(")[0] != game.name.partition("(")[0]:
        return False
    try:
        return contents_of(load_pyspiel(name)) == game.contents
    except StarspielError:
        return False


def _copy_of(copy: Game, game: Game) -> None:
    """Gives `copy` everything that `game` holds."""
    if hasattr(game, "__dict__"):
        vars(copy).update(vars(game))
    slots = {slot for kind in type(game).__mro__ for slot in _slots(kind)}
    for slot in slots - {"__dict__", "__weakref__"}:
        if hasattr(game, slot):
            object.__setattr__(copy, slot, getattr(game, slot))  # also if the class is frozen


def _slots(kind: type) -> tuple[str, ...]:
    slots = kind.__dict__.get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)


@cache
def _class_called(kind: type, declared: str, name: str, load: Callable[[str], Game]) -> type:
    """Returns a subclass of `kind` whose instances copy a game and have another name.

    A subclass is needed because a game's name may be a property.
    """
    own = {
        "__slots__": (),
        "__init__": _copy_of,
        "__module__": kind.__module__,
        "__qualname__": kind.__qualname__,
        "__doc__": kind.__doc__,
        "__reduce_ex__": lambda game, protocol: (load, (name,)),
        "declared_name": declared,
        "name": property(lambda game: name),
    }
    return types.new_class(kind.__name__, (kind,), exec_body=lambda body: body.update(own))


def canonical_name(game: Game) -> str:
    """Returns a name that is the same for all spellings of a game: `pig`, `pig(players=2)` and `pig()`.

    For games of OpenSpiel it has all parameters, with defaults filled in.
    """
    return str(getattr(game, "canonical_name", game.name))


def identity_of(game: Game) -> str:
    """Returns a text that distinguishes the game from all others, as far as text can.

    It consists of the canonical name and a hash of what that omits, such as the contents of a file or a
    table. The source code of a game written in Python is not included.
    """
    return str(getattr(game, "identity", game.name))


def same_game(one: Game, other: Game) -> bool:
    """Returns whether two Games are the same game, so that a bot for one can play the other."""
    if one is other:
        return True
    mine, theirs = (getattr(game, "contents", None) for game in (one, other))
    if mine is not None and theirs is not None:
        return bool(mine == theirs)
    return type(one) is type(other) and identity_of(one) == identity_of(other)
