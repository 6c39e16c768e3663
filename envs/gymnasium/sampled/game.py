"""A Gymnasium environment of which only `step` is known, as a Game whose chances are drawn, not listed.

A state holds a clone of the environment. The clone's random generators are seeded afresh before every step it
takes, from the search's own generator, so that a search meets other dice than the ones the environment itself
is going to throw.
"""

from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np

from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.gymnasium.action_names import action_names
from starspiel.envs.gymnasium.sampled.clone import AnyEnv, advance, clone
from starspiel.envs.gymnasium.sampled.redraw import History, Redraws, Seen, remembered


class SampledGame:
    """A one-player game played on clones of an environment; the return is the discounted sum of rewards.

    A clone holds everything the environment holds, so a search sees what an observation may hide, unless
    `hidden` is "redraw". Random numbers not yet drawn are kept from it.

    Attributes:
        horizon: the game ends after this many actions, besides where the environment ends it.
        utility_range: as promised by whoever made the game; otherwise None, as rewards are not known.
        action_names: what people call the actions, where that is known.
        env: a clone to start episodes from; it is never stepped.
        hidden: what is done about hidden state, one of `hidden.WAYS`.
        source: where the chances come from and why not from something better, for people.
    """

    num_players = 1
    explicit_chance = False
    step_rewards = True

    def __init__(
        self,
        env: AnyEnv,
        *,
        name: str,
        discount: float = 1.0,
        horizon: int | None = None,
        utility_range: tuple[float, float] | None = None,
        hidden: str = "warn",
        why: str = "",
    ) -> None:
        space = env.action_space
        assert isinstance(space, gymnasium.spaces.Discrete), "load_gymnasium checks the action space"
        self.name = name
        self.discount = discount
        self.horizon = horizon
        self.utility_range = utility_range
        self.source = f"samples: reseeded clones of the environment{f' ({why})' if why else ''}"
        self.first_action = int(space.start)
        self.num_distinct_actions = int(space.start + space.n)
        self.action_names = action_names(env)
        self.env = clone(env, 0, name)
        self.hidden = hidden
        self.redraws = Redraws(self.env, name) if hidden == "redraw" else None
        if self.redraws is not None:
            self.source += "; what is hidden is redrawn"

    def new_initial_state(self) -> "SampledChance":
        """The chance node of `reset`."""
        return SampledChance(EnvState(self, self.env, {}, self.horizon), None)

    def state_of(self, env: AnyEnv, info: dict[str, Any], elapsed: int = 0) -> "EnvState":
        """The situation of an environment that has been reset, with `elapsed` actions of the horizon used.

        Where what is hidden is redrawn by replays, `env` is one that remembers what it has shown (`Seen`).
        """
        if env.has_wrapper_attr("has_reset") and not env.get_wrapper_attr("has_reset"):
            raise StarspielError(f"{self.name}: the environment has not been reset; call env.reset()")
        left = None if self.horizon is None else self.horizon - elapsed
        if left is not None and left <= 0:
            raise StarspielError(f"{self.name}: {elapsed} actions taken, but the horizon is {self.horizon}")
        history: History = ()
        if isinstance(env, Seen):
            history, env = env.history, env.env
        if self.redraws is not None:
            self.redraws.check(history)
        return EnvState(self, clone(env, 0, self.name), info, left, history=history)

    def key(self, state: Any) -> None:
        """None: an observation may hide what the future depends on."""
        return None

    def frame(self, state: "EnvState | SampledChance") -> tuple[float, float]:
        """(return so far, discount^actions): an action counts once its outcome is known."""
        at = state.before if isinstance(state, SampledChance) else state
        return at.collected, at.scale

    def reroot(self, state: "EnvState | SampledChance") -> "EnvState | SampledChance":
        """The same situation with nothing collected yet, as the agent knows it: the root of a search.

        Where what is hidden is redrawn, every sample of a step from there redraws it first.
        """
        if isinstance(state, SampledChance):
            return SampledChance(self._restarted(state.before), state.action)
        return self._restarted(state)

    def _restarted(self, state: "EnvState") -> "EnvState":
        redrawn = self.redraws is not None
        return EnvState(
            self, state.env, state.info, state.left, over=state.over, history=state.history, redrawn=redrawn
        )

    def __repr__(self) -> str:
        return f"load_game({self.name!r})"


@dataclass(slots=True, eq=False)
class EnvState:
    """A situation of an environment in which the agent acts, or the end.

    Attributes:
        env: the clone that holds the situation; it is never stepped, only cloned again.
        info: what `reset` or `step` returned with it.
        left: actions left before the horizon, None without one.
        collected, scale: the return so far and the factor on what follows.
        history: what has been seen of the episode, where that is needed.
        redrawn: whether what is hidden is drawn anew for every step that is sampled from here.
    """

    game: SampledGame
    env: AnyEnv
    info: dict[str, Any]
    left: int | None
    collected: float = 0.0
    scale: float = 1.0
    over: bool = False
    history: History = ()
    redrawn: bool = False

    def current_player(self) -> int:
        return TERMINAL if self.over else 0

    def is_terminal(self) -> bool:
        return self.over

    def is_chance_node(self) -> bool:
        return False

    def legal_actions(self) -> list[int]:
        """Every action of the space, or those of `info["action_mask"]` where there is one."""
        if self.over:
            return []
        actions = range(self.game.first_action, self.game.num_distinct_actions)
        mask = self.info.get("action_mask")
        if mask is None:
            return list(actions)
        if len(mask) != len(actions):
            raise StarspielError(
                f"{self.game.name}: expected an action_mask of {len(actions)} entries, got {len(mask)}"
            )
        legal = [action for action, allowed in zip(actions, mask, strict=True) if allowed]
        if not legal:
            raise StarspielError(
                f"{self.game.name}: info['action_mask'] allows no action, and the episode is not over; "
                "an environment must allow an action or return terminated=True"
            )
        return legal

    def chance_outcomes(self) -> list[tuple[int, float]]:
        raise AssertionError("chance_outcomes asked at a decision node")

    def child(self, action: int) -> Any:
        return SampledChance(self, action)

    def returns(self) -> list[float]:
        return [self.collected]

    def action_to_string(self, player: int, action: int) -> str:
        return self.game.action_names.get(action, f"action {action}")

    def get_game(self) -> SampledGame:
        return self.game

    def __str__(self) -> str:
        return f"{self.game.name}, {'over, ' if self.over else ''}return {self.collected:g}"


class SampledChance:
    """A `SampledState`: an action, or `reset`, whose outcome can only be drawn."""

    __slots__ = ("action", "before")

    def __init__(self, before: EnvState, action: int | None) -> None:
        self.before = before
        self.action = action

    def current_player(self) -> int:
        return CHANCE

    def is_terminal(self) -> bool:
        return False

    def is_chance_node(self) -> bool:
        return True

    def legal_actions(self) -> list[int]:
        raise self._unlisted()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        raise self._unlisted()

    def child(self, action: int) -> Any:
        raise self._unlisted()

    def _unlisted(self) -> UnsupportedGameError:
        return UnsupportedGameError(
            f"{self.before.game.name} is known by samples only, so its chance outcomes cannot be listed; use "
            "a sampling search (expss, star1ss, star2ss), or give the environment a table P or declared rules"
        )

    def sample(self, rng: np.random.Generator) -> EnvState:
        """The situation after one step (or `reset`) of a clone that is seeded from `rng` alone."""
        before, game = self.before, self.before.game
        env, redraws = before.env, game.redraws
        if redraws is not None and before.redrawn and self.action is not None:
            env = redraws.draw(env, before.history, rng)
        after = advance(env, self.action, int(rng.integers(2**63)), game.name)
        history = () if redraws is None else remembered(after.env, before.history, self.action, after)
        if self.action is None:
            return EnvState(game, after.env, after.info, before.left, history=history)
        left = None if before.left is None else before.left - 1
        collected = before.collected + before.scale * after.reward
        over = after.over or left == 0
        bounds = game.utility_range
        if over and bounds is not None and not bounds[0] <= collected <= bounds[1]:
            raise StarspielError(
                f"{game.name}: a sampled return of {collected:g} is outside the utility_range {bounds} "
                "it was given; widen it, or leave it out"
            )
        scale = before.scale * game.discount
        return EnvState(game, after.env, after.info, left, collected, scale, over, history)

    def returns(self) -> list[float]:
        return [self.before.collected]

    def action_to_string(self, player: int, action: int) -> str:
        return f"sample {action}"

    def get_game(self) -> SampledGame:
        return self.before.game

    def __str__(self) -> str:
        return f"{self.before}, {'before reset' if self.action is None else f'after {self.action}'}"
