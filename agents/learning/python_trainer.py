"""Self-play in NumPy that trains a network for games written in Python.

The counterpart of native/network/trainer.cpp: the same lessons in the same order, much slower; not
the same random numbers.
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
#: Rows of all positions, their targets, and the end of each game in these.
Lessons = tuple[Floats, NDArray[np.float64], NDArray[np.int64]]
_LEAK = np.float32(0.01)

#: Of a round: the positions after which learning begins in any case; how often each is learnt; in how many
#: steps at least, if batches need not be smaller than the least for it, and the greatest batch. The core has
#: the same.
WINDOW, _PASSES = 200_000, 4
_STEPS, _LEAST_BATCH, _MOST_BATCH = 400, 4, 256
#: The part of the first round's time that goes to playing; later rounds go by the one before.
PLAYING = 0.15
#: Adam's.
_MEAN, _SQUARE, _LEAST = np.float32(0.9), np.float32(0.999), np.float32(1e-8)

#: If the best moves, as the network sees them, never end a game, random ones must; a game that is too long
#: even so teaches nothing. In moves and throws.
_LONG, _MOST_EVENTS = 2000, 10_000
_EXPLORE_LONG = 0.1


@dataclass(frozen=True)
class Lesson:
    """How to learn from some games.

    Attributes:
        lambda_: how much of a target is what came later, and not what was expected.
        explore: how often moves are random.
        exact: whether targets hold no luck: means by one ply, and what later ones add. What another move
            would have led to is then learnt too, one at each decision.
        stop: when true, the round ends at once, and none of its games count.
    """

    lambda_: float
    explore: float = 0.0
    exact: bool = False
    stop: Callable[[], bool] = lambda: False


@dataclass(frozen=True)
class _Step:
    """A position of a game: what is seen of it, and what it was worth when it was met.

    Attributes:
        share: player 0's share of what can be won.
        explored: whether a random move came between the one before and this.
        played: or only looked at.
    """

    state: Any
    row: Floats
    turn: int
    share: float
    explored: bool
    played: bool


class PythonTrainer:
    """What the core's `Trainer` is, for any State: the same methods with the same meaning."""

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
        """The action that the network likes best."""
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
        """Plays for so many games or seconds, and then learns from all games; `how` is a `Lesson`.

        On one thread whatever `threads` is. Returns games, positions learnt from, and the summed squared
        error of the shares.
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
        """Plays as `train` does, and returns what `fit` of this or another trainer is to learn.

        Begins no game after `most` positions.
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
        """Learns several times from what `play` returned, by Adam (Kingma and Ba 2015).

        Returns what `train` does: the error is that of the first time, and there are no games if it was
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
        """For each game that is played, what there is to learn: none of one that is too long or stopped."""
        random = np.random.default_rng(seed)
        until = time.perf_counter() + seconds
        played = 0
        while (not games or played < games) and time.perf_counter() < until:
            steps, outcome, explored = self._play(random, lesson)
            yield [] if outcome is None else self._lessons(steps, outcome, explored, lesson)
            played += 1

    def _play(self, random: np.random.Generator, lesson: Lesson) -> tuple[list[_Step], float | None, bool]:
        """A game's positions that are seen, player 0's share at its end, whether a random move came last.

        The share is None if the game was too long to end, or was stopped.
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
                    # One of the others, the better the likelier: see the core's trainer.
                    other = order[1 + int(random.random() ** 2 * (len(order) - 1))]
                    self._remember(steps, state.child(int(actions[other])), False, played=False)
                state = state.child(int(actions[order[0]]))
            if self._remember(steps, state, explored):
                explored = False
        ended = state.current_player() == TERMINAL
        return steps, self._share(float(state.returns()[0])) if ended else None, explored

    def _remember(self, steps: list[_Step], state: Any, explored: bool, played: bool = True) -> bool:
        """Appends the state if it is seen, and returns whether it is."""
        if state.current_player() == TERMINAL or not self._encoder.sees(state):
            return False
        row, turn = rows_of(self._encoder, [state])[0], self._encoder.turn(state)
        own = float(self._shares(row[None])[0])
        steps.append(_Step(state, row, turn, own if turn == 0 else 1 - own, explored, played))
        return True

    def _lessons(
        self, steps: list[_Step], outcome: float, explored: bool, lesson: Lesson
    ) -> list[tuple[Floats, float]]:
        """From the end back: each position's row, and its target as the player to move sees it.

        The target is what came after it; or the exact mean one ply on, and lambda times what later targets of
        the game add to what was expected there, which can leave [0, 1]. What came before a random move does
        not learn from it, unless its target is exact.
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
        """Player 0's value one ply on: the best of what the moves lead to, or the mean over the outcomes."""
        player = state.current_player()
        if player == CHANCE:
            outcomes, chances = zip(*possible_outcomes(state), strict=True)
            return float(np.dot(chances, self._values([state.child(outcome) for outcome in outcomes])))
        values = self._values([state.child(action) for action in state.legal_actions()])
        return max(values) if player == 0 else min(values)

    def _order(self, state: Any) -> list[int]:
        """The places of the legal actions, the best first."""
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
        """The inputs of each layer, and the shares."""
        passed = [rows]
        for weights, bias in self._layers[:-1]:
            values = passed[-1] @ weights + bias
            passed.append(np.where(values > 0, values, _LEAK * values))
        weights, bias = self._layers[-1]
        with np.errstate(over="ignore"):
            passed.append(1 / (1 + np.exp(-(passed[-1] @ weights + bias))))
        return passed

    def _slopes(self, rows: Floats, targets: Floats) -> tuple[Floats, list[Floats]]:
        """The shares, and the summed slopes of the cross-entropy against the targets, layer by layer."""
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
        # About 32 inputs of a first layer are not zero.
        width = (2 / min(inputs, 32)) ** 0.5 if number == 0 else (2 / inputs) ** 0.5
        if outputs == 1:
            width *= 0.1
        weights = draw.normal(0, width, (inputs, outputs)).astype(np.float32)
        layers.append((weights, np.zeros(outputs, np.float32)))
    return layers
