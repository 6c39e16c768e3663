"""What a training tells while it runs, and what it has come to."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starspiel.agents.learning.score import Score


@dataclass(frozen=True)
class Moment:
    """How far the training of a network has come.

    Attributes:
        share: of the time or games, 0 to 1.
        games_per_second: of self-play, without matches.
        error: the mean squared difference of the network's share and its target; None before the first game.
        exact: whether targets are exact.
        scores, kept: of the network, and whether it became the best so far; None if no match was played.
    """

    share: float
    games: int
    seconds: float
    games_per_second: float
    error: float | None
    exact: bool
    scores: tuple[Score, ...] | None = None
    kept: bool | None = None

    def __str__(self) -> str:
        error = "" if self.error is None else f", error {self.error:.2g}"
        exact = ", exact targets" if self.exact else ""
        kept = {None: "", True: "; the best so far", False: "; worse than the best so far"}[self.kept]
        pace = f"{self.games:,} games, {self.games_per_second:,.1f} games/s"
        return "\n".join([f"{self.share:4.0%} {pace}{error}{exact}{kept}", *_by_depth(self.scores or ())])

    @staticmethod
    def of(held: dict[str, Any]) -> "Moment":
        """A moment from what `asdict` made of it. Raises TypeError or KeyError if it is none."""
        return Moment(**held | {"scores": tuple(Score(**score) for score in held["scores"])})


@dataclass(frozen=True)
class Points:
    """Points a game, by the best move at one ply, `while learning` or of a match (`1 ply`)."""

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
    """How far the training of an n-tuple network has come.

    `points` are of the games since the last moment, or of games without learning if `played`.
    """

    share: float
    games: int
    moves: int
    seconds: float
    moves_per_second: float
    points: Points
    played: bool = False

    def __str__(self) -> str:
        pace = f"{self.games:,} games, {self.moves:,} moves, {self.moves_per_second:,.0f} moves/s"
        return f"{self.share:4.0%} {pace}; {self.points}"

    @staticmethod
    def of(held: dict[str, Any]) -> "NTupleMoment":
        """A moment from what `asdict` made of it. Raises TypeError or KeyError if it is none."""
        return NTupleMoment(**held | {"points": Points(**held["points"])})


@dataclass(frozen=True, kw_only=True)
class Result:
    """What every training has come to.

    Attributes:
        file: where the network is.
        curve, picture: its learning curve, as JSON and as SVG.
        checkpoint: from which `resume` goes on.
        interrupted: whether Ctrl-C ended it.
    """

    game: str
    file: Path
    curve: Path
    picture: Path
    checkpoint: Path
    games: int
    seconds: float
    interrupted: bool


@dataclass(frozen=True, kw_only=True)
class TrainingResult(Result):
    """A network that was trained; `scores` are those of the network on file."""

    scores: tuple[Score, ...]

    def __str__(self) -> str:
        played = f"{self.game}: {self.games:,} games in {self.seconds:.0f} s"
        why = "interrupted before a match" if self.interrupted else "too short for the games of a match"
        return "\n".join([played, *(_by_depth(self.scores) or [f"  no score: the training was {why}"])])


@dataclass(frozen=True, kw_only=True)
class NTupleResult(Result):
    """An n-tuple network that was trained; `points` are of the network on file, None if it has not played."""

    moves: int
    points: Points | None

    def __str__(self) -> str:
        points = f"; {self.points}" if self.points is not None else ""
        return f"{self.game}: {self.games:,} games, {self.moves:,} moves in {self.seconds:.0f} s{points}"


def _by_depth(scores: tuple[Score, ...]) -> list[str]:
    """A line for each depth."""
    return [
        f"  depth {depth}: " + ", ".join(str(score) for score in scores if score.depth == depth)
        for depth in sorted({score.depth for score in scores})
    ]
