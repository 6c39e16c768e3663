"""An agent for a Gymnasium environment that exists already, in five lines."""

import inspect
from typing import Any

import gymnasium

from starspiel.agents.choice import SOLVED, STEPS, choose
from starspiel.agents.roster import make_bot
from starspiel.envs.arguments import whole_number
from starspiel.envs.base import Game
from starspiel.envs.errors import StarspielError, did_you_mean, shown
from starspiel.envs.gymnasium.game import load_gymnasium, state_of
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
        env: any environment with Discrete actions. It is only stepped in `play`.
        seed: of everything random in the agent; its samples have nothing to do with the environment's dice.
        loading: by name, what `load_gymnasium` takes besides the environment, such as `horizon`. An agent
            without a spec knows the TimeLimit of a small table without being told.

    Attributes:
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
        spec: str | Spec | gymnasium.Env[Any, Any] | None = None,
        env: gymnasium.Env[Any, Any] | None = None,
        *,
        seed: int | None = None,
        **loading: Any,
    ) -> None:
        if env is None and isinstance(spec, gymnasium.Env):
            spec, env = None, spec
        if not isinstance(env, gymnasium.Env):
            raise StarspielError(
                f"env must be a Gymnasium environment, as of gymnasium.make(...), got {shown(env)}."
            )
        _check_names(loading)
        asked = Spec(_AUTO) if spec is None else as_spec(spec)  # type: ignore[arg-type]
        self.env = env
        self.game = _loaded(env, asked, loading)
        # A starspiel environment with an opponent tells its agent's seat. Sampled, it is a game for one.
        seat = getattr(env.unwrapped, "seat", 0) if self.game.num_players == 2 else 0
        self.bot = make_bot(asked, self.game, player=seat, seed=seed)
        self.spec, self.why = str(asked), "as given"
        if asked.name == _AUTO:
            choice = choose(self.game, asked.params.get("steps", STEPS))
            self.spec, self.why = str(choice), choice.why

    def __repr__(self) -> str:
        return f"<EnvAgent {self.spec} for {self.game.name}: {self.why}>"

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


def _loaded(env: gymnasium.Env[Any, Any], spec: Spec, loading: dict[str, Any]) -> Game:
    """The game of an environment; `auto` sees the clock of a table that is small enough for it."""
    game = load_gymnasium(env, **loading)
    limit = env.spec.max_episode_steps if env.spec else None
    sees_clock = (
        spec.name == _AUTO
        and loading.get("horizon") is None
        and limit is not None
        and env.has_wrapper_attr("_elapsed_steps")
        and isinstance(game, TableGame)
        and game.num_states * limit <= SOLVED
    )
    return load_gymnasium(env, **{**loading, "horizon": limit}) if sees_clock else game


def _check_names(loading: dict[str, Any]) -> None:
    """Raises StarspielError for a name that `load_gymnasium` does not take."""
    known = [name for name in inspect.signature(load_gymnasium).parameters if name != "env"]
    for name in loading:
        if name not in known:
            raise StarspielError(
                f"EnvAgent takes seed, and to load the environment {', '.join(known)}; got {shown(name)}."
                f"{did_you_mean(name, ('seed', *known))}"
            )
