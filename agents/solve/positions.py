"""Enumerates all positions of a game by their keys, with the edges between them.

This is done breadth first, so that games cut off after a number of moves are met far from the cut-off.
"""

import gc
import math
import resource
import sys
from array import array
from collections import deque
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.solve.progress import Progress
from starspiel.agents.solve.solution import key_hash
from starspiel.envs.base import (
    CHANCE,
    SIMULTANEOUS,
    TERMINAL,
    Game,
    has_vector_values,
    is_simultaneous,
    joint_child,
    joint_moves,
    possible_outcomes,
)
from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.gymnasium.table import TableGame
from starspiel.envs.openspiel.keys import Counted

#: The number of chance nodes in a row after which the search for the next decision ends.
MOST_CHANCES = 1000
#: Distances from the start, in moves and chance events: one at which to warn if there are ever more
#: positions, and one that no position of a bounded game is expected to have.
_FAR, _FARTHEST = 500, 20_000
#: Bytes per edge that the solver needs in addition to the graph.
_SOLVER_BYTES = 40


@dataclass(frozen=True)
class Graph:
    """Positions in the order in which they were met; the edges of position i are first[i] to first[i + 1].

    Attributes:
        hashes: 64-bit hashes that identify the decision nodes.
        player: the player to act.
        ending: the value to go of a terminal position, 0 elsewhere; of shape (positions, players) in games
            whose values are vectors.
        target, weight: the target of each edge, and its probability (1 at decisions).
        reward, ratio: what each edge pays, and the factor on the value to go; empty without step rewards.
        columns: at positions of simultaneous moves, the number of player 1's moves; the edges are then those
            of a matrix, row by row. 0 at other positions. Empty if players move in turn.
    """

    hashes: NDArray[np.uint64]
    player: NDArray[np.int8]
    ending: NDArray[np.float64]
    first: NDArray[np.int64]
    target: NDArray[np.int32]
    weight: NDArray[np.float64]
    reward: NDArray[np.float64]
    ratio: NDArray[np.float64]
    columns: NDArray[np.int32]

    @property
    def is_paid(self) -> bool:
        """Whether edges have rewards and ratios."""
        return len(self.reward) > 0

    @cached_property
    def is_solo(self) -> bool:
        """Whether player 1 never acts."""
        return not (self.player == 1).any()

    def edges_of(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Returns the numbers of the nodes' edges, node by node."""
        lengths = self.first[nodes + 1] - self.first[nodes]
        before = np.concatenate(([0], np.cumsum(lengths)[:-1]))
        edges: NDArray[np.int64] = np.repeat(self.first[nodes] - before, lengths) + np.arange(lengths.sum())
        return edges


def enumerate_positions(game: Game, memory_gb: float, tell: Progress) -> Graph:
    """Returns the graph of all positions. Raises StarspielError if there are too many, or if some have no
    key.
    """
    gc_was_on = gc.isenabled()
    gc.disable()  # millions of tuples without cycles: garbage collection would take half the time
    try:
        return _enumerated(game, memory_gb, tell)
    finally:
        if gc_was_on:
            gc.enable()


def _enumerated(game: Game, memory_gb: float, tell: Progress) -> Graph:
    before = _memory_in_use()
    met = _Positions(game)
    widths: list[int] = []  # the number of positions at each distance from the start
    done = end = 0
    while met.waiting:
        if done == end:
            widths.append(len(met.keys) - end)
            end = len(met.keys)
            _check_distance(game, widths, end, tell)
        if done % 10_000 == 0:
            tell("positions", done, None)
            if _memory_in_use() - before + _SOLVER_BYTES * len(met.target) > memory_gb * 1e9:
                raise used_up(game, len(met.keys), len(met.waiting), memory_gb)
        met.look_into_next()
        done += 1
    tell("positions", done, done)
    decides = [acting >= 0 or acting == SIMULTANEOUS for acting in met.player]
    return Graph(
        np.array(
            [key_hash(key) if here else 0 for key, here in zip(met.keys, decides, strict=True)], np.uint64
        ),
        np.frombuffer(met.player, np.int8),
        np.frombuffer(met.ending, np.float64).reshape((-1, game.num_players) if met.in_vectors else -1),
        np.frombuffer(met.first, np.int64),
        np.frombuffer(met.target, np.int32),
        np.frombuffer(met.weight, np.float64),
        np.frombuffer(met.reward, np.float64),
        np.frombuffer(met.ratio, np.float64),
        np.frombuffer(met.columns, np.int32),
    )


class _Positions:
    """The positions met so far, with the data for `Graph`; those in `waiting` have no edges yet."""

    def __init__(self, game: Game) -> None:
        self._game, self._paid = game, is_paid(game)
        self._number: dict[Hashable, int] = {}
        self.keys: list[Hashable | None] = []
        self.player, self.ending, self.first = array("b"), array("d"), array("q", [0])
        self.target, self.weight = array("i"), array("d")
        self.reward, self.ratio = array("d"), array("d")
        self.columns = array("i")
        self.in_vectors, self._at_once = has_vector_values(game), is_simultaneous(game)
        self._nothing = [0.0] * (game.num_players if self.in_vectors else 1)
        self.waiting: deque[Any] = deque()  # states; None for a terminal position
        start = game.new_initial_state()
        self._counted: bool | None = None  # whether keys count moves to the cut-off; known from the first key
        self._meet(start, *game.frame(start))

    def look_into_next(self) -> None:
        """Expands the position that has waited longest."""
        state = self.waiting.popleft()
        if state is not None:
            # Rerooted, since after many moves the discount would leave nothing of a reward.
            self._list_edges(state if self._game.discount == 1.0 else self._game.reroot(state))
        self.first.append(len(self.target))

    def _list_edges(self, state: Any) -> None:
        collected, scale = self._game.frame(state) if self._paid else (0.0, 1.0)
        successors: Iterable[tuple[Any, float]]
        if is_chance := state.current_player() == CHANCE:
            successors = ((state.child(outcome), p) for outcome, p in possible_outcomes(state))
        elif state.current_player() == SIMULTANEOUS:
            moves = joint_moves(state, self._game.num_players)
            self.columns[len(self.first) - 1] = len(moves[-1]) if len(moves) == 2 else 1
            successors = ((joint_child(state, joint), 1.0) for joint in product(*moves))
        else:
            successors = ((state.child(move), 1.0) for move in state.legal_actions())
        if is_chance and not self._paid:
            merged: dict[int, float] = {}
            for child, probability in successors:
                at = self._meet(child, collected, scale)
                merged[at] = merged.get(at, 0.0) + probability
            self.target.extend(merged)
            self.weight.extend(merged.values())
            return
        for child, probability in successors:
            self.target.append(self._meet(child, collected, scale))
            self.weight.append(probability)
            if self._paid:
                # The value of a terminal position includes what it pays.
                now, then = (collected, scale) if child.is_terminal() else self._game.frame(child)
                if not math.isfinite(now):
                    raise self._not_finite(f"finite rewards, got a return of {now}", child)
                self.reward.append((now - collected) / scale)
                self.ratio.append(then / scale)

    def _meet(self, state: Any, collected: float, scale: float) -> int:
        """Returns the number of a position, which it gets when it is first met.

        A terminal position is identified by what it adds to the `collected` return of the position before it,
        over `scale`.
        """
        key = self._game.key(state)
        found = self._number.get(key)
        if found is not None:
            return found
        acting = state.current_player()
        is_end = acting == TERMINAL
        worth = self._nothing
        if is_end:
            returns = state.returns()[: len(worth)]
            worth = [(each - collected) / scale for each in returns]
            if not all(map(math.isfinite, worth)):
                raise self._not_finite(f"a finite return, got {', '.join(map(str, returns))}", state)
            key = _END, *worth
            found = self._number.get(key)
            if found is not None:
                return found
        elif key is None and acting != CHANCE:
            raise UnsupportedGameError(
                f"{self._game.name} cannot be solved: no sound key is known for\n{state}"
            )
        elif key is not None and self._counted is None:
            self._counted = isinstance(key, Counted)
        elif key is not None and isinstance(key, Counted) != self._counted:
            raise cut_off_at_times(self._game)
        found = len(self.keys)
        if key is not None:
            self._number[key] = found
        self.keys.append(None if is_end else key)
        self.player.append(acting)
        self.ending.extend(worth)
        if self._at_once:
            self.columns.append(0)
        self.waiting.append(None if is_end else state)
        return found

    def _not_finite(self, what: str, state: Any) -> StarspielError:
        return StarspielError(f"{self._game.name} cannot be solved: expected {what} for player 0 at\n{state}")


#: Terminal positions of one value have the key (_END, value), which differs from all keys of games.
_END = object()


def _check_distance(game: Game, widths: list[int], met: int, tell: Progress) -> None:
    """Warns about a game that seems unbounded. Raises StarspielError if positions are too far away."""
    distance = len(widths) - 1
    if distance == _FAR and widths[-1] >= widths[_FAR // 2]:
        tell(
            f"{distance} moves and chance events from the start there are as many new positions as half "
            "way there; a game that goes on like this cannot be solved. Ctrl-C, and give it an end",
            0,
            None,
        )
    if distance > _FARTHEST and not isinstance(game, TableGame):  # tables have finitely many states
        raise StarspielError(
            f"{game.name} cannot be solved: after {met:,} positions there are new ones "
            f"{distance:,} moves and chance events from the start, so its positions seem to have no "
            "bound. Give the game an end: a goal, or a cap on what is counted"
        )


def used_up(game: Game, met: int, waiting: int, memory_gb: float) -> StarspielError:
    """Returns the error for more positions than fit into the allowed memory."""
    return StarspielError(
        f"{game.name} is too large to be solved: after {met:,} positions, {waiting:,} of them still to be "
        f"looked into, the {memory_gb:g} GB allowed are used up. Allow more memory or make the game smaller."
    )


def cut_off_at_times(game: Game) -> StarspielError:
    """Returns the error for a cut-off that affects values, but is not part of every key."""
    return StarspielError(
        f"{game.name} cannot be solved: its cut-off is near enough to change values, but too far to be "
        "counted in every position. Move it (horizon, turn cap) far away, where it no longer matters, or to "
        "less than 100."
    )


def is_paid(game: Game) -> bool:
    """Returns whether the game pays rewards on the way or discounts."""
    return game.step_rewards or game.discount != 1.0


def _memory_in_use() -> int:
    """Returns the resident memory of this process in bytes, or its peak if that is unknown."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except OSError:
        most: int = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024
