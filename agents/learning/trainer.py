"""`train`: a network for a game by self-play in the native core; TD(lambda), then exact one-ply targets.

A training can be ended at any moment and gone on with: its checkpoint, its network and its curve are each
written whole or not at all. Tesauro (1995) for self-play by TD(lambda).
"""

import json
import math
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from starspiel.agents.evaluators.network_file import NetworkFile, read_network
from starspiel.agents.learning.encoders import Encoder, encoder_of
from starspiel.agents.learning.reference import Score, references, score_against
from starspiel.agents.search.core import is_native, native_status
from starspiel.envs.arguments import finite_number, whole_number
from starspiel.envs.base import Game
from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.load import load_game
from starspiel.envs.openspiel.game import OpenSpielGame

#: The part of the training that has exact targets, in games with chance: of its time, and of its games, which
#: take some 25 times as long.
_EXACT_TIME, _EXACT_GAMES = 0.4, 0.04
_LAMBDA = 0.5
#: Of moves at random, where no dice bring variety.
_EXPLORE = 0.05
#: Games between two looks at the clock where games are counted, and seconds where time is.
_CHUNK, _CHUNK_SECONDS = 20, 0.5
#: How often the best is looked for, and the part of the time that its matches take.
_MATCHES, _MATCH_TIME = 10, 0.1
#: Pairs against each reference.
_PAIRS = 20
_CHECKPOINT_SECONDS = 30.0


@dataclass(frozen=True)
class TrainingSettings:
    """How to train.

    Attributes:
        minutes: wall-clock time, matches included; not used where `games` is given.
        games: to play; with one thread the same seed then gives the same network, bit for bit.
        hidden: the units of each hidden layer.
        seed: of the first weights and of the games.
        threads: which write one set of weights; None for one a processor.

    Raises StarspielError where one is not positive.
    """

    minutes: float = 15.0
    games: int | None = None
    hidden: tuple[int, ...] = (128, 32)
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
        if not 1 <= len(self.hidden) <= 8:
            raise StarspielError(f"hidden must name 1 to 8 layers, got {len(self.hidden)}.")
        for units in self.hidden:
            whole_number("hidden", units, 1, 4096)


@dataclass(frozen=True)
class Moment:
    """How far a training has come.

    Attributes:
        share: of the time or games, 0 to 1.
        games, seconds: so far.
        games_per_second: of self-play, without matches.
        error: the mean squared difference of the network's share and its target; None before the first game.
        exact: whether targets are exact.
        scores: points a game against each reference at one ply; None where no match was played.
    """

    share: float
    games: int
    seconds: float
    games_per_second: float
    error: float | None
    exact: bool
    scores: tuple[Score, ...] | None = None


@dataclass(frozen=True)
class TrainingResult:
    """A network that was trained.

    Attributes:
        file, curve: where the network is, and its learning curve.
        checkpoint: from which `resume` goes on.
        games, seconds: of the whole training.
        scores: of the network on file.
        interrupted: whether Ctrl-C ended it.
    """

    game: str
    file: Path
    curve: Path
    checkpoint: Path
    games: int
    seconds: float
    scores: tuple[Score, ...]
    interrupted: bool

    def __str__(self) -> str:
        scores = ", ".join(str(score) for score in self.scores)
        return f"{self.game}: {self.games:,} games in {self.seconds:.0f} s{f'; {scores}' if scores else ''}"


def train(
    game: str | Game,
    settings: TrainingSettings | Mapping[str, Any] | None = None,
    *,
    output: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: Callable[[Moment], None] = lambda moment: None,
) -> TrainingResult:
    """Trains a network and writes it to `output` (GAME.net.npz), for `net(file=…)`. Ctrl-C ends it early.

    Args:
        settings: how to train, or the fields that are not as usual; with `resume`, not as it began, where
            only minutes, games and threads may differ.
        progress: called every few seconds and after each match.

    Raises StarspielError where the game has no native trainer, or `output` is no network's file.
    """
    loaded = load_game(game) if isinstance(game, str) else game
    core, encoder, limits = _trainable(loaded)
    file = _output(loaded, output)
    if not resume:
        _refuse_to_replace(file)
    run = _Run(core, loaded, encoder, limits, settings, file, resume, progress)
    with _asked_to_stop() as stop:
        return run.all(stop)


def _trainable(game: Game) -> tuple[Any, Encoder, tuple[float, float]]:
    """The native core, the game's encoder and the range of its returns."""
    if game.num_players != 2:
        raise UnsupportedGameError(f"{game.name} has {game.num_players} player; train takes games of two.")
    core = native_status().module
    if core is None:
        raise StarspielError(f"train needs the native core, which is not there: {native_status().reason}")
    if not isinstance(game, OpenSpielGame) or not is_native(core, game.new_initial_state()):
        raise UnsupportedGameError(f"{game.name} is written in Python; train takes OpenSpiel's C++ games.")
    encoder = encoder_of(game)
    if encoder is None:
        raise UnsupportedGameError(
            f"{game.name} has no encoder and no observation tensor, so no network sees it."
        )
    if game.utility_range is None:
        raise UnsupportedGameError(f"{game.name} has no known bounds of its returns, which a network needs.")
    return core, encoder, game.utility_range


def _output(game: Game, output: str | os.PathLike[str] | None) -> Path:
    """Where the network goes. Raises StarspielError where something else is, or nothing can be written."""
    path = Path(output if output is not None else f"{_plain(game.name)}.net.npz")
    if not path.name or path.is_dir():
        raise StarspielError(f"cannot write the network to {str(path)!r}: that is a folder.")
    if not path.parent.is_dir():
        raise StarspielError(f"cannot write {path}: there is no folder {path.parent}.")
    if not os.access(path.parent, os.W_OK):
        raise StarspielError(f"cannot write {path}: the folder {path.parent} is not writable.")
    for each in (path, _checkpoint_of(path)):
        if each.exists():
            try:
                read_network(each)
            except StarspielError as error:
                raise StarspielError(
                    f"{each} is there and is no network; name another --output ({error})"
                ) from None
    return path


def _refuse_to_replace(file: Path) -> None:
    """Raises StarspielError where a network would be lost by a training that begins anew."""
    for each in (file, _checkpoint_of(file)):
        if each.exists():
            raise StarspielError(
                f"{each} is there already: go on with it by resume=True (--resume), or name another output."
            )


def _plain(name: str) -> str:
    """A game string as a file name that a spec can hold: pig(winscore=20) as pig_winscore_20."""
    return re.sub(r"\W+", "_", name).strip("_")


def _checkpoint_of(file: Path) -> Path:
    return file.with_name(f"{file.name}.checkpoint")


class _Run:
    """One training: what is trained, and how far it has come."""

    def __init__(
        self,
        core: Any,
        game: Game,
        encoder: Encoder,
        limits: tuple[float, float],
        settings: TrainingSettings | Mapping[str, Any] | None,
        file: Path,
        resume: bool,
        progress: Callable[[Moment], None],
    ) -> None:
        self.game, self.encoder, self.limits, self.file, self.progress = game, encoder, limits, file, progress
        self.games, self.chunks, self.matches = 0, 0, 0
        self.playing = self.spent = 0.0
        self.error: float | None = None
        self.best: tuple[Score, ...] = ()
        self.curve: list[dict[str, Any]] = []
        held = _held(_checkpoint_of(file), game, encoder) if resume else None
        if held is not None:
            self.settings = _continued(_began(held, _checkpoint_of(file)), settings)
            try:
                self._restore(held.made["state"])
            except (KeyError, TypeError) as error:
                raise _no_checkpoint(_checkpoint_of(file), error) from None
        else:
            self.settings = _settings(TrainingSettings(), settings)
        self.threads = self.settings.threads or os.cpu_count() or 1
        self.chance = game.new_initial_state().get_game().get_type().chance_mode.name != "DETERMINISTIC"
        self.trainer = core.Trainer(
            game.new_initial_state(), list(self.settings.hidden), limits, self.settings.seed
        )
        if held is not None:
            try:
                self.trainer.layers = [tuple(layer) for layer in held.layers]
            except ValueError as error:
                raise _no_checkpoint(_checkpoint_of(file), error) from None
        self.references = references(game)

    def _restore(self, state: dict[str, Any]) -> None:
        self.games, self.chunks, self.matches = state["games"], state["chunks"], state["matches"]
        self.playing, self.spent, self.error = state["playing"], state["seconds"], state["error"]
        if self.file.exists():
            self.best = tuple(Score(**score) for score in state["best"])
        self.curve = state["curve"]

    @property
    def share(self) -> float:
        """How much of the training is done, 0 to 1."""
        if self.settings.games is not None:
            return min(1.0, self.games / self.settings.games)
        return min(1.0, self.seconds / (60 * self.settings.minutes))

    @property
    def seconds(self) -> float:
        return self.spent + time.perf_counter() - self.started

    def all(self, stop: threading.Event) -> TrainingResult:
        self.started = saved = shown = time.perf_counter()
        self.matches = min(self.matches, int(self.share * _MATCHES))  # More may be left than was to be done.
        while self.share < 1.0 and not stop.is_set():
            self._chunk()
            now = time.perf_counter()
            if self.share >= (self.matches + 1) / _MATCHES:
                self._match(stop)
            elif now - shown >= 5.0:
                self.progress(self._moment())
                shown = now
            if now - saved >= _CHECKPOINT_SECONDS:
                self._save()
                saved = time.perf_counter()
        self._save()
        return TrainingResult(
            self.game.name,
            self.file,
            self._curve_file,
            _checkpoint_of(self.file),
            self.games,
            self.seconds,
            self.best,
            stop.is_set(),
        )

    def _phase(self) -> tuple[bool, float]:
        """(whether targets are exact, how much of the phase is done)."""
        exact = 0.0 if not self.chance else _EXACT_TIME if self.settings.games is None else _EXACT_GAMES
        begins = 1.0 - exact
        if exact == 0.0 or self.share < begins:
            return False, self.share / begins
        return True, (self.share - begins) / exact

    def _chunk(self) -> None:
        exact, done = self._phase()
        rate = 0.02 * (1 - done) + 0.001 * done if exact else 0.05 * (1 - 0.8 * done)
        budget: dict[str, Any] = {"seconds": _CHUNK_SECONDS}
        if self.settings.games is not None:
            budget = {"games": min(_CHUNK, self.settings.games - self.games)}
        started = time.perf_counter()
        games, positions, errors = self.trainer.train(
            seed=(self.settings.seed << 20) + self.chunks & 2**64 - 1,
            rate=rate,
            lambda_=_LAMBDA,
            explore=0.0 if self.chance else _EXPLORE,
            exact=exact,
            threads=self.threads,
            **budget,
        )
        self.playing += time.perf_counter() - started
        self.games += games
        self.chunks += 1
        self.error = errors / max(positions, 1)

    def _match(self, stop: threading.Event) -> None:
        """Scores the network, and keeps it where it is not clearly worse than the best so far."""
        until = None
        if self.settings.games is None:
            until = time.perf_counter() + 60 * self.settings.minutes * _MATCH_TIME / _MATCHES
        scores = score_against(self.game, self.trainer.best, self.references, _PAIRS, until, stop)
        self.matches = int(self.share * _MATCHES + 1e-9)
        if scores is None:
            return
        moment = replace(self._moment(), scores=scores)
        self.curve.append(asdict(moment))
        # In doubt the later one, which has learnt more.
        if not self.best or _mean(scores) >= _mean(self.best) - _doubt(scores):
            self.best = scores
            self._network(self.file)
        self.progress(moment)

    def _moment(self) -> Moment:
        rate = self.games / max(self.playing, 1e-9)
        return Moment(self.share, self.games, self.seconds, rate, self.error, self._phase()[0])

    def _save(self) -> None:
        """The checkpoint, the curve, and the network where no match has chosen one."""
        if not self.best:
            self._network(self.file)
        self._network(_checkpoint_of(self.file))
        aside = self._curve_file.with_name(f".{self._curve_file.name}.part")
        aside.write_text(json.dumps({"game": self.game.name, "curve": self.curve}), encoding="utf-8")
        aside.replace(self._curve_file)

    @property
    def _curve_file(self) -> Path:
        return self.file.with_name(f"{self.file.name}.curve.json")

    def _network(self, path: Path) -> None:
        state = {
            "games": self.games,
            "chunks": self.chunks,
            "matches": self.matches,
            "playing": self.playing,
            "seconds": self.seconds,
            "error": self.error,
            "best": [asdict(score) for score in self.best],
            "curve": self.curve,
        }
        versions = {name: version(name) for name in ("starspiel", "open_spiel")}
        made = {
            "command": "starspiel train",
            "settings": asdict(self.settings),
            "versions": versions,
            "state": state,
        }
        layers = tuple((weights, bias) for weights, bias in self.trainer.layers)
        encoder = (self.encoder.name, self.encoder.version)
        NetworkFile(self.game.name, encoder, self.limits, layers, made).save(path)


def _held(path: Path, game: Game, encoder: Encoder) -> NetworkFile:
    """The checkpoint to go on from."""
    if not path.exists():
        raise StarspielError(f"there is no checkpoint {path} to resume from; start without --resume.")
    held = read_network(path)
    if held.game != game.name:
        raise StarspielError(f"{path} is of {held.game}, not of {game.name}; name another --output.")
    if held.encoder != (encoder.name, encoder.version):
        raise StarspielError(
            f"{path} was trained on {held.encoder[0]} version {held.encoder[1]}, and {game.name} now has "
            f"{encoder.name} version {encoder.version}; begin anew with another --output."
        )
    return held


def _began(held: NetworkFile, path: Path) -> TrainingSettings:
    """The settings of a checkpoint's training."""
    try:
        settings = dict(held.made["settings"])
        return TrainingSettings(**settings | {"hidden": tuple(settings["hidden"])})
    except (KeyError, TypeError, ValueError) as error:
        raise _no_checkpoint(path, error) from None


def _no_checkpoint(path: Path, error: Exception) -> StarspielError:
    return StarspielError(
        f"{path} is no checkpoint of a training ({type(error).__name__}: {error}); begin anew with another "
        "--output."
    )


def _settings(
    usual: TrainingSettings, settings: TrainingSettings | Mapping[str, Any] | None
) -> TrainingSettings:
    if isinstance(settings, TrainingSettings):
        return settings
    changes = dict(settings or {})
    if "minutes" in changes:
        changes.setdefault("games", None)
    return replace(usual, **changes)


def _continued(
    began: TrainingSettings, changes: TrainingSettings | Mapping[str, Any] | None
) -> TrainingSettings:
    """The settings to go on with. Raises StarspielError where they are another training's."""
    settings = _settings(began, changes)
    if (settings.hidden, settings.seed) != (began.hidden, began.seed):
        raise StarspielError(
            f"the training began with hidden={began.hidden}, seed={began.seed}; it cannot go on with "
            f"hidden={settings.hidden}, seed={settings.seed}. Start anew without --resume."
        )
    return settings


def _mean(scores: tuple[Score, ...]) -> float:
    return sum((score.share for score in scores), start=0.0) / max(len(scores), 1)


def _doubt(scores: tuple[Score, ...]) -> float:
    """At most one standard error of the mean score: a game's share differs by at most a half."""
    return 0.5 / math.sqrt(max(sum(score.games for score in scores), 1))


@contextmanager
def _asked_to_stop() -> Iterator[threading.Event]:
    """Set by Ctrl-C, where this is the main thread; the second one ends at once."""
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = signal.getsignal(signal.SIGINT)

    def ask(number: int, frame: Any) -> None:
        stop.set()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, ask)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)
