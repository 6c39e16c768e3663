"""Adapts agents to OpenSpiel policies, which its best responses, policy values and aggregators take."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from open_spiel.python import policy

from starspiel.agents.bot import check_turn, move_chances
from starspiel.envs.base import SIMULTANEOUS, Game, actions_of
from starspiel.envs.errors import StarspielError
from starspiel.envs.openspiel.counterpart import pyspiel_game


class AgentPolicy(policy.Policy):  # type: ignore[misc]  # open_spiel has no type hints
    """An `open_spiel.python.policy.Policy` of all seats of a game.

    It is a function of the state: before every answer, the bot is restarted there.

    Args:
        game: the game to play.
        bots: one for each seat. A bot without `provides_policy` gives probability one to its move.
        seed: seed of `sample_action`.

    Attributes:
        bots: the bots, by seat.
    """

    def __init__(self, game: Game, bots: Sequence[Any], seed: int | None = None) -> None:
        everyone = list(range(game.num_players))
        super().__init__(pyspiel_game(game), everyone, np.random.RandomState(seed))
        self.bots = tuple(bots)
        self._game = game

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        """Returns {action: probability} for all legal actions at a decision node.

        If all players move at once, the actions are those of `player_id`. A player who is not to move has no
        actions and gets {0: 1.0}, as from OpenSpiel's own policies. Raises StarspielError at chance nodes, at
        terminal states, at states of another game, and without `player_id` if all players move at once.
        """
        check_turn(state, self._game)
        player = state.current_player()
        if player == SIMULTANEOUS:
            if player_id is None:
                raise StarspielError("all players move at once here: expected a player_id, got None.")
            player = player_id
        elif player_id is not None and player_id != player:
            return {0: 1.0}
        given = move_chances(self.bots[player], state)
        return {action: float(given.get(action, 0.0)) for action in actions_of(state, player)}
