"""An agent for a Gymnasium environment that exists already, in five lines."""

from typing import Any

import gymnasium

from starspiel.agents.choice import SOLVED, STEPS, choose
from starspiel.agents.roster import make_bot
from starspiel.envs.arguments import whole_number
from starspiel.envs.base import Game
from starspiel.envs.errors import StarspielError, shown
from starspiel.envs.gymnasium.aec import AECTurns, is_pettingzoo
from starspiel.envs.gymnasium.game import load_gymnasium, state_of
from starspiel.envs.gymnasium.refusals import refuse_other
from starspiel.envs.gymnasium.sampled.game import SampledGame
from starspiel.envs.gymnasium.sampled.outside import Outside
from starspiel.envs.gymnasium.sampled.redraw import Seen
from starspiel.envs.gymnasium.table import TableGame
from starspiel.envs.spec import Spec, as_spec

#: The spec of the agent that `choose` picks.
_AUTO = "auto"


class EnvAgent:
    """Chooses actions for an environment: `EnvAgent(env)`, or by a spec, `EnvAgent(spec, env)`.

    Args:
        spec: as for `make_bot`, e.g. `expectiminimax(depth=50)`; for an environment without a table or rules
            a sampling search, e.g. `star2ss(depth=3,width=5)`. Without one, or with `auto`, algorithm, depth
            and evaluator are those of `choose`.
        env: any environment with Discrete actions, or one of PettingZoo. It is only stepped in `play`.
        seed: of everything random in the agent; its samples have nothing to do with the environment's dice.
        options: those of `EnvOptions`, by name, as for `load_gymnasium`. An agent without a spec knows the
            TimeLimit of a small table without being told.

    Attributes:
        env: the environment. With `hidden="redraw"` it is wrapped in one that remembers what it has shown, so
            reset and step this one.
        game: the Game that is searched; `game.source`, where there is one, says where its chances come from.
        spec: the spec that is played; `optimal` where the game was solved when the agent was made.
        why: why it is that one, in words.
        bot: the bot that chooses.

    Raises:
        UnsupportedGameError: the environment cannot be searched soundly.
        StarspielError: an argument is wrong.
    """

    def __init__(
        self,
        spec: Any = None,
        env: Any = None,
        *,
        seed: int | None = None,
        **options: Any,
    ) -> None:
        if env is None and not isinstance(spec, str | Spec):
            spec, env = None, spec
        refuse_other(env)
        if is_pettingzoo(env):
            env = AECTurns(env)
        if not isinstance(env, gymnasium.Env):
            raise StarspielError(
                f"env must be a Gymnasium environment, as of gymnasium.make(...), got {shown(env)}."
            )
        asked = Spec(_AUTO) if spec is None else as_spec(spec)
        self.game = _loaded(env, asked, options)
        self.env = env
        self._outside: Outside | None = None
        if isinstance(self.game, SampledGame):
            self._outside = Outside(self.game.env, self.game.name)
            if self.game.redraws is not None:
                self.env = Seen(env, self.game.view)
        # A starspiel environment with an opponent tells its agent's seat. Sampled, it is a game for one.
        seat = getattr(env.unwrapped, "seat", 0) if self.game.num_players == 2 else 0
        self.bot = make_bot(asked, self.game, player=seat, seed=seed)
        self.spec, self.why = str(asked), "as given"
        if asked.name == _AUTO:
            choice = choose(self.game, asked.params.get("steps", STEPS))
            self.spec, self.why = str(choice), choice.why

    def __repr__(self) -> str:
        return f"<EnvAgent {self.spec} for {self.game.name}: {self.why}>"

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
        if self._outside is None:
            return int(self.bot.step(state))
        with self._outside.kept():
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


def _loaded(env: gymnasium.Env[Any, Any], spec: Spec, options: dict[str, Any]) -> Game:
    """The game of an environment; `auto` sees the clock of a table that is small enough for it."""
    game = load_gymnasium(env, **options)
    limit = env.spec.max_episode_steps if env.spec else None
    sees_clock = (
        spec.name == _AUTO
        and options.get("horizon") is None
        and limit is not None
        and env.has_wrapper_attr("_elapsed_steps")
        and isinstance(game, TableGame)
        and game.num_states * limit <= SOLVED
    )
    return load_gymnasium(env, **{**options, "horizon": limit}) if sees_clock else game
