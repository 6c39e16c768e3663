"""Steps a second of every shipped environment, beside Gymnasium's FrozenLake and Blackjack.

    python benchmarks/envs.py [--seconds 1.0]

Uniformly random legal actions on the unwrapped environments, resets included; self-play where there are two
players. The best of three rounds counts.
"""

import argparse
from time import perf_counter
from typing import Any

import gymnasium

from starspiel.envs.gymnasium.register import ENVIRONMENTS


def steps_per_second(env: gymnasium.Env[Any, Any], seconds: float) -> float:
    """Random legal steps a second, choosing the actions not counted."""
    _, info = env.reset(seed=1)
    env.action_space.seed(1)
    steps, spent = 0, 0.0
    while spent < seconds:
        action = env.action_space.sample(info.get("action_mask"))
        start = perf_counter()
        _, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            _, info = env.reset()
        spent += perf_counter() - start
        steps += 1
    return steps / spent


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=1.0, help="of each of the three rounds")
    seconds = parser.parse_args().seconds
    print("| environment | steps a second |")
    print("| --- | ---: |")
    for env_id in ("FrozenLake-v1", "Blackjack-v1", *sorted(ENVIRONMENTS)):
        env = gymnasium.make(env_id).unwrapped
        best = max(steps_per_second(env, seconds) for _ in range(3))
        game = getattr(env, "game", None)
        name = f"{env_id} ({game.name})" if game is not None else env_id
        print(f"| {name} | {best:,.0f} |")


if __name__ == "__main__":
    main()
