"""`AECTurns`: a PettingZoo AEC environment as a Gymnasium one, whose steps are its agents' decisions in turn.

PettingZoo is not imported here, because it is loaded already if one of its environments is given.
"""

import sys
from math import isfinite
from typing import Any

import gymnasium

from starspiel.envs.base import Game, conforms
from starspiel.envs.errors import StarspielError, UnsupportedGameError

_TOLERANCE = 1e-6
# Wrappers that leave legal moves, rewards and rules as they are.
_TRANSPARENT = (
    "AssertOutOfBoundsWrapper",
    "CaptureStdoutWrapper",
    "OrderEnforcingWrapper",
    "TerminateIllegalWrapper",
)


def is_pettingzoo(env: Any) -> bool:
    """Returns whether an object is an environment of PettingZoo, AEC or parallel."""
    return isinstance(env, _kinds("AECEnv", "ParallelEnv"))


def _kinds(*names: str) -> tuple[type, ...]:
    module = sys.modules.get("pettingzoo.utils.env")
    return tuple(getattr(module, name) for name in names) if module is not None else ()


class AECTurns(gymnasium.Env[Any, int]):
    """The decisions of an AEC environment's agents, one per step; rewards are those of its first agent.

    It plays the given environment itself, from its current situation on. Agents that are out are stepped
    automatically.

    Attributes:
        aec: the environment of PettingZoo.
        zero_sum: whether the sum of all agents' rewards must be 0 when the episode is over.
        rewards: all agents' rewards of the last step, in the order of `possible_agents`.
        paid: each agent's rewards since `reset` of this object; None if they are not known.
    """

    def __init__(self, aec: Any) -> None:
        if isinstance(aec, _kinds("ParallelEnv")):
            raise UnsupportedGameError(
                f"{aec} is a parallel environment, in which all agents move at once; search plays turns. "
                "If later agents may know what earlier ones did, load parallel_to_aec(env), from "
                "pettingzoo.utils.conversions"
            )
        agents = list(getattr(aec, "possible_agents", ()))
        if not agents:
            raise UnsupportedGameError(f"{aec} has no agents in possible_agents; expected one or more")
        spaces = [aec.action_space(agent) for agent in agents]
        if other := [space for space in spaces if space != spaces[0]]:
            raise UnsupportedGameError(
                f"{aec}: expected one action space for all agents, got {spaces[0]} and {other[0]}"
            )
        self.aec = aec
        self.action_space = spaces[0]
        self.observation_space = aec.observation_space(agents[0])
        self.zero_sum = len(agents) == 2
        self.rewards = (0.0,) * len(agents)
        self.paid: tuple[float, ...] | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Any]:
        """Starts an episode and returns the first agent's observation."""
        self.aec.reset(seed=seed, options=options)
        self.paid = (0.0,) * len(self.rewards)
        if self._is_over():
            raise StarspielError(f"{self.aec}: the episode is over after reset(), without a move")
        return self.look()

    def step(self, action: int) -> tuple[Any, float, bool, bool, Any]:
        """Steps one decision of the agent to move."""
        aec, before = self.aec, dict(getattr(self.aec, "_cumulative_rewards", {}))
        aec.step(action)
        self.rewards = tuple(float(aec.rewards.get(agent, 0.0)) for agent in aec.possible_agents)
        if not any(self.rewards):
            self._check_unpaid(before)
        if not all(map(isfinite, self.rewards)):
            raise StarspielError(f"{aec}: expected finite rewards after action {action}, got {aec.rewards}")
        if self.paid is not None:
            self.paid = tuple(map(sum, zip(self.paid, self.rewards, strict=True)))
        observation, info = self.look()  # at the end, what the agent selected next sees
        over = self._is_over()
        while not over and self._is_out():
            aec.step(None)
            over = self._is_over()
            observation, info = (observation, info) if over else self.look()
        if over:
            self._check_sum()
        return observation, self.rewards[0], over, False, info

    def look(self) -> tuple[Any, dict[str, Any]]:
        """Returns the observation and info of the agent to move."""
        try:
            agent = self.aec.agent_selection
            return self.aec.observe(agent), dict(self.aec.infos.get(agent) or {})
        except AttributeError:
            raise StarspielError(
                f"{self.aec}: the environment has not been reset; call env.reset()"
            ) from None

    def mover(self) -> int:
        """Returns the seat of the agent to move: 0 for the first of `possible_agents`."""
        return int(self.aec.possible_agents.index(self.aec.agent_selection))

    def check_running(self) -> tuple[Any, dict[str, Any]]:
        """Returns what `look` does; also raises StarspielError if the agent to step is out, or at the end."""
        seen = self.look()
        if not self.aec.agents or self._is_out():
            raise StarspielError(
                f"{self.aec}: the agent to step is out, so the only action is None; call reset() once all are"
            )
        return seen

    def _is_out(self) -> bool:
        agent = self.aec.agent_selection
        return bool(self.aec.terminations.get(agent) or self.aec.truncations.get(agent))

    def _is_over(self) -> bool:
        aec = self.aec
        return all(aec.terminations.get(agent) or aec.truncations.get(agent) for agent in aec.agents)

    def _check_unpaid(self, before: dict[Any, float]) -> None:
        """Raises UnsupportedGameError if the step paid rewards only by what `last()` adds up."""
        now: dict[Any, float] = getattr(self.aec, "_cumulative_rewards", {})
        paid = {agent: held for agent, held in now.items() if held and held != before.get(agent)}
        if paid:
            raise UnsupportedGameError(
                f"{self.aec}: a step changed _cumulative_rewards to {paid}, and rewards are 0. Set "
                "self.rewards in step, and call self._accumulate_rewards()"
            )

    def _check_sum(self) -> None:
        if self.zero_sum and self.paid is not None and abs(sum(self.paid)) > _TOLERANCE:
            paid = dict(zip(self.aec.possible_agents, self.paid, strict=True))
            raise UnsupportedGameError(
                f"{self.aec}: the two agents' rewards of an episode were {paid}, which do not sum to 0. If "
                "each wants as much as it can get, say general_sum=True; if each wants to be ahead of the "
                "other, wrap the environment so that it pays half the difference"
            )


def declared_game(aec: Any) -> Game | None:
    """Returns the Game that an environment of this package declares as its rules; None if there is none."""
    outer = aec
    while hasattr(outer, "env") and type(outer).__name__ in _TRANSPARENT:
        outer = outer.env
    game = getattr(outer, "game", None)
    declares = outer is aec.unwrapped and conforms(game, Game) and hasattr(outer, "game_state")
    return game if declares else None
