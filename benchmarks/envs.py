"""What a step of every shipped environment costs, beside a step of Gymnasium's FrozenLake.

    python benchmarks/envs.py [--rounds 60]

Environments as `gymnasium.make` makes them, with its usual wrappers; uniformly random legal actions, resets
included, choosing the actions not. Rounds of 200 steps take turns, so that a busy machine slows all alike: a
ratio is the median over the rounds of the cost beside FrozenLake's of the same round, in the time that this
thread ran. A step in self-play is one decision and the dice after it; against an opponent, also every move of
the opponent's up to the next decision ("random" is starspiel's agent of that name).
"""

import argparse
from statistics import median
from time import thread_time
from typing import Any

import gymnasium

from starspiel.envs.environments.register import ENVIRONMENTS

STEPS = 200


class Measured:
    """An environment that goes on from round to round."""

    def __init__(self, env_id: str, **arguments: Any) -> None:
        self.env: gymnasium.Env[Any, Any] = gymnasium.make(env_id, **arguments)
        self.name = env_id + (" against random" if arguments else "")
        _, self.info = self.env.reset(seed=1)
        self.env.action_space.seed(1)
        self.seconds: list[float] = []

    def round(self) -> None:
        """Notes the seconds that a step takes."""
        env, spent, clock = self.env, 0.0, _clock()
        for _ in range(STEPS):
            action = env.action_space.sample(self.info.get("action_mask"))
            start = thread_time()
            _, _, terminated, truncated, self.info = env.step(action)
            if terminated or truncated:
                _, self.info = env.reset()
            spent += thread_time() - start
        self.seconds.append(spent / STEPS - clock)


def _for_two(env_id: str) -> bool:
    env: Any = gymnasium.make(env_id).unwrapped
    return bool(env.game.num_players == 2)


def _clock() -> float:
    """What reading the clock adds to a step."""
    spent = 0.0
    for _ in range(STEPS):
        start = thread_time()
        spent += thread_time() - start
    return spent / STEPS


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=60, help="of 200 steps for each environment")
    rounds = parser.parse_args().rounds
    lake = Measured("FrozenLake-v1")
    measured = [lake, Measured("Blackjack-v1"), *map(Measured, sorted(ENVIRONMENTS))]
    measured += [Measured(env_id, opponent="random") for env_id in sorted(ENVIRONMENTS) if _for_two(env_id)]
    for _ in range(rounds):
        for one in measured:
            one.round()
    print("| environment | steps a second | cost beside FrozenLake's |")
    print("| --- | ---: | ---: |")
    for one in measured:
        beside = median(own / base for own, base in zip(one.seconds, lake.seconds, strict=True))
        print(f"| {one.name} | {1 / median(one.seconds):,.0f} | {beside:.2f} |")


if __name__ == "__main__":
    main()
