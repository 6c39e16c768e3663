"""What pairs are found by again: hashes of everything that determines their games."""

from collections.abc import Iterable, Iterator

from starspiel.evaluation.environment import versions
from starspiel.evaluation.job import Job
from starspiel.evaluation.play.dice import content_key, encoded, key_of
from starspiel.evaluation.play.pairing import Pair


def context_id(job: Job) -> str:
    """A hash of what all pairs of a job have in common."""
    return context_of(job.game_identity, job.seed)


def context_of(game_identity: str, seed: int) -> str:
    """A hash of what all pairs of a game and a seed have in common."""
    numbers = (f"{name} {number}" for name, number in versions().items())
    return content_key(*numbers, game_identity, seed)


def pair_ids(job: Job, pairs: Iterable[Pair]) -> Iterator[str]:
    """A hash of everything that determines the games of a pair, for each."""
    context = context_id(job)
    meetings: dict[tuple[int, ...], bytes] = {}
    for pair in pairs:
        meeting = meetings.get(pair.agents)
        if meeting is None:
            agents = ((job.names[agent], job.identities[agent]) for agent in pair.agents)
            own_dice = not job.shares_dice(pair.agents)
            meeting = meetings[pair.agents] = meeting_of(context, agents, own_dice=own_dice)
        yield pair_id(meeting, pair.number, job.starts[pair.start], job.clock, job.kind)


def meeting_of(context: str, agents: Iterable[tuple[str, str]], *, own_dice: bool) -> bytes:
    """What the pairs of a meeting have in common; the agents are (name, identity)."""
    texts = (text for agent in sorted(agents) for text in agent)
    return encoded(context, *texts, *(("own dice",) if own_dice else ()))


def pair_id(meeting: bytes, number: int, start: Iterable[int], clock: float | None, kind: str) -> str:
    """The hash of a pair of a meeting.

    Overruns are counted while a game is played, so another clock makes it another game.
    """
    more = ([] if clock is None else [f"clock {clock}"]) + ([kind] if kind else [])
    return key_of(meeting + encoded(number, *start, *more))
