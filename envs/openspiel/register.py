"""Registers starspiel's and users' games with OpenSpiel."""

import inspect
import random
import typing
from collections.abc import Callable, Mapping
from typing import Any

import pyspiel

from starspiel.envs.base import Game, conforms, possible_outcomes, utility_sum
from starspiel.envs.errors import StarspielError, UnsupportedGameError, shown
from starspiel.envs.games import GAMES
from starspiel.envs.openspiel.game import REGISTERED_HERE
from starspiel.envs.openspiel.registered import RegisteredGame
from starspiel.envs.rules import Rules

_Type = pyspiel.GameType
# A parameter whose default is None has the empty value of its type in OpenSpiel.
_EMPTY: dict[type, Any] = {bool: False, int: 0, float: 0.0, str: ""}


def register_openspiel(game: Game | Callable[..., Game], name: str | None = None) -> str:
    """Registers a game with OpenSpiel and returns its name for `pyspiel.load_game`.

    Args:
        game: a Game, or a `Rules` class or function that makes one. The parameters of the class or function
            must have defaults; they become the game's parameters: `pyspiel.load_game("my_game(size=5)")`.
        name: ASCII letters, digits and `_`, not beginning with a digit. For a Game, it defaults to its name
            up to the bracket.

    A game may have the attributes `max_game_length`, the length of its longest game in decisions, and
    `max_chance_outcomes`, a number greater than every outcome. Without them, the length is `UNKNOWN_LENGTH`,
    and the outcomes are those met in random games; meeting another one later is an error. Registering the
    same game again does nothing.

    Raises:
        StarspielError: the name is taken or invalid, or a parameter has no default of a plain type.
        UnsupportedGameError: OpenSpiel does not support such games (discounted, or with chance outcomes that
            are not listed).
    """
    sample: Any
    make: Any
    defaults: dict[str, Any] = {}
    nones: set[str] = set()
    if conforms(game, Game) and not isinstance(game, type):
        name = name or game.name.partition("(")[0]
        sample, make = game, (lambda: game)
    elif not callable(game):
        raise StarspielError(
            f"expected a Game, or a class or function that makes one, got {shown(game)}; load_game(...) "
            "makes a Game, and games of OpenSpiel are registered already"
        )
    elif name is None:
        raise StarspielError("a class or function needs a name to be registered by: name='my_game'")
    else:
        make = game
        defaults, nones = _defaults(make, name)
        sample = make if isinstance(make, type) else make()
    if not name.isidentifier() or not name.isascii():
        raise StarspielError(
            f"a game's name has letters, digits and _ only, and begins with no digit, got {name!r}; give "
            "another name="
        )
    if name in REGISTERED_HERE and REGISTERED_HERE[name] == game:
        return name
    if name in pyspiel.registered_names():
        raise StarspielError(f"OpenSpiel has a game {name!r} already; give another name=")
    kind = _game_type(name, sample, defaults)
    pyspiel.register_game(kind, _loader(kind, make, defaults, nones))
    REGISTERED_HERE[name] = game
    return name


def register_shipped_games() -> None:
    """Registers all shipped games whose names OpenSpiel does not use; called by `import starspiel`."""
    theirs = set(pyspiel.registered_names()) - set(REGISTERED_HERE)
    for name in GAMES.keys() - theirs:
        register_openspiel(GAMES[name], name)


def registered_names() -> list[str]:
    """Returns the names registered here, sorted."""
    return sorted(REGISTERED_HERE)


def _game_type(name: str, game: Any, defaults: Mapping[str, Any]) -> pyspiel.GameType:
    """Returns the `pyspiel.GameType` of a Game or a class of Games."""
    if getattr(game, "discount", 1.0) != 1.0:
        raise UnsupportedGameError(f"{name} discounts its rewards, which OpenSpiel does not support")
    if not getattr(game, "explicit_chance", True):
        raise UnsupportedGameError(
            f"{name} does not list its chance outcomes; OpenSpiel's algorithms need them"
        )
    rules = issubclass(game, Rules) if isinstance(game, type) else isinstance(game, Rules)
    return _Type(
        short_name=name,
        long_name=name.replace("_", " ").capitalize(),
        dynamics=_Type.Dynamics.SEQUENTIAL,
        chance_mode=_Type.ChanceMode.EXPLICIT_STOCHASTIC,
        information=_Type.Information.PERFECT_INFORMATION,
        utility=_utility(game),
        reward_model=_Type.RewardModel.REWARDS if game.step_rewards else _Type.RewardModel.TERMINAL,
        max_num_players=game.num_players,
        min_num_players=game.num_players,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=rules,
        provides_factored_observation_string=False,
        parameter_specification=dict(defaults),
    )


def _utility(game: Any) -> Any:
    """Returns OpenSpiel's value for returns that sum to zero, to another constant, or to varying values."""
    total = utility_sum(game) if game.num_players > 1 else None
    if total is None:
        return _Type.Utility.GENERAL_SUM
    return _Type.Utility.CONSTANT_SUM if total else _Type.Utility.ZERO_SUM


def _defaults(make: Callable[..., Any], name: str) -> tuple[dict[str, Any], set[str]]:
    """Returns each parameter's default for OpenSpiel, and the parameters whose default stands for None."""
    defaults: dict[str, Any] = {}
    nones = set()
    for key, parameter in inspect.signature(make, eval_str=True).parameters.items():
        default = parameter.default
        if default is None:
            nones.add(key)
            options = typing.get_args(parameter.annotation)
            default = next((_EMPTY[option] for option in options if option in _EMPTY), None)
        if type(default) not in _EMPTY:
            raise StarspielError(
                f"{name}: the parameter {key!r} needs a default that is a bool, int, float or str (or None "
                "with a type hint such as int | None), as OpenSpiel's game parameters do"
            )
        defaults[key] = default
    return defaults, nones


def _loader(
    kind: pyspiel.GameType, make: Callable[..., Game], defaults: Mapping[str, Any], nones: set[str]
) -> type[RegisteredGame]:
    """Returns the class that OpenSpiel calls with a game's parameters, with defaults filled in."""

    outcomes: dict[tuple[tuple[str, Any], ...], int] = {}

    # A class, not a function: OpenSpiel's registry releases it after Python has shut down, which only an
    # object in a reference cycle survives.
    class Loaded(RegisteredGame):
        def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
            every = {**defaults, **(parameters or {})}
            given = {key: value for key, value in every.items() if value != defaults[key]}
            game = make(**{key: value for key, value in every.items() if key in given or key not in nones})
            key = tuple(sorted(given.items()))  # not the name, which may omit parameters
            if key not in outcomes:
                outcomes[key] = getattr(game, "max_chance_outcomes", None) or _outcomes_met(game)
            super().__init__(kind, game, given, outcomes[key])

    return Loaded


def _outcomes_met(game: Game, games: int = 20, length: int = 2_000) -> int:
    """Returns one more than the greatest outcome that random games meet."""
    draw = random.Random(1)
    greatest = 0
    for _ in range(games):
        state = game.new_initial_state()
        for _ in range(length):
            if state.is_terminal():
                break
            actions = list(state.legal_actions()) if not state.is_chance_node() else []
            if not actions:
                greatest = max(greatest, *(outcome for outcome, _ in state.chance_outcomes()))
                actions = [outcome for outcome, _ in possible_outcomes(state)]
            state = state.child(draw.choice(actions))
    return greatest + 1
