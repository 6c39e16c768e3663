"""Defines the settings of trainings: one checked value for each kind of network."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self

from starspiel.envs.arguments import finite_number, whole_number
from starspiel.envs.errors import StarspielError, shown

#: More threads would learn too much from the same weights: with 64, backgammon's network forgot everything.
MOST_THREADS = 16
_MOST_WORKERS = 1024
#: The settings that `command` writes as flags of `starspiel train` after the length, in this order.
_FLAGS = ("hidden", "tuples", "seed", "threads", "heuristic", "start", "ray", "workers")
#: How many weights of an n-tuple network its file stores.
_TUPLES = ("large", "small")


@dataclass(frozen=True)
class Settings:
    """The settings of every training.

    Attributes:
        minutes: wall-clock time, including matches; not used if `games` is given.
        games: number of games to play; with one thread, the same seed then gives the same network, bit for
            bit.
        seed: seed of the games, and of the first weights if these are random.
        threads: number of threads that learn in parallel; None for one per processor.
    """

    minutes: float = 15.0
    games: int | None = None
    seed: int = 1
    threads: int | None = None

    #: What is trained, in words; the most threads; the fields that cannot change when a training is resumed.
    trained: ClassVar[str]
    most_threads: ClassVar[int]
    kept: ClassVar[tuple[str, ...]]

    def __post_init__(self) -> None:
        if finite_number("minutes", self.minutes) <= 0:
            raise StarspielError(f"minutes must be positive, got {self.minutes:g}.")
        if self.games is not None:
            whole_number("games", self.games, 1, 2**62)
        if self.threads is not None:
            whole_number("threads", self.threads, 1, self.most_threads)
        whole_number("seed", self.seed, 0, 2**62)

    def changed(self, settings: "Settings | Mapping[str, Any] | None") -> Self:
        """Returns the given settings, or these with the fields of a mapping changed."""
        if isinstance(settings, type(self)):
            return settings
        assert not isinstance(settings, Settings)
        changes, known = dict(settings or {}), asdict(self)
        if unknown := sorted(map(str, set(changes) - set(known))):
            raise StarspielError(
                f"{self.trained} are trained without {', '.join(unknown)}; their settings are "
                f"{', '.join(known)}."
            )
        if "minutes" in changes:
            changes.setdefault("games", None)
        return replace(self, **changes)

    def resumed(self, changes: "Settings | Mapping[str, Any] | None") -> Self:
        """Returns the settings to resume with. Raises StarspielError if they are for another training."""
        settings = self.changed(changes)
        if getattr(settings, "hidden", ()) is None:
            settings = settings.changed({"hidden": getattr(self, "hidden", None)})
        if (began := self._told()) != (now := settings._told()):
            raise StarspielError(
                f"the training began with {began}; it cannot go on with {now}. Start anew without --resume."
            )
        return settings

    def _told(self) -> str:
        """Returns the settings that cannot change when a training is resumed, in words."""
        values = ((name, getattr(self, name)) for name in self.kept)
        return ", ".join(f"{name}={value}" for name, value in values if value is not None)

    def command(self, game: str) -> str:
        """Returns the command of such a training, without the folder of its files."""
        name = f'"{game}"' if "(" in game else game
        length = f"--minutes {self.minutes:g}" if self.games is None else f"--games {self.games}"
        flags = (_flag(each, getattr(self, each, None)) for each in _FLAGS)
        return " ".join([f"starspiel train {name} {length}", *filter(None, flags)])


def _flag(name: str, value: Any) -> str:
    """Returns a setting as a flag of the command; "" if it is not given."""
    match value:
        case None | False:
            return ""
        case True:
            return f"--{name}"
        case tuple():
            return f"--{name} {','.join(map(str, value))}"
    return f"--{name} {Path(value).name if name == 'start' else value}"


@dataclass(frozen=True)
class TrainingSettings(Settings):
    """How to train a network of a game for two.

    Attributes:
        minutes, games, seed, threads: as in `Settings`; at most 16 threads.
        hidden: the number of units of each hidden layer; None for those of `start`, or 128, 32 without it.
        heuristic: whether to begin with what the game's heuristic knows, and to score drawn games by it.
        start: the file of a network to begin with, or "net" for the shipped one; its hidden layers are
            widened to `hidden`. None for random weights.
        ray: whether the workers of a Ray cluster play; `threads` of this process then learn from their games.
        workers: number of workers of the cluster that play at once; None for one per processor.
        address: address of the cluster; None to start one on this machine.

    Raises StarspielError if a value is out of its range.
    """

    hidden: tuple[int, ...] | None = None
    heuristic: bool = False
    start: str | os.PathLike[str] | None = None
    ray: bool = False
    workers: int | None = None
    address: str | None = None

    trained = "networks"
    most_threads = MOST_THREADS
    kept = ("hidden", "seed", "heuristic", "start")

    def resumed(self, changes: "Settings | Mapping[str, Any] | None") -> Self:
        """Returns the settings as `Settings` does; drops workers and address if Ray is switched off."""
        began = self
        if isinstance(changes, Mapping) and changes.get("ray") is False:
            began = replace(self, ray=False, workers=None, address=None)
        return super(TrainingSettings, began).resumed(changes)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.heuristic, bool):
            raise StarspielError(f"heuristic must be True or False, got {shown(self.heuristic)}.")
        if not isinstance(self.ray, bool):
            raise StarspielError(f"ray must be True or False, got {shown(self.ray)}.")
        if self.workers is not None:
            whole_number("workers", self.workers, 1, _MOST_WORKERS)
        if self.address is not None and not isinstance(self.address, str):
            raise StarspielError(f"address must be that of a Ray cluster, got {shown(self.address)}.")
        if not self.ray and (self.workers, self.address) != (None, None):
            raise StarspielError("workers and address are settings of a Ray cluster; add ray=True (--ray).")
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


@dataclass(frozen=True)
class NTupleSettings(Settings):
    """How to train an n-tuple network.

    Attributes:
        minutes, games, seed, threads: as in `Settings`; all threads write to one set of weights.
        tuples: `large`, whose file stores all weights in tens of MB, or `small`, whose file stores the most
            important ones in less than 3 MB; the last fifth of the training adjusts only these.

    Raises StarspielError if a value is out of its range.
    """

    tuples: str = "large"

    trained = "n-tuple networks"
    most_threads = 1024
    kept = ("tuples", "seed")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.tuples not in _TUPLES:
            raise StarspielError(f"tuples must be one of {', '.join(_TUPLES)}, got {self.tuples!r}.")
