"""States of sampled environments.

A state holds a clone of the environment, which is cloned again with a new seed for each step.
"""

import random
from dataclasses import dataclass
from typing import Any

import numpy as np

from starspiel.envs.base import CHANCE, TERMINAL, has_vector_values
from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.gymnasium.cloning.clone import After, advance, clone, take_step
from starspiel.envs.gymnasium.cloning.copying import AnyEnv
from starspiel.envs.gymnasium.cloning.dice import lent
from starspiel.envs.gymnasium.observation import in_words
from starspiel.envs.gymnasium.sampled.redraw import History, remembered


@dataclass(slots=True, eq=False)
class EnvState:
    """A situation of an environment in which an agent acts, or the end of an episode.

    Attributes:
        game: a SampledGame.
        env: the clone that holds the situation; it is never stepped, only cloned again.
        observation, info: what `reset` or `step` returned there; None and empty if that is not known.
        left: the number of actions left before the horizon; None without a horizon.
        collected, scale: every player's return so far, and the factor on later rewards.
        history: what has been seen of the episode, if that is needed.
        redrawn: whether hidden state is redrawn for each step that is sampled from here.
    """

    game: Any
    env: AnyEnv
    observation: Any
    info: dict[str, Any]
    left: int | None
    collected: tuple[float, ...]
    scale: float = 1.0
    over: bool = False
    history: History = ()
    redrawn: bool = False
    _mover: int | None = None
    _legal: list[int] | None = None

    def current_player(self) -> int:
        if self.over:
            return TERMINAL
        if self._mover is None:
            players = self.game.players
            self._mover = 0 if players is None else players.mover(self.env, self.info, self.game.name)
        return self._mover

    def is_terminal(self) -> bool:
        return self.over

    def is_chance_node(self) -> bool:
        return False

    def legal_actions(self) -> list[int]:
        """Returns the actions that the environment declares legal (see `masks.legal_actions`), or all."""
        if self._legal is None:
            self._legal = list(self.game.view.legal_actions(self))
        return list(self._legal)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        raise AssertionError("chance_outcomes asked at a decision node")

    def child(self, action: int) -> Any:
        return SampledChance(self, action)

    def apply_action(self, action: int) -> None:
        raise UnsupportedGameError(
            f"{self.game.name} is known by samples only, and a situation of it is not changed: "
            f"state = state.child({action}).sample(numpy.random.default_rng())"
        )

    def situation(self, rng: np.random.Generator) -> AnyEnv:
        """Returns what to clone for a step: `env` or, if hidden state is redrawn, another like it."""
        redraws = self.game.redraws
        return self.env if redraws is None or not self.redrawn else redraws.draw(self.env, self.history, rng)

    def play_on(self, rng: np.random.Generator, actions: int, first: int | None = None) -> "EnvState":
        """Returns the situation after `actions` uniformly random actions, or an earlier end.

        The first action may be given. All are taken on one clone that is seeded once, which is many times
        faster than a clone for each.
        """
        state, name = self, self.game.name
        draw = random.Random(int(rng.integers(2**63)))
        env = clone(state.situation(rng), draw.getrandbits(63), name)
        with lent(draw.getrandbits(63)):
            for taken in range(actions):
                if state.over:
                    break
                action = draw.choice(state.legal_actions()) if first is None or taken else first
                state.current_player()  # cached now, because the step changes the environment in place
                state = SampledChance(state, action).settled(take_step(env, action, 0, name))
        return state

    def returns(self) -> list[float]:
        return list(self.collected)

    @property
    def counted(self) -> tuple[float, ...]:
        """The returns so far of the players whose values count: player 0, or all if values are vectors."""
        return self.collected if has_vector_values(self.game) else self.collected[:1]

    def told(self) -> str:
        """Returns `counted` as text."""
        return ", ".join(f"{own:g}" for own in self.counted)

    def action_to_string(self, player: int, action: int) -> str:
        return str(self.game.action_names.get(action, f"action {action}"))

    def get_game(self) -> Any:
        return self.game

    def __str__(self) -> str:
        """Returns the observation and the return so far."""
        shown = in_words(self.observation, self.game.observation_names)
        kind = f"return{'s' if len(self.counted) > 1 else ''}"
        told = f"{'over, ' if self.over else ''}{kind} {self.told()}"
        return f"{shown}\n{told}" if shown else told


class SampledChance:
    """A `SampledState`: an action, or `reset`, whose outcome can only be sampled."""

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

    def _unlisted(self, *_: Any) -> Any:
        raise UnsupportedGameError(
            f"{self.before.game.name} is known by samples only, so its chance outcomes cannot be listed, "
            "only drawn: state.sample(numpy.random.default_rng()). Use a sampling search (expss, star1ss, "
            "star2ss), or give the environment a table P or declared rules"
        )

    legal_actions = chance_outcomes = child = apply_action = _unlisted

    def sample(self, rng: np.random.Generator) -> EnvState:
        """Returns the situation after one step (or `reset`) of a clone that is seeded from `rng` only."""
        env = self.before.env if self.action is None else self.before.situation(rng)
        return self.settled(advance(env, self.action, int(rng.integers(2**63)), self.before.game.name))

    def settled(self, after: After) -> EnvState:
        """Returns the situation after a `step` or `reset` of the environment of `before`, from its result."""
        before, game = self.before, self.before.game
        redraws = game.redraws
        history = () if redraws is None else remembered(redraws.view, before.history, self.action, after)
        so_far = before.collected
        state = EnvState(game, after.env, after.observation, after.info, before.left, so_far, history=history)
        if self.action is None:
            return state
        state.left = None if before.left is None else before.left - 1
        gains = game.gains(before.current_player(), after)
        state.collected = tuple(own + before.scale * gain for own, gain in zip(so_far, gains, strict=True))
        state.scale = before.scale * game.discount
        state.over = after.over or state.left == 0
        bounds = game.utility_range
        if state.over and bounds and any(not bounds[0] <= own <= bounds[1] for own in state.counted):
            raise StarspielError(
                f"{game.name}: a sampled return of {state.told()} is outside the utility_range {bounds} "
                "it was given; widen it, or leave it out"
            )
        return state

    def play_on(self, rng: np.random.Generator, actions: int) -> EnvState:
        """Plays on as `EnvState.play_on` does, from a sampled outcome of this action."""
        if self.action is None:
            return self.sample(rng).play_on(rng, actions)
        return self.before.play_on(rng, actions + 1, self.action)

    def returns(self) -> list[float]:
        return self.before.returns()

    def action_to_string(self, player: int, action: int) -> str:
        return f"sample {action}"

    def get_game(self) -> Any:
        return self.before.game

    def __str__(self) -> str:
        return f"{self.before}, {'before reset' if self.action is None else f'after {self.action}'}"
