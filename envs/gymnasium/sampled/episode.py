"""`Episode`: a sampled environment stepped in place, for played and simulated episodes."""

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
    """One environment as its episode goes on, with its own dice, which follow from a seed.

    The seed gives every generator that the environment holds, what `reset(seed=...)` makes of them, and
    Python's and NumPy's global generators while the environment is stepped. Dice that the environment takes
    from elsewhere (the operating system's entropy) are other ones each time.

    Attributes:
        state: where it is. It holds the environment itself, not a clone, so it is valid until the next step
            and must not be searched; see `shown`.
    """

    def __init__(self, state: EnvState, seed: int) -> None:
        self.state = state
        self._seed = seed
        self._globals: tuple[Any, Any] | None = None

    @classmethod
    def begin(cls, game: SampledGame, seed: int) -> "Episode":
        """The episode of `reset(seed=seed)`, the seed modulo 2^32."""
        env = clone(game.env, seed, game.name)
        before = EnvState(game, env, None, {}, game.horizon, game.nothing)
        episode = cls(before, seed)
        with episode.dice():
            episode.state = SampledChance(before, None).settled(_taken(env, None, seed, game.name))
        return episode

    @classmethod
    def from_state(cls, state: EnvState, seed: int) -> "Episode":
        """An episode that goes on from a state with dice of its own; the state stays as it is.

        What is hidden is drawn anew if the state is the root of a search that must not see it.
        """
        env = state.situation(np.random.default_rng(seed))
        duplicate = clone(env, seed, state.game.name)
        return cls(replace(state, env=duplicate, redrawn=False), seed)

    def step(self, action: int) -> None:
        """One step; to be called within `dice`. Raises RulesError if the environment raises."""
        before = self.state
        before.current_player()  # asked before the step, which is taken in place
        self.state = SampledChance(before, action).settled(_taken(before.env, action, 0, before.game.name))

    def shown(self) -> EnvState:
        """The state for agents: it holds a clone, whose dice differ from the episode's; every step from there
        draws what is hidden anew, if that is declared.
        """
        game = self.state.game
        return replace(self.state, env=clone(self.state.env, 0, game.name), redrawn=game.redraws is not None)

    @contextmanager
    def dice(self) -> Iterator[None]:
        """A context in which the global generators of Python and NumPy are the episode's."""
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
