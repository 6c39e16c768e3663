"""Game -> OpenSpiel: games of starspiel, and anyone's, found by `pyspiel.load_game`.

A registered game is a complete OpenSpiel game written in Python: cloning, serialisation, observations, chance
outcomes, parameters. Its states print their key, as OpenSpiel's solvers take `str(state)` for one.
"""

import functools
import inspect
import random
import typing
import weakref
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pyspiel

from starspiel.envs.base import Game, possible_outcomes
from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.games import GAMES
from starspiel.envs.openspiel.game import REGISTERED_HERE
from starspiel.envs.rules import Rules

#: OpenSpiel wants a bound on a game's length; this is the one of games without `max_game_length`.
UNKNOWN_LENGTH = 1_000_000

_Type = pyspiel.GameType
# A parameter whose default is None has the empty value of its type in OpenSpiel.
_EMPTY: dict[type, Any] = {bool: False, int: 0, float: 0.0, str: ""}


def register_openspiel(game: Game | Callable[..., Game], name: str | None = None) -> str:
    """Makes a game known to OpenSpiel and returns the name that `pyspiel.load_game` finds it by.

    Args:
        game: a Game, or what makes one: a `Rules` class or a function. The parameters of the latter, each
            with a default, become the game's parameters: `pyspiel.load_game("my_game(size=5)")`.
        name: letters, digits and `_`; for a Game, by default its name up to the bracket.

    A game may have the attributes `max_game_length`, its longest game in decisions, and
    `max_chance_outcomes`, a number above every outcome's; otherwise the length is `UNKNOWN_LENGTH`, and the
    outcomes are those met in random games (one that is met later is an error). Registering the same again
    does nothing.

    Raises:
        StarspielError: the name is taken or not a name, or a parameter has no default of a plain type.
        UnsupportedGameError: OpenSpiel has no such games (discounted, or with chances that are not listed).
    """
    defaults: dict[str, Any] = {}
    nones: set[str] = set()
    if isinstance(game, Game) and not isinstance(game, type):
        name = name or game.name.partition("(")[0]
        sample, make = game, _always(game)
    elif name is None:
        raise StarspielError("a class or function needs a name to be registered by: name='my_game'")
    else:
        sample, make = game if isinstance(game, type) else game(), game
        defaults, nones = _defaults(make, name)
    if not name.isidentifier() or not name.isascii():
        raise StarspielError(
            f"a game's name has letters, digits and _ only, got {name!r}; give another name="
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
    """Registers every game that ships, under its own name, unless OpenSpiel has one of that name.

    `import starspiel` does it.
    """
    theirs = set(pyspiel.registered_names()) - set(REGISTERED_HERE)
    for name in GAMES.keys() - theirs:
        register_openspiel(GAMES[name], name)


def registered_names() -> list[str]:
    """The names registered here, sorted."""
    return sorted(REGISTERED_HERE)


class RegisteredGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel has no type hints
    """A Game as an OpenSpiel game.

    Attributes:
        starspiel_game: the Game.
    """

    def __init__(
        self, kind: pyspiel.GameType, game: Game, parameters: Mapping[str, Any], max_chance_outcomes: int
    ) -> None:
        self.starspiel_game = game
        low, high = game.utility_range or (-np.inf, np.inf)
        two = game.num_players == 2
        info = pyspiel.GameInfo(
            num_distinct_actions=game.num_distinct_actions,
            max_chance_outcomes=max_chance_outcomes,
            num_players=game.num_players,
            min_utility=min(low, -high) if two else low,
            max_utility=max(high, -low) if two else high,
            utility_sum=0.0 if two else None,
            max_game_length=getattr(game, "max_game_length", None) or UNKNOWN_LENGTH,
        )
        super().__init__(kind, info, parameters)
        _remember(game, str(self))

    def new_initial_state(self) -> "RegisteredState":
        return RegisteredState(self)

    def max_chance_nodes_in_history(self) -> int:
        return int(self.max_game_length())

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        # The C++ side passes the parameters first if there is no observation type.
        if iig_obs_type is None or isinstance(iig_obs_type, dict):
            return _Observer(self.starspiel_game)
        if iig_obs_type.public_info and not iig_obs_type.perfect_recall:
            return _Observer(self.starspiel_game)
        from open_spiel.python.observation import IIGObserverForPublicInfoGame  # slow to import

        return IIGObserverForPublicInfoGame(iig_obs_type, params)

    def __reduce__(self) -> tuple[Any, ...]:
        # By name: the class is made when a game is registered, so pickle cannot find it.
        return _load_again, (str(self),)


class _Held(NamedTuple):
    """What a state holds besides its history: clones share it, and serialisation leaves it out.

    Attributes:
        state: the State; None after deserialisation, until it is replayed from the history.
        paid: every player's return at the last decision, before its action.
    """

    state: Any = None
    paid: tuple[float, ...] = ()

    def after(self, action: int) -> "_Held":
        paid = self.paid if self.state.is_chance_node() else tuple(self.state.returns())
        return _Held(self.state.child(action), paid)

    def __deepcopy__(self, memo: Any) -> "_Held":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _Held, ()


class RegisteredState(pyspiel.State):  # type: ignore[misc]
    """A State as an OpenSpiel state, with the methods OpenSpiel asks of games written in Python."""

    def __init__(self, game: RegisteredGame) -> None:
        super().__init__(game)
        self._held = self._first()

    def _first(self) -> _Held:
        game = self.get_game().starspiel_game
        return _Held(game.new_initial_state(), (0.0,) * game.num_players)

    def _now(self) -> _Held:
        if self._held.state is None:
            self._held = functools.reduce(_Held.after, self.history(), self._first())
        return self._held

    @property
    def state(self) -> Any:
        """The State this stands for."""
        return self._now().state

    def stand_for(self, state: Any) -> None:
        """Makes it stand for another State of the game. Its history then tells nothing."""
        self._held = _Held(state, tuple(state.returns()))

    def __getattr__(self, name: str) -> Any:
        # What the Game knows its own states by, such as a position, so that its key and heuristics work here.
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.state, name)

    def current_player(self) -> int:
        return int(self.state.current_player())

    def is_terminal(self) -> bool:
        return bool(self.state.is_terminal())

    def _legal_actions(self, player: int) -> list[int]:
        return [int(action) for action in self.state.legal_actions()]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The outcomes. Raises StarspielError if there are more than the game declared to OpenSpiel."""
        listed = [(int(outcome), float(p)) for outcome, p in self.state.chance_outcomes()]
        game, outcomes = self.get_game(), [outcome for outcome, _ in listed]
        if max(outcomes) >= game.max_chance_outcomes():
            raise StarspielError(
                f"{game.starspiel_game.name}: a chance node has outcomes {outcomes}, past the "
                f"{game.max_chance_outcomes()} that random games met; set the game's attribute "
                "max_chance_outcomes"
            )
        return listed

    def _apply_action(self, action: int) -> None:
        self._held = self._now().after(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return str(self.state.action_to_string(player, action))

    def returns(self) -> list[float]:
        return [float(value) for value in self.state.returns()]

    def rewards(self) -> list[float]:
        """What was paid since the last decision."""
        return [now - before for now, before in zip(self.returns(), self._now().paid, strict=True)]

    def __str__(self) -> str:
        game: Game = self.get_game().starspiel_game
        key = game.key(self.state)
        return f"{self.state}\n{self.history_str() if key is None else repr(key)}"


class _Observer:
    """What everybody sees: the rules' vector, if there are rules, and the text."""

    def __init__(self, game: Game) -> None:
        self._rules = game if isinstance(game, Rules) else None
        self.tensor: Any = None
        self.dict: dict[str, Any] = {}
        if self._rules is not None:
            self.tensor = np.zeros_like(self._rules.observation(self._rules.initial(), 0))
            self.dict["observation"] = self.tensor

    def set_from(self, state: RegisteredState, player: int) -> None:
        if self._rules is not None:
            self.tensor[:] = self._rules.observation(state.position, player)

    def string_from(self, state: RegisteredState, player: int) -> str:
        return str(state)


def _game_type(name: str, game: Any, defaults: Mapping[str, Any]) -> pyspiel.GameType:
    """The kind of a game, from a Game or a class of Games."""
    if getattr(game, "discount", 1.0) != 1.0:
        raise UnsupportedGameError(f"{name} discounts its rewards, which OpenSpiel's games do not do")
    if not getattr(game, "explicit_chance", True):
        raise UnsupportedGameError(
            f"{name} does not list its chance outcomes; OpenSpiel's algorithms need them"
        )
    two = game.num_players == 2
    rules = issubclass(game, Rules) if isinstance(game, type) else isinstance(game, Rules)
    return _Type(
        short_name=name,
        long_name=name.replace("_", " ").capitalize(),
        dynamics=_Type.Dynamics.SEQUENTIAL,
        chance_mode=_Type.ChanceMode.EXPLICIT_STOCHASTIC,
        information=_Type.Information.PERFECT_INFORMATION,
        utility=_Type.Utility.ZERO_SUM if two else _Type.Utility.GENERAL_SUM,
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


def _defaults(make: Callable[..., Any], name: str) -> tuple[dict[str, Any], set[str]]:
    """Each parameter's default as OpenSpiel gets it, and those that stand for None."""
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
    """What OpenSpiel calls with a game's parameters, defaults filled in."""

    outcomes: dict[tuple[tuple[str, Any], ...], int] = {}

    # A class and not a function: OpenSpiel's registry lets go of it after Python has ended, which only an
    # object in a reference cycle survives.
    class Loaded(RegisteredGame):
        def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
            every = {**defaults, **(parameters or {})}
            given = {key: value for key, value in every.items() if value != defaults[key]}
            game = make(**{key: value for key, value in every.items() if key in given or key not in nones})
            key = tuple(sorted(given.items()))  # not the name, which need not show the parameters
            if key not in outcomes:
                outcomes[key] = getattr(game, "max_chance_outcomes", None) or _outcomes_met(game)
            super().__init__(kind, game, given, outcomes[key])

    return Loaded


#: By the identity of a Game: itself, and what OpenSpiel loads it by.
_LOADED: dict[int, tuple[weakref.ref[Any], str]] = {}


def _remember(game: Any, name: str) -> None:
    place = id(game)
    try:
        _LOADED[place] = weakref.ref(game, lambda _: _LOADED.pop(place, None)), name
    except TypeError:  # with __slots__ and no place for weak references
        return


def registered_name(game: Game) -> str | None:
    """What OpenSpiel loads this very Game by, whatever its own name; None where it is not known to."""
    loaded = _LOADED.get(id(game))
    if loaded is not None and loaded[0]() is game:
        return loaded[1]
    return next((name for name, made in REGISTERED_HERE.items() if made is game), None)


def _load_again(name: str) -> pyspiel.Game:
    if name.partition("(")[0] not in REGISTERED_HERE:
        raise StarspielError(
            f"the pickled game {name!r} is not registered in this process; call register_openspiel first"
        )
    return pyspiel.load_game(name)


def _always(game: Game) -> Callable[..., Game]:
    return lambda: game


def _outcomes_met(game: Game, games: int = 20, length: int = 2_000) -> int:
    """One more than the greatest number of an outcome that random games meet."""
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
