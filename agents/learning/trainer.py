"""Trains a network for a game by self-play: TD(lambda), then exact one-ply targets (Tesauro 1995)."""

import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

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
from starspiel.agents.learning.inputs import weight_factor
from starspiel.agents.learning.match import has_chance, score_matches
from starspiel.agents.learning.ray_self_play import RaySelfPlay
from starspiel.agents.learning.reference import DEPTHS, equal_simulations, pairings, usual_simulations
from starspiel.agents.learning.result import Moment, TrainingResult
from starspiel.agents.learning.run import Run
from starspiel.agents.learning.schedule import Phase, phase, round_length, share_before
from starspiel.agents.learning.score import Score, is_worse
from starspiel.agents.learning.settings import Settings, TrainingSettings
from starspiel.agents.learning.trainable import check_heuristic, trainable
from starspiel.agents.learning.widening import widened
from starspiel.agents.processes import processors
from starspiel.agents.ray_cluster import connected, imported_ray
from starspiel.envs.base import Game
from starspiel.envs.errors import UnsupportedGameError
from starspiel.envs.scoring import differs_in_scoring, returns_of

_USUAL_HIDDEN = (128, 32)
#: The share of random moves, if the game has no dice to vary the games of a round.
_EXPLORE = 0.15
#: The weight of the heuristic's value of a drawn game's final position, if the heuristic teaches.
_DRAWS = 0.5
#: If games are counted, the pairs of a match: the least, the most, and the games of self-play per pair.
_LEAST_PAIRS, _MOST_PAIRS, _GAMES_A_PAIR = 2, 100, 500
#: The share of a match's time for measuring MCTS.
_MEASURED = 0.25
#: A network has diverged if it is worse than the best so far by more than this many standard errors.
_DIVERGED_ERRORS = 3.0


class NetworkRun(Run):
    """The training of a network."""

    def __init__(
        self,
        game: Game,
        settings: Settings | Mapping[str, Any] | None,
        file: Path,
        resume: bool,
        progress: Callable[[Any], None],
    ) -> None:
        make_trainer, self.encoder, self.returns = trainable(game)
        held, began = held_checkpoint(file, game, self.encoder) if resume else (None, TrainingSettings())
        told = began.changed(settings) if held is None else began.resumed(settings)
        begins_with = None if held is not None else _network_to_start_from(game, told.start)
        usual = _USUAL_HIDDEN if begins_with is None else begins_with.sizes[1:-1]
        hidden = told.hidden or usual
        self.settings = replace(told, hidden=hidden)
        super().__init__(game, self.settings, file, progress)
        self.chance = has_chance(game)
        self.damping = 1.0  # factor on the learning rate; halved each time that training diverges
        self.error: float | None = None  # of the last round
        self.exact = False  # whether the last round's targets were exact
        self.scores: tuple[Score, ...] = ()  # of the best network so far
        self.simulations: dict[int, int] = {}
        self.begun_with: dict[str, Any] | None = None
        self.on_ray: RaySelfPlay | None = None
        self.trainer = make_trainer(game.new_initial_state(), list(hidden), self.returns, told.seed)
        if told.heuristic:
            check_heuristic(game, self.trainer)
        (weights, bias), *deeper = self.trainer.layers
        factor = np.float32(weight_factor(game, self.encoder))
        self.trainer.layers = [(weights * factor, bias), *deeper]
        if held is not None:
            try:
                self._restore(held)
            except (KeyError, TypeError, ValueError) as error:
                raise no_checkpoint(file, error) from None
        if begins_with is not None:
            places = [self.returns.index(each) - 1 for each in begins_with.returns[1:]]
            self.trainer.layers = widened(begins_with.layers, self.trainer.layers, places)
            made = {
                name: each for name, each in begins_with.made.items() if name not in ("state", "settings")
            }
            self.begun_with = {"checksum": begins_with.checksum, "made": made}

    def run(self, stop: threading.Event) -> Any:
        if not self.settings.ray or self.clock.share >= 1.0:
            return super().run(stop)
        ray = imported_ray()
        settings = self.settings
        with connected(ray, settings.workers or processors(), settings.address):
            assert settings.hidden is not None
            self.on_ray = RaySelfPlay(ray, self.trainer, self.game, settings.hidden, settings.workers)
            # A resumed training uses as many workers, so that its games are the same.
            self.settings = self.clock.settings = replace(settings, workers=self.on_ray.workers)
            self.clock.started = time.perf_counter()  # Ray took some seconds to start
            return super().run(stop)

    def _phase(self) -> Phase:
        threads = self.threads if self.on_ray is None else self.on_ray.workers
        before = share_before(self.settings, self.begun_with, threads, self.chance)
        return phase(self.settings, self.clock.phase_share(), self.chance, before)

    def learn(self, stop: threading.Event) -> None:
        now, games_in_all = self._phase(), self.settings.games
        most = round_length(self.settings, self.chance, now.exact)
        budget: dict[str, Any] = {"seconds": min(most, self.clock.left)}
        if games_in_all is not None:
            budget = {"games": min(int(most), games_in_all - self.clock.games)}
        sound = [tuple(layer) for layer in self.trainer.layers]
        taught: dict[str, Any] = (
            {"heuristic": now.heuristic, "draws": _DRAWS} if self.settings.heuristic else {}
        )
        try:
            with self.clock.playing_games():
                games, positions, errors = (self.on_ray or self.trainer).train(
                    seed=(self.settings.seed << 20) + self.chunks & 2**64 - 1,
                    rate=self.damping * now.rate,
                    lambda_=now.lambda_,
                    explore=max(now.heuristic, 0.0 if self.chance else _EXPLORE),
                    exact=now.exact,
                    threads=self.threads,
                    stop=stop.is_set,
                    **taught,
                    **budget,
                )
                if self.on_ray is not None:
                    self.clock.elsewhere = self.on_ray.spent
        except ValueError as error:  # for a variant of a game that the core has a heuristic for
            if "heuristic" not in str(error):
                raise
            raise UnsupportedGameError(f"{self.game.name}: {error}; train it without.") from None
        if stop.is_set() and games < budget.get("games", 1):
            # An unfinished round; if games are counted, the resumed training plays it again.
            self.trainer.layers = sound
            return
        self.clock.games += games
        self.chunks += 1
        self.exact = now.exact
        if all(np.isfinite(values).all() for layer in self.trainer.layers for values in layer):
            self.error = errors / positions if positions else self.error
        else:
            self._go_back(sound)

    def _go_back(self, layers: Any) -> None:
        """Restores layers after the weights have diverged, and halves the learning rate."""
        self.trainer.layers = list(layers)
        self.damping /= 2

    def match(self, stop: threading.Event) -> None:
        """Scores the network, and saves it unless it is worse than the best so far.

        If in doubt, it is saved: it is the later network, which has learnt more.
        """
        due = self.clock.matches_due
        self.progress(self.moment())
        network = self._evaluator(self.trainer.layers)
        best = self._evaluator(read_network(self.file).layers) if self.scores else None
        end, budget = self.clock.match_end, self.clock.match_seconds
        if budget is None:
            pairs = (self.settings.games or 0) // _GAMES_A_PAIR
            budget = min(_MOST_PAIRS, max(_LEAST_PAIRS, pairs))
            self.simulations = usual_simulations()
        elif len(self.simulations) < len(DEPTHS):
            seconds = min(budget, end - time.perf_counter()) * _MEASURED
            self.simulations |= equal_simulations(self.game, network, stop, seconds)
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
        return Moment(clock.share, clock.games, clock.seconds, rate, self.error, self.exact)

    def save(self) -> None:
        if not self.scores:
            self._write(self.file, {"scores": []})
        state = self.state() | {
            "error": self.error,
            "exact": self.exact,
            "damping": self.damping,
            "simulations": list(self.simulations.items()),
            "begun_with": self.begun_with,
        }
        self._write(checkpoint_of(self.file), {"settings": asdict(self.settings), "state": state})
        write_curve(curve_of(self.file), self.game.name, self.curve, drawn_curve)

    def result(self, interrupted: bool) -> TrainingResult:
        return TrainingResult(**self.outcome(interrupted), scores=self.scores)

    def _restore(self, held: NetworkFile) -> None:
        """Resumes from a checkpoint. Raises KeyError, TypeError or ValueError if it is not one."""
        state = held.made["state"]
        self.restore(state, Moment.of)
        self.error, self.damping, self.begun_with = state["error"], state["damping"], state["begun_with"]
        self.exact = state.get("exact", False)  # old checkpoints have none
        self.simulations = {int(depth): int(count) for depth, count in state["simulations"]}
        if self.file.exists():
            made = held_network(self.file, self.game, self.encoder).made
            self.scores = tuple(Score(**score) for score in made["scores"])
        self.trainer.layers = list(held.layers)

    def _network(self, layers: Any, made: dict[str, Any]) -> NetworkFile:
        encoder, kept = (self.encoder.name, self.encoder.version), tuple(map(tuple, layers))
        return NetworkFile(self.game.name, encoder, self.returns, kept, made)

    def _evaluator(self, layers: Any) -> NetworkEvaluator:
        return NetworkEvaluator(self._network(layers, {}), self.encoder, "net")

    def _write(self, path: Path, more: dict[str, Any]) -> None:
        begun = {} if self.begun_with is None else {"begun_with": self.begun_with}
        self._network(self.trainer.layers, self.made() | begun | more).save(path)


def _network_to_start_from(game: Game, start: str | os.PathLike[str] | None) -> NetworkFile | None:
    """Returns the network of `TrainingSettings.start`. Raises StarspielError if it is not for the game.

    It may distinguish fewer returns, if it is for a variant of the game in which the others do not count.
    """
    if start is None:
        return None
    if start != "net":
        held = read_network(os.fspath(start))
        if differs_in_scoring(game, held.game) and set(held.returns) < set(returns_of(game) or ()):
            return held
    return network_from_file(game, None if start == "net" else os.fspath(start)).network
