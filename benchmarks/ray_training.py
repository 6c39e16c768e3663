"""Training on Ray: games per second of one worker and of two, and a simulation of up to 64.

    python benchmarks/ray_training.py                              # backgammon
    python benchmarks/ray_training.py my_module:MyRules
    python benchmarks/ray_training.py backgammon --network 125     # MB per second, of 1 Gbit

One and two workers are measured by turns, as are one and two processes that only play, without Ray: what
others leave of the machine bounds both. Medians are printed. Ray's workers yield to all other processes,
unless the environment has RAY_worker_niceness=0.

As many threads learn as workers play, which wait for them. The simulation has what is measured here: a
task's processor time, the learner's seconds by one thread and by two, the messages' bytes, and what Ray takes
of the learner's time. It assumes a processor for each worker, and a machine of 16 processors for the learner,
whose network all messages go through. Each doubling of its threads costs the same part of their speed.
"""

import argparse
import math
import multiprocessing
import time
from statistics import mean, median
from typing import Any, NamedTuple

import ray

from starspiel.agents.learning.ray_self_play import RaySelfPlay
from starspiel.agents.learning.trainable import trainable
from starspiel.envs.load import load_game

HIDDEN = (128, 32)
#: How many games a task has, and how many tasks are measured.
GAMES, TASKS = 100, 20
ROUNDS = 5
#: The rate is so small that games stay as they are.
HOW = {"rate": 1e-12, "lambda_": 0.9}


class Measured(NamedTuple):
    """Seconds of each task, those of learning from it by one and two threads and of Ray for it, bytes of
    weights and of a task."""

    plays: list[float]
    learning: tuple[float, float]
    ray: float
    weights: int
    lessons: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("game", nargs="?", default="backgammon")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--seconds", type=float, default=5.0, help="of each measurement")
    parser.add_argument("--network", type=float, default=1250.0, help="MB per second; 1250 of 10 Gbit")
    given = parser.parse_args()
    game = load_game(given.game)
    make, _, returns = trainable(game)
    pool = multiprocessing.get_context("spawn").Pool(2)
    ray.init(address="local", num_cpus=2, log_to_driver=False, include_dashboard=False)
    for exact in (False, True):
        trainer = make(game.new_initial_state(), list(HIDDEN), returns, 1)
        for seed in range(10):
            trainer.train(seed=seed, games=200, **HOW | {"rate": 0.002})
        players = {workers: RaySelfPlay(ray, trainer, game, HIDDEN, workers) for workers in (1, 2)}
        alone = [(given.game, exact, given.seconds, trainer.layers)]
        runs, bare = [], []
        for _ in range(given.rounds + 1):
            runs.append(
                {workers: _run(each, workers, given.seconds, exact) for workers, each in players.items()}
            )
            bare.append([sum(pool.starmap(_play_alone, alone * processes, 1)) for processes in (1, 2)])
        del runs[0], bare[0]  # workers and processes were started then
        one, two = (median(run[workers][0] for run in runs) for workers in (1, 2))
        bound = median(two for _, two in bare) / median(one for one, _ in bare) / 2
        found = _measured(trainer, exact, median(run[1][1] for run in runs))
        what = "exact targets" if exact else "TD"
        print(
            f"\n{game.name}, {what}: 1 worker {one:,.1f} games/s, 2 workers {two:,.1f}, {two / one / 2:.0%} "
            f"of linear (without Ray {bound:.0%}).\nA task of {GAMES} games: playing "
            f"{1e3 * mean(found.plays):.1f} ms, learning {1e3 * found.learning[0]:.1f} ms, by two threads "
            f"{1e3 * found.learning[1]:.1f}, Ray "
            f"{1e3 * found.ray:.1f} ms, {found.lessons / 1e3:,.0f} kB; "
            f"weights {found.weights / 1e3:,.0f} kB a round.\n\n"
            "| workers | games/s | of linear |\n|---:|---:|---:|"
        )
        first = _simulated(1, found, given.network * 1e6)
        for workers in (1, 2, 4, 8, 16, 32, 64):
            pace = _simulated(workers, found, given.network * 1e6)
            print(f"| {workers} | {pace:,.0f} | {pace / first / workers:.0%} |", flush=True)
    ray.shutdown()


def _run(players: RaySelfPlay, threads: int, seconds: float, exact: bool) -> tuple[float, float]:
    """Games per second, and the processor time of this process for `GAMES` of them."""
    began, own = time.perf_counter(), time.process_time()
    how: dict[str, Any] = HOW | {"threads": threads, "exact": exact, "stop": lambda: False}
    games = players.train(seed=1, seconds=seconds, **how)[0]
    return games / (time.perf_counter() - began), (time.process_time() - own) / (games / GAMES)


def _play_alone(game: str, exact: bool, seconds: float, layers: Any) -> float:
    """Games per second of a process that only plays."""
    loaded = load_game(game)
    make, _, returns = trainable(loaded)
    trainer = make(loaded.new_initial_state(), list(HIDDEN), returns, 1)
    trainer.layers = layers
    began, games = time.perf_counter(), 0
    while time.perf_counter() - began < seconds:
        trainer.play(seed=games, games=10, exact=exact, lambda_=HOW["lambda_"])
        games += 10
    return games / (time.perf_counter() - began)


def _measured(trainer: Any, exact: bool, own: float) -> Measured:
    how: dict[str, Any] = {"games": GAMES, "exact": exact, "lambda_": HOW["lambda_"]}
    plays, all_lessons = [], []
    for seed in range(TASKS):
        began = time.process_time()
        all_lessons.append(trainer.play(seed=seed, **how))
        plays.append(time.process_time() - began)
    learning: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(ROUNDS):
        for threads, seconds in learning.items():
            began = time.perf_counter()
            trainer.fit(all_lessons, rate=HOW["rate"], seed=1, threads=threads)
            seconds.append((time.perf_counter() - began) / TASKS)
    one, two = (median(seconds) for seconds in learning.values())
    size = mean(sum(each.nbytes for each in lessons) for lessons in all_lessons)
    weights = sum(weights.nbytes + bias.nbytes for weights, bias in trainer.layers)
    return Measured(plays, (one, two), max(0.0, own - one), weights, size)


def _simulated(workers: int, found: Measured, network: float) -> float:
    """Games per second: workers wait while the learner learns from all that they have played."""
    together = max(workers * (found.lessons + found.weights) / network, workers * found.ray)
    one, two = found.learning
    learning = workers * one * (two / one) ** math.log2(min(workers, 16))
    return workers * GAMES / (max(mean(found.plays), together) + learning)


if __name__ == "__main__":
    main()
