"""Situations of an environment that look alike, each continued several times by clones with fresh dice.

A situation is a group of episodes whose whole visible history is equal: the same actions, and the same
observations, rewards, ends and legal actions. What follows an action may then differ between continuations of
one episode, by dice that are thrown, or between episodes, by something stored that nobody sees.
"""

import random
import time
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from starspiel.envs.gymnasium.sampled.clone import After, AnyEnv, advance
from starspiel.envs.gymnasium.sampled.visible import View

#: The cap on the time that passes, for environments that wait instead of computing: so many times the budget.
_WAITING = 3.0
#: Situations of one step that are tried, the largest first, and episodes that stand alone.
_TRIED, _ALONE = 8, 4

Seen = dict[str, Hashable]


class Budget:
    """Processor time of this thread, with a cap on the time that passes."""

    def __init__(self, seconds: float) -> None:
        self._computed = time.thread_time() + seconds
        self._passed = time.perf_counter() + _WAITING * seconds

    def spent(self) -> bool:
        return time.thread_time() > self._computed or time.perf_counter() > self._passed


@dataclass(frozen=True)
class Trial:
    """An action tried in a situation.

    Attributes:
        members: episodes that look alike, each begun by a `reset` of its own.
        step: how many actions the episodes are long with this one.
        seen: what followed, for each member under the same number of different seeds.
    """

    members: Sequence[After]
    action: int
    step: int
    seen: Sequence[Sequence[Seen]]


class Walk:
    """Random episodes on clones, those that look alike with the same actions.

    Args:
        env: the environment, which is never stepped.
        view: how what it shows is read.
        episodes: how many are begun.
        tries: continuations of each member of a trial, `members` the most that are tried of a situation.
        twice: whether to step another clone under the same seed now and then, to see whether it goes alike.

    Attributes:
        begun, steps: episodes begun and actions tried so far.
        timed_out: whether time ran out.
        unseeded: whether two clones seeded alike went different ways; nothing is tried after that.
    """

    def __init__(
        self,
        env: AnyEnv,
        view: View,
        budget: Budget,
        *,
        episodes: int,
        tries: int,
        members: int,
        twice: bool = False,
    ) -> None:
        self._env, self._view, self._budget = env, view, budget
        self._episodes, self._tries, self._members, self._twice = episodes, tries, members, twice
        self._draw = random.Random(1)
        self.begun = self.steps = 0
        self.timed_out = self.unseeded = False

    def trials(self, steps: int) -> Iterator[Trial]:
        """What is tried, in `steps` rounds; a new round begins with the next first action."""
        begun = self._begin()
        groups: list[list[After]] = []
        first, step = -1, 0
        for _ in range(steps):
            if not any(len(group) > 1 and not group[0].over for group in groups):
                groups, first, step = self._alike(begun), first + 1, 0
            step += 1
            following: list[list[After]] = []
            for group in _tried(groups):
                legal = self._view.legal_actions(group[0])
                action = self._draw.choice(legal) if step > 1 else legal[first % len(legal)]
                went, seen = self._continued(group, action)
                if len(seen) > 1:
                    yield Trial(group[: len(seen)], action, step, seen)
                if self.unseeded or self.timed_out:
                    return
                following += self._alike(went)
            groups = following

    def more(self, member: After, action: int, count: int) -> list[Seen]:
        """What follows an action under so many fresh seeds; fewer where time runs out."""
        seen = []
        for _ in range(count):
            if self._out_of_time():
                break
            seen.append(self._seen(self._advance(member, action)))
        return seen

    def _begin(self) -> list[After]:
        seed = self._draw.getrandbits(62)  # not 0, which some environments take for no seed
        begun = [advance(self._env, None, seed, self._view.name)]
        self.begun = 1
        if self._twice and self._key(begun[0]) != self._key(advance(self._env, None, seed, self._view.name)):
            self.unseeded = True
            return []
        while len(begun) < self._episodes and not self._budget.spent():
            begun.append(advance(self._env, None, self._draw.getrandbits(62), self._view.name))
        self.begun = len(begun)
        return begun

    def _continued(self, group: Sequence[After], action: int) -> tuple[list[After], list[list[Seen]]]:
        """A step of every member, and what followed under several seeds for the first few."""
        went: list[After] = []
        seen: list[list[Seen]] = []
        for number, at in enumerate(group):
            if self._out_of_time():
                break
            seed = self._draw.getrandbits(62)
            after = self._advance(at, action, seed)
            went.append(after)
            if number >= self._members:
                continue
            if self._twice and self._key(after) != self._key(self._advance(at, action, seed)):
                self.unseeded = True
                break
            more = self.more(at, action, self._tries - 1) if len(group) > 1 else []
            if len(more) == self._tries - 1:
                seen.append([self._seen(after), *more])
        return went, seen

    def _advance(self, at: After, action: int, seed: int | None = None) -> After:
        self.steps += 1
        return advance(at.env, action, self._draw.getrandbits(62) if seed is None else seed, self._view.name)

    def _out_of_time(self) -> bool:
        self.timed_out = self.timed_out or self._budget.spent()
        return self.timed_out

    def _alike(self, episodes: Sequence[After]) -> list[list[After]]:
        groups: dict[Hashable, list[After]] = {}
        for at in episodes:
            groups.setdefault(self._key(at), []).append(at)
        return list(groups.values())

    def _seen(self, at: After) -> Seen:
        return self._view.visible(at)

    def _key(self, at: After) -> Hashable:
        return self._view.whole(at)


def _tried(groups: Sequence[list[After]]) -> list[list[After]]:
    """The largest situations; of episodes that stand alone, a few."""
    ordered = sorted((group for group in groups if not group[0].over), key=len, reverse=True)
    alike = [group for group in ordered if len(group) > 1]
    return alike[:_TRIED] + ordered[len(alike) :][: max(0, _ALONE - len(alike))]
