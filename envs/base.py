"""The contract between players and games: the State and Game protocols.

`State` is the part of `pyspiel.State` that search needs, by the same names, so a pyspiel state *is* a State
and no wrapper stands between. `Game` is what a search must know besides.

Values everywhere in starspiel are **player 0's return**, in the game's own utility units: player 0 maximises,
player 1 minimises, and a one-player game only maximises.
"""

from collections.abc import Hashable, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np

from starspiel.envs.errors import StarspielError, shown

#: Player ids with a meaning of their own, as in OpenSpiel.
CHANCE = -1
TERMINAL = -4

StateT = TypeVar("StateT", bound="State")


class State(Protocol):
    """A position of a sequential game of perfect information. Never changed by a search.

    States of pyspiel, `Rules` and tables also have `clone()` and `apply_action(action)`, which changes them.
    """

    def current_player(self) -> int:
        """Whose turn it is: 0 or 1, CHANCE or TERMINAL."""

    def is_terminal(self) -> bool:
        """Whether the game is over."""

    def is_chance_node(self) -> bool:
        """Whether the next event is a chance event."""

    def legal_actions(self) -> Sequence[int]:
        """The moves at a decision node, ascending; empty at a terminal one."""

    def chance_outcomes(self) -> Sequence[tuple[int, float]]:
        """(outcome, probability) pairs at a chance node; the probabilities sum to 1.

        Outcomes of probability 0 are never played or searched: see `possible_outcomes`.
        """

    def child(self: StateT, action: int) -> StateT:
        """The state after a move or an outcome; `self` stays as it is."""

    def returns(self) -> Sequence[float]:
        """Each player's return so far: the discounted sum of rewards since the state's own start."""

    def action_to_string(self, player: int, action: int) -> str:
        """The name of a move, or of an outcome if `player` is CHANCE."""

    def get_game(self) -> Any:
        """The game this is a state of: a `Game`, or the `pyspiel.Game` of a pyspiel state."""


def check_legal(state: State, action: int) -> None:
    """Raises StarspielError if an action is not among the legal actions or outcomes of a state."""
    legal = list(state.legal_actions())
    if action not in legal:
        what = "outcome" if state.is_chance_node() else "action"
        raise StarspielError(
            f"{action!r} is no legal {what} of {state!r}; expected one of {shown(legal)}"
            if legal
            else f"{action!r} cannot be applied to {state!r}: the game is over"
        )


def possible_outcomes(state: State) -> list[tuple[int, float]]:
    """The (outcome, probability) pairs of a chance node that can happen: some games list others too."""
    return [pair for pair in state.chance_outcomes() if pair[1] > 0]


@runtime_checkable
class SampledState(Protocol):
    """A chance node whose outcomes cannot be listed, only drawn."""

    def sample(self, rng: np.random.Generator) -> State:
        """A successor drawn with the model's probabilities, from `rng` alone."""


@runtime_checkable
class SelfPlayingState(Protocol):
    """A state with a way to play at random that is faster than `child` and `sample`, step by step."""

    def play_on(self, rng: np.random.Generator, actions: int) -> State:
        """The state after so many decisions with equal chances for every move, or the end before.

        From `rng` alone. At a chance node its own outcome is drawn first.
        """


@runtime_checkable
class Game(Protocol):
    """What a search must know of a game besides its states.

    Attributes:
        name: the string that `load_game` takes to make it again.
        num_players: 1 or 2. Two-player games are zero-sum.
        num_distinct_actions: every legal action is in `range(num_distinct_actions)`.
        utility_range: (least, greatest) return that player 0 can end with, sound for every game, or None
            if no sound bound is known; Star pruning is off then.
        step_rewards: whether rewards are paid on the way (2048, most Gymnasium tables). If False, the
            return of every state that is not terminal is 0.
        discount: the factor per decision; 1.0 for games without discounting.
        explicit_chance: whether `chance_outcomes` lists every outcome. If False, chance nodes are
            `SampledState`s and only sampling searches play the game.

    A game that knows in which positions much is about to change, such as those with a capture to be made, has
    a further method `quiet(state)`, which is False there; it is not asked of terminal states. Searches with
    `quiescence` do not end in such positions.
    """

    @property
    def name(self) -> str: ...
    @property
    def num_players(self) -> int: ...
    @property
    def num_distinct_actions(self) -> int: ...
    @property
    def utility_range(self) -> tuple[float, float] | None: ...
    @property
    def step_rewards(self) -> bool: ...
    @property
    def discount(self) -> float: ...
    @property
    def explicit_chance(self) -> bool: ...

    def new_initial_state(self) -> Any:
        """The state a game starts from (often a chance node)."""

    def key(self, state: Any) -> Hashable | None:
        """What determines the future: equal keys mean equal players, moves, outcomes and values to go.

        None if no sound key is known; tables and merging are off then.
        """

    def frame(self, state: Any) -> tuple[float, float]:
        """(collected, scale): player 0's return = collected + scale x (value to go from `state`).

        (0.0, 1.0) in games without step rewards; otherwise the return collected so far and
        discount^(decisions so far). A table stores values to go, which equal keys share.
        """

    def reroot(self, state: Any) -> Any:
        """The same position as the start of an episode, with nothing collected and no time passed.

        It may be `state` itself if `discount` is 1: what was collected then changes no choice. Searches go
        from here, and answer with returns of the whole game, by `frame`, in either case.
        """
