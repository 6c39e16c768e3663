"""Lets the workers of a Ray cluster play, while one learner, in this process, learns from their games.

The workers play a round's games, a few at a time, with weights from the object store. When all are finished,
the learner learns from them, in a fixed order. If a worker dies, its task is run again with the same weights
and seed. So if games are counted and one thread learns, the result is the same, bit for bit, whichever
workers die.
"""

import time
from collections import deque
from collections.abc import Callable
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np

from starspiel.agents.learning.python_trainer import PLAYING, WINDOW
from starspiel.agents.learning.trainable import trainable
from starspiel.agents.ray_cluster import processors_of, said_by, shared
from starspiel.envs.base import Game
from starspiel.envs.errors import StarspielError

#: The most games of a task, or its seconds if games are not counted: enough to make Ray's overhead small.
_TASK_GAMES, _TASK_SECONDS = 100, 0.2
#: The number of tasks that a worker has at once, so that it need not wait for the next.
_AHEAD = 2
#: How often a task is run again if its worker dies.
_RETRIES = 10
_LOOK_SECONDS = 0.1


class RaySelfPlay:
    """Trains `trainer`, whose weights it changes, from games that a cluster plays.

    Attributes:
        workers: the number of workers; defaults to the cluster's number of processors.
        spent: processor seconds of the tasks so far.
    """

    def __init__(
        self, ray: Any, trainer: Any, game: Game, hidden: tuple[int, ...], workers: int | None
    ) -> None:
        self._ray, self._trainer = ray, trainer
        self.workers = workers or processors_of(ray)
        self.spent = 0.0
        self._playing = PLAYING
        # Actors that can be restarted on any remaining node, without a free processor.
        player = ray.remote(scheduling_strategy="SPREAD", max_restarts=-1, max_task_retries=_RETRIES)(_Player)
        shared(ray, game, game.name)  # refuses what cannot be sent; restarted actors need their own copy
        self._players = [player.remote(game, hidden) for _ in range(self.workers)]

    def train(
        self,
        *,
        seed: int,
        rate: float,
        threads: int,
        stop: Callable[[], bool],
        games: int = 0,
        seconds: float = 0.0,
        **how: Any,
    ) -> tuple[int, int, float]:
        """Returns games, positions learnt from, and their summed squared error, as a trainer does.

        Raises StarspielError if a task fails, and any error that a trainer raises.
        """
        weights = self._ray.put(self._trainer.layers)
        begun = time.perf_counter()
        until = begun + self._playing * seconds
        left, tasks = games, count()
        waiting: deque[tuple[Any, Any]] = deque()  # of unfinished tasks, each with its worker
        met: list[Any] = []

        def begin_task(player: Any) -> None:
            nonlocal left
            enough = sum(len(ends) for _, ends, *_ in met) >= WINDOW
            rest = left if games else until - time.perf_counter()
            if enough or rest <= 0:
                return
            length: dict[str, Any] = {"seconds": min(_TASK_SECONDS, rest)}
            if games:
                length = {"games": min(left, _TASK_GAMES, -(-games // (_AHEAD * self.workers)))}
                left -= length["games"]
            own = int(np.random.SeedSequence([seed, next(tasks)]).generate_state(1, np.uint64)[0])
            waiting.append((player.play.remote(weights, {"seed": own} | how | length), player))

        for player in self._players * _AHEAD:
            begin_task(player)
        while waiting:
            task, player = waiting.popleft()
            while not self._ray.wait([task], timeout=_LOOK_SECONDS)[0] and not stop():
                pass
            if stop():
                return 0, 0, 0.0
            met.append(self._games_of(task))
            begin_task(player)
        if not met:
            return 0, 0, 0.0
        playing = time.perf_counter() - begun
        done: tuple[int, int, float] = self._trainer.fit(
            met, rate=rate, seed=seed, threads=threads, stop=stop
        )
        self._playing = playing / (time.perf_counter() - begun)
        return done

    def _games_of(self, task: Any) -> Any:
        """Returns the lessons of a finished task."""
        try:
            lessons, spent = self._ray.get(task)
        except self._ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, ValueError | StarspielError):
                raise error.cause from None
            raise StarspielError(f"a task on the cluster failed: {said_by(error.cause)}") from None
        except self._ray.exceptions.RayError as error:
            raise StarspielError(
                f"workers of the cluster died {_RETRIES + 1} times of one task, or could not begin: "
                f"{str(error).strip().splitlines()[-1]} --resume goes on from the checkpoint."
            ) from None
        self.spent += spent
        return lessons


class _Player:
    """An actor of the cluster, which plays games."""

    def __init__(self, game: Game, hidden: tuple[int, ...]) -> None:
        self._game, self._hidden = game, hidden

    def play(self, layers: Any, how: dict[str, Any]) -> tuple[Any, float]:
        """Returns the lessons of the games, and the processor time that they took."""
        began = time.process_time()
        self._trainer.layers = layers
        return self._trainer.play(**how), time.process_time() - began

    @cached_property
    def _trainer(self) -> Any:
        make, _, returns = trainable(self._game)
        return make(self._game.new_initial_state(), list(self._hidden), returns, 0)
