"""Computes how long optimal play takes: the least expected number of decisions until the end.

Optimal actions may lead in circles. So the solution stores, for every decision node, the expected number of
decisions until the end if the players take only optimal actions, and choose among these as follows:

- In a one-player game, the player takes the action after which the end comes soonest.
- Of two players, one who is worse off (with a value to go below 0 from their side) delays the end, and the
  other hastens it. If neither is worse off, both hasten it. So a win is reached in the fewest moves.
- At simultaneous moves, each plays the strategy that was found.
- If every player has a value of their own, all take actions that keep all players' values and hasten the end.

If optimal play does not end with certainty, time counts until play reaches a set of positions of value 0 that
it need not leave and within which nothing is paid. An action that leads to the end with certainty comes
first. If neither is reached with certainty, time is infinite.

The times of a level are computed by value iteration from 0, which rises to the least solution (Bertsekas &
Tsitsiklis 1991). If they keep rising, the positions from which the end is reached with certainty are found
first (de Alfaro 1997). If they rise too slowly, the equations of the chosen actions are solved.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy  # loads its parts on first use, as they are slow to load

from starspiel.agents.solve.levels import Floats, Level, Mask, Places
from starspiel.envs.base import TERMINAL
from starspiel.envs.errors import StarspielError

#: Actions are equally good if their values differ by less than this (relative for values greater than 1).
TIE_TOLERANCE = 1e-9
#: The same for vectors: actions that are nearly equal for one player may differ more for others.
VECTOR_TOLERANCE = 1e-6
#: Times are settled when a sweep changes none by more than this, relative to the greatest.
_SETTLED = 1e-10
#: The number of sweeps after which to look for positions from which play may never end.
_PATIENCE = 200
_MOST_SWEEPS = 10_000
#: The most choices of actions to try if that many sweeps do not suffice; and when their times are settled.
_MOST_LEAPS, _LEAP_SETTLED = 50, 1e-8
_SWEEPS_A_LOOK = 8


@dataclass(frozen=True)
class Mixtures:
    """The strategies at positions of simultaneous moves.

    Attributes:
        places: the positions, by their numbers in the level.
        chances: the probability of each successor, of shape (positions, touched).
        paid: whether something may be paid on the way to a successor.
    """

    places: Places
    chances: "scipy.sparse.csr_matrix"
    paid: Mask


def settle_times(
    times: Floats, level: Level, values: Floats, cyclic: bool, mixtures: Mixtures | None = None
) -> Mask:
    """Fills in the times of a level, given the times of the levels before it, and the values: numbers, or
    vectors of every player's values.

    A time is that until the end (at least 0) if it comes with certainty; otherwise -1 minus the time until
    nothing more is collected.

    Returns a mask of the level's positions that wait on a value that nobody collects: optimal play can stay
    among them for ever, with nothing paid, and does not certainly reach what their values promise.
    """
    values = values.reshape(len(values), -1)
    choices = _Choices(level, values, mixtures)
    known = times[level.touched]
    ends = np.where(known >= 0.0, known, np.inf)
    unknown = np.zeros(len(known), bool)
    unknown[level.here] = level.player != TERMINAL
    choices.rise(ends, unknown, cyclic)
    lost = unknown & np.isinf(ends)
    waiting = np.zeros(len(known), bool)
    if lost.any():
        collected = np.where(known >= 0.0, known, -1.0 - known)
        collected[level.here] = ends[level.here]
        naught = np.abs(values[level.touched]).max(axis=1) <= TIE_TOLERANCE
        quiet = choices.closed(lost & naught, known == -1.0)
        collected[quiet] = 0.0
        choices.ignore_sure_ends(np.isfinite(ends))
        choices.rise(collected, lost & ~quiet, cyclic)
        ends[lost] = -1.0 - collected[lost]
        waiting = choices.closed(np.isneginf(ends) & ~naught, waiting)
    times[level.nodes] = ends[level.here]
    return waiting[level.here]


class _Choices:
    """The optimal actions of a level.

    Two extra places after the touched positions hold +inf and -inf. If an action is not optimal, its
    successor is replaced by the one of these that its player never chooses.

    Attributes:
        chances, at_chances: the expectations at chance nodes and at positions of simultaneous moves, and the
            places of these positions.
        moves: how many decisions each of these positions counts.
        at_decisions, sign: the places of decisions; each chooses the greatest of sign x time.
        columns: the decisions' successors by their first actions, by their second ones, and so on.
        never: the place that replaces the successor of an action that is never chosen.
    """

    def __init__(self, level: Level, values: Floats, mixtures: Mixtures | None) -> None:
        graph, edges = level.graph, level.chance_edges
        self.at_chances, self.chances = level.chances, level.expectation(graph.weight[edges])
        self.moves = np.zeros(len(self.at_chances))
        paying = np.abs(graph.reward[edges]) > TIE_TOLERANCE if graph.is_paid else np.zeros(len(edges))
        self._paying = np.asarray(level.expectation(np.asarray(paying, np.float64)).sum(axis=1)).ravel()
        if mixtures is not None:
            self.at_chances = np.concatenate((self.at_chances, mixtures.places))
            self.chances = scipy.sparse.vstack((self.chances, mixtures.chances), format="csr")
            self._paying = np.concatenate((self._paying, mixtures.paid))
            self.moves = np.concatenate((self.moves, np.ones(len(mixtures.places))))
        nodes, moves = level.decisions(level.player >= 0)
        self.at_decisions = level.places(nodes)
        worths, pays = [], []
        size = np.ones(len(nodes))
        for edges in moves:
            worth, paid = values[graph.target[edges]], np.zeros(len(edges), bool)
            if graph.is_paid:
                worth = graph.reward[edges, None] + graph.ratio[edges, None] * worth
                paid = np.abs(graph.reward[edges]) > TIE_TOLERANCE
            np.maximum(size[: len(edges)], np.abs(worth).max(axis=1), out=size[: len(edges)])
            worths.append(worth)
            pays.append(paid)
        in_vectors = values.shape[1] > 1
        best, tolerance = values[nodes], (VECTOR_TOLERANCE if in_vectors else TIE_TOLERANCE) * size
        hastens = np.where(graph.player[nodes] == 0, 1.0, -1.0) * best[:, 0] >= -tolerance
        hastens |= graph.is_solo or in_vectors
        self.sign = np.where(hastens, -1.0, 1.0)
        self.never = np.where(hastens, len(level.touched), len(level.touched) + 1).astype(np.int32)
        self.columns = []
        for edges, worth in zip(moves, worths, strict=True):
            some = slice(len(edges))
            optimal = np.abs(worth - best[some]).max(axis=1) <= tolerance[some]
            self.columns.append(np.where(optimal, level.targets(edges), self.never[some]))
        self._unpaid = [
            np.where(paid, self.never[: len(paid)], target)
            for paid, target in zip(pays, self.columns, strict=True)
        ]

    def rise(self, times: Floats, unknown: Mask, cyclic: bool) -> None:
        """Fills in the `unknown` times, given the others; infinite if their goal is not reached with
        certainty.

        Raises StarspielError if no choice of actions proves to be the one to which times rise.
        """
        worth = np.concatenate((np.where(unknown, 0.0, times), (np.inf, -np.inf)))
        unknown = np.concatenate((unknown, (False, False)))
        sweeps = _Sweeps(self, unknown)
        for sweep in range(_MOST_SWEEPS):
            before = worth if sweep % _SWEEPS_A_LOOK else worth.copy()
            sweeps.sweep(worth)
            if not cyclic or (sweep % _SWEEPS_A_LOOK == 0 and _still(before, worth)):
                break
            if sweep == _PATIENCE:
                unsure = unknown & ~self._surely(worth, unknown)
                worth[unsure] = np.inf
                unknown &= ~unsure
                sweeps = _Sweeps(self, unknown)
        else:
            sweeps.leap(worth)
        times[:] = worth[:-2]

    def _surely(self, worth: Floats, unknown: Mask) -> Mask:
        """Returns the `unknown` positions from which play certainly reaches a known one of finite time."""
        goal = np.isfinite(worth) & ~unknown
        safe = goal | unknown
        while True:
            reached = goal.copy()
            while True:
                far = np.where(reached, 0.0, 1.0)
                far[-2:] = np.inf, -np.inf
                after = reached.copy()
                some = (self.chances @ (1.0 - far[:-2])) > 0.0
                leaves = (self.chances @ np.where(safe[:-2], 0.0, 1.0)) > 0.0
                after[self.at_chances] |= some & ~leaves
                after[self.at_decisions] |= self.sign * _greatest(self.columns, self.sign, far) <= 0.0
                after &= safe
                if (after == reached).all():
                    break
                reached = after
            if (reached == safe).all():
                return reached
            safe = reached

    def closed(self, quiet: Mask, known: Mask) -> Mask:
        """Returns the `quiet` positions from which play can stay among them and the `known` ones, without
        pay.
        """
        while True:
            stays = np.concatenate((quiet | known, (False, False)))
            after = quiet.copy()
            after[self.at_chances] &= (self.chances @ np.where(stays[:-2], 0.0, 1.0)) <= 0.0
            after[self.at_chances] &= self._paying <= 0.0
            some = np.zeros(len(self.sign), bool)
            for target in self._unpaid:
                some[: len(target)] |= stays[target]
            after[self.at_decisions] &= some
            if (after == quiet).all():
                return quiet
            quiet = after

    def ignore_sure_ends(self, sure: Mask) -> None:
        """Removes the certain ways to the end of players who delay it; they have other actions."""
        sure = np.concatenate((sure, (False, False)))
        for n, target in enumerate(self.columns):
            some = slice(len(target))
            away = sure[target] & (self.sign[some] > 0.0)
            self.columns[n] = np.where(away, self.never[some], target)


class _Sweeps:
    """Sweeps over the unknown times of a level; positions with one optimal action cost least."""

    def __init__(self, choices: _Choices, unknown: Mask) -> None:
        self._unknown = unknown
        swept = unknown[choices.at_chances]
        self._at_chances = choices.at_chances[swept]
        self._chances = choices.chances if swept.all() else choices.chances[np.flatnonzero(swept)]
        self._moves = choices.moves[swept]
        at = choices.at_decisions
        optimal, only = np.zeros(len(at), np.int32), np.zeros(len(at), np.int32)
        for target in choices.columns:
            some = target != choices.never[: len(target)]
            optimal[: len(target)] += some
            only[: len(target)][some] = target[some]
        single = np.flatnonzero((optimal == 1) & unknown[at])
        self._at_single, self._only = at[single], only[single]
        several = np.flatnonzero((optimal != 1) & unknown[at])
        self._at_several, self._sign = at[several], choices.sign[several]
        self._columns = [target[several[several < len(target)]] for target in choices.columns]

    def sweep(self, worth: Floats) -> None:
        """Updates chance nodes, then decisions, each of which counts one more move; in place."""
        worth[self._at_chances] = self._moves + self._chances @ worth[:-2]
        one = 1.0 + worth[self._only]
        worth[self._at_several] = 1.0 + self._sign * _greatest(self._columns, self._sign, worth)
        worth[self._at_single] = one

    def leap(self, worth: Floats) -> None:
        """Finds the times to which sweeps rise too slowly, by the equations of the actions chosen (Howard
        1960).

        Accepts times that a sweep leaves unchanged (Patek & Bertsekas 1999).
        """
        for _ in range(_MOST_LEAPS):
            worth[:] = self._solved(worth)
            before = worth.copy()
            self.sweep(worth)
            if np.isfinite(worth[:-2][self._unknown[:-2]]).all() and _still(before, worth, _LEAP_SETTLED):
                return
        raise StarspielError(
            f"the values are known, but not how long optimal play takes: after {_MOST_SWEEPS:,} sweeps that "
            "still rises. Play ends too rarely for it; a discount below 1 does not help, a horizon does."
        )

    def _solved(self, worth: Floats) -> Floats:
        """Returns the times under the actions that the players choose according to `worth`."""
        from scipy.sparse import linalg  # slow to load

        best = _greatest(self._columns, self._sign, worth)
        chosen = np.zeros(len(best), np.int32)
        for target in reversed(self._columns):
            some = slice(len(target))
            same = self._sign[some] * worth[target] == best[some]
            chosen[some][same] = target[same]
        places = np.flatnonzero(self._unknown)
        row = np.zeros(len(worth), np.int64)
        row[places] = np.arange(len(places))
        known = np.zeros(len(places))
        known[row[self._at_chances]] = self._moves + self._chances @ np.where(self._unknown, 0.0, worth)[:-2]
        inner = self._chances.tocoo()
        within = self._unknown[inner.col]
        parts = [(row[self._at_chances[inner.row[within]]], row[inner.col[within]], inner.data[within])]
        for at, target in ((self._at_single, self._only), (self._at_several, chosen)):
            within = self._unknown[target]
            known[row[at]] = 1.0 + np.where(within, 0.0, worth[target])
            parts.append((row[at[within]], row[target[within]], np.ones(int(within.sum()))))
        rows, columns, weights = map(np.concatenate, zip(*parts, strict=True))
        follows = scipy.sparse.csc_matrix((weights, (rows, columns)), (len(places), len(places)))
        after = worth.copy()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", linalg.MatrixRankWarning)  # the times are then not finite
            after[places] = linalg.spsolve(scipy.sparse.identity(len(places), format="csc") - follows, known)
        return after


def _greatest(columns: Sequence[Places], sign: Floats, worth: Floats) -> Floats:
    """Returns, for each decision, the greatest of sign x `worth` over its successors, listed by column."""
    best = np.full(len(sign), -np.inf)
    for target in columns:
        some = slice(len(target))
        np.maximum(best[some], sign[some] * worth[target], out=best[some])
    return best


def _still(before: Floats, after: Floats, settled: float = _SETTLED) -> bool:
    same = before == after  # also true of infinite times
    change = np.abs(np.where(same, 0.0, after) - np.where(same, 0.0, before)).max(initial=0.0)
    greatest = np.where(np.isfinite(after), after, 0.0).max(initial=1.0)
    return bool(change <= settled * greatest)


def soonest_actions(times: Mapping[int, tuple[bool, float]], hastens: bool) -> tuple[int, ...]:
    """Returns the best actions of a player who hastens or delays the end, given the `Solution.time` after
    each action.
    """
    sign = 1 if hastens else -1
    endless, time = min(times.values(), key=lambda found: (sign * found[0], sign * found[1]))
    slack = TIE_TOLERANCE * max(1.0, time)
    return tuple(
        action
        for action, (never, moves) in times.items()
        if never == endless and (moves == time or abs(moves - time) <= slack)
    )
