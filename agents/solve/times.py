"""How long optimal play takes: the least expected number of decisions until the end.

Optimal actions may lead in circles: whoever stands before an open door is worth as much after a walk. So the
solution keeps, for every decision node, the expected number of decisions until the end where both players
play optimal actions only, and among these

- a player alone chooses the action with which the end comes soonest;
- of two players, one that has the better of it (value to go above 0 from their side), or neither, hastens the
  end, and one that has the worse of it puts it off. A win is so reached in the least number of moves that the
  other side, with all of its own optimal actions, cannot prevent.

Where optimal play does not surely come to an end, time counts until nothing more is to be collected: until
play stands in a set of positions of value 0 that it need not leave and within which nothing is paid. An
action that surely leads to the end comes before one that does not. Where neither comes surely, time is
infinite.

The times of a level are settled by value iteration from 0, which rises to the least solution (Bertsekas &
Tsitsiklis 1991). Where it goes on rising, the positions from which the end surely comes are found first, by
the usual fixed points of almost sure reachability (de Alfaro 1997). Where it rises too slowly, as in games
that seldom end, the equations of the chosen actions are solved; a solution that a sweep does not change is
taken.
"""

import warnings
from collections.abc import Iterator, Mapping

import numpy as np
import scipy  # what is used of it is loaded at its first use: slow to load, and not every command needs it
from numpy.typing import NDArray

from starspiel.agents.solve.positions import Graph
from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.errors import StarspielError

#: Actions whose values are nearer than this (relative, where values are greater than 1) are equally good.
TIE_TOLERANCE = 1e-9
#: Times are settled when a sweep changes none by more than this, relative to the greatest.
_SETTLED = 1e-10
#: Sweeps before positions are looked for from which play never surely ends.
_PATIENCE = 200
_MOST_SWEEPS = 10_000
#: Choices of actions that are tried where so many sweeps do not settle, and when their times are settled.
_MOST_LEAPS, _LEAP_SETTLED = 50, 1e-8
_SWEEPS_A_LOOK = 8


class Times:
    """The times of a graph's positions, filled level by level, ends first.

    Attributes:
        times: until the end, where it comes surely (at least 0); else -1 less the time until nothing more is
            to be collected.
    """

    def __init__(self, graph: Graph) -> None:
        self.times = np.zeros(len(graph.player))
        self._graph = graph
        self._alone = not (graph.player == 1).any()
        self._scratch = np.zeros(len(graph.player), np.int32)

    def settle(self, nodes: NDArray[np.int64], values: NDArray[np.float64], cyclic: bool) -> None:
        """Finds the times of a level, given the values and the times of the levels before it."""
        level = _Level(self._graph, nodes, values, self._scratch, self._alone)
        known = self.times[level.touched]
        ends = np.where(known >= 0.0, known, np.inf)
        unknown = np.zeros(len(known), bool)
        unknown[level.here] = ~level.ends
        level.rise(ends, unknown, cyclic)
        lost = unknown & np.isinf(ends)
        if lost.any():
            collected = np.where(known >= 0.0, known, -1.0 - known)
            collected[level.here] = ends[level.here]
            quiet = level.quiet(values[level.touched], lost, known == -1.0)
            collected[quiet] = 0.0
            level.ignore_sure_ends(np.isfinite(ends))
            level.rise(collected, lost & ~quiet, cyclic)
            ends[lost] = -1.0 - collected[lost]
        self.times[nodes] = ends[level.here]


class _Level:
    """The positions of a level and their optimal actions, numbered among themselves and what they touch.

    Two places after the touched positions hold +inf and -inf: where an action is not optimal, the one that
    its player never chooses stands for its successor.

    Attributes:
        touched: the positions and their successors, as the graph numbers them, ascending.
        here: the level's positions among the touched ones.
        ends: which of these are ends.
    """

    def __init__(
        self,
        graph: Graph,
        nodes: NDArray[np.int64],
        values: NDArray[np.float64],
        scratch: NDArray[np.int32],
        alone: bool,
    ) -> None:
        self.touched = np.unique(np.concatenate((nodes, graph.target[graph.edges_of(nodes)])))
        scratch[self.touched] = np.arange(len(self.touched), dtype=np.int32)
        self.here = scratch[nodes]
        player = graph.player[nodes]
        self.ends = player == TERMINAL
        self.chances = self._make_chances(graph, nodes[player == CHANCE], scratch)
        self._make_decisions(graph, nodes[player >= 0], values, scratch, alone)

    def _make_chances(
        self, graph: Graph, nodes: NDArray[np.int64], scratch: NDArray[np.int32]
    ) -> "scipy.sparse.csr_matrix":
        edges = graph.edges_of(nodes)
        starts = np.concatenate(([0], np.cumsum(graph.first[nodes + 1] - graph.first[nodes])))
        shape = len(nodes), len(self.touched)
        self.at_chances = scratch[nodes]
        targets = scratch[graph.target[edges]]
        paying = np.abs(graph.reward[edges]) > TIE_TOLERANCE if len(graph.reward) else np.zeros(len(edges))
        self._paying = np.asarray(
            scipy.sparse.csr_matrix((paying * 1.0, targets, starts), shape).sum(axis=1)
        ).ravel()
        return scipy.sparse.csr_matrix((graph.weight[edges], targets, starts), shape)

    def _make_decisions(
        self,
        graph: Graph,
        nodes: NDArray[np.int64],
        values: NDArray[np.float64],
        scratch: NDArray[np.int32],
        alone: bool,
    ) -> None:
        moves = graph.first[nodes + 1] - graph.first[nodes]
        nodes = nodes[np.argsort(-moves, kind="stable")]
        self.at_decisions = scratch[nodes]
        side = np.where(graph.player[nodes] == 0, 1.0, -1.0)
        columns, paid, size = [], [], np.ones(len(nodes))
        for n in range(int(moves.max(initial=0))):
            edges = graph.first[nodes[: int((moves > n).sum())]] + n
            worth = values[graph.target[edges]]
            if len(graph.reward):
                worth = graph.reward[edges] + graph.ratio[edges] * worth
                paid.append(np.abs(graph.reward[edges]) > TIE_TOLERANCE)
            else:
                paid.append(np.zeros(len(edges), bool))
            np.maximum(size[: len(edges)], np.abs(worth), out=size[: len(edges)])
            columns.append((scratch[graph.target[edges]], worth))
        best, tolerance = values[nodes], TIE_TOLERANCE * size
        hastens = (side * best >= -tolerance) | alone
        #: The player's choice is the greatest of sign x time.
        self.sign = np.where(hastens, -1.0, 1.0)
        self._never = np.where(hastens, len(self.touched), len(self.touched) + 1).astype(np.int32)
        self._columns = []
        for target, worth in columns:
            some = slice(len(target))
            optimal = np.abs(worth - best[some]) <= tolerance[some]
            self._columns.append(np.where(optimal, target, self._never[some]))
        self._unpaid = [
            np.where(pays, self._never[: len(pays)], target)
            for pays, target in zip(paid, self._columns, strict=True)
        ]

    def columns(self) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32]]]:
        """The decisions' n-th successors, and what stands there for one that is not optimal."""
        for target in self._columns:
            yield target, self._never[: len(target)]

    def _chosen(self, worth: NDArray[np.float64]) -> NDArray[np.float64]:
        """At each decision the `worth` of the optimal action that its player chooses."""
        best = np.full(len(self.sign), -np.inf)
        for target in self._columns:
            some = slice(len(target))
            np.maximum(best[some], self.sign[some] * worth[target], out=best[some])
        chosen: NDArray[np.float64] = self.sign * best
        return chosen

    def rise(self, times: NDArray[np.float64], unknown: NDArray[np.bool_], cyclic: bool) -> None:
        """Fills in the `unknown` times, given the others; infinite where what they count to is not sure.

        Raises StarspielError where they go on rising, and where no choice of actions is found that proves
        to be the one that times rise to.
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
            self._leap(worth, sweeps)
        times[:] = worth[:-2]

    def _leap(self, worth: NDArray[np.float64], sweeps: "_Sweeps") -> None:
        """The times that sweeps rise to too slowly: solves the equations of the actions chosen (Howard 1960).

        They are taken where a sweep leaves them as they are: where the end surely comes, no other times do
        that (Patek & Bertsekas 1999).
        """
        for _ in range(_MOST_LEAPS):
            worth[:] = sweeps.solved(worth)
            before = worth.copy()
            sweeps.sweep(worth)
            if np.isfinite(worth[:-2][sweeps.unknown[:-2]]).all() and _still(before, worth, _LEAP_SETTLED):
                return
        raise StarspielError(
            f"the values are known, but not how long optimal play takes: after {_MOST_SWEEPS:,} sweeps that "
            "still rises. Play ends too rarely for it; a discount below 1 does not help, a horizon does."
        )

    def _surely(self, worth: NDArray[np.float64], unknown: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """From which of the `unknown` positions play surely comes to a known one of finite time."""
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
                after[self.at_decisions] |= self._chosen(far) <= 0.0
                after &= safe
                if (after == reached).all():
                    break
                reached = after
            if (reached == safe).all():
                return reached
            safe = reached

    def quiet(
        self, values: NDArray[np.float64], lost: NDArray[np.bool_], known: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """The `lost` positions of value 0 from which play can stay among such ones, with nothing paid."""
        quiet = lost & (np.abs(values) <= TIE_TOLERANCE)
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

    def ignore_sure_ends(self, sure: NDArray[np.bool_]) -> None:
        """Takes the sure ways to the end from players who put it off; they have others."""
        sure = np.concatenate((sure, (False, False)))
        for n, target in enumerate(self._columns):
            some = slice(len(target))
            never = sure[target] & (self.sign[some] > 0.0)
            self._columns[n] = np.where(never, self._never[some], target)


class _Sweeps:
    """Sweeps over the unknown times of a level; those of positions with one optimal action cost least.

    Attributes:
        unknown: which of the touched positions are swept.
    """

    def __init__(self, level: _Level, unknown: NDArray[np.bool_]) -> None:
        self.unknown = unknown
        swept = unknown[level.at_chances]
        self._at_chances = level.at_chances[swept]
        self._chances = level.chances if swept.all() else level.chances[np.flatnonzero(swept)]
        at, sign = level.at_decisions, level.sign
        optimal = np.zeros(len(at), np.int32)
        only = np.zeros(len(at), np.int32)
        for target, never in level.columns():
            some = target != never
            optimal[: len(target)] += some
            only[: len(target)][some] = target[some]
        single = np.flatnonzero((optimal == 1) & unknown[at])
        self._at_single, self._only = at[single], only[single]
        several = np.flatnonzero((optimal != 1) & unknown[at])
        self._at_several, self._sign = at[several], sign[several]
        self._columns = [target[several[several < len(target)]] for target, _ in level.columns()]

    def sweep(self, worth: NDArray[np.float64]) -> None:
        """Chance nodes, then decisions, each of which takes one more move; in place."""
        worth[self._at_chances] = self._chances @ worth[:-2]
        one = 1.0 + worth[self._only]
        worth[self._at_several] = 1.0 + self._sign * self._best(worth)
        worth[self._at_single] = one

    def _best(self, worth: NDArray[np.float64]) -> NDArray[np.float64]:
        best = np.full(len(self._sign), -np.inf)
        for target in self._columns:
            some = slice(len(target))
            np.maximum(best[some], self._sign[some] * worth[target], out=best[some])
        return best

    def solved(self, worth: NDArray[np.float64]) -> NDArray[np.float64]:
        """The times under the actions that `worth` lets the players choose."""
        from scipy.sparse import linalg  # slow to load

        best = self._best(worth)
        chosen = np.zeros(len(best), np.int32)
        for target in reversed(self._columns):
            some = slice(len(target))
            same = self._sign[some] * worth[target] == best[some]
            chosen[some][same] = target[same]
        places = np.flatnonzero(self.unknown)
        row = np.zeros(len(worth), np.int64)
        row[places] = np.arange(len(places))
        rest = np.where(self.unknown, 0.0, worth)[:-2]
        known = np.zeros(len(places))
        known[row[self._at_chances]] = self._chances @ rest
        rows, columns, weights = [], [], []
        inner = self._chances.tocoo()
        within = self.unknown[inner.col]
        rows.append(row[self._at_chances[inner.row[within]]])
        columns.append(row[inner.col[within]])
        weights.append(inner.data[within])
        for at, target in ((self._at_single, self._only), (self._at_several, chosen)):
            within = self.unknown[target]
            known[row[at]] = 1.0 + np.where(within, 0.0, worth[target])
            rows.append(row[at[within]])
            columns.append(row[target[within]])
            weights.append(np.ones(int(within.sum())))
        shape = len(places), len(places)
        follows = scipy.sparse.csc_matrix(
            (np.concatenate(weights), (np.concatenate(rows), np.concatenate(columns))), shape
        )
        after = worth.copy()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", linalg.MatrixRankWarning)  # then no times are finite
            after[places] = linalg.spsolve(scipy.sparse.identity(len(places), format="csc") - follows, known)
        return after


def _still(before: NDArray[np.float64], after: NDArray[np.float64], settled: float = _SETTLED) -> bool:
    same = before == after  # infinite ones too
    change = np.abs(np.where(same, 0.0, after) - np.where(same, 0.0, before)).max(initial=0.0)
    greatest = np.where(np.isfinite(after), after, 0.0).max(initial=1.0)
    return bool(change <= settled * greatest)


def soonest_actions(times: Mapping[int, tuple[bool, float]], hastens: bool) -> tuple[int, ...]:
    """The actions of a player who hastens the end, or puts it off; `times` are `Solution.time` after each."""
    sign = 1 if hastens else -1
    endless, time = min(times.values(), key=lambda found: (sign * found[0], sign * found[1]))
    slack = TIE_TOLERANCE * max(1.0, time)
    return tuple(
        action
        for action, (never, moves) in times.items()
        if never == endless and (moves == time or abs(moves - time) <= slack)
    )
