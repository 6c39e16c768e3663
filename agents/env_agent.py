"""An agent for a Gymnasium environment that exists already: a spec and five lines."""

from typing import Any

import gymnasium

from starspiel.agents.roster import make_bot
from starspiel.envs.arguments import whole_number
from starspiel.envs.errors import StarspielError, shown
from starspiel.envs.gymnasium.aec import AECTurns, is_pettingzoo
from starspiel.envs.gymnasium.game import load_gymnasium, state_of
from starspiel.envs.gymnasium.refusals import refuse_other
from starspiel.envs.spec import Spec


class EnvAgent:
    """Chooses actions for an environment by an agent spec.

    Args:
        spec: as for `make_bot`, e.g. `expectiminimax(depth=50)`; for an environment without a table or rules
            a sampling search, e.g. `star2ss(depth=3,width=5)`.
        env: any environment with Discrete actions, or one of PettingZoo. It is only stepped in `play`.
        seed: of everything random in the agent; its samples have nothing to do with the environment's dice.
        options: those of `EnvOptions`, by name, as for `load_gymnasium`.

    Attributes:
        game: the Game that is searched; `game.source`, where there is one, says where its chances come from.
        bot: the bot that chooses.
    """

    def __init__(
        self,
        spec: str | Spec,
        env: Any,
        *,
        seed: int | None = None,
        **options: Any,
    ) -> None:
        if is_pettingzoo(env):
            env = AECTurns(env)
        refuse_other(env)
        if not isinstance(env, gymnasium.Env):
            raise StarspielError(
                f"env must be a Gymnasium environment, as of gymnasium.make(...), got {shown(env)}."
            )
        self.env = env
        self.game = load_gymnasium(env, **options)
        # A starspiel environment with an opponent tells its agent's seat. Sampled, it is a game for one.
        seat = getattr(env.unwrapped, "seat", 0) if self.game.num_players == 2 else 0
        self.bot = make_bot(spec, self.game, player=seat, seed=seed)

    def act(self, info: dict[str, Any] | None = None, observation: Any = None) -> int:
        """The action for the environment's current situation, of whoever is to move.

        `info` and `observation` are what `reset` or `step` returned last; they are needed where they say
        which actions are legal or who is to move.
        Raises `StarspielError` before `reset`, and after the end, unless a sampled game has `terminated`:
        nothing of such an environment tells that.
        """
        state = state_of(self.env, self.game, info, observation)
        if state.is_terminal():
            raise StarspielError(f"{self.game.name}: the episode is over; call env.reset()")
        return int(self.bot.step(state))

    def play(self, seed: int | None = None) -> float:
        """Plays one episode from `env.reset(seed=seed)` and returns the sum of player 0's rewards.

        Where two players share the environment, it plays for both.
        Raises `StarspielError` where the seed is no whole number of at least 0, nor None.
        """
        if seed is not None:
            seed = whole_number("seed", seed, 0)
        observation, info = self.env.reset(seed=seed)
        players = getattr(self.game, "players", None)
        total, over = 0.0, False
        while not over:
            action = self.act(info, observation)
            mover = 0 if players is None else players.mover(self.env, info, self.game.name)
            observation, reward, terminated, truncated, info = self.env.step(action)
            total += float(reward) if players is None else players.gain(mover, float(reward))
            over = terminated or truncated
        return total
