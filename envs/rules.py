"""`Rules`: the base class of games written in Python, whose subclasses are searchable Games.

A position holds everything that determines the future and nothing else, so it is its own key. Therefore equal
positions are merged, and tables and solvers work without further code. `RulesState` gives a position the
State protocol.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from starspiel.envs.base import CHANCE, TERMINAL, check_legal
from starspiel.envs.errors import RulesError
from starspiel.envs.soundness import sound_actions, sound_chances, sound_player, sound_returns, sound_text

PositionT = TypeVar("PositionT", bound=Hashable)


class Rules(ABC, Generic[PositionT]):
    """The rules of a game with explicit chances for any number of players, who move in turn.

    A subclass sets the attributes below and implements the abstract methods, as pure functions of the
    position. It then satisfies the `Game` protocol.

    Attributes:
        name: the string from which `load_game` makes the game again, e.g. `star_pig(goal=50)`.
        num_players: at least 1.
        num_distinct_actions: every legal action is in `range(num_distinct_actions)`.
        utility_range: (least, greatest) return that player 0 can end with, or any player if `utility` returns
            all players' returns.
        utility_sum: what the returns of two or more players sum to at every end, by which searches prune;
            by default 0; None if that varies. If it is 0 and there are two players, `utility` returns player
            0's return.
        step_rewards: whether rewards are paid during the game. If so, `collected` returns the return so far,
            and `position_key` may leave it out of the key.
        max_chance_outcomes: a number greater than every outcome, if known; OpenSpiel asks for one.
        features_version: the version of `features`; networks of another version are refused.
    """

    name: str
    num_players: int = 2
    num_distinct_actions: int
    utility_range: tuple[float, float] | None = (-1.0, 1.0)
    utility_sum: float | None = 0.0
    step_rewards: bool = False
    discount: float = 1.0
    explicit_chance: bool = True
    max_chance_outcomes: int | None = None
    features_version: int = 1

    @abstractmethod
    def initial(self) -> PositionT:
        """Returns the position that a game starts from."""

    @abstractmethod
    def player(self, position: PositionT) -> int:
        """Returns who acts: a player, counted from 0, CHANCE or TERMINAL."""

    @abstractmethod
    def actions(self, position: PositionT) -> Sequence[int]:
        """Returns the legal actions of the player to act, ascending and never empty.

        Only called at decision nodes.
        """

    @abstractmethod
    def chances(self, position: PositionT) -> Sequence[tuple[int, float]]:
        """Returns (outcome, probability) pairs. Only called if `player` is CHANCE."""

    @abstractmethod
    def apply(self, position: PositionT, action: int) -> PositionT:
        """Returns the position after a legal action or a possible outcome."""

    @abstractmethod
    def utility(self, position: PositionT) -> float | Sequence[float]:
        """Returns player 0's return at a terminal position (player 1's is its negative).

        In games with more than two players, or with two that are not zero-sum, returns a sequence of every
        player's return.
        """

    @abstractmethod
    def action_name(self, position: PositionT, player: int, action: int) -> str:
        """Returns the name of an action, or of an outcome if `player` is CHANCE."""

    @abstractmethod
    def draw(self, position: PositionT) -> str:
        """Returns the position as text for a terminal, with any number of lines."""

    @abstractmethod
    def observation(self, position: PositionT, player: int) -> NDArray[np.float32]:
        """Returns the position as a flat vector of fixed length with entries in [0, 1], from `player`'s side.

        Returns a new array each time. Mirrored positions, each seen from its player's side, give equal
        vectors, so that one policy can learn all seats.
        """

    def collected(self, position: PositionT) -> float | Sequence[float]:
        """Returns the return so far, of the same players as `utility`.

        Only called before the end of the game, and only with `step_rewards`.
        """
        return 0.0

    def position_key(self, position: PositionT) -> Hashable:
        """Returns what determines the future of a position. Defaults to the position itself.

        Equal keys mean equal futures. Leave out rewards so far if they do not affect the future.
        """
        return position

    def features(self, position: PositionT) -> NDArray[np.float32] | None:
        """Returns a network's input for a position that is not terminal, from the side of the player to act.

        It is a flat vector of fixed length with entries between -128 and 128, and must contain all that
        matters. `train` and `net` need it. Return None if it cannot, e.g. after a throw if the vector does
        not show the dice: the search then goes on to positions that have features. At a chance node, the
        player to act is the one who acts after the first outcome.
        """
        return None

    def drawing(self, position: PositionT) -> Any:
        """Returns the position as a `Drawing`, always of the same size; None if there is only text."""
        return None

    def places(self, position: PositionT) -> Mapping[str, Any]:
        """Returns the areas of the drawing where pieces are picked up and put down, by names that you choose.

        Together with `steps`, they let people drag pieces on a page.
        """
        return {}

    def steps(self, position: PositionT, action: int) -> Sequence[tuple[str, str]]:
        """Returns the (from, to) places of the pieces that an action moves; empty if it moves none."""
        return ()

    # The Game protocol.

    def new_initial_state(self) -> "RulesState[PositionT]":
        """Returns the state that a game starts from."""
        state = RulesState(self, self.initial())
        self.key(state)  # raises before anything is played if positions are not hashable
        return state

    def key(self, state: "RulesState[PositionT]") -> Hashable:
        """Returns `position_key` of the state's position. Raises RulesError if it is not hashable."""
        key = self.position_key(state.position)
        try:
            hash(key)
        except TypeError as error:
            raise RulesError(
                "keys",
                f"{self.name}: a position must be hashable, as it is its own key: {error} in {key!r}. "
                "Use numbers, text, tuples and NamedTuples.",
            ) from None
        return key

    def frame(self, state: "RulesState[PositionT]") -> tuple[float, float]:
        """Returns (player 0's return so far, 1.0)."""
        return (state.returns()[0], 1.0) if self.step_rewards else (0.0, 1.0)

    def reroot(self, state: "RulesState[PositionT]") -> "RulesState[PositionT]":
        """Returns the state itself, because returns are not discounted."""
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
        """Returns a separate state of the same position."""
        return RulesState(self.rules, self.position)

    def returns(self) -> list[float]:
        return sound_returns(self.rules, self.position)

    def action_to_string(self, player: int, action: int) -> str:
        name = self.rules.action_name(self.position, player, action)
        return sound_text(self.rules, self.position, "action_name", name)

    def get_game(self) -> Rules[PositionT]:
        return self.rules

    def __str__(self) -> str:
        return sound_text(self.rules, self.position, "draw", self.rules.draw(self.position))

    def __repr__(self) -> str:
        return f"RulesState({self.rules.name}, {self.position!r})"
