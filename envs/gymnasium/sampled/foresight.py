"""Whether clones of an environment throw dice of their own, found out by stepping them.

Dice drawn in advance, or made from a seed and a counter, are copied with the environment, and seeding its
generators does not change them: an agent that searches on clones would foresee them.
"""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass

from gymnasium.utils.env_checker import data_equivalence

from starspiel.envs.errors import UnsupportedGameError
from starspiel.envs.gymnasium.masks import Mask, legal_actions
from starspiel.envs.gymnasium.sampled.clone import After, AnyEnv, advance

_FORESEEN = (
    "what it does next follows from what it has stored (dice drawn in advance, dice made from a seed and a "
    "counter, hidden cards) and not from a random generator, so an agent would foresee it; draw from "
    "self.np_random when the dice are thrown"
)
_UNSEEDED = (
    "two clones seeded alike went different ways, so its dice come from something that clones share, where a "
    "search would change them, or from the operating system; draw them from self.np_random. Where you know "
    "that they come from the operating system (os.urandom, secrets, random.SystemRandom, a new default_rng() "
    "in each step), own_dice=True lets them be"
)


#: The cap on the time that passes, for environments that wait instead of computing: so many times the budget.
_WAITING = 3.0


@dataclass
class Foresight:
    """What trying the clones of an environment has shown.

    Attributes:
        reason: why samples cannot be trusted, in words; None where nothing was found.
        episodes: how many were begun.
        steps: how many steps of them were tried.
        timed_out: whether time ran out before all were.
        parted: whether episodes that looked alike parted, so that something random decides.
        own_dice: whether clones seeded differently parted.
    """

    reason: str | None = None
    episodes: int = 0
    steps: int = 0
    timed_out: bool = False
    parted: bool = False
    own_dice: bool = False

    @property
    def settled(self) -> bool:
        """Whether what was seen is enough to decide."""
        return self.reason is not None or self.own_dice or not self.timed_out


def refuse_foreseen(
    env: AnyEnv, name: str, mask: Mask | None = None, own_dice: bool = False
) -> Foresight | None:
    """What a few short episodes show; None where the environment cannot be stepped.

    Raises `UnsupportedGameError` where they show that a search would foresee the dice, and where an episode
    cannot be cloned once it has begun.
    """
    try:
        found = foreseen(env, name, episodes=8, steps=10, seconds=1.0, mask=mask, own_dice=own_dice)
    except UnsupportedGameError:
        raise
    except Exception:  # an environment that cannot be stepped says so to whoever plays it
        return None
    if found.reason is not None:
        raise UnsupportedGameError(f"{name} cannot be sampled: {found.reason}")
    return found


def foreseen(
    env: AnyEnv,
    name: str,
    *,
    episodes: int,
    steps: int,
    seconds: float,
    mask: Mask | None = None,
    own_dice: bool = False,
) -> Foresight:
    """Whether samples of an environment can be trusted.

    Plays `steps` steps of so many episodes on clones, those that look alike so far with the same actions. If
    such episodes part, something random decides. Then clones of one of them that are seeded differently must
    part as well, at some time, or else what decides is stored in the environment. Clones that are seeded
    alike must not part, unless the environment has `own_dice`, which no seed decides.

    `seconds` are the processor's, so that the verdict does not hang on what else the machine does. Where they
    run out, what was seen until then decides.
    """
    found = Foresight()

    def actions(at: After) -> list[int]:
        return [] if at.over else legal_actions(at.env, at.observation, at.info, mask, name)

    found.reason = _try((env, name), found, _Budget(seconds), episodes, steps, actions, own_dice)
    return found


class _Budget:
    """Processor time of this thread, with a cap on the time that passes."""

    def __init__(self, seconds: float) -> None:
        self._computed = time.thread_time() + seconds
        self._passed = time.perf_counter() + _WAITING * seconds

    def spent(self) -> bool:
        return time.thread_time() > self._computed or time.perf_counter() > self._passed


def _try(
    played: tuple[AnyEnv, str],
    found: Foresight,
    budget: _Budget,
    episodes: int,
    steps: int,
    actions: Callable[[After], list[int]],
    unseeded: bool,
) -> str | None:
    """Why samples cannot be trusted, noting in `found` what is seen."""
    env, name = played
    draw = random.Random(1)
    begun = [advance(env, None, 0, name)]
    found.episodes = 1
    if not unseeded and not _equal(begun[0], advance(env, None, 0, name)):
        return _UNSEEDED
    while len(begun) < episodes and not budget.spent():
        begun.append(advance(env, None, len(begun), name))
    found.episodes = len(begun)
    groups: list[list[After]] = []
    beginnings = 0
    for _ in range(steps):
        following = []
        first = None
        if not groups:  # at first, and where all are over: every first action in turn
            groups, first, beginnings = _alike(begun), beginnings, beginnings + 1
        for group in groups:
            legal = actions(group[0])
            if not legal:
                continue
            action = draw.choice(legal) if first is None else legal[first % len(legal)]
            went: list[After] = []
            for at in group:
                found.timed_out = found.timed_out or budget.spent()
                if found.timed_out:
                    break
                seed = draw.getrandbits(62)
                after = advance(at.env, action, seed, name)
                if not unseeded and not _equal(after, advance(at.env, action, seed, name)):
                    return _UNSEEDED
                found.own_dice |= not _equal(after, advance(at.env, action, seed + 1, name))
                found.steps += 1
                went.append(after)
            parted = _alike(went)
            found.parted |= len(parted) > 1
            following += parted
        if found.timed_out:
            break
        groups = following
    return _FORESEEN if found.parted and not found.own_dice else None


def _alike(episodes: list[After]) -> list[list[After]]:
    """The episodes in groups of equal observation, reward and end."""
    groups: list[list[After]] = []
    for at in episodes:
        group = next((group for group in groups if _equal(group[0], at)), None)
        if group is None:
            groups.append([at])
        else:
            group.append(at)
    return groups


def _equal(one: After, two: After) -> bool:
    seen, other = ((at.observation, at.reward, at.over) for at in (one, two))
    return data_equivalence(seen, other) or repr(seen) == repr(other)  # NaN is not equal to itself
