"""The contract between players and games: the State and Game protocols.

`State` is the part of `pyspiel.State` that search needs, with the same names, so a pyspiel state *is* a
State without a wrapper. `Game` is what a search must know about the game itself.

In one-player games and two-player zero-sum games, values are **player 0's return**, in the game's own
utility units: player 0 maximises, player 1 minimises. In all other games (`has_vector_values`) they are
vectors of every player's return, in player order, and each player maximises their own.
"""

import functools
from collections.abc import Hashable, Sequence
from typing import Any, Protocol, TypeGuard, TypeVar, cast

import numpy as np

from starspiel.envs.errors import StarspielError, UnsupportedGameError, shown

#: Special player ids, as in OpenSpiel.
CHANCE = -1
SIMULTANEOUS = -2
TERMINAL = -4
#: At simultaneous moves, the action of a player who has no legal one, as in OpenSpiel.
NO_ACTION = -1

StateT = TypeVar("StateT", bound="State")
P = TypeVar("P")


class State(Protocol):
    """A position of a sequential game of perfect information. Searches never change it.

    States of pyspiel, `Rules` and tables also have `clone()` and `apply_action(action)`, which changes the
    state in place. States of games with simultaneous moves also have `legal_actions(player)` and
    `apply_actions(actions)`, with one action for each player: see `joint_child`.
    """

    def current_player(self) -> int:
        """Returns whose turn it is: a player, CHANCE, TERMINAL, or SIMULTANEOUS if all move at once."""

    def is_terminal(self) -> bool:
        """Returns whether the game is over."""

    def is_chance_node(self) -> bool:
        """Returns whether the next event is a chance event."""

    def legal_actions(self) -> Sequence[int]:
        """Returns the legal moves at a decision node, ascending; empty at a terminal node."""

    def chance_outcomes(self) -> Sequence[tuple[int, float]]:
        """Returns the (outcome, probability) pairs at a chance node; the probabilities sum to 1.

        Outcomes of probability 0 are never played or searched: see `possible_outcomes`.
        """

    def child(self: StateT, action: int) -> StateT:
        """Returns the state after a move or an outcome; does not change `self`."""

    def returns(self) -> Sequence[float]:
        """Returns each player's return so far: the discounted sum of rewards since the state's own start."""

    def action_to_string(self, player: int, action: int) -> str:
        """Returns the name of a move, or of an outcome if `player` is CHANCE."""

    def get_game(self) -> Any:
        """Returns the game of this state: a `Game`, or the `pyspiel.Game` of a pyspiel state."""


def conforms(thing: Any, protocol: type[P]) -> TypeGuard[P]:
    """Returns whether an object has all members of a protocol.

    Members that `__getattr__` provides count too; since Python 3.12, `isinstance` ignores them.
    """
    return all(hasattr(thing, name) for name in _members(cast(Any, protocol)))


@functools.cache
def _members(protocol: Any) -> tuple[str, ...]:
    methods = (name for name in list(vars(protocol)) if name == "__call__" or not name.startswith("_"))
    return (*getattr(protocol, "__annotations__", ()), *methods)


def check_legal(state: State, action: int) -> None:
    """Raises StarspielError if an action is not among the legal actions or outcomes of a state."""
    legal = list(state.legal_actions())
    if action not in legal:
        what = "outcome" if state.is_chance_node() else "action"
        raise StarspielError(
            f"{action!r} is not a legal {what} of {state!r}; expected one of {shown(legal)}"
            if legal
            else f"{action!r} cannot be applied to {state!r}: the game is over"
        )


def joint_child(state: Any, actions: Sequence[int]) -> Any:
    """Returns the state after simultaneous actions, one of each player; does not change `state`."""
    child = state.clone()
    child.apply_actions(list(actions))
    return child


def joint_moves(state: Any, num_players: int) -> list[Sequence[int]]:
    """Returns each player's legal actions at simultaneous moves; (NO_ACTION,) for a player who has none."""
    return [state.legal_actions(player) or (NO_ACTION,) for player in range(num_players)]


def mover_of(state: Any, player: int) -> int:
    """Returns whose turn it is; `player` if all players move at once."""
    mover = int(state.current_player())
    return player if mover == SIMULTANEOUS else mover


def actions_of(state: Any, player: int) -> Sequence[int]:
    """Returns the legal actions of a player whose turn it is, alone or together with all others."""
    found: Sequence[int] = (
        state.legal_actions(player) if state.current_player() == SIMULTANEOUS else state.legal_actions()
    )
    return found


def possible_outcomes(state: State) -> list[tuple[int, float]]:
    """Returns the (outcome, probability) pairs of a chance node whose probability is above 0."""
    return [pair for pair in state.chance_outcomes() if pair[1] > 0]


class SampledState(Protocol):
    """A chance node whose outcomes cannot be listed, only sampled."""

    def sample(self, rng: np.random.Generator) -> State:
        """Returns a random successor; draws from `rng` only."""


class SelfPlayingState(Protocol):
    """A state that can play random moves faster than through `child` and `sample`."""

    def play_on(self, rng: np.random.Generator, actions: int) -> State:
        """Returns the state after `actions` uniformly random moves, or an earlier terminal state.

        Draws from `rng` only. At a chance node, an outcome is drawn first.
        """


class Game(Protocol):
    """What a search must know about a game besides its states.

    Attributes:
        name: the string from which `load_game` makes the game again.
        num_players: at least 1.
        num_distinct_actions: every legal action is in `range(num_distinct_actions)`.
        utility_range: (least, greatest) return that player 0 can end with, or any player if values are
            vectors. It must hold for every play of the game. None if no bounds are known; searches then do
            not prune.
        step_rewards: whether rewards are paid during the game (2048, most Gymnasium tables). If False, the
            return of every state that is not terminal is 0.
        discount: the factor per decision; 1.0 for games without discounting.
        explicit_chance: whether `chance_outcomes` lists every outcome. If False, chance nodes are
            `SampledState`s, and only sampling searches support the game.

    Two attributes are optional. `utility_sum` is the sum of all players' returns at every end, or None if it
    varies or is not known; it defaults to 0 in two-player games, and to None in others. `simultaneous` says
    whether all players move at once at some nodes; it defaults to False.
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
        """Returns the state that a game starts from (often a chance node)."""

    def key(self, state: Any) -> Hashable | None:
        """Returns what determines the future; None if no sound key is known.

        Equal keys mean equal players, moves, outcomes and values to go. Without keys, searches use no tables
        and merge no positions.
        """

    def frame(self, state: Any) -> tuple[float, float]:
        """Returns (collected, scale): player 0's return = collected + scale x (value to go from `state`).

        It is (0.0, 1.0) in games without step rewards; otherwise the return collected so far and
        discount^(decisions so far). Tables store values to go, which states with equal keys share.
        """

    def reroot(self, state: Any) -> Any:
        """Returns the same position as the start of an episode, with nothing collected and no time passed.

        It may be `state` itself if `discount` is 1, because the return so far then changes no choice.
        Searches start from it. Their results are returns of the whole game, by `frame`, in either case.
        """


def utility_sum(game: Game) -> float | None:
    """Returns the sum of all players' returns at every end of a game; None if it varies or is unknown.

    Without meaning for one player.
    """
    found: float | None = getattr(game, "utility_sum", 0.0 if game.num_players == 2 else None)
    return found


def collected_by(player: int, game: Game, state: Any) -> float:
    """Returns a player's return so far: their return of the whole game minus the value to go."""
    if player == 0:
        return game.frame(state)[0]
    return float(state.returns()[player]) if game.step_rewards else 0.0


def merge_key(game: Game, state: Any) -> Hashable | None:
    """Returns the value by which successors are merged: key and returns so far. None without a key."""
    key = game.key(state)
    return key if key is None or not game.step_rewards else (key, tuple(state.returns()))


def has_vector_values(game: Game) -> bool:
    """Returns whether values are vectors of one return per player.

    They are not in one-player games and in two-player zero-sum games.
    """
    return game.num_players > 2 or (game.num_players == 2 and utility_sum(game) != 0)


def is_simultaneous(game: Game) -> bool:
    """Returns whether all players move at once at some nodes of a game."""
    return bool(getattr(game, "simultaneous", False))


def check_in_turn(game: Game, what: str) -> None:
    """Raises UnsupportedGameError if all players move at once at some nodes of a game.

    Args:
        what: what requires it, as the subject of a sentence, such as "a book".
    """
    if is_simultaneous(game):
        raise UnsupportedGameError(
            f"{game.name} has simultaneous moves; {what} takes games in which players move in turn."
        )


def check_two_sided(game: Game, what: str) -> None:
    """Raises UnsupportedGameError unless a game has one player, or is a turn-based two-player zero-sum game.

    Args:
        what: what requires it, as the subject of a sentence, such as "solve".
    """
    if game.num_players > 1:
        check_opposed(game, f"{what} takes games for one player, and")


def check_opposed(game: Game, takes: str) -> None:
    """Raises UnsupportedGameError unless a game is a turn-based two-player zero-sum game.

    Args:
        takes: what requires it, with its verb, such as "train takes".
    """
    kind = None
    if game.num_players != 2:
        kind = f"has {game.num_players} player{'s' * (game.num_players > 1)}"
    elif has_vector_values(game):
        kind = "is not zero-sum"
    elif is_simultaneous(game):
        kind = "has simultaneous moves"
    if kind is not None:
        raise UnsupportedGameError(f"{game.name} {kind}; {takes} turn-based two-player zero-sum games.")
