"""Numbers the attempts at a pair, so that dice that an external agent may have seen are never reused.

An external agent could kill its referee and remember the dice. Each attempt is therefore counted before its
dice are thrown, and its number is part of their key.
"""

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from starspiel.envs.text import printable
from starspiel.evaluation.job import Job
from starspiel.evaluation.play.pairing import Pair

#: A function like `Attempts.begin`: counts an attempt at each of these pairs and returns them numbered.
Begin = Callable[[Sequence[Pair]], list[Pair]]


_LOGGER = logging.getLogger(__name__)


def say_what_is_begun_again(pairs: Sequence[Pair], names: Sequence[str]) -> None:
    """Logs a warning for each pair that was started before but not finished."""
    for pair in pairs:
        if pair.attempt:
            agents = " and ".join(printable(names[agent]) for agent in pair.agents)
            _LOGGER.warning(
                "starspiel: pair %d of %s was started before, and is played with new dice (attempt %d).",
                *(pair.number, agents, pair.attempt + 1),
            )


class Attempts:
    """The attempts of one run of a tournament that has no store."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._begun = Counter[str]()

    def begin(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Counts an attempt at each pair about to be played; returns the pairs with their attempt numbers.

        Pairs whose games share dice are returned unchanged: no external agent plays in them.
        """
        return [pair if self._job.shares_dice(pair.agents) else self._begin(pair) for pair in pairs]

    def _begin(self, pair: Pair) -> Pair:
        seen = self._job.seen_as(pair)
        self._begun[seen] += 1
        return replace(pair, attempt=self._begun[seen] - 1)
