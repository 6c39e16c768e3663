"""Situations redrawn to match what an agent has seen, for environments with hidden state.

What is hidden in them is a draw from what it may be, given everything that has been seen. The environment
draws them itself if it has a method `redraw_hidden(np_random)`. Otherwise episodes that have looked the same
so far are continued with fresh dice and kept if they still do (a particle filter; Gordon, Salmond & Smith
1993). If few of them do, episodes are replayed from `reset` with the same actions. If none of these match
either, the closest are taken (approximate Bayesian computation; Beaumont, Zhang & Balding 2002), and a
warning says so.
"""

import random
import warnings
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Any

import gymnasium
import numpy as np

from starspiel.envs.errors import HiddenStateWarning, StarspielError, UnsupportedGameError
from starspiel.envs.gymnasium.cloning.clone import After, advance, clone, take_step
from starspiel.envs.gymnasium.cloning.copying import AnyEnv
from starspiel.envs.gymnasium.cloning.dice import lent
from starspiel.envs.gymnasium.numbering import NumberedActions, Numbering
from starspiel.envs.gymnasium.sampled.visible import View, distance

#: Situations redrawn for a history, and replays from `reset` tried for them at each step.
PARTICLES, TRIES = 32, 4_000
#: How often each of the situations before is continued, and how many must match to do without replays.
_CONTINUED, _ENOUGH = 8, 8
#: Histories whose situations are kept.
_KEPT = 512
#: The environment's own way to redraw.
METHOD = "redraw_hidden"

#: The history that an agent has seen: after `reset` (None) and each action, as in `View.whole`.
History = tuple[tuple[int | None, tuple[Hashable, ...]], ...]


def remembered(view: View, before: History, action: int | None, at: After) -> History:
    """The history with one step more."""
    return (*before, (action, view.whole(at)))


class Seen(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Records what an episode has shown, for agents that redraw hidden state.

    Attributes:
        history: of the episode that goes on; empty before `reset`.
    """

    def __init__(self, env: AnyEnv, view: View, numbering: Numbering | None = None) -> None:
        super().__init__(env)
        self._view = view
        self._numbering = numbering
        self._looked_at = env if numbering is None else NumberedActions(env, numbering)
        self.history: History = ()

    @property
    def is_over(self) -> bool:
        """Whether the last step has ended the episode."""
        return bool(self.history and self.history[-1][1][2])

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
        self._is_told = False

    def draw(self, env: AnyEnv, history: History, rng: np.random.Generator) -> AnyEnv:
        """A situation that looks like that of `env`, to clone and not to step; from `rng` alone.

        Raises `StarspielError` if the history is not known, or no episode that was tried comes close to it.
        """
        if self._by_environment:
            duplicate = clone(env, int(rng.integers(2**63)), self._name)
            duplicate.get_wrapper_attr(METHOD)(rng)
            return duplicate
        self.check(history)
        particles = self._particles(history)
        return particles[int(rng.integers(len(particles)))]

    def check(self, history: History) -> None:
        """Raises `StarspielError` if a history is needed, and there is none."""
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
            self._kept[history[:length]] = self._found(history[:length])
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(history)
        return self._kept[history]

    def _found(self, history: History) -> list[AnyEnv]:
        """Situations with a history: continued, replayed, or else the closest there are."""
        draw = random.Random(f"redraw {len(history)}")  # other dice than an episode with a small seed throws
        action, seen = history[-1]
        alike: list[list[AnyEnv]] = []
        for before in self._kept[history[:-1]] if len(history) > 1 else ():
            went = [advance(before, action, draw.getrandbits(62), self._name) for _ in range(_CONTINUED)]
            alike.append([at.env for at in went if self._view.whole(at) == seen])
        found = [env for matching in alike for env in matching]
        if sum(map(bool, alike)) < _ENOUGH:
            replayed = self._replayed(history, draw)
            found = replayed if len(replayed) == PARTICLES else replayed + found
        if not found:
            found = self._closest(history, draw)
            self._tell(history, found)
        return draw.sample(found, min(PARTICLES, len(found)))

    def _replayed(self, history: History, draw: random.Random) -> list[AnyEnv]:
        """Episodes of one clone, reset again and again, that have this history."""
        found: list[AnyEnv] = []
        with self._replays(draw) as (duplicate, take):
            for _ in range(TRIES):
                if all(self._view.whole(take(action)) == seen for action, seen in history):
                    found.append(clone(duplicate, draw.getrandbits(62), self._name))
                    if len(found) == PARTICLES:
                        break
        return found

    def _closest(self, history: History, draw: random.Random) -> list[AnyEnv]:
        """Episodes with the same actions whose last look, and what is legal then, is closest."""
        close: list[tuple[float, AnyEnv]] = []
        with self._replays(draw) as (duplicate, take):
            for _ in range(TRIES // 4):
                looks = self._view.whole(take(None))
                for action, _seen in history[1:]:
                    if action not in looks[-1]:  # type: ignore[operator]  # the legal actions
                        break
                    looks = self._view.whole(take(action))
                if looks[2:] != history[-1][1][2:]:  # the end, and the legal actions
                    continue
                apart = distance(looks, history[-1][1])
                if len(close) < PARTICLES or apart < close[-1][0]:
                    close.append((apart, clone(duplicate, draw.getrandbits(62), self._name)))
                    close = sorted(close, key=lambda entry: entry[0])[:PARTICLES]
        return [env for _, env in close]

    @contextmanager
    def _replays(self, draw: random.Random) -> Iterator[tuple[AnyEnv, Callable[[int | None], After]]]:
        """A clone, and what takes actions on it in place, None for `reset`."""
        duplicate = clone(self._env, draw.getrandbits(62), self._name)
        with lent(draw.getrandbits(62)):
            yield duplicate, lambda action: take_step(duplicate, action, draw.getrandbits(32), self._name)

    def _tell(self, history: History, found: list[AnyEnv]) -> None:
        what = (
            f"{self._name}: no episode that was tried looked like what the agent has seen after "
            f"{len(history) - 1} actions"
        )
        cure = f"Give the environment a method {METHOD}(np_random), or let the agent see: hidden='seen'"
        if not found:
            raise StarspielError(f"{what}, or allowed the same actions. {cure}")
        if not self._is_told:
            self._is_told = True
            warnings.warn(
                f"{what}, so it searches the closest of them. {cure}", HiddenStateWarning, stacklevel=2
            )

    def __getstate__(self) -> dict[str, Any]:
        """Without what is kept, which is found again."""
        return vars(self) | {"_kept": OrderedDict()}
