"""Scores of a network, and what they say of two networks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

#: The opponent that is the best network so far.
BEST = "best"


@dataclass(frozen=True)
class Score:
    """Points of a network against one opponent.

    Attributes:
        opponent: its spec, or BEST.
        depth: plies that the network is searched with.
        share: points a game, 0 to 1; a draw is half a point.
        games: in pairs with swapped seats.
        error: standard error of `share`.
    """

    opponent: str
    depth: int
    share: float
    games: int
    error: float

    def __str__(self) -> str:
        """With the half-width of the 95 % interval."""
        return f"{self.label} {100 * self.share:.0f} ± {196 * self.error:.0f} %"

    @property
    def label(self) -> str:
        """The opponent in short: it searches as deep as the network."""
        return "heuristic" if "evaluator=heuristic" in self.opponent else self.opponent


def standard_error(pairs: Sequence[float]) -> float:
    """Of the mean of the pairs' shares, as if one more pair was won and one lost.

    So ten pairs all won leave a doubt (Agresti and Coull 1998).
    """
    shares = [*pairs, 0.0, 1.0]
    mean = sum(shares) / len(shares)
    variance = sum((share - mean) ** 2 for share in shares) / (len(shares) - 1)
    return math.sqrt(variance / len(shares))


def is_worse(scores: Sequence[Score], best: Sequence[Score], errors: float = 2.0) -> bool:
    """Whether a network with these scores is worse than the best by more than `errors` standard errors.

    What counts are its match against the best, and its gain over the best against each reference, weighted by
    how sure each is.
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
