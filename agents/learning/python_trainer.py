"""Trains a network by self-play in NumPy, for games written in Python.

This is the counterpart of native/network/trainer.cpp: it has the same lessons in the same order, but it is
much slower, and its random numbers are different.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.encoders import Encoder
from starspiel.agents.evaluators.positions import rows_of, values_of
from starspiel.envs.base import CHANCE, TERMINAL, possible_outcomes

Floats = NDArray[np.float32]
#: Rows of all positions, their targets, and the index in these at which each game ends.
Lessons = tuple[Floats, NDArray[np.float64], NDArray[np.int64]]
_LEAK = np.float32(0.01)

#: For one round: the number of positions after which learning begins in any case; how often each is learnt;
#: the least number of steps, unless batches would be smaller than the least batch; and the greatest batch.
#: The core has the same numbers.
WINDOW, _PASSES = 200_000, 4
_STEPS, _LEAST_BATCH, _MOST_BATCH = 400, 4, 256
#: The share of the first round's time for playing; later rounds use the share of the round before.
PLAYING = 0.15
#: Adam's parameters.
_MEAN, _SQUARE, _LEAST = np.float32(0.9), np.float32(0.999), np.float32(1e-8)

#: Numbers of moves and throws. After the first, some moves are random, in case the network's best moves never
#: end a game. A game that reaches the second teaches nothing.
_LONG, _MOST_EVENTS = 2000, 10_000
_EXPLORE_LONG = 0.1


@dataclass(frozen=True)
class Lesson:
    """How to learn from games.

    Attributes:
        lambda_: the weight, in a target, of what came later rather than of what was expected.
        explore: the probability of a random move.
        exact: whether targets are free of luck: exact means one ply on, plus what later ones add. At each
            decision, the position after one other move is then learnt, too.
        stop: when it returns True, the round ends at once, and none of its games count.
    """

    lambda_: float
    explore: float = 0.0
    exact: bool = False
    stop: Callable[[], bool] = lambda: False


@dataclass(frozen=True)
class _Step:
    """A position of a game: the network's inputs, and its value when it was reached.

    Attributes:
        share: player 0's share of the range of returns.
        explored: whether a random move was made between the previous position and this one.
        played: whether it occurred in the game; otherwise it was only looked at.
    """

    state: Any
    row: Floats
    turn: int
    share: float
    explored: bool
    played: bool


class PythonTrainer:
    """The counterpart of the core's `Trainer` for any State, with the same methods."""

    def __init__(
        self, encoder: Encoder, state: Any, hidden: Sequence[int], range: tuple[float, float], seed: int
    ) -> None:
        self._encoder, self._start, self._top = encoder, state, range[1]
        self._layers = _first_layers([len(encoder.units), *hidden, 1], seed)
        self._playing = PLAYING

    @property
    def layers(self) -> list[tuple[Floats, Floats]]:
        return [(weights.copy(), bias.copy()) for weights, bias in self._layers]

    @layers.setter
    def layers(self, layers: Sequence[tuple[Floats, Floats]]) -> None:
        if [weights.shape for weights, _ in layers] != [weights.shape for weights, _ in self._layers]:
            raise ValueError("the layers are of other sizes")
        self._layers = [
            (np.array(weights, np.float32), np.array(bias, np.float32)) for weights, bias in layers
        ]

    def best(self, state: Any) -> int:
        """Returns the best action according to the network."""
        return int(state.legal_actions()[self._order(state)[0]])

    def train(
        self,
        *,
        seed: int,
        rate: float,
        games: int = 0,
        seconds: float = np.inf,
        threads: int = 1,
        **how: Any,
    ) -> tuple[int, int, float]:
        """Plays for a number of games or seconds, then learns from all these games; `how` is a `Lesson`.

        Uses one thread, regardless of `threads`. Returns the number of games, the number of positions learnt
        from, and the summed squared error of the shares.
        """
        begun = time.perf_counter()
        met = self.play(seed=seed, games=games, seconds=self._playing * seconds, most=WINDOW, **how)
        playing = time.perf_counter() - begun
        done = self.fit([met], rate=rate, seed=seed, stop=Lesson(**how).stop)
        self._playing = playing / (time.perf_counter() - begun)
        return done

    def play(
        self, *, seed: int, games: int = 0, seconds: float = np.inf, most: float = np.inf, **how: Any
    ) -> Lessons:
        """Plays as `train` does, and returns lessons for `fit` of this or another trainer.

        No game begins after `most` positions.
        """
        lesson = Lesson(**how)
        rows, targets, ends = [np.empty((0, len(self._encoder.units)), np.float32)], [], []
        for lessons in self._games(seed, games, seconds, lesson):
            if lesson.stop():
                break
            for row, own in lessons:
                rows.append(row[None])
                targets.append(own)
            ends.append(len(targets))
            if len(targets) >= most:
                break
        return np.concatenate(rows), np.array(targets), np.array(ends, np.int64)

    def fit(
        self,
        lessons: Sequence[Lessons],
        *,
        rate: float,
        seed: int,
        threads: int = 1,
        stop: Callable[[], bool] = lambda: False,
    ) -> tuple[int, int, float]:
        """Learns from what `play` returned, in several passes, by Adam (Kingma and Ba 2015).

        Returns the same as `train`. The error is that of the first pass; the number of games is 0 if it was
        stopped.
        """
        rows, targets = (np.concatenate([each[k] for each in lessons]) for k in (0, 1))
        random = np.random.default_rng(seed)
        order = np.concatenate([random.permutation(len(rows)) for _ in range(_PASSES)])
        weights = [array for layer in self._layers for array in layer]
        means, squares = ([np.zeros_like(array) for array in weights] for _ in range(2))
        positions, error, stopped = 0, 0.0, False
        together = min(max(len(order) // _STEPS, _LEAST_BATCH), _MOST_BATCH)
        for step, first in enumerate(range(0, len(order), together), 1):
            if stopped := stop():
                break
            batch = order[first : first + together]
            own = targets[batch].astype(np.float32)
            shares, slopes = self._slopes(rows[batch], own)
            errors = np.square(shares - own)[: max(0, len(rows) - first)]
            positions, error = positions + len(errors), error + float(errors.sum())
            for array, slope, mean, square in zip(weights, slopes, means, squares, strict=True):
                slope /= np.float32(len(batch))
                mean += (slope - mean) * (1 - _MEAN)
                square += (slope * slope - square) * (1 - _SQUARE)
                size = np.float32(rate) / (1 - _MEAN**step)
                array -= size * mean / (np.sqrt(square / (1 - _SQUARE**step)) + _LEAST)
        games = 0 if stopped else sum(len(ends) for *_, ends in lessons)
        return games, positions, error

    def _games(
        self, seed: int, games: int, seconds: float, lesson: Lesson
    ) -> Iterator[list[tuple[Floats, float]]]:
        """Yields the lessons of each game played; none of a game that was too long or was stopped."""
        random = np.random.default_rng(seed)
        until = time.perf_counter() + seconds
        played = 0
        while (not games or played < games) and time.perf_counter() < until:
            steps, outcome, explored = self._play(random, lesson)
            yield [] if outcome is None else self._lessons(steps, outcome, explored, lesson)
            played += 1

    def _play(self, random: np.random.Generator, lesson: Lesson) -> tuple[list[_Step], float | None, bool]:
        """Returns a game's positions that the network sees, player 0's share at the end, and whether a random
        move followed the last position.

        The share is None if the game was too long or was stopped.
        """
        steps: list[_Step] = []
        state, explored, explore = self._start, False, lesson.explore
        for event in range(_MOST_EVENTS):
            player = state.current_player()
            if player == TERMINAL or lesson.stop():
                break
            if event == _LONG:
                explore = max(explore, _EXPLORE_LONG)
            if player == CHANCE:
                outcomes, chances = zip(*possible_outcomes(state), strict=True)
                state = state.child(
                    outcomes[random.choice(len(outcomes), p=np.divide(chances, sum(chances)))]
                )
            else:
                actions = state.legal_actions()
                at_random = explore > 0 and random.random() < explore
                explored = explored or at_random
                order = [int(random.integers(len(actions)))] if at_random else self._order(state)
                if lesson.exact and len(order) > 1:
                    # One of the other moves, with better ones likelier: see the core's trainer.
                    other = order[1 + int(random.random() ** 2 * (len(order) - 1))]
                    self._remember(steps, state.child(int(actions[other])), False, played=False)
                state = state.child(int(actions[order[0]]))
            if self._remember(steps, state, explored):
                explored = False
        ended = state.current_player() == TERMINAL
        return steps, self._share(float(state.returns()[0])) if ended else None, explored

    def _remember(self, steps: list[_Step], state: Any, explored: bool, played: bool = True) -> bool:
        """Appends the state if the network sees it, and returns whether it does."""
        if state.current_player() == TERMINAL or not self._encoder.sees(state):
            return False
        row, turn = rows_of(self._encoder, [state])[0], self._encoder.turn(state)
        own = float(self._shares(row[None])[0])
        steps.append(_Step(state, row, turn, own if turn == 0 else 1 - own, explored, played))
        return True

    def _lessons(
        self, steps: list[_Step], outcome: float, explored: bool, lesson: Lesson
    ) -> list[tuple[Floats, float]]:
        """Returns each position's row, and its target for the player about to act, from the last one back.

        The target is what came after the position. If targets are exact, it is the exact mean one ply on,
        plus lambda times what later targets of the game add to the expectation there, which can leave [0, 1].
        Positions before a random move do not learn from what came after it, unless targets are exact.
        """
        lessons: list[tuple[Floats, float]] = []
        ahead = expected = outcome
        for step in reversed(steps):
            if lesson.stop():
                return []
            known = lesson.exact or not explored
            target = self._share(self._ahead(step.state)) if lesson.exact else ahead
            if lesson.exact and step.played and not explored:
                target += ahead - expected
            if known:
                lessons.append((step.row, target if step.turn == 0 else 1 - target))
            if step.played:
                ahead = step.share + lesson.lambda_ * (target - step.share) if known else step.share
                expected, explored = step.share, step.explored
        return lessons

    def _ahead(self, state: Any) -> float:
        """Returns player 0's value one ply on: the best over the moves, or the mean over the outcomes."""
        player = state.current_player()
        if player == CHANCE:
            outcomes, chances = zip(*possible_outcomes(state), strict=True)
            return float(np.dot(chances, self._values([state.child(outcome) for outcome in outcomes])))
        values = self._values([state.child(action) for action in state.legal_actions()])
        return max(values) if player == 0 else min(values)

    def _order(self, state: Any) -> list[int]:
        """Returns the indices of the legal actions, the best first."""
        values = np.array(self._values([state.child(action) for action in state.legal_actions()]))
        order: list[int] = np.argsort(
            -values if state.current_player() == 0 else values, kind="stable"
        ).tolist()
        return order

    def _share(self, value: float) -> float:
        return (value + self._top) / (2 * self._top)

    def _values(self, states: list[Any]) -> list[float]:
        def own(seen: list[Any]) -> list[float]:
            shares: list[float] = self._shares(rows_of(self._encoder, seen)).tolist()
            return [self._top * (2 * share - 1) for share in shares]

        return values_of(states, self._encoder, own)

    def _shares(self, rows: Floats) -> Floats:
        return self._pass(rows)[-1][:, 0]

    def _pass(self, rows: Floats) -> list[Floats]:
        """Returns the inputs of each layer, and the shares."""
        passed = [rows]
        for weights, bias in self._layers[:-1]:
            values = passed[-1] @ weights + bias
            passed.append(np.where(values > 0, values, _LEAK * values))
        weights, bias = self._layers[-1]
        with np.errstate(over="ignore"):
            passed.append(np.float32(1) / (np.float32(1) + np.exp(-(passed[-1] @ weights + bias))))
        return passed

    def _slopes(self, rows: Floats, targets: Floats) -> tuple[Floats, list[Floats]]:
        """Returns the shares, and the summed gradients of the cross-entropy against the targets, by layer."""
        *inputs, shares = self._pass(rows)
        delta = shares - targets[:, None]
        slopes: list[Floats] = []
        for (weights, _), values in zip(reversed(self._layers), reversed(inputs), strict=True):
            slopes = [values.T @ delta, delta.sum(0), *slopes]
            delta = np.where(values > 0, delta @ weights.T, _LEAK * (delta @ weights.T))
        return shares[:, 0], slopes


def _first_layers(sizes: list[int], seed: int) -> list[tuple[Floats, Floats]]:
    draw = np.random.default_rng(seed)
    layers = []
    for number, (inputs, outputs) in enumerate(pairwise(sizes)):
        # About 32 inputs of the first layer are not zero.
        width = (2 / min(inputs, 32)) ** 0.5 if number == 0 else (2 / inputs) ** 0.5
        if outputs == 1:
            width *= 0.1
        weights = draw.normal(0, width, (inputs, outputs)).astype(np.float32)
        layers.append((weights, np.zeros(outputs, np.float32)))
    return layers
