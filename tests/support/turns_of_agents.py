"""AEC environments of PettingZoo as people write them: Nim, and a race by dice. Imports PettingZoo."""

import functools
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle, seeding
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers
from pettingzoo.utils.agent_selector import AgentSelector


class Turns(AECEnv, EzPickle):  # type: ignore[misc]
    """What both have in common. `agents` take turns; a subclass plays in `move` and says who is paid what."""

    metadata = {"name": "turns_v0", "render_modes": []}  # noqa: RUF012

    def __init__(self, size: int = 7, agents: tuple[str, ...] = ("north", "south")) -> None:
        EzPickle.__init__(self, size, agents)
        super().__init__()
        self.size = size
        self.possible_agents = list(agents)

    @functools.cache  # noqa: B019 - as PettingZoo's documentation has it
    def observation_space(self, agent: str) -> Any:
        box = spaces.Box(0, 100, (2,), np.int64)
        return spaces.Dict({"observation": box, "action_mask": spaces.Box(0, 1, (3,), np.int8)})

    @functools.cache  # noqa: B019
    def action_space(self, agent: str) -> Any:
        return spaces.Discrete(3)

    def observe(self, agent: str) -> Any:
        return {"observation": np.array(self.seen()), "action_mask": np.array(self.legal(), np.int8)}

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        if seed is not None or not hasattr(self, "dice"):
            self.dice, _ = seeding.np_random(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, Any] = {agent: {} for agent in self.agents}
        self.selector = AgentSelector(self.agents)
        self.agent_selection = self.selector.next()
        self.begin()

    def step(self, action: Any) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        for paid, reward in self.move(agent, int(action)).items():
            self.rewards[paid] = reward
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.selector.next()
        self._accumulate_rewards()

    def other(self, agent: str) -> str:
        return next((name for name in self.possible_agents if name != agent), agent)

    def begin(self) -> None:
        self.left = self.size

    def seen(self) -> list[int]:
        return [self.left, 0]

    def legal(self) -> list[bool]:
        return [take <= self.left for take in (1, 2, 3)]

    def move(self, agent: str, action: int) -> dict[str, float]:
        """Nim: take one to three; whoever takes the last one wins."""
        self.left -= action + 1
        return {} if self.left else {agent: 1.0, self.other(agent): -1.0}


class Greedy(Turns):
    """Nim in which the loser pays nothing: no zero-sum game."""

    def move(self, agent: str, action: int) -> dict[str, float]:
        return {name: max(paid, 0.0) for name, paid in super().move(agent, action).items()}


class Divided(Turns):
    """Nim for any number: the next after whoever takes the last one pays, and all others are paid."""

    def move(self, agent: str, action: int) -> dict[str, float]:
        if not super().move(agent, action):
            return {}
        agents = self.possible_agents
        following = agents[(agents.index(agent) + 1) % len(agents)]
        return dict.fromkeys(agents, 0.25) | {following: -1.0, agent: 1.0}


class Survivors(Turns):
    """Nim, begun anew with whoever has not yet taken a last one: the last of them is paid by all others."""

    def step(self, action: Any) -> None:
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self.agent_selection = self.agents[(self.agents.index(agent) + 1) % len(self.agents)]
        self.left -= int(action) + 1
        if not self.left:
            self.left = self.size
            self.terminations[agent], self.rewards[agent] = True, -1.0
            if len(self.agents) == 2:
                self.rewards[self.agent_selection] = len(self.possible_agents) - 1.0
                self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        self._deads_step_first()


class Tossed(Turns):
    """A coin is tossed in `reset`: guess it (0 or 1) for 1 or -1, or take a quarter for sure (2)."""

    def begin(self) -> None:
        self.coin = int(self.dice.integers(2))

    def seen(self) -> list[int]:
        return [0, 0]

    def legal(self) -> list[bool]:
        return [True, True, True]

    def move(self, agent: str, action: int) -> dict[str, float]:
        return {agent: 0.25 if action == 2 else 1.0 if action == self.coin else -1.0}


class Race(Turns):
    """Each moves by the sum of one to three dice; who comes to the end wins, who goes past it loses."""

    def begin(self) -> None:
        self.at = dict.fromkeys(self.agents, 0)

    def seen(self) -> list[int]:
        return [*self.at.values(), 0][:2]

    def legal(self) -> list[bool]:
        return [True, True, True]

    def thrown(self, count: int) -> int:
        return int(self.dice.integers(1, 3, count).sum())

    def move(self, agent: str, action: int) -> dict[str, float]:
        self.at[agent] += self.thrown(action + 1)
        if self.at[agent] < self.size:
            return {}
        won = 1.0 if self.at[agent] == self.size else -1.0
        return {self.other(agent): -won, agent: won}


class ForeseenRace(Race):
    """All dice are thrown in `reset`."""

    def begin(self) -> None:
        super().begin()
        self.ahead = self.dice.integers(1, 3, 200).tolist()

    def thrown(self, count: int) -> int:
        return sum(self.ahead.pop() for _ in range(count))


def wrapped(env: Any) -> Any:
    """With the wrappers that PettingZoo recommends."""
    env = wrappers.TerminateIllegalWrapper(env, illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(env))
