"""Situations of an environment that look alike, each continued several times by clones with fresh dice.

A situation is a group of episodes whose whole visible history is equal: the same actions, and the same
observations, rewards, ends and legal actions. What follows an action may then differ between continuations of
one episode, by dice that are thrown, or between episodes, by something stored that nobody sees.
"""

import random
import time
from collections.abc import Callable, Generator, Hashable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from starspiel.envs.gymnasium.sampled.clone import After, AnyEnv, advance
from starspiel.envs.gymnasium.sampled.visible import View

#: The cap on the time that passes, for environments that wait instead of computing: so many times the budget.
_WAITING = 3.0
#: Processor seconds of each look (for dice that can be foreseen, for hidden state) when a game is loaded.
LOADING_SECONDS = 0.5
#: Situations of one step that are tried, the largest first, and of those that cannot be compared.
_TRIED, _ALONE = 8, 4

Seen = dict[str, Hashable]


class Budget:
    """Processor time of this thread, with a cap on the time in which it neither has nor wants a processor."""

    def __init__(self, seconds: float) -> None:
        self._computed = time.thread_time() + seconds
        self._queued = _queued()
        self._passed = time.perf_counter() + _WAITING * seconds

    def spent(self) -> bool:
        if time.thread_time() > self._computed:
            return True
        late = time.perf_counter() - self._passed
        return late > 0 and late > _queued() - self._queued


def _queued() -> float:
    """Seconds that this thread has waited for a processor, as Linux tells; 0 where nobody does."""
    try:
        return int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


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


@dataclass(frozen=True)
class Extent:
    """How much a walk tries.

    Attributes:
        episodes: how many are begun.
        least: the fewest that must look alike for a situation to be compared.
        members: the most that are continued of a situation.
        tries: continuations of each of these.
    """

    episodes: int
    least: int
    members: int
    tries: int


class Walk:
    """Random episodes on clones, those that look alike with the same actions.

    Args:
        env: the environment, which is never stepped.
        view: how what it shows is read.
        extent: how much is tried.
        again: whether it may show more to try the same action in the same situation once more.
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
        extent: Extent,
        *,
        again: Callable[[Trial], bool],
        twice: bool = False,
    ) -> None:
        self._env, self._view, self._budget, self._extent = env, view, budget, extent
        self._again, self._twice = again, twice
        self._draw = random.Random(2)
        self.begun = self.steps = self._left = 0
        self.timed_out = self.unseeded = False

    def trials(self, steps: int) -> Iterator[Trial]:
        """What is tried, in at most `steps` steps of all episodes.

        A round takes the episodes as far as enough of them look alike; each begins with another first action.
        Once all have been tried, those after which there may be more to see are tried again, in new episodes
        where some could be compared.
        """
        self._left = steps
        begun = self._alike(self._begin())
        firsts = list(range(max((len(self._view.legal_actions(group[0])) for group in begun), default=0)))
        while firsts and self._left > 0:
            again = []
            for first in firsts:
                if (yield from self._round(begun, first)):
                    again.append(first)
            firsts = again
            if firsts and self._left > 0 and any(map(self._is_comparable, begun)):
                begun = self._alike(self._begin())

    def _round(self, begun: list[list[After]], first: int) -> Generator[Trial, None, bool]:
        """The trials with the first action of that number; whether there may be more to see after it."""
        groups, step = begun, 0
        more_to_see = not any(map(self._is_comparable, begun))
        while self._left > 0 and (step == 0 or any(map(self._is_comparable, groups))):
            self._left -= 1
            step += 1
            following: list[list[After]] = []
            for group in self._tried(groups):
                legal = self._view.legal_actions(group[0])
                action = self._draw.choice(legal) if step > 1 else legal[first % len(legal)]
                went, seen = self._continued(group, action)
                if len(seen) > 1:
                    trial = Trial(group[: len(seen)], action, step, seen)
                    more_to_see = more_to_see or self._again(trial)
                    yield trial
                if self.unseeded or self.timed_out:
                    self._left = 0
                    return False
                following += self._alike(went)
            groups = following
        return more_to_see or step > 1

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
        self.begun += 1
        if self._twice and self._key(begun[0]) != self._key(advance(self._env, None, seed, self._view.name)):
            self.unseeded = True
            return []
        while len(begun) < self._extent.episodes and not self._budget.spent():
            begun.append(advance(self._env, None, self._draw.getrandbits(62), self._view.name))
        self.begun += len(begun) - 1
        return begun

    def _continued(self, group: Sequence[After], action: int) -> tuple[list[After], list[list[Seen]]]:
        """A step of every member, and what followed under several seeds for the first few."""
        went: list[After] = []
        seen: list[list[Seen]] = []
        tries = self._extent.tries - 1 if len(group) >= self._extent.least else 0
        for number, at in enumerate(group):
            if self._out_of_time():
                break
            seed = self._draw.getrandbits(62)
            after = self._advance(at, action, seed)
            went.append(after)
            if number >= self._extent.members:
                continue
            if self._twice and self._key(after) != self._key(self._advance(at, action, seed)):
                self.unseeded = True
                break
            more = self.more(at, action, tries)
            if len(more) == tries:
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

    def _is_comparable(self, group: Sequence[After]) -> bool:
        return len(group) >= self._extent.least and not group[0].over

    def _tried(self, groups: Sequence[list[After]]) -> list[list[After]]:
        """The largest situations; of those that too few episodes share, a few."""
        ordered = sorted((group for group in groups if not group[0].over), key=len, reverse=True)
        alike = [group for group in ordered if self._is_comparable(group)]
        return alike[:_TRIED] + ordered[len(alike) :][: max(0, _ALONE - len(alike))]

    def _seen(self, at: After) -> Seen:
        return self._view.visible(at)

    def _key(self, at: After) -> Hashable:
        return self._view.whole(at)
