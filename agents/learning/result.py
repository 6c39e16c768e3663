"""What a training tells while it runs, and what it has come to."""

from dataclasses import dataclass
from pathlib import Path

from starspiel.agents.learning.score import Score


@dataclass(frozen=True)
class Moment:
    """How far a training has come.

    Attributes:
        share: of the time or games, 0 to 1.
        games, seconds: so far; wall-clock time.
        games_per_second: of self-play, without matches.
        error: the mean squared difference of the network's share and its target; None before the first game.
        exact: whether targets are exact.
        scores: of the network against the references and the best so far; None where no match was played.
        kept: whether the network became the best so far; None where no match was played.
    """

    share: float
    games: int
    seconds: float
    games_per_second: float
    error: float | None
    exact: bool
    scores: tuple[Score, ...] | None = None
    kept: bool | None = None


@dataclass(frozen=True)
class TrainingResult:
    """A network that was trained.

    Attributes:
        file: where the network is.
        curve, picture: its learning curve, as JSON and as SVG.
        checkpoint: from which `resume` goes on.
        games, seconds: of the whole training.
        scores: of the network on file.
        interrupted: whether Ctrl-C ended it.
    """

    game: str
    file: Path
    curve: Path
    picture: Path
    checkpoint: Path
    games: int
    seconds: float
    scores: tuple[Score, ...]
    interrupted: bool

    def __str__(self) -> str:
        played = f"{self.game}: {self.games:,} games in {self.seconds:.0f} s"
        why = "ended before a match" if self.interrupted else "too short for the games of a match"
        unscored = f"  no score: the training was {why}"
        return "\n".join([played, *(by_depth(self.scores) or [unscored])])


def by_depth(scores: tuple[Score, ...]) -> list[str]:
    """A line for each depth."""
    return [
        f"  depth {depth}: " + ", ".join(str(score) for score in scores if score.depth == depth)
        for depth in sorted({score.depth for score in scores})
    ]
