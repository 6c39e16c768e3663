"""Exact values of a game: all positions by their keys, then value iteration on arrays.

Positions are enumerated breadth first, so that games which are cut off after so many moves are met far from
the cut-off and solved without it. The graph of positions is solved one level of its strongly connected
components at a time, ends first: where a game cannot come back (scores only grow), a level holds few
positions, and no sweep touches one whose successors are still wrong. Where play can go on for ever, that
counts as collecting nothing more.
"""

import gc
import itertools
import math
import random
import resource
import sys
import time
from array import array
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from starspiel.agents.solve.solution import Solution, key_hash, versions
from starspiel.envs.base import CHANCE, TERMINAL, Game, possible_outcomes
from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.load import load_game
from starspiel.envs.openspiel.keys import Counted

#: A level is solved when a sweep changes no value by more than this (relative to the greatest value).
_TOLERANCE = 1e-13
_MOST_SWEEPS = 100_000
_SWEEPS_A_LOOK = 8

#: Called now and then with (what is being done, how much of it is done, of how much or None).
Progress = Callable[[str, int, int | None], None]


def solve(game: Any, *, memory_gb: float = 2.0, progress: Progress | None = None) -> Solution:
    """The exact value of every position that can be reached in `game`.

    Args:
        game: anything `load_game` takes, with explicit chances and a key for its decision nodes.
        memory_gb: the most memory the positions may take, by estimate; a larger game is refused.
        progress: told what is going on.

    Raises:
        UnsupportedGameError: the game has no key, or its chances cannot be listed.
        StarspielError: it is too large for `memory_gb`, or its values do not converge.
    """
    started = time.perf_counter()
    tell = progress or _silent
    game = load_game(game)
    if not 0 < memory_gb < math.inf:
        raise StarspielError(f"memory_gb must be a finite number of GB above 0, got {memory_gb}.")
    _refuse_unsolvable(game)
    estimate = estimate_size(game, memory_gb)
    tell(str(estimate), 0, None)
    estimate.refuse_too_large(game)
    graph = _enumerate(game, memory_gb, tell)
    values, residual = _values(graph, tell)
    hashes, order = _hashed(graph)
    return Solution(
        game=game.name,
        value=float(values[0]),
        states=len(graph.player),
        residual=residual,
        seconds=time.perf_counter() - started,
        hashes=hashes,
        values=values[order],
        made_with=versions(),
    )


def _is_paid(game: Game) -> bool:
    """Whether the values to go along an edge differ by a reward or a factor."""
    return game.step_rewards or game.discount != 1.0


def _silent(what: str, done: int, of: int | None) -> None:
    pass


def _refuse_unsolvable(game: Game) -> None:
    if not game.explicit_chance:
        raise UnsupportedGameError(
            f"{game.name} cannot be solved: its chances can only be sampled. Play it with a sampling search."
        )
    state = game.new_initial_state()
    for _ in range(_MOST_CHANCES):
        if not state.is_chance_node():
            break
        state = state.child(possible_outcomes(state)[0][0])
    if state.current_player() < 0:
        return
    key = game.key(state)
    if key is None:
        raise UnsupportedGameError(
            f"{game.name} cannot be solved: no sound key is known that tells which of its positions are "
            "equal. Play it with a search."
        )
    key_hash(key)  # refuses keys that cannot be found again in the solution


#: Chance nodes in a row after which the next decision is no longer looked for.
_MOST_CHANCES = 1000


# How large it is, before anything large is made.


@dataclass(frozen=True)
class Size:
    """What is known of a game's size before it is enumerated.

    Attributes:
        least_states: how many positions there are at least, by random play.
        bytes_per_state: estimated from positions of random games.
        memory_gb: the most memory allowed.
    """

    least_states: int
    bytes_per_state: int
    memory_gb: float

    @property
    def most_states(self) -> int:
        """How many positions fit into the memory allowed."""
        return int(self.memory_gb * 1e9 / self.bytes_per_state)

    def refuse_too_large(self, game: Game) -> None:
        """Raises StarspielError where even the least number of positions does not fit."""
        if self.least_states > self.most_states:
            raise StarspielError(
                f"{game.name} is too large to be solved: random play alone shows at least "
                f"{self.least_states:,} positions, and {self.memory_gb:g} GB hold {self.most_states:,}. "
                "Allow more memory or make the game smaller."
            )

    def __str__(self) -> str:
        return (
            f"at least {self.least_states:,} positions of about {self.bytes_per_state:,} bytes, "
            f"{self.least_states * self.bytes_per_state / 1e9:,.2f} GB or more; "
            f"{self.memory_gb:g} GB hold {self.most_states:,}"
        )


def estimate_size(game: Game, memory_gb: float, seed: int = 1) -> Size:
    """Estimates from random games what enumerating takes.

    Two random games of the same age are at the same position with a chance of at least one over the number
    of positions of that age, so coincidences among m games, which make m(m-1)/2 pairs, bound that number
    from below. More games are played until some coincide at every age, or would if the positions fitted.
    """
    rng = random.Random(seed)
    ages: list[Counter[Hashable]] = [Counter() for _ in range(_OLDEST)]
    branches: list[int] = []
    keys: list[Hashable] = []
    played = 0
    while True:
        for _ in range(max(200, played)):
            for age, (key, moves) in enumerate(_random_positions(game, rng)):
                ages[age][key] += 1
                if len(keys) < 500:
                    keys.append(key)
                    branches.append(moves)
            played += 1
        size = Size(_least_states(ages, played), _bytes_per_state(game, keys, branches), memory_gb)
        full = [age for age in ages if age.total() == played]
        if played**2 / 2 > 6 * size.most_states or all(_coincidences(age) >= 10 for age in full):
            return size


#: Decisions of a random game that the estimate looks at.
_OLDEST = 20


def _random_positions(game: Game, rng: random.Random) -> Iterator[tuple[Hashable, int]]:
    """(key, number of moves) at the first decisions of a random game."""
    state = game.new_initial_state()
    found = 0
    for _ in range(_MOST_CHANCES):
        if found == _OLDEST or state.is_terminal():
            return
        if state.is_chance_node():
            outcomes, weights = zip(*possible_outcomes(state), strict=True)
            state = state.child(rng.choices(outcomes, weights)[0])
            continue
        moves = state.legal_actions()
        yield game.key(state), len(moves)
        found += 1
        state = state.child(rng.choice(moves))


def _least_states(ages: list[Counter[Hashable]], played: int) -> int:
    """A bound that holds but for bad luck: coincidences three standard deviations above those there were."""
    pairs = played * (played - 1) / 2
    met = [_coincidences(age) for age in ages if age.total() == played]
    by_age = [int(pairs / (count + 3 * math.sqrt(count) + 3)) for count in met]
    return max(len(set().union(*ages)), *by_age, 0)


def _coincidences(age: Counter[Hashable]) -> int:
    """Pairs of games that are at the same position."""
    return sum(count * (count - 1) // 2 for count in age.values())


def _bytes_per_state(game: Game, keys: list[Hashable], branches: list[int]) -> int:
    """Key, its place in the table, and edges, which the solver holds twice."""
    if not keys:
        return 1000
    per_edge = 12 + (16 if _is_paid(game) else 0)
    edges = 2 * per_edge * max(sum(branches) / len(branches), 4.0)
    return int(sum(map(_deep_size, keys)) / len(keys) + 130 + edges)


def _deep_size(thing: Any) -> int:
    inner = sum(map(_deep_size, thing)) if isinstance(thing, tuple) else 0
    return sys.getsizeof(thing) + (16 if isinstance(thing, tuple) else 0) + inner


# All positions.


@dataclass(frozen=True)
class _Graph:
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


#: Ends of one worth have the key (_END, worth), which is equal to no game's own key.
_END = object()


def _enumerate(game: Game, memory_gb: float, tell: Progress) -> _Graph:
    gc_was_on = gc.isenabled()
    gc.disable()  # millions of tuples and no cycles: collecting would take half the time
    try:
        return _enumerate_quickly(game, memory_gb, tell)
    finally:
        if gc_was_on:
            gc.enable()


def _enumerate_quickly(game: Game, memory_gb: float, tell: Progress) -> _Graph:
    key_of, frame, paid = game.key, game.frame, _is_paid(game)
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
    for done in itertools.count():
        if not queue:
            break
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
    return _Graph(
        keys,
        np.frombuffer(player, np.int8),
        np.frombuffer(ending, np.float64),
        np.frombuffer(first, np.int64),
        np.frombuffer(target, np.int32),
        np.frombuffer(weight, np.float64),
        np.frombuffer(reward, np.float64),
        np.frombuffer(ratio, np.float64),
    )


#: What the solver needs for each edge besides the graph itself.
_SOLVER_BYTES = 40


def _memory_in_use() -> int:
    """Bytes of this process in memory; where that is not told, the most it ever had."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except OSError:
        most: int = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024


# Their values.


def _values(graph: _Graph, tell: Progress) -> tuple[NDArray[np.float64], float]:
    """(value to go of every position, the greatest error of its equation)."""
    values = graph.ending.copy()
    scratch = np.zeros(len(values), np.int32)
    done = 0
    for nodes, cyclic in _levels(graph):
        tell("solved", done, len(values))
        level = _Level(graph, nodes, scratch)
        values[nodes] = level.settle(values[level.touched], cyclic)
        done += len(nodes)
    tell("solved", done, len(values))
    residual = _Level(graph, np.arange(len(values)), scratch).error(values)
    return values, residual


def _levels(graph: _Graph) -> list[tuple[NDArray[np.int64], bool]]:
    """The positions level by level, ends first, and whether a level can come back to itself.

    No edge leads from a level to a later one, and within a level none between components.
    """
    count = len(graph.player)
    source = np.repeat(np.arange(count, dtype=np.int32), np.diff(graph.first))
    edges = scipy.sparse.csr_matrix(
        (np.ones(len(source), np.int8), graph.target, graph.first), shape=(count, count)
    )
    components, label = scipy.sparse.csgraph.connected_components(edges, connection="strong")
    within = label[source] == label[graph.target]
    cyclic = np.zeros(components, bool)
    cyclic[label[source[within]]] = True
    between = scipy.sparse.csr_matrix(
        (np.ones(int((~within).sum()), np.int8), (label[source[~within]], label[graph.target[~within]])),
        shape=(components, components),
    )
    between.sum_duplicates()
    waiting = np.diff(between.indptr)
    before = between.T.tocsr()
    level_of = np.zeros(components, np.int64)
    ready = np.flatnonzero(waiting == 0)
    level = 0
    while len(ready):
        level_of[ready] = level
        freed = before[ready].indices
        np.subtract.at(waiting, freed, 1)
        freed = np.unique(freed)
        ready = freed[waiting[freed] == 0]
        level += 1
    node_level = level_of[label]
    order = np.argsort(node_level, kind="stable")
    cuts = np.flatnonzero(np.diff(node_level[order])) + 1
    return [(nodes, bool(cyclic[label[nodes]].any())) for nodes in np.split(order, cuts)]


class _Level:
    """The positions of a level and their edges, numbered among themselves and the successors they touch.

    Attributes:
        touched: the positions, and the successors of theirs, as the graph numbers them, ascending.
    """

    def __init__(self, graph: _Graph, nodes: NDArray[np.int64], scratch: NDArray[np.int32]) -> None:
        self.touched = np.unique(np.concatenate((nodes, graph.target[_edges(graph, nodes)])))
        scratch[self.touched] = np.arange(len(self.touched), dtype=np.int32)
        self._nodes = scratch[nodes]
        player = graph.player[nodes]
        self._parts: list[_Chances | _Decisions] = [
            _Chances(graph, nodes[player == CHANCE], scratch, len(self.touched)),
            _Decisions(graph, nodes[player == 0], scratch, np.maximum),
            _Decisions(graph, nodes[player == 1], scratch, np.minimum),
        ]

    def settle(self, values: NDArray[np.float64], cyclic: bool) -> NDArray[np.float64]:
        """The positions' values, from those of all it touches; one sweep does for a level without cycles."""
        self.sweep(values)
        if cyclic:
            self._sweep_until_still(values)
        return values[self._nodes]

    def _sweep_until_still(self, values: NDArray[np.float64]) -> None:
        for _ in range(0, _MOST_SWEEPS, _SWEEPS_A_LOOK):
            for _ in range(_SWEEPS_A_LOOK - 1):
                self.sweep(values)
            before = values.copy()
            self.sweep(values)
            change = float(np.abs(values - before).max())
            if change <= _TOLERANCE * max(1.0, float(values.max()), -float(values.min())):
                return
        raise StarspielError(
            f"the values do not converge: after {_MOST_SWEEPS:,} sweeps one still changes by {change:.1e}. "
            "Either rewards are paid without end, or play ends so rarely that values settle too slowly; "
            "a discount below 1, a smaller one, or a horizon helps."
        )

    def sweep(self, values: NDArray[np.float64]) -> None:
        """Backs every position up in place, chance nodes first."""
        for part in self._parts:
            values[part.nodes] = part.backed_up(values)

    def error(self, values: NDArray[np.float64]) -> float:
        """By how much a value at most differs from what its successors' values make it."""
        return max(
            float(np.abs(part.backed_up(values) - values[part.nodes]).max(initial=0.0))
            for part in self._parts
        )


class _Chances:
    """The chance nodes of a level: their expectations as one sparse matrix."""

    def __init__(
        self, graph: _Graph, nodes: NDArray[np.int64], scratch: NDArray[np.int32], width: int
    ) -> None:
        self.nodes = scratch[nodes]
        edges = _edges(graph, nodes)
        weight = graph.weight[edges]
        starts = np.concatenate(([0], np.cumsum(graph.first[nodes + 1] - graph.first[nodes])))
        self._paid = (
            0.0
            if not len(graph.reward) or not len(edges)
            else np.add.reduceat(weight * graph.reward[edges], starts[:-1])
        )
        if len(graph.ratio):
            weight = weight * graph.ratio[edges]
        self._matrix = scipy.sparse.csr_matrix(
            (weight, scratch[graph.target[edges]], starts), shape=(len(nodes), width)
        )

    def backed_up(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        expected: NDArray[np.float64] = self._matrix @ values
        expected += self._paid
        return expected


class _Decisions:
    """One player's decisions of a level, those with most moves first: their n-th moves side by side."""

    def __init__(
        self,
        graph: _Graph,
        nodes: NDArray[np.int64],
        scratch: NDArray[np.int32],
        best: np.ufunc,
    ) -> None:
        moves = graph.first[nodes + 1] - graph.first[nodes]
        nodes = nodes[np.argsort(-moves, kind="stable")]
        self.nodes = scratch[nodes]
        self._best = best
        self._columns = []
        for n in range(int(moves.max(initial=0))):
            edges = graph.first[nodes[: int((moves > n).sum())]] + n
            reward, ratio = (graph.reward[edges], graph.ratio[edges]) if len(graph.reward) else (None, None)
            self._columns.append((scratch[graph.target[edges]], reward, ratio))

    def backed_up(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        best = np.empty(0)
        for n, (target, reward, ratio) in enumerate(self._columns):
            worth = values[target]
            if reward is not None and ratio is not None:
                worth = reward + ratio * worth
            if n == 0:
                best = worth
            else:
                self._best(best[: len(worth)], worth, out=best[: len(worth)])
        return best


def _edges(graph: _Graph, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers of the nodes' edges, node by node."""
    lengths = graph.first[nodes + 1] - graph.first[nodes]
    before = np.concatenate(([0], np.cumsum(lengths)[:-1]))
    edges: NDArray[np.int64] = np.repeat(graph.first[nodes] - before, lengths) + np.arange(lengths.sum())
    return edges


def _hashed(graph: _Graph) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """(hashes of the decision nodes' keys, ascending; the numbers of the nodes in that order)."""
    nodes = np.flatnonzero(graph.player >= 0)
    hashes = np.fromiter((key_hash(graph.keys[node]) for node in nodes), np.uint64, len(nodes))
    order = np.argsort(hashes)
    hashes = hashes[order]
    if (hashes[1:] == hashes[:-1]).any():
        raise StarspielError("two positions have keys with one 64-bit hash; this should never be seen.")
    return hashes, nodes[order]
