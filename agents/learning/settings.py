"""How to train: one checked value."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from starspiel.envs.arguments import finite_number, whole_number
from starspiel.envs.errors import StarspielError, shown

#: More threads would learn too much from the same weights: with 64, backgammon's network forgot all it knew.
MOST_THREADS = 16


@dataclass(frozen=True)
class TrainingSettings:
    """How to train.

    Attributes:
        minutes: wall-clock time, matches included; not used where `games` is given.
        games: to play; with one thread the same seed then gives the same network, bit for bit.
        hidden: the units of each hidden layer; None for those of `start`, and 128, 32 without one.
        seed: of the first weights and of the games.
        threads: which learn side by side, 16 at most; None for one a processor.
        heuristic: whether to begin with what the game's heuristic knows, and to count drawn games by it.
        start: the file of a network to begin with, or "net" for the one that comes with starspiel; its hidden
            layers grow to `hidden`. None for random weights.

    Raises StarspielError where one is not positive.
    """

    minutes: float = 15.0
    games: int | None = None
    hidden: tuple[int, ...] | None = None
    seed: int = 1
    threads: int | None = None
    heuristic: bool = False
    start: str | os.PathLike[str] | None = None

    def __post_init__(self) -> None:
        if finite_number("minutes", self.minutes) <= 0:
            raise StarspielError(f"minutes must be positive, got {self.minutes:g}.")
        if self.games is not None:
            whole_number("games", self.games, 1, 2**62)
        if self.threads is not None:
            whole_number("threads", self.threads, 1, MOST_THREADS)
        whole_number("seed", self.seed, 0, 2**62)
        if not isinstance(self.heuristic, bool):
            raise StarspielError(f"heuristic must be True or False, got {shown(self.heuristic)}.")
        if self.start is not None:
            if not isinstance(self.start, str | os.PathLike) or not os.fspath(self.start):
                raise StarspielError(f"start must name the file of a network, got {shown(self.start)}.")
            object.__setattr__(self, "start", os.fspath(self.start))
        if self.hidden is not None:
            if isinstance(self.hidden, str) or not isinstance(self.hidden, Sequence):
                raise StarspielError(
                    f"hidden must list the units of each layer, such as (128, 32), got {shown(self.hidden)}."
                )
            if not 1 <= len(self.hidden) <= 8:
                raise StarspielError(f"hidden must name 1 to 8 layers, got {len(self.hidden)}.")
            hidden = tuple(whole_number("hidden", units, 1, 4096) for units in self.hidden)
            object.__setattr__(self, "hidden", hidden)

    def command(self, game: str) -> str:
        """The command that trains so, without the place of its files."""
        length = f"--minutes {self.minutes:g}" if self.games is None else f"--games {self.games}"
        hidden = "" if self.hidden is None else f" --hidden {','.join(map(str, self.hidden))}"
        threads = "" if self.threads is None else f" --threads {self.threads}"
        name = f'"{game}"' if "(" in game else game
        heuristic = " --heuristic" if self.heuristic else ""
        start = "" if self.start is None else f" --start {Path(self.start).name}"
        return f"starspiel train {name} {length}{hidden} --seed {self.seed}{threads}{heuristic}{start}"


def changed(
    usual: TrainingSettings, settings: TrainingSettings | Mapping[str, Any] | None
) -> TrainingSettings:
    """The settings as given, or the usual ones with the fields that are named."""
    if isinstance(settings, TrainingSettings):
        return settings
    changes = dict(settings or {})
    known = asdict(usual)
    if unknown := sorted(map(str, set(changes) - set(known))):
        raise StarspielError(
            f"networks are trained without {', '.join(unknown)}; their settings are {', '.join(known)}."
        )
    if "minutes" in changes:
        changes.setdefault("games", None)
    return replace(usual, **changes)


def continued(
    began: TrainingSettings, changes: TrainingSettings | Mapping[str, Any] | None
) -> TrainingSettings:
    """The settings to go on with. Raises StarspielError where they are another training's."""
    settings = changed(began, changes)
    if settings.hidden is None:
        settings = replace(settings, hidden=began.hidden)
    if _kept(settings) != _kept(began):
        raise StarspielError(
            f"the training began with {_kept(began)}; it cannot go on with {_kept(settings)}. "
            "Start anew without --resume."
        )
    return settings


def _kept(settings: TrainingSettings) -> str:
    """What does not change when a training goes on."""
    start = "" if settings.start is None else f", start={settings.start}"
    return f"hidden={settings.hidden}, seed={settings.seed}, heuristic={settings.heuristic}{start}"
