"""`train` for 2048: an n-tuple network by self-play in the native core, TD(0) with temporal coherence.

A training can be ended at any moment and gone on with: its checkpoint, its network and its curve are each
written whole or not at all. Sources: native/ntuple/trainer.hpp.
"""

import json
import math
import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from starspiel.agents.evaluators.ntuple_file import NTupleFile, read_ntuples
from starspiel.agents.learning.ntuple_checkpoint import Checkpoint, read_checkpoint
from starspiel.agents.learning.patterns import PATTERNS, fitting
from starspiel.agents.learning.small_ntuples import small_weights
from starspiel.agents.search.core import native_status
from starspiel.envs.arguments import finite_number, whole_number
from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.games.twenty_forty_eight import TwentyFortyEight

#: Seconds, or games where games are counted, between two looks at the clock.
_CHUNK_SECONDS, _CHUNK = 1.0, 100
#: How often the network plays without learning, and how many games.
_MATCHES, _GAMES = 10, 100
_CHECKPOINT_SECONDS = 45.0


@dataclass(frozen=True)
class NTupleSettings:
    """How to train an n-tuple network.

    Attributes:
        minutes: wall-clock time; not used where `games` is given.
        games: to play; with one thread the same seed then gives the same network, bit for bit.
        tuples: `large`, four patterns of six cells, whose file takes tens of MB, or `small`, whose file takes
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


@dataclass(frozen=True)
class Points:
    """Points a game, by the best move at one ply.

    Attributes:
        what: `while learning` or `1 ply`.
        mean, deviation: of the games.
        games: how many.
    """

    what: str
    mean: float
    deviation: float
    games: int

    def __str__(self) -> str:
        return f"{self.what} {self.mean:,.0f} points a game"

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return self.deviation / math.sqrt(max(self.games, 1))


@dataclass(frozen=True)
class NTupleMoment:
    """How far a training has come.

    Attributes:
        share: of the time or games, 0 to 1.
        games, moves, seconds: so far.
        moves_per_second: of self-play.
        points: of the games since the last moment; of games without learning where `played`.
    """

    share: float
    games: int
    moves: int
    seconds: float
    moves_per_second: float
    points: Points
    played: bool = False

    def __str__(self) -> str:
        return (
            f"{self.share:4.0%} {self.games:,} games, {self.moves:,} moves, "
            f"{self.moves_per_second:,.0f} moves/s; {self.points}"
        )


@dataclass(frozen=True)
class NTupleResult:
    """An n-tuple network that was trained.

    Attributes:
        file, curve: where the network is, and its learning curve.
        checkpoint: from which `resume` goes on.
        games, moves, seconds: of the whole training.
        points: of the network on file; None where it has not played.
        interrupted: whether Ctrl-C ended it.
    """

    game: str
    file: Path
    curve: Path
    checkpoint: Path
    games: int
    moves: int
    seconds: float
    points: Points | None
    interrupted: bool

    def __str__(self) -> str:
        points = f"; {self.points}" if self.points is not None else ""
        return f"{self.game}: {self.games:,} games, {self.moves:,} moves in {self.seconds:.0f} s{points}"


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
        return _Run(core, game, _settings(NTupleSettings(), settings), file, progress).all(stop)
    try:
        run = _Run(core, game, _continued(NTupleSettings(**held.settings), settings), file, progress)
        run.restore(held)
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, StarspielError):
            raise
        raise StarspielError(
            f"{checkpoint} is no checkpoint of a training ({type(error).__name__}: {error}); begin anew with "
            "another --output."
        ) from None
    return run.all(stop)


def checkpoint_of(file: Path) -> Path:
    """Where the training of a network's file goes on from."""
    return file.with_name(f"{file.name}.checkpoint")


def check_output(file: Path, resume: bool) -> None:
    """Raises StarspielError where something that is no n-tuple network, or a finished one, would be lost."""
    for each, read in ((file, read_ntuples), (checkpoint_of(file), read_checkpoint)):
        if not each.exists():
            continue
        if not resume:
            raise StarspielError(
                f"{each} is there already: go on with it by resume=True (--resume), or name another output."
            )
        try:
            read(each)
        except StarspielError as error:
            raise StarspielError(
                f"{each} is there and is no n-tuple network; name another --output ({error})"
            ) from None


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
        self.threads = settings.threads or os.cpu_count() or 1
        self.games = self.moves = self.chunks = self.matches = 0
        self.playing = self.spent = 0.0
        self.recent = (0, 0.0)  # games and points since the last moment
        self.best: Points | None = None
        self.curve: list[dict[str, Any]] = []

    def restore(self, held: Checkpoint) -> None:
        state = held.state
        self.games, self.moves, self.chunks = state["games"], state["moves"], state["chunks"]
        self.matches, self.playing, self.spent = state["matches"], state["playing"], state["seconds"]
        if self.file.exists() and state["best"] is not None:
            self.best = Points(**state["best"])
        self.curve = state["curve"]
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
    def seconds(self) -> float:
        return self.spent + time.perf_counter() - self.started

    def all(self, stop: threading.Event) -> NTupleResult:
        self.started = saved = shown = time.perf_counter()
        self.matches = min(self.matches, int(self.share * _MATCHES))  # More may be left than was to be done.
        while self.share < 1.0 and not stop.is_set():
            self._chunk()
            now = time.perf_counter()
            if self.share >= (self.matches + 1) / _MATCHES:
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
            self._curve_file,
            checkpoint_of(self.file),
            self.games,
            self.moves,
            self.seconds,
            self.best,
            stop.is_set(),
        )

    def _chunk(self) -> None:
        budget: dict[str, Any] = {"seconds": _CHUNK_SECONDS}
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
        scores = self.trainer.play(_GAMES, self.settings.seed)
        self.matches = int(self.share * _MATCHES + 1e-9)
        points = Points("1 ply", float(np.mean(scores)), float(np.std(scores, ddof=1)), len(scores))
        moment = replace(self._moment(), points=points, played=True)
        self.curve.append(asdict(moment))
        # In doubt the later one, which has learnt more.
        if self.best is None or points.mean >= self.best.mean - points.error:
            self.best = points
            self._network()
        self.progress(moment)

    def _moment(self) -> NTupleMoment:
        games, points = self.recent
        self.recent = 0, 0.0
        rate = self.moves / max(self.playing, 1e-9)
        learning = Points("while learning", points / max(games, 1), 0.0, games)
        return NTupleMoment(self.share, self.games, self.moves, self.seconds, rate, learning)

    @property
    def _curve_file(self) -> Path:
        return self.file.with_name(f"{self.file.name}.curve.json")

    def _save(self) -> None:
        """The checkpoint, the curve, and the network where it has not played yet."""
        if self.best is None:
            self._network()
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
            "curve": self.curve,
        }
        weights = self.trainer.weights[places]
        Checkpoint(self.game.name, asdict(self.settings), state, places, weights, errors[places]).save(
            checkpoint_of(self.file)
        )
        aside = self._curve_file.with_name(f".{self._curve_file.name}.part")
        aside.write_text(json.dumps({"game": self.game.name, "curve": self.curve}), encoding="utf-8")
        aside.replace(self._curve_file)

    def _network(self) -> None:
        away = self.trainer.weights - self.first
        made = {
            "command": "starspiel train",
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
        NTupleFile(
            self.game.name,
            self.game.rows,
            self.game.columns,
            tuple(map(tuple, self.patterns)),
            whole,
            float(self.first) * self.lookups,
            unit,
            made,
        ).save(self.file)


def _settings(usual: NTupleSettings, settings: NTupleSettings | Mapping[str, Any] | None) -> NTupleSettings:
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


def _continued(began: NTupleSettings, changes: NTupleSettings | Mapping[str, Any] | None) -> NTupleSettings:
    """The settings to go on with. Raises StarspielError where they are another training's."""
    settings = _settings(began, changes)
    fixed = ("tuples", "optimism", "seed")
    if any(getattr(settings, name) != getattr(began, name) for name in fixed):
        told = (", ".join(f"{name}={getattr(each, name)}" for name in fixed) for each in (began, settings))
        raise StarspielError(
            "the training began with {}; it cannot go on with {}. Start anew without --resume.".format(*told)
        )
    return settings
