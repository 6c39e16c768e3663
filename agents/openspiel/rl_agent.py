"""Adapts agents to OpenSpiel RL agents, which its loops over `rl_environment.Environment` take."""

from typing import Any

import numpy as np
import pyspiel
from open_spiel.python import rl_agent

from starspiel.agents.bot import Bot, provides_policy
from starspiel.envs.base import SIMULTANEOUS, Game
from starspiel.envs.errors import StarspielError

_STATE = "[State]\n"


class BotAgent(rl_agent.AbstractAgent):  # type: ignore[misc]  # open_spiel has no type hints
    """An `rl_agent.AbstractAgent` that plays like a bot, and learns nothing.

    The environment must give the full state: `rl_environment.Environment(game, include_full_state=True)`.

    Args:
        player_id: the seat.
        bot: the bot that plays it.
        game: the game to play.
        name: the agent's name, as for OpenSpiel's agents.

    Attributes:
        bot, player_id, name: the arguments.
    """

    def __init__(self, player_id: int, bot: Any, game: Game, name: str = "starspiel") -> None:
        self.bot, self.player_id, self.name = bot, player_id, name
        self._num_actions = game.num_distinct_actions
        self._games: dict[str, pyspiel.Game] = {}

    def step(self, time_step: Any, is_evaluation: bool = False) -> Any:
        """Returns the `rl_agent.StepOutput`, with the action and the probabilities of all actions of the
        game.

        Returns None at the last step, as OpenSpiel's own agents do, and an output without an action if
        another player is to move. `is_evaluation` has no effect.

        Raises StarspielError if the observations lack the full state.
        """
        if time_step.last():
            return None
        if time_step.observations["current_player"] not in (self.player_id, SIMULTANEOUS):
            return rl_agent.StepOutput(action=None, probs=[])
        state = self._state(time_step.observations)
        if not isinstance(self.bot, Bot) and callable(begin := getattr(self.bot, "restart_at", None)):
            begin(state)
        probs = np.zeros(self._num_actions)
        if provides_policy(self.bot):
            policy, action = self.bot.step_with_policy(state)
            for each, probability in policy:
                probs[each] = probability
        else:
            action = self.bot.step(state)
            probs[action] = 1.0
        return rl_agent.StepOutput(action=int(action), probs=probs)

    def _state(self, observations: dict[str, Any]) -> pyspiel.State:
        text = observations.get("serialized_state")
        if not isinstance(text, str):
            raise StarspielError(
                f"{self.name} searches from the full state, which this environment does not give; make it "
                "with rl_environment.Environment(game, include_full_state=True). If there is none, as in "
                "rl_agent_policy, take starspiel.as_policy(agent, game), which is a policy as it is."
            )
        game, _, state = text.partition(_STATE)
        if game not in self._games:  # making a game takes longer than most moves
            self._games[game] = pyspiel.deserialize_game_and_state(text)[0]
        return self._games[game].deserialize_state(state.removesuffix("\n"))  # not the line end
