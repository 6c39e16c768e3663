"""What the agent without a spec scores if no heuristic is known, beside random play and one-ply search.

    python benchmarks/default_agent.py [--steps 500 2000 4000] [--only Farkle ...] [--processor-seconds 30]

Prints, for every environment that is installed and every budget of steps: the mean return with its standard
error, the episodes, and the processor's seconds a move. "one ply" tries every move in random games that take
the same budget. Episodes begin from seeds 0, 1, 2, ... until the seconds are spent. "own Rules" is pig
under a name of which nothing is known, against one that holds at 15.
"""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from starspiel import EnvAgent
from starspiel.agents.bots.auto import ROLLOUT_DEPTH, cost, measured
from starspiel.envs.environments.dice_game import DiceGameEnv
from starspiel.envs.games.pig import STOP, Pig

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from own_environments import SlipperySokoban, Snakes, UpToTen, Yahtzee
from support.farkle import Farkle


def _2048() -> Any:
    import gymnasium_2048  # noqa: F401 (registers)

    return gymnasium.make("gymnasium_2048/TwentyFortyEight-v0", max_episode_steps=100)


def _own_rules() -> Any:
    rules = Pig(goal=50)
    rules.name = "own_pig"

    def hold_at_15(state: Any) -> int:
        position, legal = state.position, state.legal_actions()
        total = position.scores[position.turn_player] + position.turn_total
        return STOP if STOP in legal and (position.turn_total >= 15 or total >= 50) else int(legal[0])

    return DiceGameEnv(rules, opponent=hold_at_15)


ENVIRONMENTS: dict[str, Callable[[], Any]] = {
    "UpToTen": UpToTen,
    "Yahtzee": Yahtzee,
    "SlipperySokoban": SlipperySokoban,
    "Snakes": Snakes,
    "own Rules": _own_rules,
    "Farkle": Farkle,
    "Blackjack": lambda: gymnasium.make("Blackjack-v1"),
    "CartPole, 200 steps": lambda: gymnasium.make("CartPole-v1", max_episode_steps=200),
    "2048, 100 moves": _2048,
    "Acrobot, 100 steps": lambda: gymnasium.make("Acrobot-v1", max_episode_steps=100),
    "MountainCar": lambda: gymnasium.make("MountainCar-v0"),
}


def episodes(agent: EnvAgent, env: Any, seconds: float) -> tuple[list[float], int]:
    """The returns of episodes until the processor's seconds are spent, and the moves they took."""
    returns: list[float] = []
    moves = 0
    until = time.thread_time() + seconds
    while time.thread_time() < until or len(returns) < 2:
        _, info = env.reset(seed=len(returns))
        total, over = 0.0, False
        while not over:
            _, reward, terminated, truncated, info = env.step(agent.act(info))
            total, over, moves = total + float(reward), terminated or truncated, moves + 1
        returns.append(total)
        if len(returns) == 1_000:
            break
    return returns, moves


def one_ply(env: Any, steps: int) -> str:
    """The spec of a search that tries every move in random games, so many that they take `steps` steps."""
    game = EnvAgent("random", env).game
    moves, length = measured(game)
    n = max(1, round(steps / (moves * cost(game, length))))
    return f"expss(depth=1,evaluator=rollout(n={n},depth={ROLLOUT_DEPTH}))"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--steps", type=int, nargs="+", default=[2_000])
    parser.add_argument("--specs", nargs="*", default=[])
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--processor-seconds", type=float, default=30.0)
    given = parser.parse_args()
    for name in given.only or ENVIRONMENTS:
        try:
            env = ENVIRONMENTS[name]()
        except ModuleNotFoundError as missing:
            print(f"{name:20} not played: {missing}")
            continue
        specs = ["random", *given.specs]
        for steps in given.steps:
            specs += [one_ply(env, steps), f"auto(steps={steps})"]
        if name == "own Rules":
            specs.append("star2(nodes=20000)")  # by the evaluator of which nothing is known: zero
        for spec in specs:
            agent = EnvAgent(spec, env, seed=1)
            began = time.thread_time()
            returns, moves = episodes(agent, env, given.processor_seconds)
            error = np.std(returns, ddof=1) / len(returns) ** 0.5
            cost = (time.thread_time() - began) / moves
            print(
                f"{name:20} {spec:45} {np.mean(returns):9.2f} ± {error:.2f} "
                f"({len(returns)} episodes, {cost:.3f} s a move) {agent.spec}",
                flush=True,
            )


if __name__ == "__main__":
    main()
