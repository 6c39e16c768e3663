"""A network for a game by self-play: TD(lambda), then exact one-ply targets (Tesauro 1995).

In the native core, or in NumPy for games written in Python.
"""

import math
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from starspiel.agents.encoders import Encoder, encoder_of
from starspiel.agents.evaluators.heuristic import ships_heuristic
from starspiel.agents.evaluators.network import NetworkEvaluator, network_from_file
from starspiel.agents.evaluators.network_file import NetworkFile, read_network
from starspiel.agents.learning.curve import drawn_curve, write_curve
from starspiel.agents.learning.files import (
    checkpoint_of,
    curve_of,
    held_checkpoint,
    held_network,
    no_checkpoint,
)
from starspiel.agents.learning.inputs import rate_factor, squared_length, weight_factor
from starspiel.agents.learning.match import has_chance, score_matches
from starspiel.agents.learning.python_trainer import PythonTrainer
from starspiel.agents.learning.reference import DEPTHS, equal_simulations, pairings, usual_simulations
from starspiel.agents.learning.result import Moment, TrainingResult
from starspiel.agents.learning.run import Run
from starspiel.agents.learning.schedule import phase
from starspiel.agents.learning.score import Score, is_worse
from starspiel.agents.learning.settings import Settings, TrainingSettings
from starspiel.agents.learning.widening import widened
from starspiel.agents.native_loader import native_status
from starspiel.agents.native_positions import for_core, why_not_played
from starspiel.envs.base import Game
from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.openspiel.game import OpenSpielGame

_LAMBDA = 0.5
_USUAL_HIDDEN = (128, 32)
#: Of moves at random, where no dice bring variety.
_EXPLORE = 0.05
#: A drawn game counts as so much of what the heuristic says of its end, where that teaches.
_DRAWS = 0.5
#: Where games are counted, the pairs of a match: the least, the most, and how many games of self-play each is
#: for.
_LEAST_PAIRS, _MOST_PAIRS, _GAMES_A_PAIR = 2, 100, 500
#: The part of a match's time that goes to measuring MCTS.
_MEASURED = 0.25
#: A network that is worse than the best so far by so many standard errors has diverged.
_DIVERGED_ERRORS = 3.0


def _trainable(game: Game) -> tuple[Callable[..., Any], Encoder, tuple[float, float]]:
    """What makes the trainer, the game's encoder and the range of its returns."""
    if game.num_players != 2:
        raise UnsupportedGameError(f"{game.name} has {game.num_players} player; train takes games of two.")
    encoder = encoder_of(game)
    if encoder is None:
        raise UnsupportedGameError(
            f"{game.name} has no encoder, no observation tensor, and no rules with features(position), so no "
            "network sees it."
        )
    if game.utility_range is None:
        raise UnsupportedGameError(f"{game.name} has no known bounds of its returns, which a network needs.")
    low, high = game.utility_range
    if not 0 < high == -low < math.inf:
        raise UnsupportedGameError(
            f"{game.name} has returns from {low:g} to {high:g}; networks are trained for zero-sum games, "
            "whose returns are from -x to x. In rules of your own, pay -1, 0 and 1, say, with "
            "utility_range = (-1, 1)."
        )
    core = native_status().module
    if core is None and isinstance(game, OpenSpielGame):
        raise StarspielError(f"train needs the native core, which is not there: {native_status().reason}")
    if core is not None and why_not_played(core, game.new_initial_state(), game) is None:
        return partial(_native_trainer, core), encoder, game.utility_range
    return partial(PythonTrainer, encoder), encoder, game.utility_range  # in NumPy, and slower


def _native_trainer(core: Any, state: Any, *settings: Any) -> Any:
    return core.Trainer(for_core(core, state), *settings)


def _check_heuristic(game: Game, trainer: Any) -> None:
    """Raises UnsupportedGameError where the trainer has no heuristic of the game to begin with."""
    if isinstance(trainer, PythonTrainer):
        raise UnsupportedGameError(
            f"{game.name} is trained in NumPy, where no training begins with a heuristic; train it without."
        )
    if not ships_heuristic(game):
        raise UnsupportedGameError(
            f"no heuristic comes with starspiel for {game.name}, so that its training cannot begin with one; "
            "train it without."
        )


@contextmanager
def _no_heuristic_in_words(game: Game) -> Iterator[None]:
    """Says of which game the core has no heuristic: forms of a game whose others it has one for."""
    try:
        yield
    except ValueError as error:
        if "heuristic" not in str(error):
            raise
        raise UnsupportedGameError(f"{game.name}: {error}; train it without.") from None


@dataclass(frozen=True)
class _Subject:
    """What is learnt: a game, what a network sees of it, and the range of its returns."""

    game: Game
    encoder: Encoder
    limits: tuple[float, float]

    def file(self, layers: Any, made: dict[str, Any]) -> NetworkFile:
        kept = tuple((weights, bias) for weights, bias in layers)
        return NetworkFile(self.game.name, (self.encoder.name, self.encoder.version), self.limits, kept, made)

    def evaluator(self, layers: Any) -> NetworkEvaluator:
        return NetworkEvaluator(self.file(layers, {}), self.encoder, "net")


class NetworkRun(Run):
    """The training of a network."""

    chunk_games = 20

    def __init__(
        self,
        game: Game,
        settings: Settings | Mapping[str, Any] | None,
        file: Path,
        resume: bool,
        progress: Callable[[Any], None],
    ) -> None:
        make_trainer, encoder, limits = _trainable(game)
        held, began = held_checkpoint(file, game, encoder) if resume else (None, TrainingSettings())
        self.settings = began.changed(settings) if held is None else began.resumed(settings)
        begins_with = None if held is not None else _network_to_start_from(game, self.settings.start)
        usual = _USUAL_HIDDEN if begins_with is None else begins_with.sizes[1:-1]
        hidden = self.settings.hidden or usual
        self.settings = replace(self.settings, hidden=hidden)
        super().__init__(game, self.settings, file, progress)
        self.subject = _Subject(game, encoder, limits)
        self.chance = has_chance(game)
        self.damping = 1.0  # of the learning rate; halved each time that training diverged
        self.error: float | None = None
        self.scores: tuple[Score, ...] = ()  # of the best so far
        self.simulations: dict[int, int] = {}
        self.trainer = make_trainer(game.new_initial_state(), list(hidden), limits, self.settings.seed)
        if self.settings.heuristic:
            _check_heuristic(game, self.trainer)
        squared = squared_length(game, encoder)
        self.steps = rate_factor(squared)
        (weights, bias), *deeper = self.trainer.layers
        self.trainer.layers = [(weights * np.float32(weight_factor(squared)), bias), *deeper]
        self.begun_with: dict[str, Any] | None = None
        if held is not None:
            try:
                self._restore(held)
            except (KeyError, TypeError, ValueError) as error:
                raise no_checkpoint(file, error) from None
        if begins_with is not None:
            self.trainer.layers = widened(begins_with.layers, self.trainer.layers)
            self.begun_with = {"checksum": begins_with.checksum, "made": _without_state(begins_with.made)}

    def learn(self, stop: threading.Event) -> None:
        now = phase(self.settings, self.clock.phase_share(), self.chance)
        budget = self.budget()
        sound = self.trainer.layers
        with self.clock.playing_games(), _no_heuristic_in_words(self.game):
            games, positions, errors = self.trainer.train(
                seed=(self.settings.seed << 20) + self.chunks & 2**64 - 1,
                rate=self.damping * self.steps * now.rate,
                lambda_=_LAMBDA,
                explore=max(now.heuristic, 0.0 if self.chance else _EXPLORE),
                exact=now.exact,
                heuristic=now.heuristic,
                draws=_DRAWS if self.settings.heuristic else 0.0,
                threads=self.threads,
                stop=stop.is_set,
                **budget,
            )
        if stop.is_set() and self.settings.games is not None and games < budget["games"]:
            # The resumed training plays these games again, as one that was never interrupted.
            self.trainer.layers = [tuple(layer) for layer in sound]
            return
        self.clock.games += games
        self.chunks += 1
        if all(np.isfinite(values).all() for layer in self.trainer.layers for values in layer):
            self.error = errors / max(positions, 1)
        else:
            self._go_back(sound)

    def _go_back(self, layers: Any) -> None:
        """From weights that have diverged, to learn on at half the rate."""
        self.trainer.layers = [tuple(layer) for layer in layers]
        self.damping /= 2

    def match(self, stop: threading.Event) -> None:
        """Scores the network, and keeps it where it is not worse than the best so far.

        In doubt it is kept: it is the later one, which has learnt more.
        """
        due = int(self.clock.share * self.clock.matches + 1e-9)
        self.progress(self.moment())
        network = self.subject.evaluator(self.trainer.layers)
        best = self.subject.evaluator(read_network(self.file).layers) if self.scores else None
        end, budget = self.clock.match_end, self.clock.match_seconds
        if budget is None:
            pairs = (self.settings.games or 0) // _GAMES_A_PAIR
            budget = min(_MOST_PAIRS, max(_LEAST_PAIRS, pairs))
            self.simulations = usual_simulations()
        elif len(self.simulations) < len(DEPTHS):
            left = end - time.perf_counter()
            self.simulations |= equal_simulations(self.game, network, stop, min(budget, left) * _MEASURED)
        rivals = pairings(self.game, network, best, self.simulations)
        scores = score_matches(self.game, rivals, budget, stop, end)
        if scores is None:
            return
        self.matches = due
        kept = not is_worse(scores, self.scores)
        moment = replace(self.moment(), scores=scores, kept=kept)
        self.curve.append(moment)
        if is_worse(scores, self.scores, _DIVERGED_ERRORS):
            self._go_back(read_network(self.file).layers)
        if kept:
            self.scores = scores
            self._write(self.file, {"scores": [asdict(score) for score in scores]})
        self.progress(moment)

    def moment(self) -> Moment:
        clock = self.clock
        rate = clock.games / max(clock.playing, 1e-9)
        exact = phase(self.settings, clock.phase_share(), self.chance).exact
        return Moment(clock.share, clock.games, clock.seconds, rate, self.error, exact)

    def save(self) -> None:
        if not self.scores:
            self._write(self.file, {"scores": []})
        state = self.state() | {
            "error": self.error,
            "damping": self.damping,
            "simulations": list(self.simulations.items()),
            "begun_with": self.begun_with,
        }
        self._write(checkpoint_of(self.file), {"settings": asdict(self.settings), "state": state})
        write_curve(curve_of(self.file), self.game.name, self.curve, drawn_curve)

    def result(self, interrupted: bool) -> TrainingResult:
        return TrainingResult(**self.outcome(interrupted), scores=self.scores)

    def _restore(self, held: NetworkFile) -> None:
        """Goes on from a checkpoint. Raises KeyError, TypeError or ValueError if it is none."""
        state = held.made["state"]
        self.restore(state, Moment.of)
        self.error = state["error"]
        self.damping = state.get("damping", 1.0)
        self.begun_with = state.get("begun_with")
        self.simulations = {int(depth): int(count) for depth, count in state["simulations"]}
        if self.file.exists():
            made = held_network(self.file, self.game, self.subject.encoder).made
            self.scores = tuple(Score(**score) for score in made["scores"])
        self.trainer.layers = [tuple(layer) for layer in held.layers]

    def _write(self, path: Path, more: dict[str, Any]) -> None:
        made = self.made()
        if self.begun_with is not None:
            made["begun_with"] = self.begun_with
        self.subject.file(self.trainer.layers, made | more).save(path)


def _network_to_start_from(game: Game, start: str | os.PathLike[str] | None) -> NetworkFile | None:
    """The network of `TrainingSettings.start`. Raises StarspielError where it is not the game's."""
    if start is None:
        return None
    return network_from_file(game, None if start == "net" else os.fspath(start)).network


def _without_state(made: dict[str, Any]) -> dict[str, Any]:
    """How a network was made, without what a checkpoint holds to go on."""
    return {name: value for name, value in made.items() if name not in ("state", "settings")}
