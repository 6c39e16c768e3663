"""Records games: actions, returns, costs of moves, and the fault that ended a game early, if any."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, fields
from hashlib import blake2b
from math import isnan, nan
from typing import NamedTuple

from starspiel.evaluation.play.pairing import Pair


@dataclass(frozen=True, slots=True)
class Fault:
    """What an agent did wrong in a game.

    `kind` is illegal, raised, crashed, hung, memory, cpu or broken (its messages violate the seat protocol).
    """

    seat: int
    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class Moves:
    """The costs and values of one seat's decisions, in order.

    Attributes:
        seconds: CPU seconds of each decision.
        nodes: nodes or simulations of each decision; empty if the bot does not report them.
        values: player 0's expected return as the mover estimated it (in games whose values are vectors, the
            mover's own return); empty if the bot does not report them.
        overruns: how many decisions took more CPU seconds than the tournament's clock.
        wall_overruns: how many took more wall-clock seconds than the clock.
    """

    seconds: "array[float]"
    nodes: "array[int]"
    values: "array[float]"
    overruns: int = 0
    wall_overruns: int = 0

    @property
    def cost(self) -> "Cost":
        """The totals over the seat's moves."""
        made, counted = len(self.seconds), len(self.nodes)
        sums = sum(self.seconds), counted, sum(self.nodes)
        return Cost(made, *sums, self.overruns, self.wall_overruns)


class Cost(NamedTuple):
    """The total cost of a seat's decisions; the bot reported nodes for `counted` of its `moves`.

    This is the only list of counters: the store and exports have a column for each counter and seat, and
    tallies sum all of them.
    """

    moves: int = 0
    seconds: float = 0.0
    counted: int = 0
    nodes: int = 0
    overruns: int = 0
    wall_overruns: int = 0

    def plus(self, other: "Cost") -> "Cost":
        """Returns the sum of both costs."""
        return Cost._make(own + more for own, more in zip(self, other, strict=True))

    @property
    def nodes_per_move(self) -> float:
        """Mean number of nodes per move; NaN if the bot does not report nodes."""
        return self.nodes / self.counted if self.counted else nan

    @property
    def seconds_per_move(self) -> float:
        """Mean CPU seconds per move; NaN if no move was made."""
        return self.seconds / self.moves if self.moves else nan


class Facts(NamedTuple):
    """Numbers that describe a whole game: attributes of its GameRecord.

    This is the only list of them: the store and exports in CSV have a column for each, and tallies sum them.
    JSON has only those that a record keeps, because the others follow from its actions.
    """

    length: int
    actions_key: int


#: Fields that only the store and tallies use; exports omit them.
NOT_EXPORTED = frozenset({"counted", "actions_key"})
#: The facts that tallies sum.
SUMMED_FACTS = tuple(name for name in Facts._fields if name not in NOT_EXPORTED)


def key_of_actions(actions: Sequence[int]) -> int:
    """Returns a 63-bit hash of a game's actions: games with the same key are identical, move for move."""
    return int.from_bytes(blake2b(array("q", actions).tobytes(), digest_size=8).digest(), "little") >> 1


#: Luck in a game, in units of return: player 0's, or in games whose values are vectors every player's.
Luck = float | tuple[float, ...]


def is_measured(luck: Luck) -> bool:
    """Returns whether the luck was measured, and is not NaN."""
    return isinstance(luck, tuple) or not isnan(luck)


class Outcome(NamedTuple):
    """A game without its moves, which is all that tables and statistics need. Attributes as in GameRecord."""

    agents: tuple[int, ...]
    returns: tuple[float, ...]
    fault: Fault | None
    luck: Luck
    facts: Facts
    costs: tuple[Cost, ...]

    def score(self, seat: int) -> float:
        """Returns 1 for a win, 0.5 for a draw, 0 for a loss; in one-player games the return.

        The seats with the highest return share 1; in a forfeited game, all seats but the one at fault do.
        """
        if len(self.returns) == 1:
            return self.returns[seat]
        return win_shares(self.returns, None if self.fault is None else self.fault.seat)[seat]


#: Relative tolerance for rounding errors in returns that are sums of rewards.
ROUNDING = 1e-9


def rounding(returns: Sequence[float]) -> float:
    """Returns the difference up to which returns count as equal."""
    return ROUNDING * max([1.0, *map(abs, returns)])


def is_general(returns: Sequence[float]) -> bool:
    """Returns whether these are the returns of two players and do not sum to zero."""
    return len(returns) == 2 and abs(sum(returns)) > rounding(returns)


def levelled(returns: Sequence[float]) -> list[float]:
    """Returns the returns, with those that differ only by rounding errors made equal."""
    slack, last = rounding(returns), max(returns)
    level: dict[float, float] = {}
    for own in sorted(returns, reverse=True):
        last = level[own] = own if last - own > slack else last
    return [level[own] for own in returns]


def winners(returns: Sequence[float]) -> list[int]:
    """Returns the seats with the highest return."""
    level = levelled(returns)
    return [seat for seat, own in enumerate(level) if own == max(level)]


def win_shares(returns: Sequence[float], at_fault: int | None = None) -> list[float]:
    """Returns each seat's share of the win, in a game of two or more players; a seat at fault has none.

    The winners share it, or all seats but the one at fault.
    """
    seats = range(len(returns))
    first = winners(returns) if at_fault is None else [seat for seat in seats if seat != at_fault]
    return [(seat in first) / len(first) for seat in seats]


def impossible(
    returns: Sequence[float], bounds: tuple[float, float] | None = None, total: float | None = None
) -> str | None:
    """Describes why a game cannot end with these returns; None if it can. Not for forfeited games.

    The returns of two or more players must sum to the game's `total`, if it has one. All must be within the
    game's `bounds`, its utility_range, if known; for two players with zero sum, that is player 0's range.
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
        returns: each seat's return; for a forfeited game, see `returns_of` in play/faults.py.
        moves: the costs and values of each seat's decisions.
        fault: the fault that ended the game early, or None. The seat at fault has lost.
        luck: the luck in the game, if the tournament adjusts for luck; else NaN.
    """

    agents: tuple[int, ...]
    actions: tuple[int, ...]
    returns: tuple[float, ...]
    moves: tuple[Moves, ...]
    fault: Fault | None = None
    luck: Luck = nan

    @property
    def length(self) -> int:
        """The number of actions and chance outcomes."""
        return len(self.actions)

    @property
    def actions_key(self) -> int:
        """A hash of its actions: see `key_of_actions`."""
        return key_of_actions(self.actions)

    @property
    def facts(self) -> Facts:
        """The numbers that describe the game."""
        return Facts(*[getattr(self, name) for name in Facts._fields])

    @property
    def outcome(self) -> Outcome:
        """The record without its moves."""
        costs = tuple([moves.cost for moves in self.moves])
        return Outcome(self.agents, self.returns, self.fault, self.luck, self.facts, costs)

    def score(self, seat: int) -> float:
        """Returns a seat's score, as `Outcome.score` does."""
        return self.outcome.score(seat)


#: The facts that a record keeps because they cannot be computed from its actions.
KEPT_FACTS = tuple(field.name for field in fields(GameRecord) if field.name in Facts._fields)


class Void(NamedTuple):
    """An agent's fault in the first attempt at a pair, which was played again; `kind` as in `Fault`."""

    agent: int
    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class PairRecord:
    """The games of one pair, in the order of `pair.seatings()`.

    Attributes:
        voided: (agent, fault) of a first attempt that was void; the pair was played again with other dice.
    """

    pair: Pair
    games: tuple[GameRecord, ...]
    voided: tuple[tuple[int, Fault], ...] = ()

    @property
    def voids(self) -> list[Void]:
        """The faults in `voided`, reduced to what a store keeps."""
        return [Void(agent, fault.kind, fault.message) for agent, fault in self.voided]

    @property
    def faults(self) -> tuple[tuple[int, Fault], ...]:
        """(agent, fault) of every forfeited game."""
        return tuple((game.agents[game.fault.seat], game.fault) for game in self.games if game.fault)
