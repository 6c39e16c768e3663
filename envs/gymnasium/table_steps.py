"""Compares a table with steps: steps a clone and counts each action's outcomes.

The clone's state is never set, so that what the environment stores besides `s` is as in play. Instead, the
table shows the way to actions that have not been tried often enough.
"""

import math
import random
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium

from starspiel.envs.errors import UnsupportedGameError
from starspiel.envs.gymnasium.budget import Budget
from starspiel.envs.gymnasium.cloning.clone import clone
from starspiel.envs.gymnasium.cloning.dice import lent
from starspiel.envs.gymnasium.table import TableGame
from starspiel.envs.gymnasium.table_state import Transition
from starspiel.envs.gymnasium.time_limit import is_out_of_time

#: The maximum probability of rejecting a correct table.
ERROR_RATE = 1e-6
#: Draws of the first round: of each outcome on average, of each action at most, and in total.
_EXPECTED, _MOST, _DRAWS = 8, 64, 1000
#: Rounds: the draws of each doubtful action, and how unlikely its shares must be for it to stay doubtful.
_ROUNDS = ((0, 0.3), (512, 0.1), (4096, 0.0))
#: The number of steps without a needed draw after which the remaining draws count as out of reach.
_PATIENCE = 2000

#: A state and an action; (None, None) for `reset`.
_Pair = tuple[int | None, int | None]
_RESET: _Pair = (None, None)


@dataclass(frozen=True)
class Comparison:
    """The result of comparing a table with steps.

    Attributes:
        contradiction: where they differ, in words; None if nothing was found.
        compared, reachable: how many (state, action) pairs were tried, and how many the table can reach.
        failed: why nothing could be compared, in words; None if it could.
    """

    contradiction: str | None = None
    compared: int = 0
    reachable: int = 0
    failed: str | None = None

    def __str__(self) -> str:
        if self.failed is not None:
            return f"not compared with step: {self.failed}"
        return f"{self.compared:,} of {self.reachable:,} actions in reachable states compared with step"


class TableSteps:
    """The environment of a table, for comparisons; it is cloned, and never stepped itself."""

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        self._env = env

    def compare(self, game: TableGame, budget: Budget) -> Comparison:
        """Compares the game's table with steps of the environment, including its wrappers.

        An outcome that the table does not list is always a contradiction. Shares that differ are one if, with
        a correct table, the total probability of that is below `ERROR_RATE`.
        """
        try:
            duplicate = clone(self._env, 1, game.name)
        except UnsupportedGameError:
            return Comparison(failed="the environment cannot be cloned")
        try:
            with lent(1):
                return _Walk(duplicate, game).compared(budget)
        except Exception as error:  # a user's environment may raise anything; play will report it
            return Comparison(failed=f"stepping a clone raised {type(error).__name__}: {error}")

    def __deepcopy__(self, memo: Any) -> "TableSteps":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(None), ()  # environments may not be picklable


class _ContradictionError(Exception):
    """Raised if a step contradicts the table; the message says where."""


class _Walk:
    """Episodes of a clone, which the table guides to actions that need more draws."""

    def __init__(self, duplicate: gymnasium.Env[Any, Any], game: TableGame) -> None:
        self._duplicate, self._game = duplicate, game
        self._inside: Any = duplicate.unwrapped
        if getattr(self._inside, "render_mode", None) == "human":
            self._inside.render_mode = None
        self._draw = random.Random(2)
        self._at: int | None = None
        self._seen: dict[_Pair, Counter[int]] = {}
        self._missing: dict[_Pair, int] = {}
        self._distance: dict[int, int] = {}
        self._before = game.predecessors

    def compared(self, budget: Budget) -> Comparison:
        """Steps the clone until the table is tested or the budget is spent, and returns the result."""
        pairs = [(s, a) for s in self._before for a in self._game.actions(s)]
        tried: set[_Pair] = set()
        doubtful: list[_Pair] = [_RESET, *pairs]
        least = _DRAWS // len(doubtful)
        sure = ERROR_RATE / (len(_ROUNDS) * (len(pairs) + 1))
        contradiction: str | None = None
        for draws, doubt in _ROUNDS:
            self._missing = {pair: draws or max(least, self._first_draws(pair)) for pair in doubtful}
            self._seen = {pair: Counter() for pair in doubtful}
            try:
                self._draw_all(budget)
            except _ContradictionError as error:
                contradiction = str(error)
            tried |= {pair for pair, seen in self._seen.items() if seen}
            chances = {pair: self._chance(pair) for pair in doubtful}
            wrong = next((pair for pair in doubtful if chances[pair] <= sure), None)
            contradiction = contradiction or (None if wrong is None else self._shares(wrong))
            doubtful = [pair for pair in doubtful if chances[pair] <= doubt]
            if contradiction is not None or not doubtful:
                break
        return Comparison(contradiction, len(tried - {_RESET}), len(pairs))

    def _first_draws(self, pair: _Pair) -> int:
        rarest = min(chance for _, chance in self._listed(pair))
        return 2 if rarest == 1.0 else max(2, min(math.ceil(_EXPECTED / rarest), _MOST))

    def _listed(self, pair: _Pair) -> Sequence[tuple[Any, float]]:
        """Returns (outcome, probability) pairs of an action, or of `reset`."""
        state, action = pair
        if state is None or action is None:
            return self._game.starts
        return [(t, t.probability) for t in self._game.transitions(state, action)]

    def _draw_all(self, budget: Budget) -> None:
        """Makes the missing draws until they are made, out of reach or out of time; at least one block."""
        for _ in range(self._missing.pop(_RESET, 0)):
            self._reset()
        idle, is_late = 0, False
        while idle < _PATIENCE and self._is_open() and not is_late:
            for _ in range(max(100, len(self._before) // 20)):
                if self._at is None:
                    self._reset()
                else:
                    idle = 0 if self._step(self._at) else idle + 1
            is_late = budget.spent()

    def _is_open(self) -> bool:
        """Returns whether draws are still missing; updates the distance of each state to them."""
        ahead = deque({s for s, _ in self._missing if s is not None})
        self._distance = dict.fromkeys(ahead, 0)
        while ahead:
            state = ahead.popleft()
            for earlier in self._before.get(state, ()):
                if earlier not in self._distance:
                    self._distance[earlier] = self._distance[state] + 1
                    ahead.append(earlier)
        return bool(self._distance)

    def _reset(self) -> None:
        self._duplicate.reset(seed=self._draw.getrandbits(31))
        state = int(self._inside.s)
        starts = [s for s, _ in self._game.starts]
        if state not in starts:
            raise _ContradictionError(
                f"initial_state_distrib lists {_some(starts)} as first states, and reset led to {state}"
            )
        self._at = state
        if _RESET in self._seen:
            self._seen[_RESET][starts.index(state)] += 1

    def _step(self, state: int) -> bool:
        """Takes an action; returns whether it was a missing draw."""
        wanted = [a for a in self._game.actions(state) if (state, a) in self._missing]
        action = self._draw.choice(wanted) if wanted else self._towards(state)
        _, reward, terminated, truncated, _ = self._duplicate.step(action)
        after = Transition(1.0, int(self._inside.s), float(reward), bool(terminated))
        outcomes = self._game.transitions(state, action)
        alike = [(t.successor, t.terminated) == (after.successor, after.terminated) for t in outcomes]
        paid = [math.isclose(t.reward, reward, rel_tol=1e-6, abs_tol=1e-6) for t in outcomes]
        number = next(
            (number for number, both in enumerate(zip(alike, paid, strict=True)) if all(both)), None
        )
        if number is None:
            raise _ContradictionError(
                f"in state {state}, action {action}, P lists {_some(map(_said, outcomes))}, and a step "
                f"gave {_said(after)}"
            )
        if truncated and not terminated and not is_out_of_time(self._duplicate):
            raise _ContradictionError(
                f"in state {state}, action {action}, a step truncated the episode, though no TimeLimit was up"
            )
        if wanted:
            self._missing[state, action] -= 1
            if not self._missing[state, action]:
                del self._missing[state, action]
        if (state, action) in self._seen:
            self._seen[state, action][number] += 1
        self._at = None if terminated or truncated else after.successor
        return bool(wanted)

    def _towards(self, state: int) -> int:
        """Returns the action that leads closest to a missing draw, or sometimes a random one."""
        if self._draw.random() < 0.1:
            return self._draw.choice(self._game.actions(state))
        far = len(self._before) + 1
        lengths = {action: self._draw.random() / far for action in self._game.actions(state)}
        for action in lengths:
            for t in self._game.transitions(state, action):
                away = far if t.terminated else self._distance.get(t.successor, far)
                lengths[action] += t.probability * away
        return min(lengths, key=lambda action: lengths[action])

    def _chance(self, pair: _Pair) -> float:
        """Returns an upper bound (Chernoff's) on the probability of such shares if the table is correct."""
        draws = self._seen[pair].total()
        return min(1.0, 2 * len(self._listed(pair)) * math.exp(-draws * max(self._apart(pair), default=0.0)))

    def _apart(self, pair: _Pair) -> list[float]:
        """Returns the divergence of each outcome's share from its listed probability."""
        seen, draws = self._seen[pair], self._seen[pair].total()
        return [
            _divergence(seen[i] / draws, chance) for i, (_, chance) in enumerate(self._listed(pair)) if draws
        ]

    def _shares(self, pair: _Pair) -> str:
        """Returns the outcome whose share is furthest from its listed probability, in words."""
        apart, seen = self._apart(pair), self._seen[pair]
        number = apart.index(max(apart))
        outcome, chance = self._listed(pair)[number]
        counted = f"with probability {chance:.4g}, and {seen[number]:,} of {seen.total():,}"
        if pair == _RESET:
            return f"initial_state_distrib lists state {outcome} {counted} resets led there"
        return f"in state {pair[0]}, action {pair[1]}, P lists {_said(outcome)} {counted} steps gave that"


def _divergence(share: float, chance: float) -> float:
    """Returns the Kullback-Leibler divergence of two Bernoulli distributions."""
    pairs = ((share, chance), (1.0 - share, 1.0 - chance))
    return sum(p * math.log(p / q) if q > 0.0 else 0.0 for p, q in pairs if p > 0.0)


def _said(transition: Transition) -> str:
    end = ", terminated" if transition.terminated else ""
    return f"(state {transition.successor}, reward {transition.reward:g}{end})"


def _some(parts: Iterable[Any]) -> str:
    shown = list(map(str, parts))
    return ", ".join(shown[:4]) + (f" and {len(shown) - 4} more" if len(shown) > 4 else "")
