"""`train` for 2048: an n-tuple network by self-play in the native core, TD(lambda) with temporal coherence.

A training can be interrupted and resumed at any moment: its checkpoint, its network and its curve are each
written whole or not at all. Sources: native/ntuple/trainer.hpp.
"""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from starspiel.agents.evaluators.ntuple_file import NTupleFile
from starspiel.agents.learning.files import checkpoint_of, curve_of
from starspiel.agents.learning.ntuple_checkpoint import Checkpoint, read_checkpoint
from starspiel.agents.learning.ntuple_curve import moment_of, write_points
from starspiel.agents.learning.ntuple_result import NTupleMoment, NTupleResult, Points
from starspiel.agents.learning.ntuple_settings import NTupleSettings, changed, continued
from starspiel.agents.learning.patterns import fitting
from starspiel.agents.learning.small_ntuples import small_weights
from starspiel.agents.native_loader import native_status
from starspiel.agents.processors import processors
from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.games.twenty_forty_eight import TwentyFortyEight

#: Seconds, or games where games are counted, between two looks at the clock.
_CHUNK_SECONDS, _CHUNK = 1.0, 100
#: How often the network plays without learning, at most and a minute, and how many games.
_MATCHES, _A_MINUTE, _GAMES = 10, 2, 100
_CHECKPOINT_SECONDS = 45.0


def train_ntuples(
    game: TwentyFortyEight,
    settings: NTupleSettings | Mapping[str, Any] | None,
    file: Path,
    resume: bool,
    progress: Callable[[NTupleMoment], None],
    stop: threading.Event,
) -> NTupleResult:
    """Trains a network and writes it to `file`, for `ntuple(file=…)`; until `stop` is set or the time over.

    Raises StarspielError where the native core or the checkpoint is not there, or the settings differ from
    those that a training began with; UnsupportedGameError where the board is too large.
    """
    core = native_status().module
    if core is None:
        raise StarspielError(f"train needs the native core, which is not there: {native_status().reason}")
    if game.rows > 4 or game.columns > 4:
        raise UnsupportedGameError(
            f"{game.name} has a board of {game.rows} x {game.columns}; n-tuple networks take 4 x 4 at most."
        )
    checkpoint = checkpoint_of(file)
    held = read_checkpoint(checkpoint, game.name) if resume else None
    if held is None:
        return _Run(core, game, changed(NTupleSettings(), settings), file, progress).run(stop)
    try:
        run = _Run(core, game, continued(NTupleSettings(**held.settings), settings), file, progress)
        run.restore(held)
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, StarspielError):
            raise
        raise StarspielError(
            f"{checkpoint} is no checkpoint of a training ({type(error).__name__}: {error}); begin anew with "
            "another --output."
        ) from None
    return run.run(stop)


class _Run:
    """One training: what is trained, and how far it has come."""

    def __init__(
        self,
        core: Any,
        game: TwentyFortyEight,
        settings: NTupleSettings,
        file: Path,
        progress: Callable[[NTupleMoment], None],
    ) -> None:
        self.game, self.settings, self.file, self.progress = game, settings, file, progress
        self.patterns = fitting(settings.tuples, game.rows, game.columns)
        self.trainer = core.NTupleTrainer(game.rows, game.columns, self.patterns, settings.optimism)
        lookups = len(self.patterns) * (8 if game.rows == game.columns else 4)
        self.first = np.float32(settings.optimism / lookups)  # of each weight
        self.lookups = lookups
        self.threads = settings.threads or processors()
        self.games = self.moves = self.chunks = self.matches = 0
        self.playing = self.spent = 0.0
        self.recent = (0, 0.0)  # games and points since the last moment
        self.best: Points | None = None
        self.curve: list[NTupleMoment] = []

    def restore(self, held: Checkpoint) -> None:
        state = held.state
        self.games, self.moves, self.chunks = state["games"], state["moves"], state["chunks"]
        self.matches, self.playing, self.spent = state["matches"], state["playing"], state["seconds"]
        if self.file.exists() and state["best"] is not None:
            self.best = Points(**state["best"])
        self.curve = [moment_of(held) for held in state["curve"]]
        weights, errors = self.trainer.weights, self.trainer.errors.reshape(-1, 2)
        if len(held.places) and int(held.places.max()) >= len(weights):
            raise ValueError("a place beyond the tables")
        weights[held.places] = held.weights
        errors[held.places] = held.errors

    @property
    def share(self) -> float:
        """How much of the training is done, 0 to 1."""
        if self.settings.games is not None:
            return min(1.0, self.games / self.settings.games)
        return min(1.0, self.seconds / (60 * self.settings.minutes))

    @property
    def plays(self) -> int:
        """How often the network is to play without learning."""
        if self.settings.games is not None:
            return _MATCHES
        return min(_MATCHES, max(1, int(_A_MINUTE * self.settings.minutes)))

    @property
    def seconds(self) -> float:
        return self.spent + time.perf_counter() - self.started

    def run(self, stop: threading.Event) -> NTupleResult:
        self.started = saved = shown = time.perf_counter()
        self.matches = min(
            self.matches, int(self.share * self.plays)
        )  # More may be left than was to be done.
        while self.share < 1.0 and not stop.is_set():
            self._chunk()
            now = time.perf_counter()
            if self.share >= (self.matches + 1) / self.plays:
                self._play()
            elif now - shown >= 5.0:
                self.progress(self._moment())
                shown = now
            if now - saved >= _CHECKPOINT_SECONDS:
                self._save()
                saved = time.perf_counter()
        self._save()
        return NTupleResult(
            self.game.name,
            self.file,
            curve_of(self.file),
            curve_of(self.file).with_suffix(".svg"),
            checkpoint_of(self.file),
            self.games,
            self.moves,
            self.seconds,
            self.best,
            stop.is_set(),
        )

    def _chunk(self) -> None:
        left = 60 * self.settings.minutes - self.seconds
        budget: dict[str, Any] = {"seconds": min(_CHUNK_SECONDS, max(0.01, left))}
        if self.settings.games is not None:
            budget = {"games": min(_CHUNK, self.settings.games - self.games)}
        started = time.perf_counter()
        seed = (self.settings.seed << 24) + self.chunks & 2**64 - 1
        games, moves, points = self.trainer.train(seed=seed, threads=self.threads, **budget)
        self.playing += time.perf_counter() - started
        self.games += games
        self.moves += moves
        self.chunks += 1
        self.recent = self.recent[0] + games, self.recent[1] + points

    def _play(self) -> None:
        """Plays without learning, and keeps the network unless it is clearly worse than the best so far."""
        network = self._network()
        scores = self._scores(network)
        self.matches = int(self.share * self.plays + 1e-9)
        points = Points("1 ply", float(np.mean(scores)), float(np.std(scores, ddof=1)), len(scores))
        moment = replace(self._moment(), points=points, played=True)
        self.curve.append(moment)
        # In doubt the later one, which has learnt more.
        if self.best is None or points.mean >= self.best.mean - points.error:
            self.best = points
            network.save(self.file)
        self.progress(moment)

    def _scores(self, network: NTupleFile) -> list[int]:
        """Of games by the network as the file has it, which counts where that is coarse."""
        if self.settings.tuples != "small":
            return list(self.trainer.play(_GAMES, self.settings.seed))
        weights = self.trainer.weights
        learnt = weights.copy()
        weights[:] = self.first + network.weights * np.float32(network.unit)
        try:
            return list(self.trainer.play(_GAMES, self.settings.seed))
        finally:
            weights[:] = learnt

    def _moment(self) -> NTupleMoment:
        games, points = self.recent
        self.recent = 0, 0.0
        rate = self.moves / max(self.playing, 1e-9)
        learning = Points("while learning", points / max(games, 1), 0.0, games)
        return NTupleMoment(self.share, self.games, self.moves, self.seconds, rate, learning)

    def _save(self) -> None:
        """The checkpoint, the curve, and the network where it has not played yet."""
        if self.best is None:
            self._network().save(self.file)
        errors = self.trainer.errors.reshape(-1, 2)
        places = np.flatnonzero(errors[:, 1]).astype(np.uint32)
        state = {
            "games": self.games,
            "moves": self.moves,
            "chunks": self.chunks,
            "matches": self.matches,
            "playing": self.playing,
            "seconds": self.seconds,
            "best": None if self.best is None else asdict(self.best),
            "curve": [asdict(moment) for moment in self.curve],
        }
        weights = self.trainer.weights[places]
        Checkpoint(self.game.name, asdict(self.settings), state, places, weights, errors[places]).save(
            checkpoint_of(self.file)
        )
        write_points(curve_of(self.file), self.game.name, self.curve)

    def _network(self) -> NTupleFile:
        away = self.trainer.weights - self.first
        made = {
            "command": self.settings.command(self.game.name),
            "settings": asdict(self.settings),
            "games": self.games,
            "moves": self.moves,
            "seconds": self.seconds,
            "threads": self.threads,
            "versions": {"starspiel": version("starspiel")},
        }
        unit = max(float(np.abs(away).max()), 1e-3) / 32767
        if self.settings.tuples == "small":
            whole = small_weights(away, self.trainer.errors[1::2])
        else:
            whole = np.rint(away / np.float32(unit)).astype(np.int16)
        return NTupleFile(
            self.game.name,
            self.game.rows,
            self.game.columns,
            tuple(map(tuple, self.patterns)),
            whole,
            float(self.first) * self.lookups,
            unit,
            made,
        )
