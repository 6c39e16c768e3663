"""How to train an n-tuple network: one checked value."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from starspiel.agents.learning.patterns import PATTERNS
from starspiel.envs.arguments import finite_number, whole_number
from starspiel.envs.errors import StarspielError


@dataclass(frozen=True)
class NTupleSettings:
    """How to train an n-tuple network.

    Attributes:
        minutes: wall-clock time; not used where `games` is given.
        games: to play; with one thread the same seed then gives the same network, bit for bit.
        tuples: `large`, with patterns of six cells, whose file takes tens of MB, or `small`, whose file takes
            less than one.
        optimism: the points that every board is worth at first; more make the network try more.
        seed: of the games.
        threads: which write one set of weights; None for one a processor.

    Raises StarspielError where one has no meaning.
    """

    minutes: float = 15.0
    games: int | None = None
    tuples: str = "large"
    optimism: float = 0.0
    seed: int = 1
    threads: int | None = None

    def __post_init__(self) -> None:
        if finite_number("minutes", self.minutes) <= 0:
            raise StarspielError(f"minutes must be positive, got {self.minutes:g}.")
        if self.games is not None:
            whole_number("games", self.games, 1, 2**62)
        if self.threads is not None:
            whole_number("threads", self.threads, 1, 1024)
        whole_number("seed", self.seed, 0, 2**62)
        if self.tuples not in PATTERNS:
            raise StarspielError(f"tuples must be one of {', '.join(PATTERNS)}, got {self.tuples!r}.")
        if not 0 <= finite_number("optimism", self.optimism) <= 1e7:
            raise StarspielError(f"optimism must be from 0 to 10,000,000 points, got {self.optimism:g}.")

    def command(self, game: str) -> str:
        """The command that trains so, without the place of its files."""
        length = f"--minutes {self.minutes:g}" if self.games is None else f"--games {self.games}"
        threads = "" if self.threads is None else f" --threads {self.threads}"
        optimism = f" --optimism {self.optimism:g}" if self.optimism else ""
        name = f'"{game}"' if "(" in game else game
        return f"starspiel train {name} {length} --tuples {self.tuples}{optimism} --seed {self.seed}{threads}"


def changed(usual: NTupleSettings, settings: NTupleSettings | Mapping[str, Any] | None) -> NTupleSettings:
    """The settings as given, or the usual ones with the fields that are named."""
    if isinstance(settings, NTupleSettings):
        return settings
    changes = dict(settings or {})
    unknown = sorted(set(changes) - set(asdict(usual)))
    if unknown:
        raise StarspielError(
            f"n-tuple networks are trained without {', '.join(unknown)}; their settings are "
            f"{', '.join(asdict(usual))}."
        )
    if "minutes" in changes:
        changes.setdefault("games", None)
    return replace(usual, **changes)


def continued(began: NTupleSettings, changes: NTupleSettings | Mapping[str, Any] | None) -> NTupleSettings:
    """The settings to go on with. Raises StarspielError where they are another training's."""
    settings = changed(began, changes)
    fixed = ("tuples", "optimism", "seed")
    if any(getattr(settings, name) != getattr(began, name) for name in fixed):
        told = (", ".join(f"{name}={getattr(each, name)}" for name in fixed) for each in (began, settings))
        raise StarspielError(
            "the training began with {}; it cannot go on with {}. Start anew without --resume.".format(*told)
        )
    return settings
