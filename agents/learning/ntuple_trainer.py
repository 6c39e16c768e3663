"""Trains an n-tuple network for 2048 by self-play in the native core: TD(lambda) with temporal coherence.

Sources: see native/ntuple/trainer.hpp.
"""

import math
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from starspiel.agents.evaluators.ntuple_file import NTupleFile
from starspiel.agents.learning.curve import drawn_points, write_curve
from starspiel.agents.learning.files import checkpoint_of, curve_of, no_checkpoint
from starspiel.agents.learning.ntuple_checkpoint import Checkpoint, read_checkpoint
from starspiel.agents.learning.patterns import fitting
from starspiel.agents.learning.result import NTupleMoment, NTupleResult, Points
from starspiel.agents.learning.run import Run
from starspiel.agents.learning.settings import NTupleSettings, Settings
from starspiel.agents.learning.small_ntuples import small_weights
from starspiel.agents.native_loader import native_status
from starspiel.envs.base import Game
from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.games.twenty_forty_eight import TwentyFortyEight

#: Games of a match; and games or seconds of self-play between two looks at the clock.
_MATCH_GAMES, _CHUNK_GAMES, _CHUNK_SECONDS = 100, 100, 0.5
#: The share of a training after which, for a small file, only the weights that fit into it are trained.
_PRUNED_AFTER = 0.8


class NTupleRun(Run):
    """The training of an n-tuple network."""

    def __init__(
        self,
        game: Game,
        settings: Settings | Mapping[str, Any] | None,
        file: Path,
        resume: bool,
        progress: Callable[[Any], None],
    ) -> None:
        assert isinstance(game, TwentyFortyEight)
        core = native_status().module
        if core is None:
            raise StarspielError(f"train needs the native core, which is missing: {native_status().reason}")
        if game.rows > 4 or game.columns > 4:
            raise UnsupportedGameError(
                f"{game.name} has a board of {game.rows} x {game.columns}; n-tuple networks take 4 x 4 "
                "at most."
            )
        self.rows, self.columns = game.rows, game.columns
        self.moves = 0
        self.recent = (0, 0.0)  # number of games and sum of points since the last moment
        self.best: Points | None = None
        self.pruned = False  # whether only the weights of a small file are left
        if not resume:
            self._begin(core, game, NTupleSettings().changed(settings), file, progress)
            return
        held = read_checkpoint(checkpoint_of(file), game.name)
        try:
            self._begin(core, game, NTupleSettings(**held.settings).resumed(settings), file, progress)
            self._restore(held)
        except StarspielError:
            raise
        except (KeyError, TypeError, ValueError) as error:
            raise no_checkpoint(file, error) from None

    def _begin(
        self, core: Any, game: Game, settings: NTupleSettings, file: Path, progress: Callable[[Any], None]
    ) -> None:
        super().__init__(game, settings, file, progress)
        self.settings = settings
        self.patterns = fitting(self.rows, self.columns)
        self.trainer = core.NTupleTrainer(self.rows, self.columns, self.patterns)

    def _restore(self, held: Checkpoint) -> None:
        self.restore(held.state, NTupleMoment.of)
        self.moves = held.state["moves"]
        # In a longer training, all weights learn again until then. Old checkpoints have no field `pruned`.
        self.pruned = held.state.get("pruned", False) and self.clock.share >= _PRUNED_AFTER
        if self.file.exists() and held.state["best"] is not None:
            self.best = Points(**held.state["best"])
        weights, errors = self.trainer.weights, self.trainer.errors
        if len(held.places) and int(held.places.max()) >= len(weights):
            raise ValueError("a place beyond the tables")
        if self.pruned:
            errors[:, 1] = np.inf
        weights[held.places] = held.weights
        errors[held.places] = held.errors

    def learn(self, stop: threading.Event) -> None:
        seed = (self.settings.seed << 24) + self.chunks & 2**64 - 1
        clock, games_in_all = self.clock, self.settings.games
        length: dict[str, Any] = {"seconds": min(_CHUNK_SECONDS, clock.left)}
        if games_in_all is not None:
            length = {"games": min(_CHUNK_GAMES, games_in_all - clock.games)}
        with clock.playing_games():
            games, moves, points = self.trainer.train(seed=seed, threads=self.threads, **length)
        self.clock.games += games
        self.moves += moves
        self.chunks += 1
        self.recent = self.recent[0] + games, self.recent[1] + points
        if self.settings.tuples == "small" and not self.pruned and clock.share >= _PRUNED_AFTER:
            self._prune()

    def _prune(self) -> None:
        """Sets the weights to 0 that do not fit into a small file, so that the others learn to do without
        them.

        Their errors are set to infinity, so that temporal coherence never changes them.
        """
        weights, errors = self.trainer.weights, self.trainer.errors
        whole, _ = small_weights(weights, errors[:, 1])
        weights[whole == 0] = 0.0
        errors[whole == 0] = 0.0, np.inf
        self.pruned = True

    def match(self, stop: threading.Event) -> None:
        """Plays without learning, and saves the network unless it is significantly worse than the best so
        far.
        """
        network = self._network()
        scores = self._scores(network)
        self.matches = self.clock.matches_due
        points = Points("1 ply", float(np.mean(scores)), float(np.std(scores, ddof=1)), len(scores))
        moment = replace(self.moment(), points=points, played=True)
        self.curve.append(moment)
        # If in doubt, the later network is kept, since it has learnt more.
        if self.best is None or points.mean >= self.best.mean - 2 * math.hypot(points.error, self.best.error):
            self.best = points
            network.save(self.file)
        self.progress(moment)

    def _scores(self, network: NTupleFile) -> list[int]:
        """Returns the points of games by the network as the file stores it, with its rounding."""
        if self.settings.tuples != "small":
            return list(self.trainer.play(_MATCH_GAMES, self.settings.seed))
        weights = self.trainer.weights
        learnt = weights.copy()
        weights[:] = network.weights * np.float32(network.unit)
        try:
            return list(self.trainer.play(_MATCH_GAMES, self.settings.seed))
        finally:
            weights[:] = learnt

    def moment(self) -> NTupleMoment:
        games, points = self.recent
        self.recent = 0, 0.0
        clock = self.clock
        rate = self.moves / max(clock.playing, 1e-9)
        learning = Points("while learning", points / max(games, 1), 0.0, games)
        return NTupleMoment(clock.share, clock.games, self.moves, clock.seconds, rate, learning)

    def save(self) -> None:
        if self.best is None:
            self._network().save(self.file)
        errors = self.trainer.errors
        learnt = (errors[:, 1] > 0) & (errors[:, 1] < np.inf)
        places = np.flatnonzero(learnt).astype(np.uint32)
        best = None if self.best is None else asdict(self.best)
        Checkpoint(
            self.game.name,
            asdict(self.settings),
            self.state() | {"moves": self.moves, "best": best, "pruned": self.pruned},
            places,
            self.trainer.weights[places],
            errors[places],
        ).save(checkpoint_of(self.file))
        write_curve(curve_of(self.file), self.game.name, self.curve, drawn_points)

    def result(self, interrupted: bool) -> NTupleResult:
        return NTupleResult(**self.outcome(interrupted), moves=self.moves, points=self.best)

    def _network(self) -> NTupleFile:
        weights = self.trainer.weights
        if self.settings.tuples == "small":
            whole, unit = small_weights(weights, self.trainer.errors[:, 1])
        else:
            unit = max(float(np.abs(weights).max()), 1e-3) / 32767
            whole = np.rint(weights / np.float32(unit)).astype(np.int16)
        more = {"settings": asdict(self.settings), "moves": self.moves, "threads": self.threads}
        return NTupleFile(
            game=self.game.name,
            rows=self.rows,
            columns=self.columns,
            patterns=tuple(map(tuple, self.patterns)),
            weights=whole,
            base=0.0,
            unit=unit,
            made=self.made() | more,
        )
