"""What a game leaves behind: actions, returns, what each move cost, and why it ended early, if it did."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, fields
from hashlib import blake2b
from math import isnan, nan
from typing import NamedTuple

from starspiel.evaluation.play.pairing import Pair


@dataclass(frozen=True, slots=True)
class Fault:
    """What an agent did wrong in a game: `kind` is illegal, raised, crashed, hung, memory, cpu or broken
    (what it says is not the seat protocol)."""

    seat: int
    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class Moves:
    """What one seat's decisions cost and said, in order.

    Attributes:
        seconds: CPU seconds of each.
        nodes: nodes or simulations of each; empty if the bot does not say.
        values: player 0's expected return in the eyes of the mover (in games whose values are vectors, the
            mover's own); empty if the bot does not say.
        overruns: how many took more CPU seconds than the tournament's clock.
        wall_overruns: how many took more wall-clock seconds than it.
    """

    seconds: "array[float]"
    nodes: "array[int]"
    values: "array[float]"
    overruns: int = 0
    wall_overruns: int = 0

    @property
    def cost(self) -> "Cost":
        """Totals over a seat's moves."""
        made, counted = len(self.seconds), len(self.nodes)
        sums = sum(self.seconds), counted, sum(self.nodes)
        return Cost(made, *sums, self.overruns, self.wall_overruns)


class Cost(NamedTuple):
    """What a seat's decisions cost together; of its `moves`, the bot counted the nodes of `counted`.

    The one list of counters: the store and exports have a column of each for each seat, and tallies add all
    of them up.
    """

    moves: int = 0
    seconds: float = 0.0
    counted: int = 0
    nodes: int = 0
    overruns: int = 0
    wall_overruns: int = 0

    def plus(self, other: "Cost") -> "Cost":
        """Totals over both."""
        return Cost._make(own + more for own, more in zip(self, other, strict=True))

    @property
    def nodes_per_move(self) -> float:
        """NaN if the bot does not say its nodes."""
        return self.nodes / self.counted if self.counted else nan

    @property
    def seconds_per_move(self) -> float:
        """CPU seconds; NaN if no move was made."""
        return self.seconds / self.moves if self.moves else nan


class Facts(NamedTuple):
    """What is known of a whole game, a number each: attributes of its GameRecord.

    The one list: the store and exports in CSV have a column of each, and tallies add them up. JSON has those
    that a record keeps; the others follow from its actions.
    """

    length: int
    actions_key: int


#: What is for the store and tallies alone: exports leave it out.
NOT_EXPORTED = frozenset({"counted", "actions_key"})
#: The facts that tallies add up.
SUMMED_FACTS = tuple(name for name in Facts._fields if name not in NOT_EXPORTED)


def key_of_actions(actions: Sequence[int]) -> int:
    """A 63-bit name for a game's course: games with the same key are the same, move for move."""
    return int.from_bytes(blake2b(array("q", actions).tobytes(), digest_size=8).digest(), "little") >> 1


#: What the dice gave in a game, in return: player 0, or in games whose values are vectors every player.
Luck = float | tuple[float, ...]


def is_measured(luck: Luck) -> bool:
    """Whether there is a number for it."""
    return isinstance(luck, tuple) or not isnan(luck)


class Outcome(NamedTuple):
    """A game without its moves: what tables and statistics are made of. Attributes as in GameRecord."""

    agents: tuple[int, ...]
    returns: tuple[float, ...]
    fault: Fault | None
    luck: Luck
    facts: Facts
    costs: tuple[Cost, ...]

    def score(self, seat: int) -> float:
        """1 for a win, 0.5 for a draw, 0 for a loss; in one-player games the return.

        Those with the greatest return share 1; those who did not forfeit, if anybody did.
        """
        if len(self.returns) == 1:
            return self.returns[seat]
        return win_shares(self.returns, None if self.fault is None else self.fault.seat)[seat]


#: Returns that are sums of rewards are off by rounding errors of such a share.
ROUNDING = 1e-9


def rounding(returns: Sequence[float]) -> float:
    """What returns may differ by and still be the same."""
    return ROUNDING * max([1.0, *map(abs, returns)])


def is_general(returns: Sequence[float]) -> bool:
    """Whether two players' returns are not those of a zero-sum game."""
    return len(returns) == 2 and abs(sum(returns)) > rounding(returns)


def levelled(returns: Sequence[float]) -> list[float]:
    """The returns, of which those that differ by rounding errors only are made the same."""
    slack, last = rounding(returns), max(returns)
    level: dict[float, float] = {}
    for own in sorted(returns, reverse=True):
        last = level[own] = own if last - own > slack else last
    return [level[own] for own in returns]


def winners(returns: Sequence[float]) -> list[int]:
    """The seats with the greatest return."""
    level = levelled(returns)
    return [seat for seat, own in enumerate(level) if own == max(level)]


def win_shares(returns: Sequence[float], at_fault: int | None = None) -> list[float]:
    """Each seat's share of the win in a game of two players or more; all but the one at fault share it."""
    seats = range(len(returns))
    first = winners(returns) if at_fault is None else [seat for seat in seats if seat != at_fault]
    return [(seat in first) / len(first) for seat in seats]


def impossible(
    returns: Sequence[float], bounds: tuple[float, float] | None = None, total: float | None = None
) -> str | None:
    """Why no game ends with these returns, in words, or None. Those of a forfeited game may be any.

    The returns of two players or more sum to the game's `total`, if it has one. All players end within the
    game's `bounds`, its utility_range, if that is known; of two with zero sum it is player 0's.
    """
    slack, two_sided = rounding(returns), len(returns) == 2 and total == 0.0
    if two_sided and is_general(returns):
        return f"returns of {returns} in a zero-sum game"
    if len(returns) > 1 and total is not None and abs(sum(returns) - total) > len(returns) * slack:
        return f"returns of {returns}, which do not sum to {total:g}"
    for own in returns[:1] if two_sided else returns:
        if bounds is not None and not bounds[0] - slack <= own <= bounds[1] + slack:
            return f"a return of {own:g}, and its utility_range is from {bounds[0]:g} to {bounds[1]:g}"
    return None


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One game, complete enough to replay.

    Attributes:
        agents: the field's index of the agent at each seat.
        actions: every action and chance outcome in order.
        returns: each seat's return; of a forfeited game, those of `returns_of` in play/faults.py.
        moves: the cost of each seat's decisions.
        fault: why the game ended early, or None. The seat at fault has lost.
        luck: what the dice gave, if the tournament adjusts for luck; else NaN.
    """

    agents: tuple[int, ...]
    actions: tuple[int, ...]
    returns: tuple[float, ...]
    moves: tuple[Moves, ...]
    fault: Fault | None = None
    luck: Luck = nan

    @property
    def length(self) -> int:
        """How many actions and chance outcomes it had."""
        return len(self.actions)

    @property
    def actions_key(self) -> int:
        """The name of its course: see `key_of_actions`."""
        return key_of_actions(self.actions)

    @property
    def facts(self) -> Facts:
        """Its numbers."""
        return Facts(*[getattr(self, name) for name in Facts._fields])

    @property
    def outcome(self) -> Outcome:
        """The record without its moves."""
        costs = tuple([moves.cost for moves in self.moves])
        return Outcome(self.agents, self.returns, self.fault, self.luck, self.facts, costs)

    def score(self, seat: int) -> float:
        """As `Outcome.score`."""
        return self.outcome.score(seat)


#: The facts that a record keeps, and does not work out from its actions.
KEPT_FACTS = tuple(field.name for field in fields(GameRecord) if field.name in Facts._fields)


class Void(NamedTuple):
    """What an agent did wrong in the first attempt at a pair, which was played again; as in `Fault`."""

    agent: int
    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class PairRecord:
    """The games of one pair, in the order of `pair.seatings()`.

    Attributes:
        voided: the faults of a first attempt that was void; the pair was played again with other dice.
    """

    pair: Pair
    games: tuple[GameRecord, ...]
    voided: tuple[tuple[int, Fault], ...] = ()

    @property
    def voids(self) -> list[Void]:
        """`voided`, with what is known of it in a store."""
        return [Void(agent, fault.kind, fault.message) for agent, fault in self.voided]

    @property
    def faults(self) -> tuple[tuple[int, Fault], ...]:
        """(agent, fault) of every forfeited game."""
        return tuple((game.agents[game.fault.seat], game.fault) for game in self.games if game.fault)
