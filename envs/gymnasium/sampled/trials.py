"""Finds situations of an environment that look alike, and continues each several times with fresh dice.

A situation is a group of episodes with the same visible history: the same actions, observations, rewards,
ends and legal actions. What follows an action may then differ between continuations of one episode, because
of thrown dice, or between episodes, because of something stored that is not visible.
"""

import random
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from starspiel.envs.gymnasium.budget import Budget
from starspiel.envs.gymnasium.cloning.clone import After, advance
from starspiel.envs.gymnasium.cloning.copying import AnyEnv
from starspiel.envs.gymnasium.sampled.differences import Seen
from starspiel.envs.gymnasium.sampled.visible import View

#: The number of continuations of an episode, and of episodes of a situation that are continued.
TRIES, _MEMBERS = 6, 8
#: The maximum number of situations tried in a step, largest first, and of those with a single episode.
_TRIED, _ALONE = 8, 4


@dataclass(frozen=True)
class Trial:
    """An action tried in a situation.

    Attributes:
        members: episodes that look alike, each started by its own `reset`.
        step: the number of actions of the episodes, including this one.
        seen: what followed, for each member under the same number of different seeds; empty if the episode is
            the only one in its situation.
    """

    members: Sequence[After]
    action: int
    step: int
    seen: Sequence[Sequence[Seen]]


class Walk:
    """Random episodes on clones of `env`, which is never stepped; those that look alike act alike.

    With `twice`, some steps are repeated on another clone with the same seed, to test that both agree.

    Attributes:
        begun, steps: the numbers of episodes started and of actions tried so far.
        timed_out: whether time ran out.
        unseeded: whether two clones with the same seed differed; nothing is tried after that.
    """

    def __init__(self, env: AnyEnv, view: View, budget: Budget, *, twice: bool) -> None:
        self._env, self._view, self._budget, self._twice = env, view, budget, twice
        self._draw = random.Random(2)
        self.begun = self.steps = 0
        self.timed_out = self.unseeded = False

    def trials(self, episodes: int, steps: int) -> Iterator[Trial]:
        """Yields trials in at most `steps` steps of `episodes` episodes.

        A round continues the episodes as long as some of them look alike. Each round starts with another
        first action. After a round for each, new episodes are started if some of the first looked alike.
        """
        groups = begun = self._begin(episodes)
        firsts = max((len(self._view.legal_actions(group[0])) for group in begun), default=0)
        first = step = 0
        for _ in range(steps if firsts else 0):
            if step and not any(map(_is_comparable, groups)):
                first, step = (first + 1) % firsts, 0
                if first == 0 and any(map(_is_comparable, begun)):
                    begun = self._begin(episodes)
                groups = begun
            step += 1
            following: list[list[After]] = []
            for group in _tried(groups):
                legal = self._view.legal_actions(group[0])
                action = self._draw.choice(legal) if step > 1 else legal[first % len(legal)]
                went, seen = self._continued(group, action)
                yield Trial(group[: max(1, len(seen))], action, step, seen)
                if self.unseeded or self.timed_out:
                    return
                following += self._alike(went)
            groups = following

    def more_of(self, trial: Trial, member: int, count: int) -> list[Seen]:
        """Returns what follows in a trial's member under `count` fresh seeds; fewer if time runs out."""
        return self._more(trial.members[member], trial.action, count)

    def _more(self, at: After, action: int, count: int) -> list[Seen]:
        seen: list[Seen] = []
        while len(seen) < count and not self._out_of_time():
            seen.append(self._view.visible(self._advance(at.env, action)))
        return seen

    def _begin(self, episodes: int) -> list[list[After]]:
        """Returns episodes after `reset`, grouped by what they show; [] if two with the same seed differ."""
        seed = self._draw.getrandbits(62)  # not 0, which some environments treat as no seed
        begun = [self._advance(self._env, None, seed)]
        self.begun += 1
        if self._twice and not self._is_same(begun[0], self._advance(self._env, None, seed)):
            self.unseeded = True
            return []
        used = begun[0].env
        while len(begun) < episodes and not self._budget.spent():
            is_used = len(begun) % 4 == 1  # with what an environment keeps from one episode to the next
            begun.append(self._advance(used if is_used else self._env, None))
            if is_used:
                action = self._draw.choice(self._view.legal_actions(begun[-1]))
                used = self._advance(begun[-1].env, action).env
        self.begun += len(begun) - 1
        return self._alike(begun)

    def _continued(self, group: Sequence[After], action: int) -> tuple[list[After], list[list[Seen]]]:
        """Steps each member; returns the results, and what followed under several seeds for the first few.

        The latter is empty if there is only one member.
        """
        went: list[After] = []
        seen: list[list[Seen]] = []
        for number, at in enumerate(group):
            if self._out_of_time():
                break
            seed = self._draw.getrandbits(62)
            went.append(after := self._advance(at.env, action, seed))
            if number >= _MEMBERS:
                continue
            if self._twice and not self._is_same(after, self._advance(at.env, action, seed)):
                self.unseeded = True
                break
            more = self._more(at, action, TRIES - 1) if len(group) > 1 else []
            if len(more) == TRIES - 1:
                seen.append([self._view.visible(after), *more])
        return went, seen

    def _advance(self, env: AnyEnv, action: int | None, seed: int | None = None) -> After:
        self.steps += action is not None
        seed = self._draw.getrandbits(62) if seed is None else seed
        return advance(env, action, seed, self._view.name)

    def _is_same(self, one: After, other: After) -> bool:
        return self._view.whole(one) == self._view.whole(other)

    def _out_of_time(self) -> bool:
        self.timed_out = self.timed_out or self._budget.spent()
        return self.timed_out

    def _alike(self, episodes: Sequence[After]) -> list[list[After]]:
        groups: dict[Hashable, list[After]] = {}
        for at in episodes:
            groups.setdefault(self._view.whole(at), []).append(at)
        return list(groups.values())


def _is_comparable(group: Sequence[After]) -> bool:
    return len(group) > 1 and not group[0].over


def _tried(groups: Sequence[list[After]]) -> list[list[After]]:
    """Returns the largest situations, and a few of those with a single episode."""
    ordered = sorted((group for group in groups if not group[0].over), key=len, reverse=True)
    alike = [group for group in ordered if _is_comparable(group)]
    return alike[:_TRIED] + ordered[len(alike) :][: max(0, _ALONE - len(alike))]
