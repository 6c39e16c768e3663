"""Provides `EnvAgent`, an agent that plays a Gymnasium environment."""

from typing import Any

import gymnasium
import numpy as np

from starspiel.agents.bots.auto import SOLVED, STEPS, choose
from starspiel.agents.roster import make_bot
from starspiel.agents.seated import seated
from starspiel.envs.arguments import whole_number
from starspiel.envs.base import Game
from starspiel.envs.environments.same_env import check_same, is_waiting_for_reset
from starspiel.envs.errors import StarspielError, shown
from starspiel.envs.gymnasium.aec import AECTurns, is_pettingzoo
from starspiel.envs.gymnasium.game import load_gymnasium, state_of
from starspiel.envs.gymnasium.making import is_gymnasium_id, make_env
from starspiel.envs.gymnasium.refusals import refuse_other
from starspiel.envs.gymnasium.sampled.game import SampledGame
from starspiel.envs.gymnasium.sampled.redraw import Seen
from starspiel.envs.gymnasium.table import TableGame
from starspiel.envs.gymnasium.time_limit import time_limit
from starspiel.envs.spec import Spec, as_spec

#: Name of the spec that lets `choose` pick the agent.
_AUTO = "auto"
#: Number of steps that `play` allows an episode if `max_steps` is not given.
_LONGEST_EPISODE = 10_000


class EnvAgent:
    """Chooses actions for an environment: `EnvAgent(env)`, or with a spec, `EnvAgent(spec, env)`.

    Args:
        spec: as for `make_bot`, e.g. `expectiminimax(depth=50)`; for an environment without a table or rules,
            a sampling search, e.g. `star2ss(depth=3,width=5)`. Defaults to the agent that `choose` picks.
        env: an environment with finitely many actions, a PettingZoo environment, or an id with parameters,
            such as `"FrozenLake-v1"`. The agent steps it only in `play`.
        seed: seed of the agent's random numbers, which are independent of the environment's.
        options: the fields of `EnvOptions`, as keywords. Without a spec, the agent takes the TimeLimit of a
            small table into account.

    Attributes:
        env: the environment to reset and step; with `hidden="redraw"` a wrapper that remembers what it shows.
        game: the Game that is searched; its `source`, if it has one, says where its probabilities come from.
        spec: the spec that is played; `optimal` if the game was solved when the agent was made.
        why: the reason for that spec, in words.
        bot: the bot that chooses the actions.

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
        if env is None and (not isinstance(spec, str | Spec) or is_gymnasium_id(str(spec))):
            spec, env = None, spec
        env, options = _environment(spec, env, options)
        asked = Spec(_AUTO) if spec is None else as_spec(spec)
        self.game = _loaded(env, asked, options)
        self.env = env
        self._numbering = getattr(self.game, "numbering", None)
        if isinstance(self.game, SampledGame) and self.game.redraws is not None:
            self.env = Seen(env, self.game.redraws.view, self._numbering)
        # A starspiel environment with opponents has the agent's seat. A sampled one is a one-player game.
        seat = getattr(env.unwrapped, "seat", 0) if self.game.num_players > 1 else 0
        self.bot = seated(make_bot(asked, self.game, player=seat, seed=seed), None)
        self.spec, self.why = str(asked), "as given"
        if asked.name == _AUTO:
            choice = choose(self.game, asked.params.get("steps", STEPS))
            self.spec, self.why = str(choice), choice.why

    def __repr__(self) -> str:
        return f"<EnvAgent {self.spec} for {self.game.name}: {self.why}>"

    def act(self, info: dict[str, Any] | None = None, observation: Any = None) -> Any:
        """Returns the action of the player to move in the current state of `env`, as an element of its
        action space.

        `info` and `observation` are what `reset` or `step` returned last. They are needed if they contain
        the legal actions or the player to move. Raises `StarspielError` before `reset`, after the end of the
        episode if `env` reveals it, and if `observation` is not what `env` shows, which is known if `env` has
        a table or rules, or if what it hides is redrawn.
        """
        if info is not None and not isinstance(info, dict):
            raise StarspielError(
                f"info must be the dictionary that reset or step returned, got {shown(info)}. Call "
                "act(info, observation)"
            )
        state = state_of(self.env, self.game, info, observation)
        if state.is_terminal() or (isinstance(self.env, Seen) and self.env.is_over):
            raise StarspielError(f"{self.game.name}: the episode is over; call env.reset()")
        check_same(self.env, self.game, observation)
        try:
            action = int(self.bot.step(state))
        except StarspielError as error:
            if is_waiting_for_reset(self.env, self.game):
                raise StarspielError(
                    f"{self.game.name}: the environment has not been reset; call env.reset()"
                ) from error
            raise
        return action if self._numbering is None else self._numbering.action(action)

    def predict(
        self, observation: Any, state: Any = None, episode_start: Any = None, deterministic: bool = False
    ) -> tuple[Any, Any]:
        """Returns the action for `observation`, and `state` unchanged, as stable-baselines3's policies do.

        This is the interface for `evaluate_policy(agent, agent.env)`. A vectorised environment's observation
        is a batch of one. `episode_start` and `deterministic` are ignored. Raises the same errors as `act`.
        """
        space = getattr(self.env, "observation_space", None)
        if space is None or space.contains(observation) or np.shape(observation) == space.shape:
            return self.act(observation=observation), state
        if not _is_batch_of_one(observation):
            raise StarspielError(
                f"expected an observation of {space}, or a batch of one, got {shown(observation)}"
            )
        first = {key: part[0] for key, part in observation.items()} if isinstance(observation, dict) else None
        action = self.act(observation=observation[0] if first is None else first)
        return np.asarray(action)[np.newaxis], state

    def play(self, seed: int | None = None, max_steps: int | None = None) -> float:
        """Plays one episode from `env.reset(seed=seed)` and returns the sum of player 0's rewards.

        If several players share the environment, the agent moves for all of them. The episode is truncated
        after `max_steps`. Raises `StarspielError` if `max_steps` is not given and the episode is not over
        after 10,000 steps.
        """
        if seed is not None:
            seed = whole_number("seed", seed, 0)
        limit = _LONGEST_EPISODE if max_steps is None else whole_number("max_steps", max_steps, 1)
        observation, info = self.env.reset(seed=seed)
        players = getattr(self.game, "players", None)
        total = 0.0
        for _ in range(limit):
            action = self.act(info, observation)
            mover = 0 if players is None else players.mover(self.env, info, self.game.name)
            observation, reward, terminated, truncated, info = self.env.step(action)
            total += float(reward) if players is None else players.gain(mover, float(reward))
            if terminated or truncated:
                return total
        if max_steps is None:
            raise StarspielError(
                f"{self.game.name}: the episode is not over after {limit:,} steps, in which it paid "
                f"{total:g}. Give play(max_steps=...), or wrap it in gymnasium.wrappers.TimeLimit"
            )
        return total


def _environment(
    spec: Any, env: Any, options: dict[str, Any]
) -> tuple[gymnasium.Env[Any, Any], dict[str, Any]]:
    """Returns the environment, and the options including those in its id."""
    if isinstance(env, str) and is_gymnasium_id(env):
        env, declared = make_env(env)
        options = {**options, **declared}
    refuse_other(env)
    if is_pettingzoo(env):
        env = AECTurns(env)
    if isinstance(env, gymnasium.Env):
        return env, options
    if env is None and isinstance(spec, str | Spec):
        raise StarspielError(
            f"expected an environment beside the spec {str(spec)!r}: EnvAgent({str(spec)!r}, env), where env "
            'is a Gymnasium environment or its id, such as "FrozenLake-v1"'
        )
    raise StarspielError(f"env must be a Gymnasium environment or its id, got {shown(env)}.")


def _is_batch_of_one(observation: Any) -> bool:
    parts = observation.values() if isinstance(observation, dict) else (observation,)
    return all(np.ndim(part) > 0 and len(part) == 1 for part in parts)


def _loaded(env: gymnasium.Env[Any, Any], spec: Spec, options: dict[str, Any]) -> Game:
    """Returns an environment's game, including the time limit for `auto` if the table stays small."""
    game = load_gymnasium(env, **options)
    limit = time_limit(env)
    sees_clock = (
        spec.name == _AUTO
        and options.get("horizon") is None
        and limit is not None
        and env.has_wrapper_attr("_elapsed_steps")
        and isinstance(game, TableGame)
        and game.num_states * limit <= SOLVED
    )
    return load_gymnasium(env, **{**options, "horizon": limit}) if sees_clock else game
