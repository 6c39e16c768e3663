"""An agent for a Gymnasium environment that exists already: a spec and five lines."""

from typing import Any

import gymnasium

from starspiel.agents.roster import make_bot
from starspiel.envs.arguments import whole_number
from starspiel.envs.errors import StarspielError, shown
from starspiel.envs.gymnasium.game import load_gymnasium, state_of
from starspiel.envs.gymnasium.sampled.redraw import Seen
from starspiel.envs.spec import Spec


class EnvAgent:
    """Chooses actions for an environment by an agent spec.

    Args:
        spec: as for `make_bot`, e.g. `expectiminimax(depth=50)`; for an environment without a table or rules
            a sampling search, e.g. `star2ss(depth=3,width=5)`.
        env: any environment with Discrete actions. It is only stepped in `play`.
        seed: of everything random in the agent; its samples have nothing to do with the environment's dice.
        horizon, discount, utility_range, hidden: as for `load_gymnasium`.

    Attributes:
        env: the environment. With `hidden="redraw"` it is wrapped in one that remembers what it has shown, so
            reset and step this one.
        game: the Game that is searched; `game.source`, where there is one, says where its chances come from.
        bot: the bot that chooses.
    """

    def __init__(
        self,
        spec: str | Spec,
        env: gymnasium.Env[Any, Any],
        *,
        seed: int | None = None,
        horizon: int | bool | None = None,
        discount: float = 1.0,
        utility_range: tuple[float, float] | None = None,
        hidden: str = "warn",
    ) -> None:
        if not isinstance(env, gymnasium.Env):
            raise StarspielError(
                f"env must be a Gymnasium environment, as of gymnasium.make(...), got {shown(env)}."
            )
        self.game = load_gymnasium(
            env, horizon=horizon, discount=discount, utility_range=utility_range, hidden=hidden
        )
        self.env = Seen(env) if hidden == "redraw" else env
        # A starspiel environment with an opponent tells its agent's seat. Sampled, it is a game for one.
        seat = getattr(env.unwrapped, "seat", 0) if self.game.num_players == 2 else 0
        self.bot = make_bot(spec, self.game, player=seat, seed=seed)

    def act(self, info: dict[str, Any] | None = None) -> int:
        """The action for the environment's current situation.

        `info` is what `reset` or `step` returned last; the action mask of a sampled environment is in it.
        Raises `StarspielError` before `reset`, and after the end, unless a sampled game has `terminated`:
        nothing of such an environment tells that.
        """
        state = state_of(self.env, self.game, info)
        if state.is_terminal():
            raise StarspielError(f"{self.game.name}: the episode is over; call env.reset()")
        return int(self.bot.step(state))

    def play(self, seed: int | None = None) -> float:
        """Plays one episode from `env.reset(seed=seed)` and returns the sum of its rewards.

        Raises `StarspielError` where the seed is no whole number of at least 0, nor None.
        """
        if seed is not None:
            seed = whole_number("seed", seed, 0)
        _, info = self.env.reset(seed=seed)
        total, over = 0.0, False
        while not over:
            _, reward, terminated, truncated, info = self.env.step(self.act(info))
            total += float(reward)
            over = terminated or truncated
        return total
