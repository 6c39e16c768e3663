"""What a game leaves behind: actions, returns, what each move cost, and why it ended early, if it did."""

from array import array
from dataclasses import dataclass
from math import nan
from typing import NamedTuple

from starspiel.evaluation.play.pairing import Pair


@dataclass(frozen=True, slots=True)
class Fault:
    """What an agent did wrong in a game: `kind` is illegal, raised, crashed, hung or memory."""

    seat: int
    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class Moves:
    """What one seat's decisions cost and said, in order.

    Attributes:
        seconds: CPU seconds of each; wall-clock seconds where a move takes less than 10 microseconds, and of
            the first that takes longer after 16 such moves.
        nodes: nodes or simulations of each; empty where the bot does not tell.
        values: player 0's expected return in the eyes of the mover; empty where the bot does not tell.
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
        """The sums."""
        return Cost(
            len(self.seconds),
            sum(self.seconds),
            len(self.nodes),
            sum(self.nodes),
            self.overruns,
            self.wall_overruns,
        )


class Cost(NamedTuple):
    """What a seat's decisions cost together: `told` of the `moves` come with `nodes`."""

    moves: int
    seconds: float
    told: int
    nodes: int
    overruns: int
    wall_overruns: int


class Outcome(NamedTuple):
    """A game without its moves: what tables and statistics are made of. Attributes as in GameRecord."""

    agents: tuple[int, ...]
    returns: tuple[float, ...]
    fault: "Fault | None"
    luck: float
    length: int
    costs: tuple[Cost, ...]

    def score(self, seat: int) -> float:
        """1 for a win, 0.5 for a draw, 0 for a loss; in one-player games the return."""
        return score(self.returns, self.fault, seat)


def score(returns: tuple[float, ...], fault: "Fault | None", seat: int) -> float:
    """1 for a win, 0.5 for a draw, 0 for a loss; in one-player games the return."""
    if fault is not None and len(returns) == 2:
        return float(fault.seat != seat)
    own = returns[seat]
    if len(returns) == 1:
        return own
    return 0.5 if own == 0.0 else float(own > 0.0)


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One game, complete enough to replay.

    Attributes:
        agents: the field's index of the agent at each seat.
        actions: every action and chance outcome in order.
        returns: each seat's return; of a forfeited game, the returns when it stopped (with one player, the
            least return there is, where that is known).
        moves: the cost of each seat's decisions.
        fault: why the game ended early, or None. The seat at fault has lost.
        luck: what the dice gave player 0, in return, where the tournament adjusts for luck; else NaN.
    """

    agents: tuple[int, ...]
    actions: tuple[int, ...]
    returns: tuple[float, ...]
    moves: tuple[Moves, ...]
    fault: Fault | None = None
    luck: float = nan

    @property
    def outcome(self) -> Outcome:
        """The record without its moves."""
        costs = tuple(moves.cost for moves in self.moves)
        return Outcome(self.agents, self.returns, self.fault, self.luck, len(self.actions), costs)

    def score(self, seat: int) -> float:
        """1 for a win, 0.5 for a draw, 0 for a loss; in one-player games the return."""
        return score(self.returns, self.fault, seat)


@dataclass(frozen=True, slots=True)
class PairRecord:
    """The games of one pair, in the order of `pair.seatings()`.

    Attributes:
        voided: the faults of a first attempt that was void; the pair was played again with the same dice.
    """

    pair: Pair
    games: tuple[GameRecord, ...]
    voided: tuple[tuple[int, Fault], ...] = ()

    @property
    def faults(self) -> tuple[tuple[int, Fault], ...]:
        """(agent, fault) of every forfeited game."""
        return tuple((game.agents[game.fault.seat], game.fault) for game in self.games if game.fault)
