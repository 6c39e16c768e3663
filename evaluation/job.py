"""Provides `Job`: everything that determines the games of a tournament (names, identities, seeds, dice)."""

import dataclasses
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from starspiel.envs.base import Game
from starspiel.envs.named import canonical_name
from starspiel.evaluation.contents import identity_of_game
from starspiel.evaluation.environment import versions
from starspiel.evaluation.play.dice import (
    Dice,
    bot_seed,
    content_key,
    encoded,
    game_dice,
    game_key,
    key_of,
    meeting_key,
)
from starspiel.evaluation.play.pairing import Pair, least_rotation


class Meeting(NamedTuple):
    """The start position, key and dice of a game of a pair."""

    start: tuple[int, ...]
    key: bytes
    dice: Dice


@dataclass(frozen=True)
class Job:
    """The agents, game and seeds of a tournament. A `Referee` makes the agents.

    Attributes:
        names: the agents' names.
        identities: the agents' identities in a store.
        foreign: the indices of external agents, whose code is neither ours nor OpenSpiel's.
        seed: the seed of the dice and the agents; with a `key`, the number that stands for the key.
        starts: the start positions, as histories; `Pair.start` is an index into them.
        luck_identity: identity of the luck evaluator; None without one.
        clock: seconds per move, CPU or wall-clock, beyond which a move counts as an overrun, or None.
        kind: "sprt" if a sequential test may end it, "ladder", or "". Games of different kinds must not be
            pooled, so the kind is part of their ids and dice.
        key: a secret that dice and seeds are derived from instead of the seed, or None.
        common_dice: whether external agents, too, play both games of a pair on the same dice: see
            `shares_dice`.
    """

    game: Game
    names: tuple[str, ...]
    identities: tuple[str, ...]
    foreign: frozenset[int]
    seed: int
    starts: tuple[tuple[int, ...], ...] = ((),)
    luck_identity: str | None = None
    clock: float | None = None
    kind: str = ""
    key: str | None = dataclasses.field(default=None, repr=False)
    common_dice: bool = False

    @cached_property
    def game_identity(self) -> str:
        """Identity of the game: its name, and hashes of its module or of the source of its rules."""
        return identity_of_game(self.game)

    @cached_property
    def context(self) -> str:
        """A hash of what all pairs of the job have in common."""
        return context_of(self.game_identity, self.seed)

    def pair_ids(self, pairs: Iterable[Pair]) -> Iterator[str]:
        """Yields for each pair a hash of everything that determines its games."""
        meetings: dict[tuple[int, ...], bytes] = {}
        for pair in pairs:
            if pair.agents not in meetings:
                agents = [(self.names[agent], self.identities[agent]) for agent in pair.agents]
                own_dice = not self.shares_dice(pair.agents)
                meetings[pair.agents] = meeting_of(self.context, agents, own_dice=own_dice)
            start = self.starts[pair.start]
            yield pair_id(meetings[pair.agents], pair.number, start, self.clock, self.kind)

    def with_other_dice(self) -> "Job":
        """Returns a copy of the job for trial games, whose dice are never used in the tournament itself."""
        return replace(self, key=f"trial {self.key or self.seed}")

    def shares_dice(self, agents: Iterable[int]) -> bool:
        """Returns whether the games of a pair between these agents share dice.

        External agents could remember the dice, so their games share none unless `common_dice` is set.
        """
        return self.common_dice or self.foreign.isdisjoint(agents)

    def seen_as(self, pair: Pair) -> str:
        """Returns a hash that identifies the dice of a pair under any clock and version; hides the key."""
        names = least_rotation([self.names[agent] for agent in pair.agents])
        dice = game_key(self._meeting_key(pair), pair.number, self.starts[pair.start])
        return key_of(encoded("seen", *names) + dice)

    def meeting(self, pair: Pair, seats: tuple[int, ...], *, again: bool = False) -> Meeting:
        """Returns start, key and dice of a game of a pair; `again` if an earlier attempt was void.

        Seeds depend on agents' names, not on their positions in the field, so agents play the same games
        in every field.
        """
        start = self.starts[pair.start]
        key = game_key(self._meeting_key(pair), pair.number, start, again=again, attempt=pair.attempt)
        own = () if self.shares_dice(seats) else [self.names[agent] for agent in seats]
        return Meeting(start, key, game_dice(key, own))

    def bot_seed(self, meeting: Meeting, seat: int, agent: int) -> int:
        """Returns the seed of an agent's bot in a seat of a game."""
        return bot_seed(meeting.key, encoded(seat, self.names[agent]))

    def _meeting_key(self, pair: Pair) -> bytes:
        meeting = self._meeting_keys.get(pair.agents)
        if meeting is None:
            own = [self.names[agent] for agent in pair.agents]
            names = least_rotation(own) if len(own) > 1 else ()
            meeting = self._meeting_keys[pair.agents] = meeting_key(
                self.key or self.seed, canonical_name(self.game), names, self.kind
            )
        return meeting

    @cached_property
    def _meeting_keys(self) -> dict[tuple[int, ...], bytes]:
        return {}


def context_of(game_identity: str, seed: int) -> str:
    """Returns a hash of what all pairs of a game and a seed have in common, including package versions."""
    numbers = (f"{name} {number}" for name, number in versions().items())
    return content_key(*numbers, game_identity, seed)


def meeting_of(context: str, agents: Iterable[tuple[str, str]], *, own_dice: bool) -> bytes:
    """Encodes what the pairs of a meeting have in common; agents are (name, identity) by seat."""
    texts = (text for agent in least_rotation(list(agents)) for text in agent)
    return encoded(context, *texts, *(("own dice",) if own_dice else ()))


def pair_id(meeting: bytes, number: int, start: Iterable[int], clock: float | None, kind: str) -> str:
    """Returns the hash of a pair of a meeting. It depends on the clock, which determines overruns."""
    more = ([] if clock is None else [f"clock {clock}"]) + ([kind] if kind else [])
    return key_of(meeting + encoded(number, *start, *more))
