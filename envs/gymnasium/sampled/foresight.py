"""Whether clones of an environment throw dice of their own, found out by stepping them.

Dice drawn in advance, or made from a seed and a counter, are copied with the environment, and seeding its
generators does not change them: an agent that searches on clones would foresee them. Every step is judged by
itself, so that dice thrown in one do not clear those stored for another.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import gymnasium

from starspiel.envs.errors import UnsupportedGameError
from starspiel.envs.gymnasium.sampled.clone import AnyEnv, advance
from starspiel.envs.gymnasium.sampled.outside import Outside
from starspiel.envs.gymnasium.sampled.situations import LOADING_SECONDS, Budget, Extent, Trial, Walk
from starspiel.envs.gymnasium.sampled.visible import View, told_in_info

_STORED = (
    "what it does next follows from what it has stored (dice drawn in advance, dice made from a seed and a "
    "counter, hidden cards, observations shown late) and not from a random generator, so an agent would "
    "foresee it; {cure}. Seen in {where}: {part} differed between {episodes} episodes that had looked alike, "
    "and never between clones of one of them"
)
_DRAW = "draw from self.np_random when the dice are thrown, or load it with hidden='redraw'"
_TOLD = (
    "here info[{key!r}] differed as well. If that shows what comes, the agent may know it: load it with "
    "hidden='seen' (hidden='redraw' heeds observations, rewards and legal actions alone, and would forget "
    "it). If not, " + _DRAW
)
_DELAYED = (
    "DelayObservation shows what was to be seen some steps ago, and a search on clones sees the present: "
    "that is hidden state, and no fault of its dice. Where the agent may know the present, give it the "
    "environment inside that wrapper, which every step of the wrapped one steps too, or load it with "
    "hidden='seen'; where it may not, hidden='redraw'"
)
_UNSEEDED = (
    "two clones seeded alike went different ways, so its dice come from something that clones share, where a "
    "search would change them, or from the operating system; draw them from self.np_random. Where you know "
    "that they come from the operating system (os.urandom, secrets, random.SystemRandom, a new default_rng() "
    "in each step), own_dice=True lets them be"
)

#: Episodes that must look alike before a step is judged, and the chance that thrown dice look stored.
_EPISODES, _CHANCE = 6, 1e-6
#: Continuations of each episode, and the episodes of a situation that are continued.
_TRIES, _MEMBERS = 4, 8


@dataclass
class Foresight:
    """What trying the clones of an environment has shown.

    Attributes:
        reason: why samples cannot be trusted, in words; None where nothing was found.
        stored: whether that is because dice are stored; other reasons concern what clones share.
        episodes: how many were begun.
        steps: how many steps of clones were tried.
        trials: situations, reached by more than one episode, in which an action was tried.
        timed_out: whether time ran out before all were.
    """

    reason: str | None = None
    stored: bool = False
    episodes: int = 0
    steps: int = 0
    trials: int = 0
    timed_out: bool = False

    @property
    def settled(self) -> bool:
        """Whether what was seen is enough to decide."""
        return self.reason is not None or self.trials > 0 or not self.timed_out


def refuse_foreseen(
    env: AnyEnv, view: View, *, allow_stored: bool = False, own_dice: bool = False
) -> Foresight | None:
    """What a few short episodes show; None where the environment cannot be stepped.

    Raises `UnsupportedGameError` where they show that a search would foresee the dice (unless `allow_stored`)
    or change them, and where an episode cannot be cloned once it has begun.
    """
    try:
        found = foreseen(env, view, episodes=48, steps=10, seconds=LOADING_SECONDS, own_dice=own_dice)
    except UnsupportedGameError:
        raise
    except Exception:  # an environment that cannot be stepped says so to whoever plays it
        return None
    if found.reason is not None and not (found.stored and allow_stored):
        raise UnsupportedGameError(f"{view.name} cannot be sampled: {found.reason}")
    return found


def foreseen(
    env: AnyEnv, view: View, *, episodes: int, steps: int, seconds: float, own_dice: bool = False
) -> Foresight:
    """Whether samples of an environment can be trusted.

    Plays `steps` steps of so many episodes on clones, those that look alike so far with the same actions. In
    each situation that at least `_EPISODES` of them reach, some are continued several times under fresh
    seeds. If a part of what is then seen (the observation, a number in it, the reward, the end) differs
    between episodes but never between continuations of one, it is stored. Thrown dice look so with a
    probability of at most `_CHANCE` a situation. Clones that are seeded alike must not part, unless the
    environment has `own_dice`, which no seed decides; and what they share with the environment must not
    decide.

    `seconds` are the processor's, so that the verdict does not hang on what else the machine does. Where they
    run out, what was seen until then decides.
    """
    found = Foresight()
    walk = Walk(
        env,
        view,
        Budget(seconds),
        Extent(episodes, least=_EPISODES, members=_MEMBERS, tries=_TRIES),
        again=lambda trial: False,  # what is stored is the same each time
        twice=not own_dice,
    )
    outside = Outside(env, view.name)
    try:
        found.reason = _changed_by_a_step(outside, view)
        for trial in walk.trials(steps if found.reason is None else 0):
            found.trials += 1
            found.reason = outside.changed() or outside.decides(_follow(trial, view))
            if found.reason is not None:
                break
            part = stored_part(trial)
            if part is not None:
                found.stored, found.reason = True, _stored(env, trial, part)
                break
        if walk.unseeded:
            found.reason, found.stored = outside.changed() or _UNSEEDED, False
    finally:
        outside.restore()
    found.episodes, found.steps, found.timed_out = walk.begun, walk.steps, walk.timed_out
    return found


def stored_part(trial: Trial) -> str | None:
    """The part of what follows that is stored in each episode; None where none is, or these are too few."""
    if len(trial.seen) < _EPISODES:
        return None
    for part in trial.seen[0][0]:
        outcomes = [{seen.get(part) for seen in member} for member in trial.seen]
        if all(len(outcome) == 1 for outcome in outcomes):
            chance = chance_of_agreement([outcome.pop() for outcome in outcomes], len(trial.seen[0]))
            if chance <= _CHANCE:
                return part
    return None


def chance_of_agreement(outcomes: Sequence[Hashable], tries: int) -> float:
    """The probability that thrown dice agree within every episode, given all that was thrown.

    `outcomes` has each episode's, which all its `tries` continuations show. If dice were thrown, any order of
    all these results over the continuations would be as likely as any other (a permutation test).
    """

    def orders(times: int) -> float:
        counts = [times * count for count in Counter(outcomes).values()]
        return math.lgamma(sum(counts) + 1) - sum(math.lgamma(count + 1) for count in counts)

    return math.exp(orders(1) - orders(tries))


def _stored(env: AnyEnv, trial: Trial, part: str) -> str:
    """What is wrong with dice that are stored, and what to do."""
    if _is_delayed(env):
        return _DELAYED
    told = told_in_info(trial.members, [seen[0][part] for seen in trial.seen])
    cure = _DRAW if told is None else _TOLD.format(key=told)
    where = f"step {trial.step}, action {trial.action}"
    return _STORED.format(where=where, part=part, episodes=len(trial.seen), cure=cure)


def _is_delayed(env: AnyEnv) -> bool:
    while isinstance(env, gymnasium.Wrapper) and not isinstance(env, gymnasium.wrappers.DelayObservation):
        env = env.env
    return isinstance(env, gymnasium.Wrapper)


def _changed_by_a_step(outside: Outside, view: View) -> str | None:
    """As `Outside.changed`, after a first step by some of the actions."""
    if outside.begun is not None:
        for action in view.legal_actions(outside.begun)[:_MEMBERS]:
            advance(outside.begun.env, action, 1, view.name)
    return outside.changed()


def _follow(trial: Trial, view: View) -> Callable[[int], Hashable]:
    """What is seen after the action of a trial under a seed."""
    return lambda seed: view.whole(advance(trial.members[0].env, trial.action, seed, view.name))
