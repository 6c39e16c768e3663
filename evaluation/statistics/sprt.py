"""Provides the sequential probability ratio test on pairs (pentanomial), and the normalized Elo of a match.

The five results of a pair are LL, LD, DD+WL, WD, WW: the agent's points 0, ½, 1, 1½, 2, as scores
a_k = 0, ¼, ½, ¾, 1. The likelihood ratio is the generalised one of Van den Bergh ("A practical introduction
to the GSPRT"), which fastchess and fishtest use.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, log, sqrt

from starspiel.envs.errors import StarspielError, did_you_mean

_A = (0.0, 0.25, 0.5, 0.75, 1.0)
#: Normalized Elo of a difference of one standard deviation of a game's score.
NELO = 800.0 / log(10.0)
#: Larger differences would be decided by the first pairs, so that no test is needed.
_LARGEST = 1000


@dataclass(frozen=True)
class Sprt:
    """Tests "the difference is `lower`" against "it is `upper`", in Elo.

    Attributes:
        normalized: whether these are normalized Elo (standard deviations of a game's score) or logistic Elo.
        alpha, beta: the probabilities of accepting `upper` if `lower` is true, and the reverse.
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
        if max(abs(self.lower), abs(self.upper)) > _LARGEST:
            raise StarspielError(
                f"SPRT: expected Elo between -{_LARGEST} and {_LARGEST}, got {self.lower:g} and "
                f"{self.upper:g}; for larger differences, play a match of a few pairs."
            )
        for name in ("alpha", "beta"):
            if not 0.0 < getattr(self, name) < 0.5:
                raise StarspielError(f"SPRT: {name} must be between 0 and 0.5, got {getattr(self, name)}.")

    @staticmethod
    def parse(text: str) -> "Sprt":
        """Returns the test for `nelo0=0,nelo1=5` or `elo0=0,elo1=2`, optionally with `alpha=` and `beta=`.

        Raises StarspielError for any other text.
        """
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
        for normalized, kind in ((True, "nelo"), (False, "elo")):
            if set(given) == {f"{kind}0", f"{kind}1"}:
                return Sprt(given[f"{kind}0"], given[f"{kind}1"], normalized, **errors)
        raise StarspielError(f"SPRT: expected nelo0 and nelo1, or elo0 and elo1, got {text!r}.")

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which `lower` and `upper` are accepted."""
        return log(self.beta / (1.0 - self.alpha)), log((1.0 - self.beta) / self.alpha)

    def llr(self, five: Sequence[float]) -> float:
        """Returns the generalised log-likelihood ratio of the five counts; 0.0 before the first pair."""
        if not sum(five):
            return 0.0
        counts = [float(count) or 1e-3 for count in five]
        pairs = sum(counts)
        observed = [count / pairs for count in counts]
        if self.normalized:
            low, high = (nearest_normalized(observed, sqrt(2.0) * e / NELO) for e in (self.lower, self.upper))
        else:
            scores = (1.0 / (1.0 + 10.0 ** (-elo / 400.0)) for elo in (self.lower, self.upper))
            low, high = (nearest_logistic(observed, score) for score in scores)
        return pairs * sum(p * log(p1 / p0) for p, p0, p1 in zip(observed, low, high, strict=True))

    def verdict(self, five: Sequence[int]) -> str | None:
        """Returns "lower" or "upper" once that hypothesis is accepted, else None."""
        ratio, (low, high) = self.llr(five), self.bounds
        return "upper" if ratio >= high else "lower" if ratio <= low else None

    def __str__(self) -> str:
        kind = "nElo" if self.normalized else "Elo"
        return f"{kind} {self.lower:g} against {self.upper:g}, α = {self.alpha:g}, β = {self.beta:g}"


def nearest_logistic(observed: list[float], score: float) -> list[float]:
    """Returns the maximum-likelihood shares with mean `score`."""
    return _tilted(observed, [a - score for a in _A])


def nearest_normalized(observed: list[float], t: float) -> list[float]:
    """Returns the maximum-likelihood shares whose mean is ½ + `t` standard deviations.

    It uses fixed-point iteration, as published. If that cannot start (|t| > 0.94) or does not converge, it
    searches the shares.
    """
    shares = [0.2] * 5
    for _ in range(10):
        mean, deviation = _mean_deviation(shares)
        moments = _moments(t, mean, deviation)
        if not min(moments) < 0.0 < max(moments):
            break
        previous, shares = shares, _tilted(observed, moments)
        if max(abs(new - old) for new, old in zip(shares, previous, strict=True)) < 1e-4:
            return shares
    return _searched(observed, t) if t > 0.0 else _searched(observed[::-1], -t)[::-1]


def _searched(observed: list[float], t: float) -> list[float]:
    """Returns `nearest_normalized` for t > 0, by a search over the standard deviation s.

    Let φ_s be the moments for s and the mean ½ + t s. Shares have a mean of ½ + t σ or more if E[φ_s] ≥ 0 for
    some s, and at most that if E[φ_s] ≤ 0 for every s. If the observed mean is below, the result is therefore
    the likeliest shares with E[φ_s] = 0 for any s; if above, those for the s that makes them least likely.
    """
    mean, deviation = _mean_deviation(observed)
    above = mean - 0.5 > t * deviation
    # Outside these bounds, every φ_s is negative.
    root = sqrt(1.0 + t * t)
    low, high = (0.25 - 0.25 / root) / t, min(0.5, (0.5 + 0.5 / root) / t)
    nearest = observed
    for _ in range(5):
        grid = [low + (high - low) * step / 100.0 for step in range(101)]
        tried = [_within(observed, _moments(t, 0.5 + t * s, s), above) for s in grid]
        losses = [_loss(observed, shares) for shares in tried]
        best = losses.index(max(losses) if above else min(losses))
        nearest, low, high = tried[best], grid[max(best - 1, 0)], grid[min(best + 1, 100)]
    return nearest


def _within(observed: list[float], moments: list[float], above: bool) -> list[float]:
    """Returns the likeliest shares whose mean moment is at most 0 (`above`) or at least 0; [] if none are."""
    if above and sum(p * moment for p, moment in zip(observed, moments, strict=True)) <= 0.0:
        return observed
    return _tilted(observed, moments) if max(moments) > 0.0 else []


def _loss(observed: list[float], shares: list[float]) -> float:
    return sum(p * log(p / q) for p, q in zip(observed, shares, strict=True)) if shares else inf


def _moments(t: float, mean: float, deviation: float) -> list[float]:
    """Returns φ: its mean is 0 under shares with this mean and deviation if that mean is ½ + t deviations."""
    return [a - 0.5 - 0.5 * t * deviation * (1.0 + ((a - mean) / deviation) ** 2) for a in _A]


def _mean_deviation(shares: list[float]) -> tuple[float, float]:
    mean = sum(share * a for share, a in zip(shares, _A, strict=True))
    return mean, sqrt(sum(share * (a - mean) ** 2 for share, a in zip(shares, _A, strict=True)))


def _tilted(observed: list[float], moments: list[float]) -> list[float]:
    """Returns the shares p_k = observed_k / (1 + θ moments_k), with θ such that the mean moment is 0."""
    low, high = -1.0 / max(moments), -1.0 / min(moments)
    theta = 0.0
    for _ in range(200):
        mean = slope = 0.0
        for share, moment in zip(observed, moments, strict=True):
            part = moment / (1.0 + theta * moment)
            mean += share * part
            slope -= share * part * part
        # The mean falls as θ grows: takes Newton's step, or bisects if that would leave the bracket.
        low, high = (theta, high) if mean > 0.0 else (low, theta)
        step = theta - mean / slope
        step = step if low < step < high else 0.5 * (low + high)
        if abs(step - theta) < 1e-14 * (1.0 + abs(theta)):
            break
        theta = step
    return [share / (1.0 + theta * moment) for share, moment in zip(observed, moments, strict=True)]


def normalized_elo(five: Sequence[float]) -> float:
    """Returns (μ-½)/√(2σ²) · 800/ln 10, with μ and σ of a pair's score: ±∞ if σ is 0, and 0 without pairs."""
    pairs = sum(five)
    mean = sum(count * a for count, a in zip(five, _A, strict=True)) / pairs if pairs else 0.5
    if mean == 0.5:
        return 0.0
    deviation = sqrt(sum(count * (a - mean) ** 2 for count, a in zip(five, _A, strict=True)) / pairs)
    return NELO * (mean - 0.5) / (sqrt(2.0) * deviation) if deviation else (inf if mean > 0.5 else -inf)
