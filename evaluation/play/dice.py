"""Provides keyed dice: every chance event has its own key, so that the games of a pair share their luck.

The key of an event is (tournament seed, pair, who caused it, that player's turn number, event within the
turn). "The n-th draw of a seeded stream" is not enough: once one game of a pair has one roll more than the
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
#: The causer of chance events before the first move.
NOBODYS = -1


def new_key() -> str:
    """Returns a random secret of 128 bits, as 32 hexadecimal digits."""
    return secrets.token_hex(16)


def number_of_key(key: str) -> int:
    """Returns the 62-bit number that stands for a key until it is published; it does not reveal the key."""
    return int.from_bytes(blake2b(b"starspiel key " + key.encode(), digest_size=8).digest(), "little") >> 2


def derived_seed(*parts: object) -> int:
    """Returns a seed in [1, 2^31) from parts whose `str` is stable; different parts give unrelated seeds."""
    return seed_of(encoded(*parts))


def seed_of(key: bytes) -> int:
    """Returns the `derived_seed` of parts that are already encoded; encodings can be concatenated."""
    return int.from_bytes(blake2b(key, digest_size=8).digest(), "little") % (2**31 - 1) + 1


def content_key(*parts: object) -> str:
    """Returns a hash of the parts, as 16 hexadecimal digits."""
    return key_of(encoded(*parts))


def key_of(parts: bytes) -> str:
    """Returns the `content_key` of parts that are already encoded."""
    return blake2b(parts, digest_size=8).hexdigest()


def encoded(*parts: object) -> bytes:
    """Encodes the parts as bytes; length prefixes distinguish ("ab", "c") from ("a", "bc")."""
    texts = [str(part).encode() for part in parts]
    return b"".join([b"%d:%s" % (len(text), text) for text in texts])


def meeting_key(secret: str | int, game: str, names: Iterable[str], kind: str = "") -> bytes:
    """Encodes what determines all games of a meeting: the key or seed, the game, and the agents' names.

    Names are in the order of `least_rotation`. In one-player games there are none: all agents share their
    dice. `kind` gives separate evidence, such as a sequential test, other dice than a tournament of fixed
    length with the same seed.
    """
    return encoded(secret, game, *names, *([kind] if kind else []))


def game_key(
    meeting: bytes, number: int, start: Sequence[int], *, again: bool = False, attempt: int = 0
) -> bytes:
    """Encodes what determines a pair's games; `again` after a void one, `attempt` after aborted ones."""
    key = meeting + encoded(number, *start) + (encoded("again") if again else b"")
    return key + (encoded("attempt", attempt) if attempt else b"")


def game_dice(key: bytes, own: Sequence[str] = ()) -> "Dice":
    """Returns the dice of a game: common to its pair, or its own if `own` has the agents' names by seat."""
    return Dice.of(_DICE + key + (encoded("own", *own) if own else b""))


def bot_seed(key: bytes, seat: bytes) -> int:
    """Returns the seed of the bot at a seat of a game; `seat` encodes the seat and its agent's name."""
    return seed_of(_BOT + key + seat)


_BOT, _DICE = encoded("bot"), encoded("dice")


def outcome_at(outcomes: Sequence[tuple[int, float]], number: int) -> int:
    """Returns the outcome at which the cumulative probability exceeds number / 2^64, to 53 bits."""
    left = (number >> 11) * _SCALE
    last = outcomes[0][0]
    for outcome, probability in outcomes:
        if probability <= 0.0:
            continue
        last = outcome
        left -= probability
        if left < 0.0:
            break
    return last  # also if rounding errors leave the sum of probabilities below 1


class Dice:
    """The dice of one pair: `number(causer, turn, event)` is a pure function of the key."""

    __slots__ = ("_hash", "_numbers")

    def __init__(self, *key: object) -> None:
        self._begin(encoded(*key))

    @classmethod
    def of(cls, key: bytes) -> "Dice":
        """Returns the dice of a key that is already encoded."""
        dice = cls.__new__(cls)
        dice._begin(key)
        return dice

    def _begin(self, key: bytes) -> None:
        self._hash = blake2b(blake2b(key, digest_size=32).digest())
        self._numbers: dict[tuple[int, int], list[tuple[int, ...]]] = {}

    def eight_turns(self, causer: int, turn: int) -> list[tuple[int, ...]]:
        """Returns, for each event so far, a number below 2^64 for each of eight turns of `causer`.

        The turns begin at `turn` rounded down to a multiple of 8. (-1, 0) is the turn before the first move.
        `extend` adds the next event.
        """
        key = causer, turn >> 3
        return self._numbers.get(key) or self.extend([], causer, turn)

    def extend(self, numbers: list[tuple[int, ...]], causer: int, turn: int) -> list[tuple[int, ...]]:
        """Adds the numbers of the next event, one BLAKE2b digest, to a list of `eight_turns`; returns it."""
        digest = self._hash.copy()
        digest.update(_EVENT.pack(causer, turn >> 3, len(numbers)))
        numbers.append(_LANES.unpack(digest.digest()))
        self._numbers[causer, turn >> 3] = numbers
        return numbers

    def number(self, causer: int, turn: int, event: int) -> int:
        """Returns a number below 2^64 for the `event`-th event of seat `causer`'s `turn`-th turn."""
        numbers = self.eight_turns(causer, turn)
        while event >= len(numbers):
            self.extend(numbers, causer, turn)
        return numbers[event][turn & 7]

    def uniform(self, causer: int, turn: int, event: int) -> float:
        """Returns the number of this event scaled to [0, 1)."""
        return (self.number(causer, turn, event) >> 11) * _SCALE


class Rolls:
    """The dice of a game in progress: tracks whose turn it is, and how many events it has had."""

    def __init__(self, dice: Dice) -> None:
        self._dice = dice
        self._turns: dict[int, int] = {}
        self._causer, self._turn, self._event = NOBODYS, 0, 0

    def turn_of(self, player: int) -> None:
        """Notes that `player` is to move: a new turn begins if another player moved last."""
        if player != self._causer:
            turn = self._turns[player] = self._turns.get(player, 0) + 1
            self._causer, self._turn, self._event = player, turn, 0

    def throw(self, outcomes: Sequence[tuple[int, float]]) -> int:
        """Returns the outcome of the next chance event of this turn."""
        number = self._dice.number(self._causer, self._turn, self._event)
        self._event += 1
        return outcome_at(outcomes, number)
