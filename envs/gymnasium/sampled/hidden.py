"""Hidden state: what an environment keeps, does not show, and lets decide what comes.

A search on clones sees it. It is found where episodes that look alike go on differently: by a statistical
test, as their dice differ anyhow. A first sample of continuations names a suspect: an episode, a part of what
is seen, and the outcomes that this episode shows more often than the others. A second sample, of fresh dice,
is the test: in a two by two table (this episode or another, such an outcome or not) Fisher's exact test says
how likely so great an excess is, were the episodes alike. As the second sample knows nothing of the first,
that probability is exact, whatever the outcomes and their distribution.
"""

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

from starspiel.envs.errors import StarspielError, did_you_mean, shown
from starspiel.envs.gymnasium.sampled.clone import AnyEnv
from starspiel.envs.gymnasium.sampled.situations import Budget, Extent, Seen, Trial, Walk
from starspiel.envs.gymnasium.sampled.visible import View

#: What can be done about hidden state: the values of `hidden`.
WAYS = ("warn", "redraw", "seen", "refuse")

#: The probability that a whole look finds hidden state where there is none, at most.
ERROR_RATE = 1e-4
#: Tests of one look, at most; each may err with `ERROR_RATE` divided by this.
_TESTS = 1000
#: Continuations of an episode in the first sample, and episodes of a situation that are continued.
_TRIES, _MEMBERS = 6, 8
#: Continuations on each side of a test, and how unlikely their difference must be for the next, larger one.
#: The first only saves the time for suspicions that a few continuations dispel.
_SAMPLES = ((8, 0.5), (32, 1e-2), (64, 1e-2), (128, 0.0))
#: How far the first sample must stand out, in standard deviations, for a test to be made.
_SUSPECT = 2.0


@dataclass
class Hidden:
    """What a look for hidden state found.

    Attributes:
        reason: what was found, in words; None where nothing was.
        episodes, steps: episodes begun and steps of clones.
        compared: situations, each with an action, whose episodes were compared; where it is 0 no two
            episodes looked alike, and nothing is known.
        tests: exact tests made of these.
        timed_out: whether time ran out.
    """

    reason: str | None = None
    episodes: int = 0
    steps: int = 0
    compared: int = 0
    tests: int = 0
    timed_out: bool = False


def check_way(way: object) -> str:
    """The value of `hidden`. Raises StarspielError where it is none of `WAYS`."""
    if not isinstance(way, str) or way not in WAYS:
        hint = did_you_mean(way, WAYS) if isinstance(way, str) else f" Known: {', '.join(WAYS)}."
        raise StarspielError(f"hidden must be {', '.join(WAYS[:-1])} or {WAYS[-1]}, got {shown(way)}.{hint}")
    return way


def find_hidden(env: AnyEnv, view: View, *, episodes: int, steps: int, seconds: float) -> Hidden:
    """Whether episodes that look alike go on differently, looked for in `steps` steps of so many episodes.

    It says so of an environment without hidden state with a probability of at most `ERROR_RATE`. `seconds`
    are the processor's. What it does not find may still be there.
    """
    found = Hidden()
    extent = Extent(episodes, least=2, members=_MEMBERS, tries=_TRIES)
    walk = Walk(env, view, Budget(seconds), extent, again=lambda trial: any(_telling_parts(trial)))
    for trial in walk.trials(steps):
        found.compared += 1
        suspect = _suspect(trial)
        if suspect is not None and _differs(walk, trial, suspect, found):
            found.reason = (
                f"episodes that had looked alike went on differently in step {trial.step}, by action "
                f"{trial.action}: {suspect.part} differed in distribution under fresh dice"
            )
            break
        if found.tests >= _TESTS:
            break
    found.episodes, found.steps, found.timed_out = walk.begun, walk.steps, walk.timed_out
    return found


@dataclass(frozen=True)
class _Suspect:
    """An episode of a trial that seems to show some outcomes more often than the others.

    Attributes:
        member: its number.
        part: which part of what is seen.
        outcomes: those outcomes.
    """

    member: int
    part: str
    outcomes: frozenset[Hashable]

    def count(self, seen: Sequence[Seen]) -> int:
        return sum(one.get(self.part) in self.outcomes for one in seen)


def _suspect(trial: Trial) -> _Suspect | None:
    """The one that stands out most in the first sample; None where none does."""
    best, worst = None, _SUSPECT
    for part in _telling_parts(trial):
        for number, member in enumerate(trial.seen):
            rest = [seen for other, many in enumerate(trial.seen) if other != number for seen in many]
            suspect = _Suspect(number, part, _more_often(part, member, rest))
            distance = _distance(suspect.count(member), len(member), suspect.count(rest), len(rest))
            if distance > worst:
                best, worst = suspect, distance
    return best


def _telling_parts(trial: Trial) -> Iterator[str]:
    """Those that some of the outcomes, and not all, have in common; of others nothing can be told."""
    for part in trial.seen[0][0]:
        outcomes = [seen.get(part) for member in trial.seen for seen in member]
        if 1 < len(set(outcomes)) < len(outcomes):
            yield part


def _more_often(part: str, these: Sequence[Seen], others: Sequence[Seen]) -> frozenset[Hashable]:
    """The outcomes that are a greater share of `these` than of `others`."""
    ours, theirs = [seen.get(part) for seen in these], [seen.get(part) for seen in others]
    return frozenset(
        outcome
        for outcome in set(ours)
        if ours.count(outcome) * len(theirs) > theirs.count(outcome) * len(ours)
    )


def _distance(hits: int, size: int, other_hits: int, other_size: int) -> float:
    """How many standard deviations two shares lie apart."""
    pooled = (hits + other_hits) / (size + other_size)
    deviation = math.sqrt(pooled * (1 - pooled) * (1 / size + 1 / other_size))
    return (hits / size - other_hits / other_size) / deviation if deviation else 0.0


def _differs(walk: Walk, trial: Trial, suspect: _Suspect, found: Hidden) -> bool:
    """Whether fresh continuations confirm a suspicion."""
    others = [at for number, at in enumerate(trial.members[: len(trial.seen)]) if number != suspect.member]
    for size, nearly in _SAMPLES:
        if found.tests >= _TESTS:
            return False
        these = walk.more(trial.members[suspect.member], trial.action, size)
        those = [
            seen
            for number, at in enumerate(others)
            for seen in walk.more(at, trial.action, len(range(number, size, len(others))))
        ]
        if len(these) < size or len(those) < size:
            return False  # time ran out
        found.tests += 1
        chance = fisher(suspect.count(these), size, suspect.count(those), size)
        if chance <= ERROR_RATE / _TESTS:
            return True
        if chance > nearly:
            return False
    return False


def fisher(hits: int, size: int, other_hits: int, other_size: int) -> float:
    """Fisher's exact test, one-sided: how likely so many of all hits, or more, fall on the first side.

    R. A. Fisher, The Design of Experiments (1935), chapter 2.
    """
    everything, all_hits = size + other_size, hits + other_hits
    ways = sum(
        math.comb(size, count) * math.comb(other_size, all_hits - count)
        for count in range(hits, min(size, all_hits) + 1)
    )
    return ways / math.comb(everything, all_hits)
