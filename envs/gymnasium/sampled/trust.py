"""Tests by statistics on clones whether samples of an environment can be trusted.

A clone must throw its own dice. Clones with the same seed must behave alike; otherwise they share something.
Clones with different seeds must differ wherever episodes do; otherwise the dice are stored, and an agent
would foresee them. Episodes that look alike must continue alike in distribution; otherwise hidden state
decides what follows, and a search on clones sees it.
"""

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from starspiel.envs.errors import shown
from starspiel.envs.gymnasium.budget import Budget
from starspiel.envs.gymnasium.cloning.copying import AnyEnv
from starspiel.envs.gymnasium.numbering import as_stepped
from starspiel.envs.gymnasium.sampled.differences import TESTS, differing_part, fisher
from starspiel.envs.gymnasium.sampled.trials import Trial, Walk
from starspiel.envs.gymnasium.sampled.visible import View

_STORED = (
    "what it does next follows from what it has stored (dice drawn in advance, dice made from a seed and a "
    "counter, hidden cards, observations shown late) and not from a random generator, so an agent would "
    "foresee it; draw from self.np_random when the dice are thrown. If it is no fault, load it with "
    "hidden='seen' if the agent may know what comes, as when info shows it, and else with hidden='redraw', "
    "which heeds observations, rewards and legal actions. Seen in step {step}, action {action}: {part} "
    "differed between {episodes} episodes that had looked alike, and never between clones of one of them"
)
_SHARED = (
    "what a step changes is outside the environment (in a class, a module, a function or an object that "
    "copies share), so a search would change the real game. Keep it in an attribute of self, set in reset, "
    "and draw from self.np_random"
)
_UNSEEDED = (
    f"two clones seeded alike went different ways, so its dice come from the operating system, or {_SHARED}. "
    "Only if you know that they come from the operating system (os.urandom, secrets, random.SystemRandom, a "
    "new default_rng() in each step), own_dice=True lets them be"
)
_DRIFTS = f"what clones of one situation showed depended on how many had been stepped before, so {_SHARED}"

#: The least number of episodes that look alike for dice to count as stored, and the error probability.
_EPISODES, _CHANCE = 6, 1e-6
#: The number of earlier, and of later, continuations of a clone that must not drift, and of steps tested.
_DRIFT, _DRIFT_STEPS = 16, 3


@dataclass
class Trust:
    """The findings about an environment's clones: reasons in words, or None if nothing was found.

    Attributes:
        shared: why a search would change the real game.
        stored: why a search would foresee the dice.
        hidden: what shows that there is hidden state.
        episodes, steps: the numbers of episodes started and of steps of clones tried.
        trials: the number of actions in situations that enough episodes reached to detect stored dice.
        compared: the number of actions in situations that two or more episodes reached. If it is 0, no two
            episodes looked alike.
        timed_out: whether time ran out.
    """

    shared: str | None = None
    stored: str | None = None
    hidden: str | None = None
    episodes: int = 0
    steps: int = 0
    trials: int = 0
    compared: int = 0
    timed_out: bool = False

    @property
    def settled(self) -> bool:
        """Whether enough was seen to decide whether dice are thrown."""
        return bool(self.shared or self.stored) or self.trials > 0 or not self.timed_out


def look(
    env: AnyEnv, view: View, *, episodes: int, steps: int, budget: Budget, own_dice: bool = False
) -> Trust:
    """Returns what `steps` steps of `episodes` episodes on clones show within the budget.

    Episodes that look alike take the same actions. Thrown dice are mistaken for stored dice with a
    probability of at most `_CHANCE` per situation. Hidden state is found where there is none with a
    probability of at most `ERROR_RATE` in total. With `own_dice`, which do not depend on seeds, clones with
    the same seed may differ.
    """
    found, tests = Trust(), iter(range(TESTS))
    walk = Walk(env, view, budget, twice=not own_dice)
    for trial in walk.trials(episodes, steps):
        if own_dice and trial.step <= _DRIFT_STEPS and _drifts(walk, trial):
            found.shared = _DRIFTS
            break
        if len(trial.seen) < 2:
            continue
        found.compared += 1
        found.trials += len(trial.seen) >= _EPISODES
        if (part := _stored_part(trial)) is not None:
            found.stored = _STORED.format(
                step=trial.step,
                action=shown(as_stepped(env, trial.action)),
                part=part,
                episodes=len(trial.seen),
            )
            break
        if found.hidden is None:
            part = differing_part(trial.seen, partial(walk.more_of, trial), tests)
            if part is not None:
                action = shown(as_stepped(env, trial.action))
                found.hidden = (
                    f"episodes that had looked alike went on differently in step {trial.step}, by action "
                    f"{action}: {part} differed in distribution under fresh dice"
                )
    if walk.unseeded:
        found.shared, found.stored = _UNSEEDED, None
    found.episodes, found.steps, found.timed_out = walk.begun, walk.steps, walk.timed_out
    return found


def _drifts(walk: Walk, trial: Trial) -> bool:
    """Returns whether later continuations of a clone show greater or smaller numbers than earlier ones."""
    seen = walk.more_of(trial, 0, 2 * _DRIFT)
    for part in seen[0] if len(seen) == 2 * _DRIFT else ():
        numbers: list[Any] = [one.get(part) for one in seen]
        if not all(isinstance(number, int | float) for number in numbers):
            continue
        middle = sorted(numbers)[_DRIFT]
        early, late = (sum(n >= middle for n in half) for half in (numbers[:_DRIFT], numbers[_DRIFT:]))
        if fisher(max(early, late), min(early, late), _DRIFT) <= _CHANCE:
            return True
    return False


def _stored_part(trial: Trial) -> str | None:
    """Returns a part of what follows that is stored in each episode; None if none is or episodes are few."""
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
    """Returns the probability that thrown dice agree within each episode, given all results.

    `outcomes` has one outcome per episode, which all its `tries` continuations showed. If dice were thrown,
    all orders of these results over the continuations would be equally likely (a permutation test).
    """

    def orders(times: int) -> float:
        counts = [times * count for count in Counter(outcomes).values()]
        return math.lgamma(sum(counts) + 1) - sum(math.lgamma(count + 1) for count in counts)

    return math.exp(orders(1) - orders(tries))
