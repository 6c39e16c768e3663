"""A Game and its states as an OpenSpiel game written in Python.

A registered game supports cloning, serialisation, observations, chance outcomes and parameters. Its states
print their key, because OpenSpiel's solvers use `str(state)` as a key.
"""

import functools
import weakref
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pyspiel

from starspiel.envs.base import Game, has_vector_values, utility_sum
from starspiel.envs.errors import StarspielError
from starspiel.envs.openspiel.game import REGISTERED_HERE
from starspiel.envs.rules import Rules

#: The bound on a game's length that OpenSpiel requires, for games without `max_game_length`.
UNKNOWN_LENGTH = 1_000_000


class RegisteredGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel has no type hints
    """A Game, `starspiel_game`, as an OpenSpiel game."""

    def __init__(
        self, kind: pyspiel.GameType, game: Game, parameters: Mapping[str, Any], max_chance_outcomes: int
    ) -> None:
        self.starspiel_game = game
        low, high = game.utility_range or (-np.inf, np.inf)
        mirrored = game.num_players == 2 and not has_vector_values(game)
        info = pyspiel.GameInfo(
            num_distinct_actions=game.num_distinct_actions,
            max_chance_outcomes=max_chance_outcomes,
            num_players=game.num_players,
            min_utility=min(low, -high) if mirrored else low,
            max_utility=max(high, -low) if mirrored else high,
            utility_sum=utility_sum(game) if game.num_players > 1 else None,
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
        # Pickled by name, because the class is created at registration, where pickle cannot find it.
        return _load_again, (str(self),)


class _Held(NamedTuple):
    """What a state holds besides its history. Clones share it, and serialisation omits it.

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
    """A State as an OpenSpiel state, with the methods that OpenSpiel requires of games written in Python."""

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
        """The State that this state stands for."""
        return self._now().state

    def stand_for(self, state: Any) -> None:
        """Makes this stand for another State of the game. Its history is then meaningless."""
        self._held = _Held(state, tuple(state.returns()))

    def __getattr__(self, name: str) -> Any:
        # Passes on attributes of the State, such as its position, so that the Game's key and heuristics work.
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
        """Returns the outcomes. Raises StarspielError if one is beyond the number declared to OpenSpiel."""
        listed = [(int(outcome), float(p)) for outcome, p in self.state.chance_outcomes()]
        game, outcomes = self.get_game(), [outcome for outcome, _ in listed]
        if max(outcomes) >= game.max_chance_outcomes():
            raise StarspielError(
                f"{game.starspiel_game.name}: a chance node has outcomes {outcomes}, more than the "
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
        """Returns each player's reward since the last decision."""
        return [now - before for now, before in zip(self.returns(), self._now().paid, strict=True)]

    def __str__(self) -> str:
        game: Game = self.get_game().starspiel_game
        key = game.key(self.state)
        return f"{self.state}\n{self.history_str() if key is None else repr(key)}"


class _Observer:
    """Observes what all players see: the text and, for `Rules`, the vector of `observation`."""

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


#: Games and the names by which OpenSpiel loads them, by the `id` of the Game.
_LOADED: dict[int, tuple[weakref.ref[Any], str]] = {}


def _remember(game: Any, name: str) -> None:
    place = id(game)
    try:
        _LOADED[place] = weakref.ref(game, lambda _: _LOADED.pop(place, None)), name
    except TypeError:  # a class with __slots__ but without __weakref__
        return


def registered_name(game: Game) -> str | None:
    """Returns the name by which OpenSpiel loads this Game object; None if it is not registered."""
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
