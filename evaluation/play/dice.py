"""Keyed dice: every chance event has its own key, so the games of a pair share their luck.

The key of an event is (tournament seed, pair, who caused it, that player's turn number, event within the
turn). "The n-th draw of a seeded stream" is not enough: once one game of a pair holds a roll more than the
other, the streams are out of step and share nothing. With keys, seat 0's third turn starts with the same roll
in both games of a pair, whatever happened before.
"""

import secrets
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from struct import Struct

_EVENT = Struct("<iqq")
_LANES = Struct("<8Q")
_SCALE = 2.0**-53
#: Who causes the dice before the first move.
NOBODYS = -1


def new_key() -> str:
    """A secret of 128 bits, as 32 hexadecimal digits."""
    return secrets.token_hex(16)


def number_of_key(key: str) -> int:
    """The 62-bit number that a key goes by before it is published: the key cannot be computed from it."""
    return int.from_bytes(blake2b(b"starspiel key " + key.encode(), digest_size=8).digest(), "little") >> 2


def derived_seed(*parts: object) -> int:
    """A seed in [1, 2^31) from any parts whose `str` is stable; different parts give unrelated seeds."""
    return seed_of(encoded(*parts))


def seed_of(key: bytes) -> int:
    """`derived_seed` of parts that are encoded already; encodings can be joined."""
    return int.from_bytes(blake2b(key, digest_size=8).digest(), "little") % (2**31 - 1) + 1


def content_key(*parts: object) -> str:
    """A 16-digit name for what the parts say; equal parts have equal names."""
    return key_of(encoded(*parts))


def key_of(parts: bytes) -> str:
    """`content_key` of parts that are encoded already."""
    return blake2b(parts, digest_size=8).hexdigest()


def encoded(*parts: object) -> bytes:
    """The parts as bytes; length prefixes keep ("ab", "c") apart from ("a", "bc")."""
    texts = [str(part).encode() for part in parts]
    return b"".join([b"%d:%s" % (len(text), text) for text in texts])


def meeting_key(secret: str | int, game: str, names: Iterable[str], kind: str = "") -> bytes:
    """What all games of a meeting come from: the key or the seed, the game, and the agents' names, by seat in
    the first of all rotations.

    In one-player games there are no names: all agents share their dice. `kind` gives what is evidence of its
    own, such as a sequential test, other dice than a tournament of fixed length by the same seed.
    """
    return encoded(secret, game, *names, *([kind] if kind else []))


def game_key(
    meeting: bytes, number: int, start: Sequence[int], *, again: bool = False, attempt: int = 0
) -> bytes:
    """What the games of a pair come from; `again` after a void one, `attempt` after those broken off."""
    key = meeting + encoded(number, *start) + (encoded("again") if again else b"")
    return key + (encoded("attempt", attempt) if attempt else b"")


def game_dice(key: bytes, own: Sequence[str] = ()) -> "Dice":
    """The dice of a game: common to its pair, or its own by the agents' names in the order of their seats."""
    return Dice.of(_DICE + key + (encoded("own", *own) if own else b""))


def bot_seed(key: bytes, seat: bytes) -> int:
    """The seed of the bot at a seat of a game; `seat` is the seat and its agent's name, encoded."""
    return seed_of(_BOT + key + seat)


_BOT, _DICE = encoded("bot"), encoded("dice")


def outcome_at(outcomes: Sequence[tuple[int, float]], number: int) -> int:
    """The outcome at which the cumulated probabilities pass number / 2^64, to 53 bits."""
    left = (number >> 11) * _SCALE
    last = outcomes[0][0]
    for outcome, probability in outcomes:
        if probability <= 0.0:
            continue
        last = outcome
        left -= probability
        if left < 0.0:
            break
    return last  # even if the probabilities fell short of 1 by a rounding error


class Dice:
    """The dice of one pair: `number(causer, turn, event)` is a pure function of the key."""

    __slots__ = ("_hash", "_numbers")

    def __init__(self, *key: object) -> None:
        self._begin(encoded(*key))

    @classmethod
    def of(cls, key: bytes) -> "Dice":
        """The dice of a key that is encoded already."""
        dice = cls.__new__(cls)
        dice._begin(key)
        return dice

    def _begin(self, key: bytes) -> None:
        self._hash = blake2b(blake2b(key, digest_size=32).digest())
        self._numbers: dict[tuple[int, int], list[tuple[int, ...]]] = {}

    def eight_turns(self, causer: int, turn: int) -> list[tuple[int, ...]]:
        """By event, as far as asked for: a number below 2^64 for each of eight turns of `causer`.

        The turns are those from `turn` rounded down to a multiple of 8; (-1, 0) is nobody's. `extend` adds
        the next event.
        """
        key = causer, turn >> 3
        return self._numbers.get(key) or self.extend([], causer, turn)

    def extend(self, numbers: list[tuple[int, ...]], causer: int, turn: int) -> list[tuple[int, ...]]:
        """`numbers`, an answer of `eight_turns`, with those of the next event added: one BLAKE2b digest."""
        digest = self._hash.copy()
        digest.update(_EVENT.pack(causer, turn >> 3, len(numbers)))
        numbers.append(_LANES.unpack(digest.digest()))
        self._numbers[causer, turn >> 3] = numbers
        return numbers

    def number(self, causer: int, turn: int, event: int) -> int:
        """A number below 2^64 for the `event`-th event of seat `causer`'s `turn`-th turn."""
        numbers = self.eight_turns(causer, turn)
        while event >= len(numbers):
            self.extend(numbers, causer, turn)
        return numbers[event][turn & 7]

    def uniform(self, causer: int, turn: int, event: int) -> float:
        """The same as a number in [0, 1)."""
        return (self.number(causer, turn, event) >> 11) * _SCALE


class Rolls:
    """The dice of a game as it goes on: whose turn they belong to, and how many were thrown in it."""

    def __init__(self, dice: Dice) -> None:
        self._dice = dice
        self._turns: dict[int, int] = {}
        self._causer, self._turn, self._event = NOBODYS, 0, 0

    def turn_of(self, player: int) -> None:
        """`player` is to move: a turn begins, unless it is under way."""
        if player != self._causer:
            turn = self._turns[player] = self._turns.get(player, 0) + 1
            self._causer, self._turn, self._event = player, turn, 0

    def throw(self, outcomes: Sequence[tuple[int, float]]) -> int:
        """The next outcome."""
        number = self._dice.number(self._causer, self._turn, self._event)
        self._event += 1
        return outcome_at(outcomes, number)
