"""The sequential probability ratio test on pairs (pentanomial), and what a match's five counts say.

The five results of a pair are LL, LD, DD+WL, WD, WW: the agent's points 0, ½, 1, 1½, 2, as scores
a_k = 0, ¼, ½, ¾, 1. The likelihood ratio is the generalised one of Van den Bergh ("A practical introduction
to the GSPRT"), which fastchess and fishtest use.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import erf, inf, log, sqrt

import numpy as np
from scipy.optimize import brentq

from starspiel.envs.errors import StarspielError, did_you_mean
from starspiel.evaluation.stats import Array

_A = np.arange(5) / 4.0
#: Normalized Elo of a difference of one standard deviation of a game's score.
NELO = 800.0 / log(10.0)


@dataclass(frozen=True)
class Sprt:
    """Tests "the difference is `lower`" against "it is `upper`", in Elo.

    Attributes:
        lower, upper: the Elo of the two hypotheses.
        normalized: whether these are normalized Elo (standard deviations of a game's score) or logistic Elo.
        alpha, beta: the probabilities of accepting `upper` where `lower` holds, and the reverse.
    """

    lower: float
    upper: float
    normalized: bool = True
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not self.lower < self.upper:
            raise StarspielError(
                f"SPRT: expected the first Elo below the second, got {self.lower} and {self.upper}."
            )
        for name in ("alpha", "beta"):
            if not 0.0 < getattr(self, name) < 0.5:
                raise StarspielError(f"SPRT: {name} must be between 0 and 0.5, got {getattr(self, name)}.")

    @staticmethod
    def parse(text: str) -> "Sprt":
        """From `nelo0=0,nelo1=5` or `elo0=0,elo1=2`, with `alpha=` and `beta=` if wanted."""
        known = ("nelo0", "nelo1", "elo0", "elo1", "alpha", "beta")
        given: dict[str, float] = {}
        for part in text.split(","):
            key, equals, value = (piece.strip() for piece in part.partition("="))
            if not equals or key not in known:
                raise StarspielError(
                    f"SPRT: expected nelo0=0,nelo1=5 or the like, got {part!r}.{did_you_mean(key, known)}"
                )
            try:
                given[key] = float(value)
            except ValueError:
                raise StarspielError(f"SPRT: {key} must be a number, got {value!r}.") from None
        errors = {key: given.pop(key) for key in ("alpha", "beta") if key in given}
        if set(given) == {"nelo0", "nelo1"}:
            return Sprt(given["nelo0"], given["nelo1"], True, **errors)
        if set(given) == {"elo0", "elo1"}:
            return Sprt(given["elo0"], given["elo1"], False, **errors)
        raise StarspielError(f"SPRT: expected nelo0 and nelo1, or elo0 and elo1, got {text!r}.")

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which `lower` and `upper` are accepted."""
        return log(self.beta / (1.0 - self.alpha)), log((1.0 - self.beta) / self.alpha)

    def llr(self, five: Sequence[int]) -> float:
        """The generalised log-likelihood ratio of the five counts; 0.0 before the first pair."""
        if not sum(five):
            return 0.0
        counts = np.where(np.asarray(five) == 0, 1e-3, np.asarray(five, dtype=np.float64))
        pairs = counts.sum()
        observed = counts / pairs
        if self.normalized:
            low, high = (
                _nearest_normalized(observed, sqrt(2.0) * elo / NELO) for elo in (self.lower, self.upper)
            )
        else:
            low, high = (
                _nearest_logistic(observed, 1.0 / (1.0 + 10.0 ** (-elo / 400.0)))
                for elo in (self.lower, self.upper)
            )
        return float(pairs * np.dot(observed, np.log(high / low)))

    def verdict(self, five: Sequence[int]) -> str | None:
        """ "lower" or "upper" once one of them is accepted, else None."""
        ratio, (low, high) = self.llr(five), self.bounds
        return "upper" if ratio >= high else "lower" if ratio <= low else None

    def __str__(self) -> str:
        kind = "nElo" if self.normalized else "Elo"
        return f"{kind} {self.lower:g} against {self.upper:g}, α = {self.alpha:g}, β = {self.beta:g}"


def _nearest_logistic(observed: Array, score: float) -> Array:
    """The maximum-likelihood shares with mean `score`."""
    return _tilted(observed, _A - score)


def _nearest_normalized(observed: Array, t: float) -> Array:
    """The maximum-likelihood shares whose mean is ½ + `t` standard deviations, by fixed-point iteration."""
    shares = np.full(5, 0.2)
    for _ in range(10):
        mean = float(shares @ _A)
        deviation = sqrt(float(shares @ (_A - mean) ** 2))
        moments = _A - 0.5 - 0.5 * t * deviation * (1.0 + ((_A - mean) / deviation) ** 2)
        previous, shares = shares, _tilted(observed, moments)
        if np.abs(shares - previous).max() < 1e-4:
            break
    return shares


def _tilted(observed: Array, moments: Array) -> Array:
    """Shares p_k = observed_k / (1 + θ moments_k), with θ such that the moments' mean is zero."""
    low, high = -1.0 / moments.max(), -1.0 / moments.min()
    margin = 1e-9 * (high - low)
    theta = brentq(
        lambda theta: float(np.sum(observed * moments / (1.0 + theta * moments))), low + margin, high - margin
    )
    tilted: Array = observed / (1.0 + theta * moments)
    return tilted


def pair_moments(five: Sequence[int]) -> tuple[float, float, int]:
    """Mean and standard deviation of a pair's score (0 to 1), and the number of pairs."""
    counts = np.asarray(five, dtype=np.float64)
    pairs = int(counts.sum())
    if not pairs:
        return 0.5, 0.0, 0
    mean = float(counts @ _A) / pairs
    return mean, sqrt(float(counts @ (_A - mean) ** 2) / pairs), pairs


def los(five: Sequence[int]) -> float:
    """Likelihood of superiority: Φ((μ-½)√N/σ) on pair scores."""
    mean, deviation, pairs = pair_moments(five)
    if mean == 0.5:
        return 0.5
    z = (mean - 0.5) * sqrt(pairs) / deviation if deviation else (inf if mean > 0.5 else -inf)
    return 0.5 * (1.0 + erf(z / sqrt(2.0)))


def normalized_elo(five: Sequence[int]) -> float:
    """(μ-½)/√(2σ²) · 800/ln 10, with μ and σ of the pair's score; infinite where σ is 0."""
    mean, deviation, _ = pair_moments(five)
    if mean == 0.5:
        return 0.0
    return NELO * (mean - 0.5) / (sqrt(2.0) * deviation) if deviation else (inf if mean > 0.5 else -inf)
