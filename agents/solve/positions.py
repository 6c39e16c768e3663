"""All positions of a game by their keys, and the edges between them.

They are enumerated breadth first, so that games which are cut off after so many moves are met far from the
cut-off and solved without it.
"""

import gc
import itertools
import math
import resource
import sys
from array import array
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starspiel.envs.base import CHANCE, TERMINAL, Game, possible_outcomes
from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.gymnasium.table import TableGame
from starspiel.envs.openspiel.keys import Counted

#: Called now and then with (what is being done, how much of it is done, of how much or None).
Progress = Callable[[str, int, int | None], None]

#: Chance nodes in a row after which the next decision is no longer looked for.
MOST_CHANCES = 1000
#: Distances from the start, in moves and chance events: one that is worth a word if there are ever more
#: positions, and one that no position of a game with a bound is expected to have.
_FAR, _FARTHEST = 500, 20_000
#: What the solver needs for each edge besides the graph itself.
_SOLVER_BYTES = 40


@dataclass(frozen=True)
class Graph:
    """Positions in the order they were met; the edges of position i are first[i] to first[i + 1].

    Attributes:
        keys: of the positions, None for chance nodes without one.
        player: who acts.
        ending: the value to go of an end, 0 elsewhere.
        target, weight: where an edge leads, with which probability (1 at decisions).
        reward, ratio: what it pays and by what the value to go is multiplied; empty without step rewards.
    """

    keys: list[Hashable | None]
    player: NDArray[np.int8]
    ending: NDArray[np.float64]
    first: NDArray[np.int64]
    target: NDArray[np.int32]
    weight: NDArray[np.float64]
    reward: NDArray[np.float64]
    ratio: NDArray[np.float64]

    def edges_of(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers of the nodes' edges, node by node."""
        lengths = self.first[nodes + 1] - self.first[nodes]
        before = np.concatenate(([0], np.cumsum(lengths)[:-1]))
        edges: NDArray[np.int64] = np.repeat(self.first[nodes] - before, lengths) + np.arange(lengths.sum())
        return edges


#: Ends of one worth have the key (_END, worth), which is equal to no game's own key.
_END = object()


def enumerate_positions(game: Game, memory_gb: float, tell: Progress) -> Graph:
    gc_was_on = gc.isenabled()
    gc.disable()  # millions of tuples and no cycles: collecting would take half the time
    try:
        return _enumerated(game, memory_gb, tell)
    finally:
        if gc_was_on:
            gc.enable()


def _enumerated(game: Game, memory_gb: float, tell: Progress) -> Graph:
    key_of, frame, paid = game.key, game.frame, is_paid(game)
    number: dict[Hashable, int] = {}
    keys: list[Hashable | None] = []
    player, ending, first = array("b"), array("d"), array("q", [0])
    target, weight, reward, ratio = array("i"), array("d"), array("d"), array("d")
    queue: deque[Any] = deque()

    def meet(state: Any, collected: float, scale: float) -> int:
        """The number of a position, given out when it is first met.

        An end is known by what it adds to the `collected` return of the position before it, over `scale`.
        """
        key = key_of(state)
        found = number.get(key)
        if found is not None:
            return found
        worth, acting = 0.0, state.current_player()
        if acting == TERMINAL:
            worth = (state.returns()[0] - collected) / scale
            if not math.isfinite(worth):
                raise StarspielError(
                    f"{game.name} cannot be solved: expected a finite return, got {state.returns()[0]} "
                    f"for player 0 at\n{state}"
                )
            key = _END, worth
            found = number.get(key)
            if found is not None:
                return found
        found = len(keys)
        if key is not None:
            number[key] = found
            if acting != TERMINAL and isinstance(key, Counted) != counted:
                # Neither out of reach nor part of every key, the cut-off leaves positions without one value.
                raise StarspielError(
                    f"{game.name} cannot be solved: positions near its cut-off are reached by the shortest "
                    "way. Move the cut-off (horizon, turn cap) far away, where it no longer matters, or to "
                    "less than 100."
                )
        elif acting >= 0:
            raise UnsupportedGameError(f"{game.name} cannot be solved: no sound key is known for\n{state}")
        keys.append(None if acting == TERMINAL else key)
        player.append(acting)
        ending.append(worth)
        queue.append(None if acting == TERMINAL else state)
        return found

    before = _memory_in_use()
    start = game.new_initial_state()
    counted = isinstance(key_of(start), Counted)
    meet(start, *frame(start))
    layers = _Layers(game, tell)
    for done in itertools.count():
        if not queue:
            break
        if done == layers.end:
            layers.enter(len(keys))
        if done % 10_000 == 0:
            tell("positions", done, None)
            if _memory_in_use() - before + _SOLVER_BYTES * len(target) > memory_gb * 1e9:
                raise StarspielError(
                    f"{game.name} is too large to be solved: after {len(keys):,} positions, {len(queue):,} "
                    f"of them still to be looked into, the {memory_gb:g} GB allowed are used up. Allow more "
                    "memory or make the game smaller."
                )
        state = queue.popleft()
        if state is None:
            first.append(len(target))
            continue
        if game.discount != 1.0:
            state = game.reroot(state)  # after many moves nothing would be left of what a reward counts
        collected, scale = frame(state) if paid else (0.0, 1.0)
        if not paid and player[done] == CHANCE:
            merged: dict[int, float] = {}
            for action, probability in possible_outcomes(state):
                at = meet(state.child(action), collected, scale)
                merged[at] = merged.get(at, 0.0) + probability
            target.extend(merged)
            weight.extend(merged.values())
            first.append(len(target))
            continue
        chances = possible_outcomes(state) if player[done] == CHANCE else None
        for action, probability in chances or ((move, 1.0) for move in state.legal_actions()):
            child = state.child(action)
            target.append(meet(child, collected, scale))
            weight.append(probability)
            if paid:
                ends = child.is_terminal()  # what it pays is in its own value
                now, then = (collected, scale) if ends else frame(child)
                if not math.isfinite(now):
                    raise StarspielError(
                        f"{game.name} cannot be solved: expected finite rewards, got a return of {now} "
                        f"for player 0 at\n{child}"
                    )
                reward.append((now - collected) / scale)
                ratio.append(then / scale)
        first.append(len(target))
    tell("positions", len(keys), len(keys))
    return Graph(
        keys,
        np.frombuffer(player, np.int8),
        np.frombuffer(ending, np.float64),
        np.frombuffer(first, np.int64),
        np.frombuffer(target, np.int32),
        np.frombuffer(weight, np.float64),
        np.frombuffer(reward, np.float64),
        np.frombuffer(ratio, np.float64),
    )


class _Layers:
    """The positions by their distance from the start, to notice a game without a bound.

    Attributes:
        end: how many positions are no farther than the layer that is looked into.
    """

    def __init__(self, game: Game, tell: Progress) -> None:
        self._game = game
        self._tell = tell
        self._widths: list[int] = []
        self.end = 0

    def enter(self, met: int) -> None:
        """Begins the next layer; `met` positions are known. Raises StarspielError for one too far away."""
        self._widths.append(met - self.end)
        self.end = met
        distance = len(self._widths) - 1
        if distance == _FAR and self._widths[-1] >= self._widths[_FAR // 2]:
            self._tell(
                f"{distance} moves and chance events from the start there are as many new positions as half "
                "way there; a game that goes on like this cannot be solved. Ctrl-C, and give it an end",
                0,
                None,
            )
        if distance > _FARTHEST and not isinstance(self._game, TableGame):  # which has finitely many states
            raise StarspielError(
                f"{self._game.name} cannot be solved: after {met:,} positions there are new ones "
                f"{distance:,} moves and chance events from the start, so its positions seem to have no "
                "bound. Give the game an end: a goal, or a cap on what is counted"
            )


def is_paid(game: Game) -> bool:
    """Whether the values to go along an edge differ by a reward or a factor."""
    return game.step_rewards or game.discount != 1.0


def _memory_in_use() -> int:
    """Bytes of this process in memory; where that is not told, the most it ever had."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except OSError:
        most: int = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024
