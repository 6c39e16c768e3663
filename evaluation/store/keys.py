"""What pairs are found by again: hashes of everything that determines their games."""

from collections.abc import Iterable, Iterator

from starspiel.evaluation.environment import versions
from starspiel.evaluation.job import Job
from starspiel.evaluation.play.dice import content_key, encoded, key_of
from starspiel.evaluation.play.pairing import Pair


def context_id(job: Job) -> str:
    """A hash of what all pairs of a job have in common."""
    numbers = (f"{name} {number}" for name, number in versions().items())
    return content_key(*numbers, job.game_identity, job.seed)


def pair_ids(job: Job, pairs: Iterable[Pair]) -> Iterator[str]:
    """A hash of everything that determines the games of a pair, for each."""
    context = context_id(job)
    # Overruns are counted while a game is played, so another clock makes it another game.
    more = [] if job.clock is None else [f"clock {job.clock}"]
    if job.sequential:  # A match that its own results have ended is not to be pooled with others.
        more.append("sprt")
    meetings: dict[tuple[int, ...], bytes] = {}
    for pair in pairs:
        key = meetings.get(pair.agents)
        if key is None:
            agents = sorted((job.field[agent].name, job.identities[agent]) for agent in pair.agents)
            dice = () if job.shares_dice(pair.agents) else ("own dice",)
            key = meetings[pair.agents] = encoded(
                context, *(text for agent in agents for text in agent), *dice
            )
        yield key_of(key + encoded(pair.number, *job.starts[pair.start], *more))
