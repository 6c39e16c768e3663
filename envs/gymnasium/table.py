"""`TableGame`: a Gymnasium environment that publishes its transition table (`env.unwrapped.P`), as a Game.

The table has the format of FrozenLake, CliffWalking and Taxi:
`P[state][action] = [(probability, next state, reward, terminated), …]`, with the distribution of first states
in `initial_state_distrib`. Dicts and lists are accepted. An action without rows is illegal.
"""

import itertools
import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starspiel.envs.errors import StarspielError
from starspiel.envs.gymnasium.table_state import TableState, Transition

_SUM_TOLERANCE = 1e-6
_BOUND_SWEEPS = 5_000


#: `P[state][action]` as rows; either level is a mapping or a sequence.
Table = Mapping[int, Any] | Sequence[Any]


class TableGame:
    """A one-player game over the states of a transition table.

    The return is the discounted sum of rewards. An action with one possible outcome leads directly to it;
    other actions lead to a chance node. What the table lists after `terminated` is ignored.

    Attributes:
        horizon: the game ends after this many actions; None for no limit. Part of every key.
        time_limit: the environment's own limit on the actions of an episode, if the game has no horizon.
            States do not contain it, and play may go on; tournaments end episodes there.
        utility_range: (least, greatest) return of any play, wherever it stops, computed from the table, the
            discount and the horizon. None if a loop makes rewards unbounded, as in CliffWalking without a
            horizon.
        source: where the chances come from, as text for people.
        action_names: the names of the actions, if they are known.
        picture: a function that returns the environment's own drawing of a table state as text, or None.
        steps: the environment to compare the table with, a `TableSteps`, or None.
    """

    num_players = 1
    explicit_chance = True
    picture: Callable[[int], str | None] | None = None
    steps: Any = None

    def __init__(
        self,
        table: Table,
        initial_distribution: Mapping[int, float] | Sequence[float] | NDArray[np.float64],
        *,
        name: str,
        discount: float = 1.0,
        horizon: int | None = None,
        time_limit: int | None = None,
        action_names: Mapping[int, str] | None = None,
    ) -> None:
        self.name = name
        self.time_limit = time_limit if horizon is None else None
        self.action_names = dict(action_names or {})
        self.discount = discount
        self.horizon = horizon
        self.source = "table: env.unwrapped.P"
        try:
            self._table = {
                int(s): {int(a): _merged(rows, name, s, a) for a, rows in sorted(numbered(actions)) if rows}
                for s, actions in numbered(table)
                if actions
            }
        except (AttributeError, TypeError, ValueError) as error:
            if isinstance(error, StarspielError):
                raise
            raise StarspielError(
                f"{name}: expected P[state][action] = [(probability, next state, reward, terminated), ...], "
                f"states and actions numbered from 0; reading it raised {type(error).__name__}: {error}"
            ) from None
        self._starts = _starts(initial_distribution, name)
        self._check_successors()
        self.num_distinct_actions = 1 + max(max(actions) for actions in self._table.values() if actions)
        self.step_rewards = any(t.reward != 0.0 and not t.terminated for t in self._transitions())
        low, high = (self._extreme_return(sign) for sign in (-1.0, 1.0))
        self.utility_range = None if low is None or high is None else (-low + 0.0, high)

    @cached_property
    def identity(self) -> str:
        """The name and a hash of the table, because environments of one name may have different tables."""
        whole = repr((self._table, self._starts, self.discount, self.horizon))
        return f"{self.name} table:{blake2b(whole.encode(), digest_size=8).hexdigest()}"

    def _transitions(self) -> list[Transition]:
        return [t for actions in self._table.values() for ts in actions.values() for t in ts]

    def _check_successors(self) -> None:
        reached = {t.successor for t in self._transitions() if not t.terminated}
        for s in sorted(reached | {s for s, _ in self._starts}):
            if not self._table.get(s):
                raise StarspielError(
                    f"{self.name}: the table leads to state {s}, for which it lists no action; "
                    "end such a transition with terminated=True"
                )

    def _extreme_return(self, sign: float) -> float | None:
        """Returns the greatest `sign` x return of any play from any state, stopped anywhere, or None.

        None means that no bound is found. Value iteration takes the maximum over both actions and outcomes.
        Values start at 0 (stop at once) and only rise: until they stay at the bound, by less and less (the
        tail is a geometric series), or forever.
        """
        index = {s: i for i, s in enumerate(self._table)}
        rows = [(index[s], t) for s, acts in self._table.items() for ts in acts.values() for t in ts]
        source = np.array([i for i, _ in rows])
        successor = np.array([index.get(t.successor, 0) for _, t in rows])
        reward = sign * np.array([t.reward for _, t in rows])
        factor = np.array([0.0 if t.terminated else self.discount for _, t in rows])
        best = np.zeros(len(index))
        horizon = math.inf if self.horizon is None else self.horizon
        sweeps = min(horizon, _BOUND_SWEEPS)
        for _ in range(int(sweeps)):
            better = np.zeros_like(best)
            np.maximum.at(better, source, reward + factor * best[successor])
            if np.array_equal(better, best):
                return float(best.max())
            best = better
        # The most that actions after the last sweep can add: a geometric series.
        later = horizon - sweeps
        if self.discount < 1.0:
            later = self.discount**sweeps * (1.0 - self.discount**later) / (1.0 - self.discount)
        bound = float(best.max()) + later * max(0.0, float(reward.max())) if later else float(best.max())
        return bound if math.isfinite(bound) else None

    def transitions(self, state: int, action: int) -> tuple[Transition, ...]:
        """Returns the merged outcomes of an action."""
        return self._table[state][action]

    def actions(self, state: int) -> list[int]:
        """Returns the legal actions of a state, ascending."""
        return list(self._table[state])

    @property
    def num_states(self) -> int:
        """The number of states with actions."""
        return sum(map(bool, self._table.values()))

    @property
    def starts(self) -> tuple[tuple[int, float], ...]:
        """The (state, probability) pairs of all possible first states."""
        return self._starts

    @cached_property
    def predecessors(self) -> dict[int, set[int]]:
        """The non-terminal states that play can reach, each with the states that lead to it."""
        before: dict[int, set[int]] = {s: set() for s, _ in self._starts}
        ahead = list(before)
        for state in ahead:  # grows during the loop
            for t in itertools.chain.from_iterable(self._table[state].values()):
                if t.terminated:
                    continue
                if t.successor not in before:
                    before[t.successor] = set()
                    ahead.append(t.successor)
                before[t.successor].add(state)
        return before

    @cached_property
    def _ends(self) -> frozenset[int]:
        """The states that episodes reach only by ending there."""
        rows = itertools.chain.from_iterable(self._table[s].values() for s in self.predecessors)
        last = {t.successor for t in itertools.chain.from_iterable(rows) if t.terminated}
        return frozenset(last - self.predecessors.keys())

    def new_initial_state(self) -> TableState:
        """Returns the chance node that draws the first state, or the first state if there is only one."""
        if len(self._starts) == 1:
            return self.state_at(self._starts[0][0])
        return TableState(self, None, None, self.horizon)

    def state_at(self, state: int, elapsed: int = 0) -> TableState:
        """Returns a table state as the start of an episode, with `elapsed` actions of the horizon used.

        A state that episodes reach only by ending there is terminal.
        """
        if state in self._ends:
            return TableState(self, state, None, None, over=True)
        if state not in self._table:
            raise StarspielError(f"{self.name}: expected a state of the table, got {state!r}")
        left = None if self.horizon is None else self.horizon - elapsed
        if left is not None and left <= 0:
            raise StarspielError(f"{self.name}: {elapsed} actions taken, but the horizon is {self.horizon}")
        return TableState(self, state, None, left)

    def key(self, state: TableState) -> Hashable:
        """Returns (table state, action at a chance node, actions left); all ends have the same key."""
        return "end" if state.over else (state.at, state.action, state.left)

    def frame(self, state: TableState) -> tuple[float, float]:
        """Returns (return so far, discount^actions); an action counts once its outcome is known."""
        return state.collected, state.scale

    def reroot(self, state: TableState) -> TableState:
        """Returns the same state with the same actions left, and nothing collected yet."""
        return TableState(self, state.at, state.action, state.left, over=state.over)

    def __repr__(self) -> str:
        return f"load_game({self.name!r})"


def numbered(entries: Mapping[int, Any] | Sequence[Any] | NDArray[Any]) -> Iterator[tuple[int, Any]]:
    """Yields (number, entry) pairs of a dict, by its keys, or of a list, by index."""
    yield from entries.items() if isinstance(entries, Mapping) else enumerate(entries)


def _merged(rows: Sequence[tuple[Any, ...]], name: str, state: int, action: int) -> tuple[Transition, ...]:
    """Returns the transitions of one action: equal rows are added up, impossible ones are left out."""
    chances: dict[tuple[int, float, bool], float] = {}
    for probability, successor, reward, terminated in rows:
        outcome = (int(successor), float(reward), bool(terminated))
        if not np.isfinite(outcome[1]) or not probability >= 0.0:
            raise StarspielError(
                f"{name}: P[{state}][{action}] lists probability {probability}, reward {reward}; "
                "expected a probability >= 0 and a finite reward"
            )
        chances[outcome] = chances.get(outcome, 0.0) + float(probability)
    if abs(sum(chances.values()) - 1.0) > _SUM_TOLERANCE:
        raise StarspielError(
            f"{name}: the probabilities in P[{state}][{action}] sum to {sum(chances.values()):.6g}, not 1"
        )
    return tuple(Transition(p, *outcome) for outcome, p in chances.items() if p > 0.0)


def _starts(
    distribution: Mapping[int, float] | Sequence[float] | NDArray[np.float64], name: str
) -> tuple[tuple[int, float], ...]:
    try:
        starts = tuple((int(s), float(p)) for s, p in numbered(distribution) if p != 0.0)
    except (TypeError, ValueError) as error:
        raise StarspielError(
            f"{name}: expected initial_state_distrib[state] to be the chance to start there; reading it "
            f"raised {type(error).__name__}: {error}"
        ) from None
    if wrong := [start for start in starts if not start[1] > 0.0]:
        raise StarspielError(
            f"{name}: initial_state_distrib[{wrong[0][0]}] is {wrong[0][1]}, expected a probability >= 0"
        )
    if abs(sum(p for _, p in starts) - 1.0) > _SUM_TOLERANCE:
        raise StarspielError(f"{name}: initial_state_distrib sums to {sum(p for _, p in starts):.6g}, not 1")
    return starts
