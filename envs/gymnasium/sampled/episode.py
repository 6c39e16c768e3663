"""`Episode`: steps a sampled environment in place, for played and simulated episodes."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from starspiel.envs.errors import RulesError, StarspielError
from starspiel.envs.gymnasium.cloning.clone import clone, take_step
from starspiel.envs.gymnasium.cloning.dice import put_back, saved, seed_both
from starspiel.envs.gymnasium.sampled.game import SampledGame
from starspiel.envs.gymnasium.sampled.states import EnvState, SampledChance


class Episode:
    """One environment during an episode, with its own dice, which depend on a seed.

    The seed determines all generators that the environment holds, `reset(seed=...)`, and Python's and NumPy's
    global generators while the environment is stepped. Dice from elsewhere (the operating system's entropy)
    differ each time.

    Attributes:
        state: the current state. It holds the environment itself, not a clone, so it is valid only until the
            next step and must not be searched; see `shown`.
    """

    def __init__(self, state: EnvState, seed: int) -> None:
        self.state = state
        self._seed = seed
        self._globals: tuple[Any, Any] | None = None

    @classmethod
    def begin(cls, game: SampledGame, seed: int) -> "Episode":
        """Returns the episode of `reset(seed=seed)`, with the seed modulo 2^32."""
        env = clone(game.env, seed, game.name)
        before = EnvState(game, env, None, {}, game.horizon, game.nothing)
        episode = cls(before, seed)
        with episode.dice():
            episode.state = SampledChance(before, None).settled(_taken(env, None, seed, game.name))
        return episode

    @classmethod
    def from_state(cls, state: EnvState, seed: int) -> "Episode":
        """Returns an episode that continues from a state with its own dice; the state does not change.

        Hidden state is redrawn if the state is the root of a search that must not see it.
        """
        env = state.situation(np.random.default_rng(seed))
        duplicate = clone(env, seed, state.game.name)
        return cls(replace(state, env=duplicate, redrawn=False), seed)

    def step(self, action: int) -> None:
        """Makes one step. Call it within `dice`. Raises RulesError if the environment raises."""
        before = self.state
        before.current_player()  # cached now, because the step changes the environment in place
        self.state = SampledChance(before, action).settled(_taken(before.env, action, 0, before.game.name))

    def shown(self) -> EnvState:
        """Returns the state for agents, which holds a clone whose dice differ from the episode's.

        If `hidden` is "redraw", each step from there redraws hidden state first.
        """
        game = self.state.game
        return replace(self.state, env=clone(self.state.env, 0, game.name), redrawn=game.redraws is not None)

    @contextmanager
    def dice(self) -> Iterator[None]:
        """Within this context, the global generators of Python and NumPy are the episode's."""
        kept = saved()
        if self._globals is None:
            seed_both(self._seed)
        else:
            put_back(self._globals)
        try:
            yield
        finally:
            self._globals = saved()
            put_back(kept)


def _taken(env: Any, action: int | None, seed: int, name: str) -> Any:
    try:
        return take_step(env, action, seed, name)
    except RulesError:
        raise
    except StarspielError as error:
        raise RulesError("every call is answered", str(error)) from error
