"""Keyed dice: every chance event has its own key, so the games of a pair share their luck.

The key of an event is (tournament seed, pair, who caused it, that player's turn number, event within the
turn). "The n-th draw of a seeded stream" is not enough: once one game of a pair holds a roll more than the
other, the streams are out of step and share nothing. With keys, seat 0's third turn starts with the same roll
in both games of a pair, whatever happened before.
"""

from collections.abc import Sequence
from hashlib import blake2b
from struct import Struct

_EVENT = Struct("<iqq")
_LANES = Struct("<8Q")
_SCALE = 2.0**-53


def derived_seed(*parts: object) -> int:
    """A seed in [1, 2^31) from any parts whose `str` is stable; different parts give unrelated seeds."""
    return seed_of(encoded(*parts))


def seed_of(key: bytes) -> int:
    """`derived_seed` of parts that are encoded already; encodings can be joined."""
    return int.from_bytes(blake2b(key, digest_size=8).digest(), "little") % (2**31 - 1) + 1


def content_key(*parts: object) -> str:
    """A 16-digit name for what the parts say; equal parts have equal names."""
    return blake2b(encoded(*parts), digest_size=8).hexdigest()


def encoded(*parts: object) -> bytes:
    """The parts as bytes; length prefixes keep ("ab", "c") apart from ("a", "bc")."""
    texts = [str(part).encode() for part in parts]
    return b"".join([b"%d:%s" % (len(text), text) for text in texts])


class Dice:
    """The dice of one pair: `uniform(causer, turn, event)` is a pure function of the key.

    One BLAKE2b digest gives the same event of eight consecutive turns, 64 bits each.
    """

    __slots__ = ("_blocks", "_hash")

    def __init__(self, *key: object) -> None:
        self._hash = blake2b(blake2b(encoded(*key), digest_size=32).digest())
        self._blocks: dict[tuple[int, int, int], tuple[int, ...]] = {}

    def uniform(self, causer: int, turn: int, event: int) -> float:
        """A number in [0, 1) for the `event`-th event of seat `causer`'s `turn`-th turn (-1: nobody's)."""
        block = (causer, turn >> 3, event)
        lanes = self._blocks.get(block) or self._fill(block)
        return (lanes[turn & 7] >> 11) * _SCALE

    def roll(self, outcomes: Sequence[tuple[int, float]], causer: int, turn: int, event: int) -> int:
        """The outcome where the cumulated probabilities pass `uniform(causer, turn, event)`."""
        block = (causer, turn >> 3, event)
        lanes = self._blocks.get(block) or self._fill(block)
        left = (lanes[turn & 7] >> 11) * _SCALE
        for outcome, probability in outcomes:
            left -= probability
            if left < 0.0:
                return outcome
        return outcomes[-1][0]  # the probabilities fell short of 1 by a rounding error

    def _fill(self, block: tuple[int, int, int]) -> tuple[int, ...]:
        digest = self._hash.copy()
        digest.update(_EVENT.pack(*block))
        lanes = self._blocks[block] = _LANES.unpack(digest.digest())
        return lanes
