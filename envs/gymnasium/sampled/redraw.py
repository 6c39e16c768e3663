"""Situations redrawn to match what an agent has seen, for environments with hidden state.

An agent that may know only what the environment shows must not search from the situation as it is. It
searches from situations redrawn: what is hidden in them is a draw from what it may be, given everything that
has been seen. The environment draws them itself where it has a method `redraw_hidden(np_random)`. Otherwise
episodes are replayed from `reset` with fresh dice and the same actions, and kept where they look the same:
rejection sampling, one step at a time (a particle filter; Gordon, Salmond & Smith 1993), so that the steps
that matched need not be found again for the next.
"""

import random
from collections import OrderedDict
from collections.abc import Hashable
from typing import Any

import gymnasium
import numpy as np

from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.gymnasium.numbering import NumberedActions, Numbering
from starspiel.envs.gymnasium.sampled.clone import After, AnyEnv, advance, clone, take_step
from starspiel.envs.gymnasium.sampled.global_dice import lent
from starspiel.envs.gymnasium.sampled.visible import View

#: Situations redrawn for a history, and replays tried for them at each step.
PARTICLES, TRIES = 32, 20_000
#: Histories whose situations are kept.
_KEPT = 512
#: The environment's own way to redraw.
METHOD = "redraw_hidden"


#: What an agent has seen of an episode: after `reset` and each action (None for `reset`), as `whole` says it.
History = tuple[tuple[int | None, Hashable], ...]


def remembered(view: View, before: History, action: int | None, at: After) -> History:
    """The history with one step more."""
    return (*before, (action, view.whole(at)))


class Seen(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Remembers what an episode has shown, for agents that redraw what is hidden.

    Attributes:
        history: of the episode that goes on; empty before `reset`.
    """

    def __init__(self, env: AnyEnv, view: View, numbering: Numbering | None = None) -> None:
        super().__init__(env)
        self._view = view
        self._numbering = numbering
        self._looked_at = env if numbering is None else NumberedActions(env, numbering)
        self.history: History = ()

    def reset(self, **given: Any) -> tuple[Any, dict[str, Any]]:
        observation, info = self.env.reset(**given)
        self.history = remembered(self._view, (), None, After(self._looked_at, observation, 0.0, False, info))
        return observation, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        observation, reward, terminated, truncated, info = self.env.step(action)
        at = After(self._looked_at, observation, float(reward), bool(terminated or truncated), info)
        number = int(action) if self._numbering is None else self._numbering.number(action)
        self.history = remembered(self._view, self.history, number, at)
        return observation, reward, terminated, truncated, info


class Redraws:
    """Redraws situations of an environment.

    Args:
        env: to start episodes from; it is never stepped.
        view: how what it shows is read.
    """

    def __init__(self, env: AnyEnv, view: View) -> None:
        self._env, self._view, self._name = env, view, view.name
        self._by_environment = env.has_wrapper_attr(METHOD)
        if self._by_environment and not callable(method := env.get_wrapper_attr(METHOD)):
            raise UnsupportedGameError(
                f"{view.name}: expected a method {METHOD}(np_random), which redraws in place what the "
                f"environment hides, got {method!r}"
            )
        self._kept: OrderedDict[History, list[AnyEnv]] = OrderedDict()

    def draw(self, env: AnyEnv, history: History, rng: np.random.Generator) -> AnyEnv:
        """A situation that looks like that of `env`, to clone and not to step; from `rng` alone.

        Raises `StarspielError` where the history is not known, or where no replay of it is found.
        """
        if self._by_environment:
            twin = clone(env, int(rng.integers(2**63)), self._name)
            twin.get_wrapper_attr(METHOD)(rng)
            return twin
        self.check(history)
        particles = self._particles(history)
        return particles[int(rng.integers(len(particles)))]

    def check(self, history: History) -> None:
        """Raises `StarspielError` where a history is needed, and there is none."""
        if not history and not self._by_environment:
            raise StarspielError(
                f"{self._name}: to redraw what is hidden, all that the episode has shown must be known, and "
                "it is not. Reset and step the environment as agent.env, or play with agent.play(); or give "
                f"the environment a method {METHOD}(np_random)"
            )

    def _particles(self, history: History) -> list[AnyEnv]:
        """Situations with this history, the same ones each time."""
        known = len(history)
        while known and history[:known] not in self._kept:
            known -= 1
        for length in range(known + 1, len(history) + 1):
            found = self._begun(history[:1]) if length == 1 else self._followed(history[:length])
            if not found:
                raise StarspielError(
                    f"{self._name}: none of {TRIES:,} replays looked like what the agent has seen after "
                    f"{length - 1} actions, so what is hidden cannot be redrawn. Give the environment a "
                    f"method {METHOD}(np_random), or let the agent see what is hidden: hidden='seen'"
                )
            self._kept[history[:length]] = found
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(history)
        return self._kept[history]

    def _begun(self, history: History) -> list[AnyEnv]:
        """Episodes that begin as this one did; one clone is reset until enough are found."""
        draw, seen = _dice(history), history[0][1]
        found: list[AnyEnv] = []
        twin = clone(self._env, draw.getrandbits(62), self._name)
        with lent(draw.getrandbits(62)):
            for _ in range(TRIES):
                at = take_step(twin, None, draw.getrandbits(32), self._name)
                if self._view.whole(at) == seen:
                    found.append(clone(twin, draw.getrandbits(62), self._name))
                    if len(found) == PARTICLES:
                        break
        return found

    def _followed(self, history: History) -> list[AnyEnv]:
        """Episodes that looked like this one before its last action, and do after it."""
        draw, (action, seen) = _dice(history), history[-1]
        before, found = self._kept[history[:-1]], []
        for _ in range(TRIES):
            at = advance(draw.choice(before), action, draw.getrandbits(62), self._name)
            if self._view.whole(at) == seen:
                found.append(at.env)
                if len(found) == PARTICLES:
                    break
        return found

    def __getstate__(self) -> dict[str, Any]:
        """Without what is kept, which is found again."""
        return vars(self) | {"_kept": OrderedDict()}


def _dice(history: History) -> random.Random:
    """The same whoever asks, and other dice than an episode with a small seed throws."""
    return random.Random(f"redraw {len(history)}")
