"""Scores networks, and compares two networks by their scores."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

#: Name of the opponent that is the best network so far.
BEST = "best"


@dataclass(frozen=True)
class Score:
    """The points of a network against one opponent.

    Attributes:
        opponent: the opponent's spec, or BEST.
        depth: the plies that the network's bot searches.
        share: points per game, 0 to 1; a draw is half a point.
        games: number of games, in pairs with swapped seats.
        error: the standard error of `share`.
    """

    opponent: str
    depth: int
    share: float
    games: int
    error: float

    def __str__(self) -> str:
        """Returns the share with its 95 % interval, in percent."""
        low, high = max(0.0, self.share - 1.96 * self.error), min(1.0, self.share + 1.96 * self.error)
        return f"{self.label} {100 * self.share:.0f} % ({100 * low:.0f}–{100 * high:.0f})"

    @property
    def label(self) -> str:
        """The opponent's short name; it searches as deep as the network."""
        return "heuristic" if "evaluator=heuristic" in self.opponent else self.opponent


def standard_error(pairs: Sequence[float]) -> float:
    """Returns the standard error of the mean of the pairs' shares, as if one more pair was won and one lost.

    So there is some uncertainty even if ten of ten pairs are won (Agresti and Coull 1998).
    """
    shares = [*pairs, 0.0, 1.0]
    mean = sum(shares) / len(shares)
    variance = sum((share - mean) ** 2 for share in shares) / (len(shares) - 1)
    return math.sqrt(variance / len(shares))


def is_worse(scores: Sequence[Score], best: Sequence[Score], errors: float = 2.0) -> bool:
    """Returns whether a network with these scores is worse than the best by more than `errors` standard
    errors.

    This depends on its match against the best, and on its gain over the best against each reference, weighted
    by their precision.
    """
    known = {(score.opponent, score.depth): score for score in best}
    gains = []
    for score in scores:
        before = known.get((score.opponent, score.depth))
        if score.opponent == BEST:
            gains.append((score.share - 0.5, score.error**2))
        elif before is not None:
            gains.append((score.share - before.share, score.error**2 + before.error**2))
    if not gains:
        return False
    weight = sum(1 / variance for _, variance in gains)
    gain = sum(difference / variance for difference, variance in gains) / weight
    return gain < -errors / math.sqrt(weight)
