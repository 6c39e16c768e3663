"""Runs one training of any kind: it learns, plays matches and saves, until it is finished or asked to stop.

It can be interrupted and resumed at any time: its checkpoint, its network and its curve are each written
atomically.
"""

import math
import platform
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from starspiel.agents.learning.files import checkpoint_of, curve_of
from starspiel.agents.learning.schedule import Clock
from starspiel.agents.learning.settings import Settings
from starspiel.agents.processes import processors
from starspiel.envs.base import Game
from starspiel.envs.errors import StarspielError

_CHECKPOINT_SECONDS, _PROGRESS_SECONDS = 30.0, 5.0


class Run(ABC):
    """The progress of one training; `run` does the rest of it.

    Attributes:
        chunks, matches: their numbers so far.
        curve: the moments of the matches.
    """

    def __init__(self, game: Game, settings: Settings, file: Path, progress: Callable[[Any], None]) -> None:
        self.game, self.file, self.progress = game, file, progress
        self.clock = Clock(settings)
        self.threads = settings.threads or min(processors(), settings.most_threads)
        self.chunks = self.matches = 0
        self.curve: list[Any] = []
        self._processor = -self.clock.processor_time()

    def run(self, stop: threading.Event) -> Any:
        """Trains to the end, or until `stop` is set, and returns the result.

        Raises StarspielError if no game was finished by then.
        """
        clock = self.clock
        saved = shown = time.perf_counter()
        # A resumed training may be longer than before, with fewer of its matches due.
        self.matches = min(self.matches, int(clock.share * clock.matches))
        # A resumed training plays the match that was interrupted before it learns on.
        learns = not self._match_is_due
        while (clock.share < 1.0 or self.matches < clock.matches) and not stop.is_set():
            if learns and clock.share < 1.0:
                self.learn(stop)
            if clock.share >= 1.0 and not clock.games and not stop.is_set():
                raise StarspielError(
                    f"no game of {self.game.name} was over after {clock.seconds:.1f} s, so nothing was "
                    f"learnt. Give more than {clock.settings.minutes:g} minutes."
                )
            learns, now = True, time.perf_counter()
            if self._match_is_due:
                self.save()  # a match may take minutes
                self.match(stop)
                saved = -math.inf
            elif now - shown >= _PROGRESS_SECONDS:
                self.progress(self.moment())
                shown = now
            if clock.games and now - saved >= _CHECKPOINT_SECONDS:
                self.save()
                saved = time.perf_counter()
        self.save()
        return self.result(stop.is_set())

    @property
    def _match_is_due(self) -> bool:
        clock = self.clock
        return clock.games > 0 and clock.share >= (self.matches + 1) / clock.matches

    @abstractmethod
    def learn(self, stop: threading.Event) -> None:
        """Plays and learns for a while."""

    @abstractmethod
    def match(self, stop: threading.Event) -> None:
        """Scores the network, and saves it unless it is worse than the best so far."""

    @abstractmethod
    def moment(self) -> Any:
        """Returns the progress of the training."""

    @abstractmethod
    def save(self) -> None:
        """Writes the checkpoint, the curve, and, if no match has chosen one, the network."""

    @abstractmethod
    def result(self, interrupted: bool) -> Any:
        """Returns the result of the training."""

    def state(self) -> dict[str, Any]:
        """Returns the part of a checkpoint that all trainings share."""
        clock = self.clock
        return {
            "games": clock.games,
            "seconds": clock.seconds,
            "playing": clock.playing,
            "computing": clock.computing,
            "pace": clock.pace,
            "chunks": self.chunks,
            "matches": self.matches,
            "processor": self.processor_seconds,
            "curve": [asdict(moment) for moment in self.curve],
        }

    def restore(self, state: dict[str, Any], moment_of: Callable[[dict[str, Any]], Any]) -> None:
        """Restores the progress from `state`. Raises KeyError or TypeError if it is not one."""
        clock = self.clock
        clock.games, clock.before = state["games"], state["seconds"]
        clock.playing, clock.computing = state["playing"], state["computing"]
        clock.pace = state.get("pace", 0.0)  # old checkpoints have none
        self.chunks, self.matches = state["chunks"], state["matches"]
        self._processor += state["processor"]
        self.curve = [moment_of(moment) for moment in state["curve"]]

    @property
    def processor_seconds(self) -> float:
        """Processor time so far, including earlier sessions."""
        return self._processor + self.clock.processor_time()

    def made(self) -> dict[str, Any]:
        """Returns the data about the training that the network's file stores."""
        clock = self.clock
        return {
            "command": clock.settings.command(self.game.name),
            "seed": clock.settings.seed,
            "games": clock.games,
            "seconds": round(clock.seconds, 1),
            "processor_seconds": round(self.processor_seconds, 1),
            "versions": {name: version(name) for name in ("starspiel", "open_spiel", "numpy")}
            | {"python": platform.python_version()},
        }

    def outcome(self, interrupted: bool) -> dict[str, Any]:
        """Returns the fields that all results share."""
        curve = curve_of(self.file)
        return {
            "game": self.game.name,
            "file": self.file,
            "curve": curve,
            "picture": curve.with_suffix(".svg"),
            "checkpoint": checkpoint_of(self.file),
            "games": self.clock.games,
            "seconds": self.clock.seconds,
            "interrupted": interrupted,
        }
