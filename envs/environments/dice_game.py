"""DiceGameEnv: the rules of a dice game, written once, as a Gymnasium environment."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.environments.game_env import MAX_EVENTS, GameEnv, not_ours
from starspiel.envs.environments.opponents import Opponent, Seated
from starspiel.envs.load import load_game
from starspiel.envs.rules import Rules, RulesState, sound_actions, sound_chances, sound_player


class DiceGameEnv(GameEnv):
    """A `Rules` game as a Gymnasium environment; see `GameEnv` for the steps, rewards and the other seat.

    Observations are the rules' own, from the agent's side (in self-play from that of the player to move).

    Args:
        game: a `Rules` object, or the spec of a shipped game such as `star_pig(goal=50)`.
        opponent, seat, illegal_reward, max_steps, render_mode: as in `GameEnv`.
    """

    def __init__(
        self,
        game: Rules[Any] | str,
        *,
        opponent: Opponent | None = None,
        seat: int = 0,
        illegal_reward: float | None = None,
        max_steps: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        rules = load_game(game)
        if not isinstance(rules, Rules):
            raise not_ours("DiceGameEnv plays Rules games", rules)
        super().__init__(
            rules,
            opponent=opponent,
            seat=seat,
            illegal_reward=illegal_reward,
            max_steps=max_steps,
            render_mode=render_mode,
        )
        self.rules = rules
        # The state whose turn was looked up last, and that turn: asked for when it is shown and when its
        # action comes. States of rules do not change.
        self._looked_up: tuple[RulesState[Any] | None, tuple[int, Sequence[int]]] = None, (TERMINAL, ())
        shape = rules.observation(rules.initial(), 0).shape
        self.observation_space = Box(0.0, 1.0, shape, np.float32)

    def observe(self, state: Any, player: int) -> NDArray[np.float32]:
        return self.rules.observation(state.position, player)

    def _after(self, state: Any, action: int) -> Any:
        if self.opponent is not None:
            return super()._after(state, action)
        return self._throw_on(self.rules.apply(state.position, action), self.np_random)

    def _play_on(self, state: Any, opponent: Seated | None, rng: np.random.Generator) -> Any:
        if opponent is not None:
            return super()._play_on(state, opponent, rng)
        return self._throw_on(state.position, rng)

    def _throw_on(self, position: Any, rng: np.random.Generator) -> RulesState[Any]:
        """What `_play_on` gives in self-play, where nobody is shown the states in between: positions do."""
        rules = self.rules
        for _ in range(MAX_EVENTS):
            if rules.player(position) != CHANCE:
                return RulesState(rules, position)
            position = rules.apply(position, self._throw(sound_chances(rules, position), rng.random()))
        raise self._stuck()

    def _turn(self, state: Any) -> tuple[int, Sequence[int]]:
        if state is not self._looked_up[0]:
            mover = sound_player(self.rules, state.position)
            legal = () if mover == TERMINAL else sound_actions(self.rules, state.position, mover)
            self._looked_up = state, (mover, legal)
        return self._looked_up[1]

    def picture(self, state: Any) -> NDArray[np.uint8]:
        return self.rules.picture(state.position)
