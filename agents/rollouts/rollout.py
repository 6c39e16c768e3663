"""`roll_out`: plays games from every move, with the same dice, until the best move is settled.

Results are taken less their luck, moves are compared in games that share their dice, and a move that is
proven worse is dropped. Looks are taken after 8 games and then after half as many again each time. A move is
dropped if a test of its differences from the move with the best mean shows it worse; the risk 1 - confidence
is split over the looks and over the other moves (Bonferroni).

If the differences are many numbers, the test is Student's. Results less their luck may be nearly equal by
chance, as long as what the evaluator misjudges has not been met: errors are therefore never taken to be less
than the spread of the results as they fell allows (`_error`). If they are a few numbers, whose spread tells
nothing of what was not met, the test is a bet against the move (`wealth`). No move is dropped after so few
games that a fair coin might fall the same way in all of them with a greater chance than the risk.
"""

import time
from collections.abc import Callable, Hashable
from math import isnan, nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.means import margin, mean_and_error, quantile
from starspiel.agents.rollouts.continuation import Continuation, Trial
from starspiel.agents.rollouts.result import (
    GAMES,
    INTERRUPTED,
    SAME,
    SECONDS,
    SETTLED,
    RolledMove,
    RolloutResult,
)
from starspiel.envs.base import check_in_turn, has_vector_values, merge_key
from starspiel.envs.plays import name_of

Floats = NDArray[np.float64]
#: Called after every game of all moves, with the games played from each and the most there may be.
Tell = Callable[[int, int], None]

#: Games before the first look, and how many times as many there are at the next.
_FIRST, _GROWTH = 8, 1.5
#: Looks at which nothing varied, after which more games are taken to give the same.
_LOOKS_ALIKE = 3
#: Results that differ by less are equal; relative beyond 1.
_EQUAL = 1e-9
#: What games less their luck are taken to have missed: something that happens once in twenty times as many,
#: and moves the result by the spread of the results as they fell. See benchmarks/rollout_coverage.py.
_MISSED = 0.05
#: With fewer different numbers than this the differences are taken to be of a few kinds.
_FEW = 8
#: The stakes of `wealth`, as parts of the greatest one.
_STAKES = np.arange(1, 65) / 64


def roll_out(
    state: Any,
    continuation: Continuation,
    *,
    games: int,
    confidence: float,
    seconds: float | None = None,
    tell: Tell | None = None,
) -> RolloutResult:
    """Plays games on from every move of a decision node.

    Args:
        games: the most from each move.
        confidence: how sure it should be that no better move was dropped, between 0 and 1.
        seconds: after which no further game begins, but for the first from every move.
        tell: called after every game of all moves; with it, Ctrl-C ends the rollout with what has been found,
            once there is a game from every move.

    Raises StarspielError if a game cannot be played on.
    """
    check_in_turn(continuation.game, "a rollout")
    started = time.perf_counter()
    field = _Field(state, continuation)
    looks = looks_at(games)
    risk = (1.0 - confidence) / (len(looks) * max(1, len(field.alive) - 1))
    ended, alike = GAMES, 0
    for number in range(1, games + 1):
        try:
            field.play(number)
        except KeyboardInterrupt:
            if tell is None or number == 1:
                raise
            field.forget(number)
            ended = INTERRUPTED
            break
        if tell is not None:
            tell(number, games)
        if number in looks:
            field.drop_the_worse(risk)
            alike = alike + 1 if field.is_alike() else 0
            if len(field.alive) == 1 or alike == _LOOKS_ALIKE:
                ended = SETTLED if len(field.alive) == 1 else SAME
                break
        if seconds is not None and time.perf_counter() - started >= seconds:
            ended = SECONDS
            break
    trials = [trial for own in field.trials.values() for trial in own]
    return RolloutResult(
        moves=field.moves(),
        player=state.current_player(),
        confidence=confidence,
        ended=ended,
        evaluator=continuation.evaluator.name,
        agent=continuation.agent,
        depth=continuation.depth,
        games=len(trials),
        decisions=sum(trial.moves for trial in trials),
        seconds=time.perf_counter() - started,
        notes=continuation.notes,
        perspective=field.perspective,
    )


def looks_at(games: int) -> tuple[int, ...]:
    """The numbers of games from each move after which a look is taken."""
    looks = []
    number = float(_FIRST)
    while number < games:
        looks.append(round(number))
        number *= _GROWTH
    return (*looks, games)


def wealth(gains: Floats, most: float) -> float:
    """What one unit has become that was bet on positive gains of at most `most`, game by game.

    The unit is split evenly among 64 stakes, up to all that can be lost at once. If the mean of the gains is
    0 or less, whatever their distribution, nobody has 1 / risk or more with a chance greater than the risk,
    at any time (Ville's inequality; Waudby-Smith & Ramdas 2024, "Estimating means of bounded random
    variables by betting").
    """
    if not most > 0.0:
        return 1.0
    shares = np.maximum(1.0 + _STAKES[:, None] * gains / most, 0.0)
    with np.errstate(divide="ignore"):  # a stake of everything may be lost
        grown = np.log(shares).sum(axis=1)
    return float(np.exp(np.minimum(grown, 700.0)).mean())


def _error(adjusted: Floats, fallen: Floats) -> tuple[float, float]:
    """The mean of results less their luck, and its standard error; `fallen` are the same results with it.

    Its square is that of the mean's own error and what so few games have missed (`_MISSED`).
    """
    mean, error = mean_and_error(adjusted)
    _, with_luck = mean_and_error(fallen)
    missed = 0.0 if isnan(with_luck) else _MISSED * with_luck**2 / len(fallen)
    return mean, sqrt(error**2 + missed)


class _Field:
    """The moves `alive`, and the `trials` of each. Moves to equal positions share those of the first."""

    def __init__(self, state: Any, continuation: Continuation) -> None:
        self._state, self._continuation = state, continuation
        mover = state.current_player()
        self.perspective = mover if has_vector_values(continuation.game) else 0
        self._sign = 1 if mover == self.perspective else -1
        self._same: dict[int, int] = {}  # the first of the moves to an equal position, by move
        self._children: dict[int, Any] = {}
        firsts: dict[Hashable, int] = {}
        for action in state.legal_actions():
            child = state.child(action)
            key = None if child.is_terminal() else merge_key(continuation.game, child)
            first = self._same[action] = action if key is None else firsts.setdefault(key, action)
            if first == action:
                self._children[action] = child
        self.alive = list(self._children)
        self.trials: dict[int, list[Trial]] = {action: [] for action in self._children}

    def play(self, number: int) -> None:
        """The game of this number from every move that is not dropped."""
        for action in self.alive:
            self.trials[action].append(self._continuation.play(self._children[action], number))

    def forget(self, number: int) -> None:
        """Removes the games of this number, which some moves lack."""
        for action in self.alive:
            del self.trials[action][number - 1 :]

    def drop_the_worse(self, risk: float) -> None:
        """Drops moves that are significantly worse than the best, at an error of `risk` each."""
        best = self._best()
        self.alive = [
            action for action in self.alive if action == best or not self._is_worse(action, best, risk)
        ]

    def is_alike(self) -> bool:
        """Whether no remaining move's results vary."""
        return all(isnan(mean_and_error(self._results(action)[0])[1]) for action in self.alive)

    def moves(self) -> tuple[RolledMove, ...]:
        """All moves, as `RolloutResult` has them."""
        best = self._best()

        def order(move: RolledMove) -> tuple[Any, ...]:
            return move.dropped, self._same[move.action] != best, -self._sign * move.value, move.action

        return tuple(sorted((self._rolled(action, best) for action in self._same), key=order))

    def _rolled(self, action: int, best: int) -> RolledMove:
        first = self._same[action]
        adjusted, fallen = self._results(first)
        raw, raw_error = mean_and_error(fallen)
        behind, behind_error = (0.0, nan) if first == best else _error(*self._behind(first, best))
        value, error = _error(adjusted, fallen)
        return RolledMove(
            action=action,
            name=name_of(self._state, self._state.current_player(), action),
            games=len(adjusted),
            value=value,
            error=error,
            margin=margin(error, len(adjusted)),
            raw=raw,
            raw_error=raw_error,
            behind=behind,
            behind_margin=margin(behind_error, len(adjusted)),
            dropped=first not in self.alive,
        )

    def _best(self) -> int:
        """The move left with the best mean; the first of equal ones."""
        return max(self.alive, key=lambda action: self._sign * float(self._results(action)[0].mean()))

    def _is_worse(self, action: int, best: int, risk: float) -> bool:
        behind, fallen = self._behind(action, best)
        if 0.5 ** len(behind) > risk:  # as many games of no worth at all may all fall the same way
            return False
        room = _EQUAL * max(1.0, float(np.abs(behind).max()))
        kinds = 1 + int((np.diff(np.sort(behind)) > room).sum())
        if kinds < _FEW:
            return wealth(behind, self._apart()) * risk >= 1.0
        mean, error = _error(behind, fallen)
        return mean > quantile(len(behind) - 1, 1.0 - 2.0 * risk) * error

    def _apart(self) -> float:
        """How far two results can be apart: by the game's range and those met, or twice as far as met."""
        results = [trial.adjusted for own in self.trials.values() for trial in own]
        known = self._continuation.game.utility_range
        if known is None:
            return 2.0 * (max(results) - min(results))
        return max(known[1], *results) - min(known[0], *results)

    def _behind(self, action: int, best: int) -> Floats:
        """By how much the best move's `_results` were better, game by game, as far as the move was played."""
        own = self._results(action)
        difference: Floats = self._sign * (self._results(best)[:, : own.shape[1]] - own)
        return difference

    def _results(self, action: int) -> Floats:
        """The luck-adjusted and the raw results, game by game: (2, games)."""
        return np.array([(trial.adjusted, trial.raw) for trial in self.trials[action]]).T
