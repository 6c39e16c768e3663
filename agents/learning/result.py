"""Defines what a training reports while it runs, and its results."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starspiel.agents.learning.score import Score


@dataclass(frozen=True)
class Moment:
    """The progress of a network's training.

    Attributes:
        share: the share of the time or games that is done, 0 to 1.
        games_per_second: games of self-play per second, without matches.
        error: the mean squared difference between the network's share and its target; None before the first
            game.
        exact: whether targets are exact.
        scores, kept: the network's scores, and whether it became the best so far; None if no match was
            played.
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
        """Returns a moment from the result of `asdict`. Raises TypeError or KeyError if it is not one."""
        return Moment(**held | {"scores": tuple(Score(**score) for score in held["scores"])})


@dataclass(frozen=True)
class Points:
    """Points per game, with the best move at one ply, `while learning` or in a match (`1 ply`)."""

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
    """The progress of an n-tuple network's training.

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
        """Returns a moment from the result of `asdict`. Raises TypeError or KeyError if it is not one."""
        return NTupleMoment(**held | {"points": Points(**held["points"])})


@dataclass(frozen=True, kw_only=True)
class Result:
    """The part of the result that all trainings share.

    Attributes:
        file: the network's file.
        curve, picture: files of its learning curve, as JSON and as SVG.
        checkpoint: the file from which `resume` continues.
        interrupted: whether Ctrl-C ended the training.
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
    """The result of training a network; `scores` are those of the network in the file."""

    scores: tuple[Score, ...]

    def __str__(self) -> str:
        played = f"{self.game}: {self.games:,} games in {self.seconds:.0f} s"
        why = "interrupted before a match" if self.interrupted else "too short for the games of a match"
        return "\n".join([played, *(_by_depth(self.scores) or [f"  no score: the training was {why}"])])


@dataclass(frozen=True, kw_only=True)
class NTupleResult(Result):
    """The result of training an n-tuple network; `points` are of the one in the file, None if untested."""

    moves: int
    points: Points | None

    def __str__(self) -> str:
        points = f"; {self.points}" if self.points is not None else ""
        return f"{self.game}: {self.games:,} games, {self.moves:,} moves in {self.seconds:.0f} s{points}"


def _by_depth(scores: tuple[Score, ...]) -> list[str]:
    """Returns a line of scores for each depth."""
    return [
        f"  depth {depth}: " + ", ".join(str(score) for score in scores if score.depth == depth)
        for depth in sorted({score.depth for score in scores})
    ]
