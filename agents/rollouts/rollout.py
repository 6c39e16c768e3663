"""Provides `roll_out`, which plays games from every move, with the same dice, until the best move is settled.

Results are luck-adjusted, moves are compared in games that share their dice, and a move that is proven worse
is dropped. Looks are taken after 8 games, and then each time after half as many games again. A move is
dropped if a test of its differences from the move with the best mean shows that it is worse. The risk, 1 -
confidence, is split over the looks and over the other moves (Bonferroni).

If the differences take many values, the test is Student's. Luck-adjusted results may be nearly equal by
chance, as long as no game meets what the evaluator misjudges. So errors are never taken to be less than the
spread of the raw results allows (`_error`). If the differences take few values, whose spread tells nothing
about what was not met, the test is a bet against the move (`wealth`). A move is not dropped as long as a fair
coin would fall the same way in that many games with a probability above the risk.
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
#: Called when a game from every move has been played, with the number of games so far and the most per move.
Tell = Callable[[int, int], None]

#: The number of games before the first look, and the factor on it from one look to the next.
_FIRST, _GROWTH = 8, 1.5
#: If nothing varies at this many looks in a row, more games are expected to give the same results.
_LOOKS_ALIKE = 3
#: Results that differ by less than this are equal; relative for values beyond 1.
_EQUAL = 1e-9
#: What luck-adjusted games are taken to have missed: an event that happens once in twenty times as many
#: games, and moves the result by the spread of the raw results. See benchmarks/rollout_coverage.py.
_MISSED = 0.05
#: If differences take fewer values than this, the test is a bet.
_FEW = 8
#: The stakes of `wealth`, as shares of the greatest one.
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
        games: the most games from each move.
        confidence: the required probability that no better move is dropped, between 0 and 1.
        seconds: time after which no further game begins, except for the first from every move.
        tell: called when a game from every move has been played. If it is given, Ctrl-C ends the rollout with
            the result so far, once there is a game from every move.

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
    """Returns the numbers of games from each move after which a look is taken."""
    looks = []
    number = float(_FIRST)
    while number < games:
        looks.append(round(number))
        number *= _GROWTH
    return (*looks, games)


def wealth(gains: Floats, most: float) -> float:
    """Returns the final wealth after betting one unit on gains of at most `most` being positive, game by
    game.

    The unit is split evenly among 64 stakes; the greatest may lose everything at once. If the mean of the
    gains is 0 or less, whatever their distribution, the probability that the wealth ever reaches 1 / risk is
    at most the risk (Ville's inequality; Waudby-Smith & Ramdas 2024, "Estimating means of bounded random
    variables by betting").
    """
    if not most > 0.0:
        return 1.0
    shares = np.maximum(1.0 + _STAKES[:, None] * gains / most, 0.0)
    with np.errstate(divide="ignore"):  # the greatest stake may lose everything
        grown = np.log(shares).sum(axis=1)
    return float(np.exp(np.minimum(grown, 700.0)).mean())


def _error(adjusted: Floats, fallen: Floats) -> tuple[float, float]:
    """Returns the mean of luck-adjusted results, and its standard error; `fallen` are the same results
    unadjusted.

    The squared error is the sum of the mean's own and of one for what so few games have missed (`_MISSED`).
    """
    mean, error = mean_and_error(adjusted)
    _, with_luck = mean_and_error(fallen)
    missed = 0.0 if isnan(with_luck) else _MISSED * with_luck**2 / len(fallen)
    return mean, sqrt(error**2 + missed)


class _Field:
    """The moves `alive`, and the `trials` of each. Moves to equal positions share those of the first move."""

    def __init__(self, state: Any, continuation: Continuation) -> None:
        self._state, self._continuation = state, continuation
        mover = state.current_player()
        self.perspective = mover if has_vector_values(continuation.game) else 0
        self._sign = 1 if mover == self.perspective else -1
        self._same: dict[int, int] = {}  # by move, the first of the moves to an equal position
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
        """Plays game `number` from every move that is not dropped."""
        for action in self.alive:
            self.trials[action].append(self._continuation.play(self._children[action], number))

    def forget(self, number: int) -> None:
        """Removes the games of this number, which some moves do not have."""
        for action in self.alive:
            del self.trials[action][number - 1 :]

    def drop_the_worse(self, risk: float) -> None:
        """Drops moves that are significantly worse than the best, at a risk of error of `risk` each."""
        best = self._best()
        self.alive = [
            action for action in self.alive if action == best or not self._is_worse(action, best, risk)
        ]

    def is_alike(self) -> bool:
        """Returns whether no remaining move's results vary."""
        return all(isnan(mean_and_error(self._results(action)[0])[1]) for action in self.alive)

    def moves(self) -> tuple[RolledMove, ...]:
        """Returns all moves in the order of `RolloutResult.moves`."""
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
        """Returns the remaining move with the best mean; the first of equal ones."""
        return max(self.alive, key=lambda action: self._sign * float(self._results(action)[0].mean()))

    def _is_worse(self, action: int, best: int, risk: float) -> bool:
        behind, fallen = self._behind(action, best)
        if 0.5 ** len(behind) > risk:  # games of a fair coin may all fall the same way with that probability
            return False
        room = _EQUAL * max(1.0, float(np.abs(behind).max()))
        kinds = 1 + int((np.diff(np.sort(behind)) > room).sum())
        if kinds < _FEW:
            return wealth(behind, self._apart()) * risk >= 1.0
        mean, error = _error(behind, fallen)
        return mean > quantile(len(behind) - 1, 1.0 - 2.0 * risk) * error

    def _apart(self) -> float:
        """Returns how far two results can be apart: according to the game's range and the results so far, or
        twice as far as the results so far if the range is unknown.
        """
        results = [trial.adjusted for own in self.trials.values() for trial in own]
        known = self._continuation.game.utility_range
        if known is None:
            return 2.0 * (max(results) - min(results))
        return max(known[1], *results) - min(known[0], *results)

    def _behind(self, action: int, best: int) -> Floats:
        """Returns how much better the best move's `_results` were, game by game: shape (2, games)."""
        own = self._results(action)
        difference: Floats = self._sign * (self._results(best)[:, : own.shape[1]] - own)
        return difference

    def _results(self, action: int) -> Floats:
        """Returns the luck-adjusted and the raw results, game by game: (2, games)."""
        return np.array([(trial.adjusted, trial.raw) for trial in self.trials[action]]).T
