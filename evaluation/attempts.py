"""Which dice a pair is played with: never again those that somebody else's agent may have seen.

Such an agent can cut a game short by ending its referee, and remember its dice. So each attempt at a pair of
its is counted before its dice are thrown, and the number of the attempt is part of their key.
"""

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from starspiel.envs.text import printable
from starspiel.evaluation.job import Job
from starspiel.evaluation.play.pairing import Pair

#: Numbers the attempts at pairs that are about to be played, and keeps them: what `Attempts.begin` does.
Begin = Callable[[Sequence[Pair]], list[Pair]]


_LOGGER = logging.getLogger(__name__)


def say_what_is_begun_again(pairs: Sequence[Pair], names: Sequence[str]) -> None:
    """Logs a line for each pair that was begun before and not finished."""
    for pair in pairs:
        if pair.attempt:
            agents = " and ".join(printable(names[agent]) for agent in pair.agents)
            _LOGGER.warning(
                "starspiel: pair %d of %s was begun before, and is played with other dice (attempt %d).",
                *(pair.number, agents, pair.attempt + 1),
            )


class Attempts:
    """The attempts of one run, for a tournament without a store."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._begun = Counter[str]()

    def begin(self, pairs: Sequence[Pair]) -> list[Pair]:
        """The pairs, about to be played, with the number of the attempt."""
        return [pair if self._job.shares_dice(pair.agents) else self._begin(pair) for pair in pairs]

    def _begin(self, pair: Pair) -> Pair:
        seen = self._job.seen_as(pair)
        self._begun[seen] += 1
        return replace(pair, attempt=self._begun[seen] - 1)
