"""GameAEC: starspiel's Gymnasium environment of a game in self-play, turn by turn as PettingZoo's AEC."""

from copy import deepcopy
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from starspiel.envs.environments.game_env import GameEnv

Observation = dict[str, NDArray[Any]]


class GameAEC(AECEnv):  # type: ignore[misc]  # PettingZoo has no type hints
    """The environment without PettingZoo's wrappers; `pettingzoo_env` makes it with them.

    Args:
        played: the game in self-play, one decision a step.
        render_mode: None, "ansi", "human" or "rgb_array".

    Attributes:
        game: the Game.
        state_space: the space of the arrays that `state()` returns.
    """

    metadata = {  # noqa: RUF012
        "render_modes": ["ansi", "human", "rgb_array"],
        "render_fps": 2,
        "is_parallelizable": False,
    }

    def __init__(self, played: GameEnv, render_mode: str | None = None) -> None:
        super().__init__()
        self._played = played
        self.game = played.game
        self.metadata = {**self.metadata, "name": played.game.name}
        self.render_mode = render_mode
        self.possible_agents = [f"player_{player}" for player in range(played.game.num_players)]
        self.agents: list[str] = []
        actions = played.game.num_distinct_actions
        seen = played.observation_space
        self.state_space = deepcopy(seen)  # separate spaces, because they may be seeded
        self.observation_spaces = {
            agent: spaces.Dict(
                {"observation": deepcopy(seen), "action_mask": spaces.Box(0, 1, (actions,), np.int8)}
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}

    @property
    def game_state(self) -> Any:
        """The current State; None before the first `reset`."""
        return self._played.state

    @property
    def np_random(self) -> np.random.Generator:
        """The generator that throws the dice."""
        return self._played.np_random

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Returns the space of an agent's observations, the same object each time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Returns the space of an agent's actions, the same object each time."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a game and plays it to its first decision; games that end before it are skipped."""
        self._played.reset(seed=seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None  # it may be left over from a game that was abandoned at its end
        self.agent_selection = self.possible_agents[self._played.turn[0]]
        if self.render_mode == "human":
            self.render()

    def step(self, action: Any) -> None:
        """Plays the selected agent's action and the dice up to the next decision.

        The action must be None if the game is over. Raises IllegalActionError for an illegal action.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        _, _, terminated, truncated, _ = self._played.step(action)
        is_paid = terminated or self.game.step_rewards
        self._cumulative_rewards[agent] = 0.0
        for player, other in enumerate(self.possible_agents):
            self.rewards[other] = self._played.gain(player) if is_paid else 0.0
            self.terminations[other] = terminated
            self.truncations[other] = truncated
        self._accumulate_rewards()
        following = (self.possible_agents.index(agent) + 1) % len(self.possible_agents)
        mover = following if terminated else self._played.turn[0]
        self.agent_selection = self.possible_agents[mover]
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        """Returns the agent's observation and its legal actions, none if it is not the agent to move."""
        player = self.possible_agents.index(agent)
        state = self._played.state
        mask = np.zeros(self.game.num_distinct_actions, np.int8)
        mover, legal = self._played.turn
        if mover == player:
            mask[list(legal)] = 1
        return {"observation": self._played.observe(state, player), "action_mask": mask}

    def state(self) -> NDArray[np.float32]:
        """Returns the whole position as an array: player_0's observation, since nothing is hidden."""
        return self._played.observe(self._played.state, 0)

    def render(self) -> Any:
        """Returns the position as text ("ansi") or as an image ("rgb_array"), or prints it ("human")."""
        if self.render_mode == "human":
            print(self._played.state)
            return None
        self._played.render_mode = self.render_mode
        return self._played.render()

    def close(self) -> None:
        """Closes the environment inside, which holds nothing open."""
        self._played.close()
