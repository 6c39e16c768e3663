"""A clone walked about by a table, to hold what it lists against what steps do.

The clone is never put into a state, so that what the environment keeps besides `s` (a key that was fetched)
is as it would be in play: the table says the way to actions that have not been tried often enough.
"""

import math
import random
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium

from starspiel.envs.gymnasium.sampled.trials import Budget
from starspiel.envs.gymnasium.table import TableGame
from starspiel.envs.gymnasium.table_state import Transition

#: The probability that a table that is right is found wrong, at most.
ERROR_RATE = 1e-6
#: Draws of the first round: of each outcome on average, as far as so many of an action allow, and in all.
_EXPECTED, _MOST, _DRAWS = 8, 64, 1000
#: Rounds: the draws of each action that is in doubt, and how unlikely it must look to stay so.
_ROUNDS = ((0, 0.3), (512, 0.1), (4096, 0.0))
#: Steps without a draw that was needed, after which the rest is taken to be out of reach.
_PATIENCE = 2000
_TOLERANCE = 1e-6

#: A state and an action; (None, None) for `reset`.
_Pair = tuple[int | None, int | None]
_RESET: _Pair = (None, None)


@dataclass(frozen=True)
class Comparison:
    """What holding a table against steps has shown.

    Attributes:
        contradiction: where they differ, in words; None where nothing was found.
        compared, reachable: actions in states that were tried, of those that the table can reach.
        failed: why nothing could be compared, in words.
    """

    contradiction: str | None = None
    compared: int = 0
    reachable: int = 0
    failed: str | None = None

    def __str__(self) -> str:
        if self.failed is not None:
            return f"not held against step: {self.failed}"
        return f"{self.compared:,} of {self.reachable:,} actions in reachable states held against step"


class TableWalk:
    """Episodes of a clone, steered by the table to the actions that are wanted."""

    def __init__(self, twin: gymnasium.Env[Any, Any], game: TableGame) -> None:
        self._twin, self._game = twin, game
        self._inside: Any = twin.unwrapped
        if getattr(self._inside, "render_mode", None) == "human":
            self._inside.render_mode = None
        self._draw = random.Random(2)
        self._at: int | None = None
        self._seen: dict[_Pair, Counter[int]] = {}
        self._missing: dict[_Pair, int] = {}
        self._distance: dict[int, int] = {}
        self._states, self._before = _explored(game)
        self.contradiction: str | None = None

    def compared(self, seconds: float) -> Comparison:
        """What so many seconds of the processor show."""
        budget = Budget(seconds)
        pairs = [(s, a) for s in self._states for a in self._game.actions(s)]
        tried: set[_Pair] = set()
        doubtful: list[_Pair] = [_RESET, *pairs]
        least = _DRAWS // len(doubtful)
        for number, (draws, doubt) in enumerate(_ROUNDS):
            self._missing = {pair: draws or self._first_draws(pair, least) for pair in doubtful}
            self._seen = {pair: Counter() for pair in doubtful}
            self._draw_all(budget)
            tried |= {pair for pair, seen in self._seen.items() if seen} if number == 0 else set()
            chances = {pair: self._chance(pair) for pair in doubtful}
            sure = ERROR_RATE / (len(_ROUNDS) * (len(pairs) + 1))
            wrong = next((pair for pair in doubtful if chances[pair] <= sure), None)
            if self.contradiction is None and wrong is not None:
                self.contradiction = self._shares(wrong)
            doubtful = [pair for pair in doubtful if chances[pair] <= doubt]
            if self.contradiction is not None or not doubtful:
                break
        return Comparison(self.contradiction, len(tried - {_RESET}), len(pairs))

    def _first_draws(self, pair: _Pair, least: int) -> int:
        rarest = min(chance for _, chance in self._listed(pair))
        expected = 1 if rarest == 1.0 else math.ceil(_EXPECTED / rarest)
        return max(2, least, min(expected, _MOST))

    def _listed(self, pair: _Pair) -> Sequence[tuple[Any, float]]:
        """(outcome, probability) of an action, or of `reset`."""
        state, action = pair
        if state is None or action is None:
            return self._game.starts
        return [(t, t.probability) for t in self._game.transitions(state, action)]

    def _draw_all(self, budget: Budget) -> None:
        """Takes what is wanted as often as it is wanted, until that is done, out of reach or out of time."""
        for _ in range(self._missing.pop(_RESET, 0)):
            self._reset()
        idle = 0
        while self.contradiction is None and idle < _PATIENCE and self._open() and not budget.spent():
            for _ in range(max(100, len(self._states) // 20)):
                if self.contradiction is not None:
                    return
                if self._at is None:
                    self._reset()
                else:
                    idle = 0 if self._step(self._at) else idle + 1

    def _open(self) -> bool:
        """Whether something is still wanted; how far away it is, by the actions of the table, is noted."""
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
        self._twin.reset(seed=self._draw.getrandbits(31))
        state = int(self._inside.s)
        starts = [s for s, _ in self._game.starts]
        self._at = state if state in starts else None
        if self._at is None:
            self.contradiction = (
                f"initial_state_distrib lists {_some(starts)} as first states, and reset led to {state}"
            )
        elif _RESET in self._seen:
            self._seen[_RESET][starts.index(state)] += 1

    def _step(self, state: int) -> bool:
        """Takes an action; whether it was one that is wanted."""
        wanted = [a for a in self._game.actions(state) if (state, a) in self._missing]
        action = self._draw.choice(wanted) if wanted else self._towards(state)
        _, reward, terminated, truncated, _ = self._twin.step(action)
        after = Transition(1.0, int(self._inside.s), float(reward), bool(terminated))
        outcomes = self._game.transitions(state, action)
        number = next((number for number, t in enumerate(outcomes) if _agree(t, after)), None)
        if number is None:
            self.contradiction = (
                f"in state {state}, action {action}, P lists {_some(map(_said, outcomes))}, and a step "
                f"gave {_said(after)}"
            )
            return True
        if truncated and not terminated and not _out_of_time(self._twin):
            self.contradiction = (
                f"in state {state}, action {action}, a step truncated the episode, though no TimeLimit was up"
            )
            return True
        if wanted:
            self._miss_one_less((state, action))
        if (state, action) in self._seen:
            self._seen[state, action][number] += 1
        self._at = None if terminated or truncated else after.successor
        return bool(wanted)

    def _miss_one_less(self, pair: _Pair) -> None:
        self._missing[pair] -= 1
        if not self._missing[pair]:
            del self._missing[pair]

    def _towards(self, state: int) -> int:
        """The action that leads nearest to what is wanted, now and then any."""
        actions = self._game.actions(state)
        if self._draw.random() < 0.1:
            return self._draw.choice(actions)
        far = len(self._before) + 1

        def length(action: int) -> float:
            return sum(
                t.probability * (far if t.terminated else self._distance.get(t.successor, far))
                for t in self._game.transitions(state, action)
            )

        return min(actions, key=lambda action: (length(action), self._draw.random()))

    def _chance(self, pair: _Pair) -> float:
        """How likely shares so far from the listed ones are, were these right, at most (Chernoff's bound)."""
        draws = (seen := self._seen[pair]).total()
        if draws == 0:
            return 1.0
        listed = self._listed(pair)
        furthest = max(_divergence(seen[i] / draws, chance) for i, (_, chance) in enumerate(listed))
        return min(1.0, 2 * len(listed) * math.exp(-draws * furthest))

    def _shares(self, pair: _Pair) -> str:
        """The outcome whose share is furthest from what is listed, in words."""
        seen, listed = self._seen[pair], self._listed(pair)
        draws = seen.total()
        number = max(range(len(listed)), key=lambda i: _divergence(seen[i] / draws, listed[i][1]))
        outcome, chance = listed[number]
        counted = f"with probability {chance:.4g}, and {seen[number]:,} of {draws:,}"
        if pair == _RESET:
            return f"initial_state_distrib lists state {outcome} {counted} resets led there"
        return f"in state {pair[0]}, action {pair[1]}, P lists {_said(outcome)} {counted} steps gave that"


def _out_of_time(env: gymnasium.Env[Any, Any]) -> bool:
    """Whether one of the TimeLimits around an environment has been reached."""
    while isinstance(env, gymnasium.Wrapper):
        if isinstance(env, gymnasium.wrappers.TimeLimit):
            elapsed, limit = env._elapsed_steps, env._max_episode_steps
            if elapsed is not None and elapsed >= limit:
                return True
        env = env.env
    return False


def _explored(game: TableGame) -> tuple[list[int], dict[int, set[int]]]:
    """The states that the table can reach and go on from, and those from which each is reached."""
    before: dict[int, set[int]] = {s: set() for s, _ in game.starts}
    states = list(before)
    for state in states:  # grows on the way
        for action in game.actions(state):
            for t in game.transitions(state, action):
                if t.terminated:
                    continue
                if t.successor not in before:
                    before[t.successor] = set()
                    states.append(t.successor)
                before[t.successor].add(state)
    return states, before


def _agree(listed: Transition, seen: Transition) -> bool:
    return (
        listed.successor == seen.successor
        and listed.terminated == seen.terminated
        and math.isclose(listed.reward, seen.reward, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
    )


def _divergence(share: float, chance: float) -> float:
    """Kullback and Leibler's, of two outcomes."""
    pairs = ((share, chance), (1.0 - share, 1.0 - chance))
    return sum(p * math.log(p / q) if q > 0.0 else 0.0 for p, q in pairs if p > 0.0)


def _said(transition: Transition) -> str:
    end = ", terminated" if transition.terminated else ""
    return f"(state {transition.successor}, reward {transition.reward:g}{end})"


def _some(parts: Iterable[Any]) -> str:
    shown = list(map(str, parts))
    return ", ".join(shown[:4]) + (f" and {len(shown) - 4} more" if len(shown) > 4 else "")
