"""What happens when environments of other packages are handed over as they are.

    pip install gymnasium-2048 minigrid mo-gymnasium pettingzoo pygame shimmy pickomino-env
    pip install flappy-bird-gymnasium gym gym-yahtzee
    pip install gym-classics2 gym-simplegrid crosswalk-env econgym
    pip install --no-deps edugrid cliffcircular
    python benchmarks/environments.py [--only TEXT] [--minutes 1.0] [--require]

docs/benchmarks.md lists the verdicts. Each environment has a process of its own. `EnvAgent(env=env)` plays
it as it comes, without a spec, and so does uniformly random play, on the same seeds. A score is the mean
return of an episode with its 95 % interval. An episode ends after so many actions as its row says, a row
after 40 episodes or its share of time. If an environment is refused, the next row applies the cure.

"expected" is the right verdict, written down from the environment's source: whether its chances are drawn
when they are thrown, whether everything that decides the future is shown, and whether it is a Gymnasium
environment at all. With `--require` the exit code is 1 if a verdict differs or a package is missing.
"""

import argparse
import json
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import gymnasium
import numpy as np

from starspiel import EnvAgent, StarspielError
from starspiel.envs.errors import HiddenStateWarning

#: Verdicts.
TABLE, SAMPLES, HIDDEN = "table", "samples", "samples, warned of hidden state"
#: What a refusal says, and what it is called here.
REFUSALS = {
    "went different ways": "refused: dice or state outside the environment",
    "from what it has stored": "refused: stored dice",
    "expected one number as the reward": "refused: rewards are vectors",
    "Shimmy's wrapper": "refused: OpenSpiel game in Shimmy's wrapper",
    "of old gym": "refused: old gym",
    "must be a Gymnasium environment": "refused: no Gymnasium environment",
}
OUTSIDE, STORED, VECTOR, SHIMMY, OLD_GYM, NO_GYMNASIUM = REFUSALS.values()
#: If all that is hidden is drawn in `reset` and nothing later: what it is called depends on the time to look.
HIDDEN_OR_STORED = f"{HIDDEN}, or {STORED}"


@dataclass(frozen=True)
class Row:
    """An environment to try.

    Attributes:
        package, name, make, options: where it comes from, how it is made and loaded.
        expected: the right verdict, or several of them.
        because: what about the environment makes it right.
        steps: how many actions an episode may have.
    """

    package: str
    name: str
    make: Callable[[], Any]
    options: dict[str, Any]
    expected: str
    because: str
    steps: int = 200


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="rows whose package or name contains this")
    parser.add_argument("--minutes", type=float, default=1.0, help="of each row, for the agent's episodes")
    parser.add_argument("--row", type=int, help="one row by its number, as JSON")
    parser.add_argument("--require", action="store_true", help="exit with 1 if a verdict is not as expected")
    arguments = parser.parse_args()
    if arguments.row is not None:
        print(json.dumps(_tried(ROWS[arguments.row], 60 * arguments.minutes)))
        return
    print("| package | environment | expected | found | agent | random | episodes |")
    print("| --- | --- | --- | --- | ---: | ---: | ---: |")
    wrong = []
    for number, row in enumerate(ROWS):
        if arguments.only in row.package or arguments.only in row.name:
            found, *cells = _in_a_process(number, arguments.minutes)
            expected = f"{row.expected} ({row.because})"
            print("|", " | ".join([row.package, f"`{row.name}`", expected, found, *cells]), "|", flush=True)
            if found.partition("; ")[0] not in row.expected.split(", or "):
                wrong.append(f"{row.name}: expected {row.expected}, found {found}")
    print(*wrong, sep="\n", file=sys.stderr)
    if wrong and arguments.require:
        sys.exit(1)


def _in_a_process(number: int, minutes: float) -> list[str]:
    command = [sys.executable, __file__, "--row", str(number), "--minutes", str(minutes)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path.cwd(), check=False)
    if done.returncode:
        return [f"**{done.stderr.strip().splitlines()[-1]}**", "", "", ""]
    cells: list[str] = json.loads(done.stdout.splitlines()[-1])
    return cells


def _tried(row: Row, seconds: float) -> list[str]:
    """What happened, the agent's score, random's, and the number of episodes, as cells of the table."""
    try:
        env = row.make()
    except ImportError as error:
        return [f"not installed: {error}", "", "", ""]
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            agent = EnvAgent(env=env, seed=1, **row.options)
    except StarspielError as refusal:
        found = [kind for words, kind in REFUSALS.items() if words in str(refusal)]
        return [*(found or [f"refused: {refusal}"]), "", "", ""]
    play = _episode_for_two if agent.game.num_players == 2 else _episode
    env = agent.env if play is _episode else env  # with hidden=redraw, one that remembers what it has shown
    scores, until = [], time.perf_counter() + seconds
    while len(scores) < 40 and (len(scores) < 2 or time.perf_counter() < until):
        scores.append(play(env, agent, len(scores), row.steps))
    draws = [play(env, None, seed, row.steps) for seed in range(max(40, len(scores)))]
    kinds = {one.category for one in told}
    verdict = HIDDEN if HiddenStateWarning in kinds else agent.game.source.partition(":")[0]
    return [f"{verdict}; `{agent.spec}`", _interval(scores), _interval(draws), str(len(scores))]


def _episode(env: Any, agent: EnvAgent | None, seed: int, steps: int) -> float:
    """The sum of an episode's rewards; the agent's, or those of uniformly random legal actions."""
    dice = np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    total = 0.0
    for _ in range(steps):
        action = _random_action(env, info, dice) if agent is None else agent.act(info, observation)
        observation, reward, terminated, truncated, info = env.step(action)
        total += float(reward)
        if terminated or truncated:
            break
    return total


def _random_action(env: Any, info: dict[str, Any], dice: np.random.Generator) -> Any:
    mask = info.get("action_mask")
    if not isinstance(env.action_space, gymnasium.spaces.Discrete):
        env.action_space.seed(int(dice.integers(2**31)))
        return env.action_space.sample()
    start = int(env.action_space.start)
    legal = np.arange(env.action_space.n) if mask is None else np.flatnonzero(mask)
    return start + int(dice.choice(legal))


def _episode_for_two(env: Any, agent: EnvAgent | None, seed: int, steps: int) -> float:
    """The return of one seat, each in turn by the seed, against uniformly random play."""
    dice = np.random.default_rng(seed)
    env.reset(seed=seed)
    mine, total = env.agents[seed % 2], 0.0
    for name in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        total += reward if name == mine else 0.0
        if terminated or truncated:
            env.step(None)
        elif agent is not None and name == mine:
            env.step(agent.act())
        else:
            env.step(int(dice.choice(np.flatnonzero(observation["action_mask"]))))
    return total


def _interval(scores: list[float]) -> str:
    if len(scores) < 2 or stdev(scores) == 0:
        return f"{mean(scores):.4g}"
    return f"{mean(scores):.4g} ± {1.96 * stdev(scores) / sqrt(len(scores)):.2g}"


def _gymnasium(name: str, **params: Any) -> Callable[[], Any]:
    return lambda: gymnasium.make(name, **params)


def _pickomino() -> Any:
    import pickomino_env  # noqa: F401

    return gymnasium.make("Pickomino-v0")


def _classic(name: str) -> Callable[[], Any]:
    def make() -> Any:
        import gym_classics2

        gym_classics2.register()
        return gymnasium.make(name)

    return make


def _prisoners() -> Any:
    import econgym

    return econgym.make("RepeatedPD-v0")


def _treasure() -> Any:
    import mo_gymnasium

    return mo_gymnasium.make("deep-sea-treasure-v0")


def _weighed_treasure() -> Any:
    import mo_gymnasium

    return mo_gymnasium.wrappers.LinearReward(_treasure(), np.array([0.9, 0.1]))


def _tic_tac_toe() -> Any:
    from pettingzoo.classic import tictactoe_v3

    return tictactoe_v3.env()


def _connect_four() -> Any:
    from pettingzoo.classic import connect_four_v3

    return connect_four_v3.env()


def _shimmy() -> Any:
    import pyspiel
    from shimmy.openspiel_compatibility import OpenSpielCompatibilityV0

    return OpenSpielCompatibilityV0(env=pyspiel.load_game("pig"))


def _old_yahtzee() -> Any:
    import gym
    import gym_yahtzee  # noqa: F401

    return gym.make("yahtzee-single-v0").unwrapped


class Modern(gymnasium.Env[Any, Any]):
    """An environment of old gym, wrapped; docs/gymnasium.md links to it."""

    def __init__(self, old: Any) -> None:
        self.old = old
        self.action_space = gymnasium.spaces.Discrete(int(old.action_space.n))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        observation = self.old.reset()
        return (0 if observation is None else observation), {}

    def step(self, action: Any) -> Any:
        observation, reward, done, info = self.old.step(action)
        return observation, reward, done, False, info


ROWS = (
    Row("gymnasium", "FrozenLake-v1", _gymnasium("FrozenLake-v1"), {}, TABLE, "publishes `P`"),
    Row(
        "gymnasium",
        "FrozenLake-v1(is_slippery=False)",
        _gymnasium("FrozenLake-v1", is_slippery=False),
        {},
        TABLE,
        "publishes `P`",
    ),
    Row("gymnasium", "CliffWalking-v1", _gymnasium("CliffWalking-v1"), {}, TABLE, "publishes `P`"),
    Row("gymnasium", "Taxi-v4", _gymnasium("Taxi-v4"), {}, TABLE, "publishes `P`"),
    Row(
        "gymnasium",
        "Blackjack-v1",
        _gymnasium("Blackjack-v1"),
        {},
        HIDDEN,
        "the dealer's hole card is dealt in `reset`",
    ),
    Row(
        "gymnasium",
        "Blackjack-v1, hidden=redraw",
        _gymnasium("Blackjack-v1"),
        {"hidden": "redraw"},
        SAMPLES,
        "the hole card is redrawn",
    ),
    Row("gymnasium", "CartPole-v1", _gymnasium("CartPole-v1"), {}, SAMPLES, "shows its whole state"),
    Row("gymnasium", "MountainCar-v0", _gymnasium("MountainCar-v0"), {}, SAMPLES, "shows its whole state"),
    Row("gymnasium", "Acrobot-v1", _gymnasium("Acrobot-v1"), {}, SAMPLES, "shows its whole state"),
    Row(
        "gymnasium-2048",
        "TwentyFortyEight-v0",
        _gymnasium("gymnasium_2048:gymnasium_2048/TwentyFortyEight-v0"),
        {},
        SAMPLES,
        "tiles are drawn as they appear",
        steps=100,
    ),
    Row(
        "minigrid",
        "MiniGrid-Empty-5x5-v0",
        _gymnasium("minigrid:MiniGrid-Empty-5x5-v0"),
        {},
        SAMPLES,
        "no chance",
    ),
    Row(
        "minigrid",
        "MiniGrid-Dynamic-Obstacles-5x5-v0",
        _gymnasium("minigrid:MiniGrid-Dynamic-Obstacles-5x5-v0"),
        {},
        HIDDEN,
        "balls behind the agent are not seen",
    ),
    Row(
        "minigrid",
        "MiniGrid-LavaGapS5-v0",
        _gymnasium("minigrid:MiniGrid-LavaGapS5-v0"),
        {},
        SAMPLES,
        "the gap is in sight",
    ),
    Row("mo-gymnasium", "deep-sea-treasure-v0", _treasure, {}, VECTOR, "two objectives"),
    Row(
        "mo-gymnasium",
        "deep-sea-treasure-v0 in LinearReward",
        _weighed_treasure,
        {},
        SAMPLES,
        "no chance, one objective",
    ),
    Row("pickomino-env", "Pickomino-v0", _pickomino, {}, OUTSIDE, "every turn makes a new `default_rng()`"),
    Row(
        "pickomino-env",
        "Pickomino-v0, own_dice=True",
        _pickomino,
        {"own_dice": True},
        SAMPLES,
        "its dice are declared",
    ),
    Row(
        "flappy-bird-gymnasium",
        "FlappyBird-v0",
        _gymnasium("flappy_bird_gymnasium:FlappyBird-v0"),
        {},
        STORED,
        "the next gap is drawn before it comes into sight",
    ),
    Row("pettingzoo", "tictactoe_v3", _tic_tac_toe, {}, SAMPLES, "no chance"),
    Row("pettingzoo", "connect_four_v3", _connect_four, {}, SAMPLES, "no chance"),
    Row("shimmy", "OpenSpielCompatibilityV0 of pig", _shimmy, {}, SHIMMY, "`load_game` knows it better"),
    Row("gym-yahtzee", "yahtzee-single-v0", _old_yahtzee, {}, OLD_GYM, "derives from `gym.Env`"),
    Row(
        "gym-yahtzee",
        "yahtzee-single-v0, wrapped",
        lambda: Modern(_old_yahtzee()),
        {},
        STORED,
        "the first roll is not shown",
    ),
    Row("gym-classics2", "5Walk-v0", _classic("5Walk-v0"), {}, SAMPLES, "shows its whole state"),
    Row(
        "gym-classics2",
        "ClassicGridworld-v1",
        _classic("ClassicGridworld-v1"),
        {},
        SAMPLES,
        "shows its whole state",
    ),
    Row("gym-classics2", "DynaMaze-v0", _classic("DynaMaze-v0"), {}, SAMPLES, "no chance"),
    Row("gym-classics2", "FourRooms-v0", _classic("FourRooms-v0"), {}, SAMPLES, "shows its whole state"),
    Row("gym-classics2", "WindyGridworld-v0", _classic("WindyGridworld-v0"), {}, SAMPLES, "no chance"),
    Row(
        "gym-simplegrid",
        "SimpleGrid-4x4-v0",
        _gymnasium("gym_simplegrid:SimpleGrid-4x4-v0"),
        {},
        HIDDEN_OR_STORED,
        "the goal is drawn in `reset` and not shown",
    ),
    Row(
        "edugrid",
        "EduGrid-v0",
        _gymnasium("edugrid:philsteg/EduGrid-v0", max_episode_steps=50),
        {},
        SAMPLES,
        "shows its whole state",
    ),
    Row(
        "cliffcircular",
        "CliffCircular-v1",
        _gymnasium("cliffcircular:CliffCircular-v1", render_mode=None),
        {},
        HIDDEN_OR_STORED,
        "where it stands is not shown",
    ),
    Row(
        "crosswalk-env",
        "crosswalk-v1",
        _gymnasium("crosswalk_env:crosswalk-v1"),
        {},
        HIDDEN,
        "only the nearest cars are shown",
    ),
    Row("econgym", "RepeatedPD-v0", _prisoners, {}, NO_GYMNASIUM, "all act at once"),
)

if __name__ == "__main__":
    main()
