"""What a clone and a step of a sampled environment cost, beside copy.deepcopy and a step, in processor time.

    python benchmarks/clones.py

One table: microseconds of each (the median of rounds by turns) and the median of the rounds' ratios. The
environment is in the middle of an episode, as a search meets it: a clone of what `reset` left. FrozenLake is
played as samples, though it has a table; MiniGrid is there if minigrid is installed.
"""

import copy
import importlib.util
import statistics
import time
from collections.abc import Callable

import gymnasium

from starspiel.envs.gymnasium.cloning.clone import advance
from starspiel.envs.gymnasium.cloning.copying import AnyEnv

ROUNDS = 21
STEPS = 20


def main() -> None:
    print("| environment | deepcopy + step, µs | clone + step, µs | ratio |")
    print("|---|---:|---:|---:|")
    for name, make in _environments().items():
        given = make()
        given.reset(seed=1)
        for what, env in ((name, given), (f"{name}, its clone", advance(given, None, 1, name).env)):
            plain, cloned = _compared(env)
            ratio = statistics.median(c / p for c, p in zip(cloned, plain, strict=True))
            usual = [statistics.median(rounds) for rounds in (plain, cloned)]
            print(f"| {what} | {usual[0]:.0f} | {usual[1]:.0f} | {ratio:.2f} |", flush=True)


def _environments() -> dict[str, Callable[[], AnyEnv]]:
    made: dict[str, Callable[[], AnyEnv]] = {
        env_id: lambda env_id=env_id: gymnasium.make(env_id)  # type: ignore[misc]
        for env_id in ("Blackjack-v1", "FrozenLake-v1", "CartPole-v1", "MountainCar-v0", "Taxi-v4")
    }
    made["CartPole-v1 in wrappers"] = lambda: gymnasium.wrappers.TransformReward(
        gymnasium.wrappers.ClipReward(gymnasium.make("CartPole-v1"), 0.0, 1.0), float
    )
    if importlib.util.find_spec("minigrid") is not None:
        importlib.import_module("minigrid")
        made["MiniGrid-Empty-8x8-v0"] = lambda: gymnasium.make("MiniGrid-Empty-8x8-v0")
    return made


def _compared(env: AnyEnv) -> tuple[list[float], list[float]]:
    """Microseconds of (deepcopy and a step, a clone and a step), by rounds."""

    def plain(_: int) -> None:
        copy.deepcopy(env).step(0)

    def cloned(seed: int) -> None:
        advance(env, 0, seed, "env")

    rounds: tuple[list[float], list[float]] = [], []
    for number in range(ROUNDS):
        for act, seconds in zip((plain, cloned), rounds, strict=True):
            begun = time.process_time()
            for step in range(STEPS):
                act(STEPS * number + step)
            seconds.append(1e6 * (time.process_time() - begun) / STEPS)
    return rounds


if __name__ == "__main__":
    main()
