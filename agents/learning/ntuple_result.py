"""What the training of an n-tuple network tells while it runs, and what it has come to."""

import math
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Points:
    """Points a game, by the best move at one ply.

    Attributes:
        what: `while learning` or `1 ply`.
        mean, deviation: of the games.
        games: how many.
    """

    what: str
    mean: float
    deviation: float
    games: int

    def __str__(self) -> str:
        return f"{self.what} {self.mean:,.0f} points a game"

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return self.deviation / math.sqrt(max(self.games, 1))


@dataclass(frozen=True)
class NTupleMoment:
    """How far a training has come.

    Attributes:
        share: of the time or games, 0 to 1.
        games, moves, seconds: so far.
        moves_per_second: of self-play.
        points: of the games since the last moment; of games without learning where `played`.
    """

    share: float
    games: int
    moves: int
    seconds: float
    moves_per_second: float
    points: Points
    played: bool = False

    def __str__(self) -> str:
        return (
            f"{self.share:4.0%} {self.games:,} games, {self.moves:,} moves, "
            f"{self.moves_per_second:,.0f} moves/s; {self.points}"
        )


@dataclass(frozen=True)
class NTupleResult:
    """An n-tuple network that was trained.

    Attributes:
        file: where the network is.
        curve, picture: its learning curve, as JSON and as SVG.
        checkpoint: from which `resume` goes on.
        games, moves, seconds: of the whole training.
        points: of the network on file; None where it has not played.
        interrupted: whether Ctrl-C ended it.
    """

    game: str
    file: Path
    curve: Path
    picture: Path
    checkpoint: Path
    games: int
    moves: int
    seconds: float
    points: Points | None
    interrupted: bool

    def __str__(self) -> str:
        points = f"; {self.points}" if self.points is not None else ""
        return f"{self.game}: {self.games:,} games, {self.moves:,} moves in {self.seconds:.0f} s{points}"
