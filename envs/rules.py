"""Write the rules of a game once: a `Rules` subclass over hashable positions is a searchable Game.

A position holds everything that determines the future and nothing else, so it is its own key: two equal
positions merge, and tables and solvers work without another line. `RulesState` gives a position the State
protocol.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from numbers import Real
from operator import index
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from starspiel.envs.base import CHANCE, TERMINAL, check_legal
from starspiel.envs.drawing import Area, Drawing
from starspiel.envs.errors import StarspielError
from starspiel.envs.raster import text_picture

PositionT = TypeVar("PositionT", bound=Hashable)

#: What `player` may say; 1 in games for two only.
_ACTING = (0, 1, CHANCE, TERMINAL)
#: Tuples of legal actions, or of outcomes, that are known to be sound.
_KEPT = 2**14


class Sound(dict[int, tuple[Any, ...]]):
    """Tuples that were found to be sound, by their `id`: those that rules return again are checked once."""

    def note(self, checked: tuple[Any, ...]) -> None:
        if len(self) >= _KEPT:
            self.clear()
        self[id(checked)] = checked

    def __reduce__(self) -> tuple[Any, ...]:
        return Sound, ()  # In a copy, or another process, the ids are others.


class RulesError(StarspielError):
    """Rules that contradict themselves; the message names the position.

    Attributes:
        broken: which part of the contract, as `check_game` names them.
    """

    def __init__(self, broken: str, message: str) -> None:
        super().__init__(message)
        self.broken = broken

    def __reduce__(self) -> tuple[type["RulesError"], tuple[str, str]]:
        return type(self), (self.broken, str(self))  # Worker processes hand it on.


class Rules(ABC, Generic[PositionT]):
    """The rules of a game with explicit chances for one player, or two in a zero-sum game.

    A subclass sets the attributes below and writes the abstract methods; all are pure functions of the
    position. It then satisfies the `Game` protocol.

    Attributes:
        name: what `load_game` takes to make it again, e.g. `star_pig(goal=50)`.
        num_players: 1 or 2.
        num_distinct_actions: every legal action is in `range(num_distinct_actions)`.
        utility_range: (least, greatest) return player 0 can end with.
        step_rewards: whether rewards are paid on the way; `collected` then says how much so far, and
            `position_key` may leave it out of the position.
        max_chance_outcomes: a number above every outcome's, where known; OpenSpiel asks for one.
        says_quiet: whether `is_quiet` says in which positions much is about to change.
        features_version: which form of `features` this is; networks of another are refused.
    """

    name: str
    num_players: int = 2
    num_distinct_actions: int
    utility_range: tuple[float, float] | None = (-1.0, 1.0)
    step_rewards: bool = False
    discount: float = 1.0
    explicit_chance: bool = True
    max_chance_outcomes: int | None = None
    says_quiet: bool = False
    features_version: int = 1
    #: What `chances` and `actions` have returned and was found to be sound.
    sound_chances: "Sound | None" = None
    sound_actions: "Sound | None" = None

    @abstractmethod
    def initial(self) -> PositionT:
        """The position a game starts from."""

    @abstractmethod
    def player(self, position: PositionT) -> int:
        """Who acts: 0, 1, CHANCE or TERMINAL."""

    @abstractmethod
    def actions(self, position: PositionT) -> Sequence[int]:
        """The legal actions of the player to act, ascending. Only asked at decision nodes; never empty."""

    @abstractmethod
    def chances(self, position: PositionT) -> Sequence[tuple[int, float]]:
        """(outcome, probability) pairs. Only asked where `player` is CHANCE."""

    @abstractmethod
    def apply(self, position: PositionT, action: int) -> PositionT:
        """The position after a legal action or a possible outcome."""

    @abstractmethod
    def utility(self, position: PositionT) -> float:
        """Player 0's return at a terminal position (player 1's is its negative)."""

    @abstractmethod
    def action_name(self, position: PositionT, player: int, action: int) -> str:
        """The name of an action, or of an outcome where `player` is CHANCE."""

    @abstractmethod
    def draw(self, position: PositionT) -> str:
        """The position as text, for people at a terminal; any number of lines."""

    @abstractmethod
    def observation(self, position: PositionT, player: int) -> NDArray[np.float32]:
        """The position as a flat vector of fixed length with entries in [0, 1], from `player`'s side.

        A new array each time. Seen from either side, mirrored positions give equal vectors, so one policy can
        learn both seats.
        """

    def collected(self, position: PositionT) -> float:
        """Player 0's return so far at a position that is not terminal; only asked for with `step_rewards`."""
        return 0.0

    def position_key(self, position: PositionT) -> Hashable:
        """What determines the future of a position: equal keys mean equal futures. Defaults to the position.

        Leave out what has been collected so far and changes nothing that comes.
        """
        return position

    def features(self, position: PositionT) -> NDArray[np.float32] | None:
        """What a network sees of a position that is not terminal, by the side of the player about to act.

        A flat vector of fixed length with entries within 128 of 0, which tells all that counts: `train` and
        `net` need it. None where it would not, as after a throw, if it shows no dice; such a position is
        searched on to those that have features. At a chance node the player about to act is who acts after
        the first outcome.
        """
        return None

    def drawing(self, position: PositionT) -> Drawing | None:
        """The position as a drawing, always of one size; None where there is only text."""
        return None

    def places(self, position: PositionT) -> Mapping[str, Area]:
        """Where on the drawing pieces are taken up and put down, by names of your own; empty for nowhere.

        With `steps` a page lets people drag pieces.
        """
        return {}

    def steps(self, position: PositionT, action: int) -> Sequence[tuple[str, str]]:
        """The (from, to) places of the pieces that an action moves; empty where it moves none."""
        return ()

    def is_quiet(self, position: PositionT) -> bool:
        """Whether the value of a position that is not terminal can be told without looking further.

        Not so where a piece is about to be taken, for instance. Only asked with `says_quiet`.
        """
        return True

    def picture(self, position: PositionT) -> NDArray[np.uint8]:
        """The position as an image, height x width x 3, always of one size: drawing or text."""
        drawing = self.drawing(position)
        return text_picture(self.draw(position), columns=80, rows=24) if drawing is None else drawing.pixels

    # The Game protocol.

    def new_initial_state(self) -> "RulesState[PositionT]":
        """The state a game starts from."""
        position = self.initial()
        try:
            hash(position)
        except TypeError as error:
            raise RulesError(
                "keys",
                f"{self.name}: a position must be hashable, as it is its own key: {error} in "
                f"initial(), which gives {position!r}. Use numbers, text, tuples and NamedTuples.",
            ) from None
        return RulesState(self, position)

    def key(self, state: "RulesState[PositionT]") -> Hashable:
        """`position_key` of the state's position."""
        return self.position_key(state.position)

    @property
    def quiet(self) -> "Callable[[RulesState[PositionT]], bool] | None":
        """`is_quiet` of a state; None where the rules do not say."""
        return (lambda state: self.is_quiet(state.position)) if self.says_quiet else None

    def frame(self, state: "RulesState[PositionT]") -> tuple[float, float]:
        """(what is collected so far, 1.0)."""
        return (state.returns()[0], 1.0) if self.step_rewards else (0.0, 1.0)

    def reroot(self, state: "RulesState[PositionT]") -> "RulesState[PositionT]":
        """The state itself: returns are not discounted."""
        return state

    def __repr__(self) -> str:
        return f"load_game({self.name!r})"


class RulesState(Generic[PositionT]):
    """A position of a `Rules` game as a State."""

    __slots__ = ("position", "rules")

    def __init__(self, rules: Rules[PositionT], position: PositionT) -> None:
        self.rules = rules
        self.position = position

    def current_player(self) -> int:
        return sound_player(self.rules, self.position)

    def is_terminal(self) -> bool:
        return self.rules.player(self.position) == TERMINAL

    def is_chance_node(self) -> bool:
        return self.rules.player(self.position) == CHANCE

    def legal_actions(self) -> Sequence[int]:
        player = sound_player(self.rules, self.position)
        if player == TERMINAL:
            return []
        if player == CHANCE:
            return [outcome for outcome, _ in self.chance_outcomes()]
        return sound_actions(self.rules, self.position, player)

    def chance_outcomes(self) -> Sequence[tuple[int, float]]:
        return sound_chances(self.rules, self.position)

    def child(self, action: int) -> "RulesState[PositionT]":
        return RulesState(self.rules, self.rules.apply(self.position, action))

    def apply_action(self, action: int) -> None:
        """Becomes `child(action)`. Raises StarspielError if it is not legal."""
        check_legal(self, action)
        self.position = self.rules.apply(self.position, action)

    def clone(self) -> "RulesState[PositionT]":
        """The same position as a state of its own."""
        return RulesState(self.rules, self.position)

    def returns(self) -> list[float]:
        rules, position, said = self.rules, self.position, "utility"
        if rules.player(position) == TERMINAL:
            utility = rules.utility(position)
        elif rules.step_rewards:
            said, utility = "collected", rules.collected(position)
        else:
            utility = 0.0
        if type(utility) is not float and not isinstance(utility, Real):
            raise RulesError(
                "returns as declared",
                f"{rules.name}: {said}() is {utility!r} at {position!r}; expected a number.",
            )
        if rules.utility_range is not None and rules.player(position) == TERMINAL:
            low, high = rules.utility_range
            if utility < low - 1e-9 or utility > high + 1e-9:  # NaN is for whoever asks for a number
                raise RulesError(
                    "bounds",
                    f"{rules.name}: utility() is {utility:g} at {position!r}, outside the declared "
                    f"utility_range ({low:g}, {high:g}), by which searches prune. Set it to the least and "
                    "greatest return of player 0, or to None.",
                )
        return [utility] if rules.num_players == 1 else [utility, -utility]

    def action_to_string(self, player: int, action: int) -> str:
        return self.rules.action_name(self.position, player, action)

    def get_game(self) -> Rules[PositionT]:
        return self.rules

    def __str__(self) -> str:
        return self.rules.draw(self.position)

    def __repr__(self) -> str:
        return f"RulesState({self.rules.name}, {self.position!r})"


def sound_player(rules: Rules[PositionT], position: PositionT) -> int:
    """Who acts, as the rules say; `RulesError` for one who cannot."""
    player = rules.player(position)
    if player not in _ACTING or (player == 1 and rules.num_players == 1):
        raise _no_player(rules, position, player)
    return player


def sound_actions(rules: Rules[PositionT], position: PositionT, player: int) -> Sequence[int]:
    """The legal actions of `player`, who is to act; `RulesError` where they are none.

    A tuple is checked once: only what cannot change is known to be what it was.
    """
    actions, sound = rules.actions(position), rules.sound_actions
    if sound is not None and sound.get(id(actions)) is actions:
        return actions
    if isinstance(actions, np.ndarray):
        actions = actions.tolist()
    _check_actions(rules, position, player, actions)
    return actions


def sound_chances(rules: Rules[PositionT], position: PositionT) -> Sequence[tuple[int, float]]:
    """The outcomes of a chance node; `RulesError` where they are none. A tuple is checked once."""
    outcomes, sound = rules.chances(position), rules.sound_chances
    if sound is None or sound.get(id(outcomes)) is not outcomes:
        _check_chances(rules, position, outcomes)
    return outcomes


def _no_player(rules: Rules[PositionT], position: PositionT, player: object) -> RulesError:
    seats = "0" if rules.num_players == 1 else "0, 1"
    return RulesError(
        "players and moves",
        f"{rules.name}: player() is {player!r} at {position!r}; expected {seats}, CHANCE ({CHANCE}) or "
        f"TERMINAL ({TERMINAL}).",
    )


def _check_actions(rules: Rules[PositionT], position: PositionT, player: int, actions: Sequence[int]) -> None:
    if _are_ascending(actions, rules.num_distinct_actions):
        if type(actions) is tuple:
            rules.sound_actions = rules.sound_actions or Sound()
            rules.sound_actions.note(actions)
        return
    if isinstance(actions, Sequence) and not actions:
        raise RulesError(
            "players and moves",
            f"{rules.name}: no legal action at a decision of player {player}, {position!r}; "
            "expected at least one (a pass, for instance) until player() is TERMINAL.",
        )
    raise RulesError(
        "players and moves",
        f"{rules.name}: actions() gives {actions!r} for player {player} at {position!r}; expected a "
        "sequence of whole numbers, ascending, in range(num_distinct_actions), "
        f"range({rules.num_distinct_actions}).",
    )


def _are_ascending(actions: Sequence[int], end: int) -> bool:
    """Whether there are numbers, one above the other, in range(end)."""
    last = -1
    try:
        for action in actions:
            if not last < index(action) < end:
                return False
            last = action
        return len(actions) > 0
    except TypeError:  # no sequence, or not of whole numbers
        return False


def _check_chances(
    rules: Rules[PositionT], position: PositionT, outcomes: Sequence[tuple[int, float]]
) -> None:
    try:
        chances = [chance + 0.0 for _, chance in outcomes]
    except (TypeError, ValueError):
        raise RulesError(
            "probabilities",
            f"{rules.name}: chances() gives {outcomes!r} at {position!r}; expected "
            "(outcome, probability) pairs.",
        ) from None
    for chance in chances:
        if not chance > 0:
            raise RulesError(
                "probabilities", f"{rules.name}: the chance {chance!r} at {position!r} is not positive."
            )
    total = sum(chances)
    if not abs(total - 1) <= 1e-9:
        raise RulesError(
            "probabilities", f"{rules.name}: the chances at {position!r} sum to {total:.12g}, expected 1."
        )
    if type(outcomes) is tuple:
        rules.sound_chances = rules.sound_chances or Sound()
        rules.sound_chances.note(outcomes)
