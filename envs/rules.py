"""Write the rules of a game once: a `Rules` subclass over hashable positions is a searchable Game.

A position holds everything that determines the future and nothing else, so it is its own key: two equal
positions merge, and tables and solvers work without another line. `RulesState` gives a position the State
protocol.
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

    A subclass sets the attributes below and writes the abstract methods; all are pure functions of the
    position. It then satisfies the `Game` protocol.

    Attributes:
        name: what `load_game` takes to make it again, e.g. `star_pig(goal=50)`.
        num_players: at least 1.
        num_distinct_actions: every legal action is in `range(num_distinct_actions)`.
        utility_range: (least, greatest) return player 0 can end with; any player if `utility` gives all.
        utility_sum: what the returns of two players or more sum to at every end, by which searches prune;
            None if that differs. If it is 0 and there are two players, `utility` gives player 0's return.
        step_rewards: whether rewards are paid on the way; `collected` then says how much so far, and
            `position_key` may leave it out of the position.
        max_chance_outcomes: a number above every outcome's, if known; OpenSpiel asks for one.
        features_version: which form of `features` this is; networks of another are refused.
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
        """The position a game starts from."""

    @abstractmethod
    def player(self, position: PositionT) -> int:
        """Who acts: a player, counted from 0, CHANCE or TERMINAL."""

    @abstractmethod
    def actions(self, position: PositionT) -> Sequence[int]:
        """The legal actions of the player to act, ascending. Only asked at decision nodes; never empty."""

    @abstractmethod
    def chances(self, position: PositionT) -> Sequence[tuple[int, float]]:
        """(outcome, probability) pairs. Only asked if `player` is CHANCE."""

    @abstractmethod
    def apply(self, position: PositionT, action: int) -> PositionT:
        """The position after a legal action or a possible outcome."""

    @abstractmethod
    def utility(self, position: PositionT) -> float | Sequence[float]:
        """Player 0's return at a terminal position (player 1's is its negative).

        A sequence of every player's return if there are more than two, or two whose game is not zero-sum.
        """

    @abstractmethod
    def action_name(self, position: PositionT, player: int, action: int) -> str:
        """The name of an action, or of an outcome if `player` is CHANCE."""

    @abstractmethod
    def draw(self, position: PositionT) -> str:
        """The position as text, for people at a terminal; any number of lines."""

    @abstractmethod
    def observation(self, position: PositionT, player: int) -> NDArray[np.float32]:
        """The position as a flat vector of fixed length with entries in [0, 1], from `player`'s side.

        A new array each time. Seen from either side, mirrored positions give equal vectors, so one policy can
        learn all seats.
        """

    def collected(self, position: PositionT) -> float | Sequence[float]:
        """The return so far of whom `utility` tells; only asked before the end, with `step_rewards`."""
        return 0.0

    def position_key(self, position: PositionT) -> Hashable:
        """What determines the future of a position: equal keys mean equal futures. Defaults to the position.

        Leave out what has been collected so far and changes nothing that comes.
        """
        return position

    def features(self, position: PositionT) -> NDArray[np.float32] | None:
        """What a network sees of a position that is not terminal, by the side of the player about to act.

        A flat vector of fixed length with entries within 128 of 0, which tells all that counts: `train` and
        `net` need it. None if it would not, as after a throw, if it shows no dice; such a position is
        searched on to those that have features. At a chance node the player about to act is who acts after
        the first outcome.
        """
        return None

    def drawing(self, position: PositionT) -> Any:
        """The position as a `Drawing`, always of one size; None if there is only text."""
        return None

    def places(self, position: PositionT) -> Mapping[str, Any]:
        """The areas of the drawing at which pieces are taken up and put down, by names of your own.

        With `steps` a page lets people drag pieces.
        """
        return {}

    def steps(self, position: PositionT, action: int) -> Sequence[tuple[str, str]]:
        """The (from, to) places of the pieces that an action moves; empty if it moves none."""
        return ()

    # The Game protocol.

    def new_initial_state(self) -> "RulesState[PositionT]":
        """The state a game starts from."""
        state = RulesState(self, self.initial())
        self.key(state)  # refuses a position that is no key, before anything is played
        return state

    def key(self, state: "RulesState[PositionT]") -> Hashable:
        """`position_key` of the state's position. Raises RulesError if it is not hashable."""
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
