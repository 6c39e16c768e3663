"""Draws situations that match what an agent has seen, for environments with hidden state.

Their hidden state is a sample of what it may be, given everything that has been seen. If the environment has
a method `redraw_hidden(np_random)`, that draws it. Otherwise, episodes that have looked the same so far are
continued with fresh dice, and those that still look the same are kept (a particle filter; Gordon, Salmond &
Smith 1993). If few do, episodes are replayed from `reset` with the same actions. If none of these match
either, a warning is given and the closest are used (approximate Bayesian computation; Beaumont, Zhang &
Balding 2002).
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
from starspiel.envs.gymnasium.sampled.visible import TurnsView, distance

#: The number of situations drawn for a history, and of replays from `reset` tried for them at each step.
PARTICLES, TRIES = 32, 4_000
#: How often each earlier situation is continued, and how many must match so that replays are not needed.
_CONTINUED, _ENOUGH = 8, 8
#: The number of histories whose situations are cached.
_KEPT = 512
#: The name of the environment's own method to redraw hidden state.
METHOD = "redraw_hidden"

#: What an episode has shown: each action (None for `reset`) with what followed, as in `TurnsView.whole`.
History = tuple[tuple[int | None, tuple[Hashable, ...]], ...]
#: An environment, and the legal actions there, which may differ from those in the episode.
Situation = tuple[AnyEnv, Any]
#: Stands for what was shown to another player.
_UNKNOWN = "unknown"


def remembered(view: TurnsView, before: History, action: int | None, at: After) -> History:
    """Returns the history with one more step."""
    return (*before, (action, view.whole(at)))


def of_mover(history: History) -> History:
    """Returns a history without the observations and legal actions of others than the last player to move."""
    mover = history[-1][1][4] if history else None
    return tuple(
        (action, (seen if seen[4] == mover else (_UNKNOWN, *seen[1:3], _UNKNOWN, seen[4])))
        for action, seen in history
    )


def _alike(looks: tuple[Hashable, ...], seen: tuple[Hashable, ...]) -> bool:
    """Returns whether a situation looks like one that was seen, as far as that is known."""
    return all(known is _UNKNOWN or known == part for part, known in zip(looks, seen, strict=True))


class Seen(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Records what an episode has shown, for agents that redraw hidden state.

    Attributes:
        history: the history of the current episode; empty before `reset`.
    """

    def __init__(self, env: AnyEnv, view: TurnsView, numbering: Numbering | None = None) -> None:
        super().__init__(env)
        self._view = view
        self._numbering = numbering
        self._looked_at = env if numbering is None else NumberedActions(env, numbering)
        self.history: History = ()

    @property
    def is_over(self) -> bool:
        """Whether the last step ended the episode."""
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
    """Redraws the hidden state of an environment's situations.

    Args:
        env: an environment to start episodes from; it is never stepped.
        view: reads what it shows. Of several players, each knows only what was shown when it was to move.
    """

    def __init__(self, env: AnyEnv, view: TurnsView) -> None:
        self.view = view
        self._env, self._view, self._name = env, view, view.name
        self._by_environment = env.has_wrapper_attr(METHOD)
        if self._by_environment and not callable(method := env.get_wrapper_attr(METHOD)):
            raise UnsupportedGameError(
                f"{view.name}: expected a method {METHOD}(np_random), which redraws in place what the "
                f"environment hides, got {method!r}"
            )
        self._kept: OrderedDict[History, list[Situation]] = OrderedDict()
        self._is_told = False

    def draw(self, env: AnyEnv, history: History, rng: np.random.Generator) -> AnyEnv:
        """Returns a situation that looks like that of `env` to the player to move, drawn from `rng` only.

        Clone it, do not step it. Raises `StarspielError` if the history is not known, or if no tried episode
        comes close to it.
        """
        if self._by_environment:
            duplicate = clone(env, int(rng.integers(2**63)), self._name)
            duplicate.get_wrapper_attr(METHOD)(rng)
            return duplicate
        self.check(history)
        particles = self._particles(of_mover(history))
        return particles[int(rng.integers(len(particles)))][0]

    def check(self, history: History) -> None:
        """Raises `StarspielError` if a history is needed but empty."""
        if not history and not self._by_environment:
            raise StarspielError(
                f"{self._name}: to redraw what is hidden, all that the episode has shown must be known, and "
                "it is not. Reset and step the environment as agent.env, or play with agent.play(); or give "
                f"the environment a method {METHOD}(np_random)"
            )

    def _particles(self, history: History) -> list[Situation]:
        """Returns situations with this history, the same ones each time."""
        known = len(history)
        while known and history[:known] not in self._kept:
            known -= 1
        for length in range(known + 1, len(history) + 1):
            self._kept[history[:length]] = self._found(history[:length])
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(history)
        return self._kept[history]

    def _found(self, history: History) -> list[Situation]:
        """Returns situations with a history: continued or replayed ones, or else the closest.

        A situation in which an action of the history is not legal cannot be the one that was seen: another
        player who played a card held it.
        """
        draw = random.Random(f"redraw {len(history)}")  # differs from the dice of episodes with small seeds
        action, seen = history[-1]
        alike: list[list[Situation]] = []
        for before, legal in self._kept[history[:-1]] if len(history) > 1 else ():
            if action in legal:
                went = [advance(before, action, draw.getrandbits(62), self._name) for _ in range(_CONTINUED)]
                seen_there = [(at.env, self._view.whole(at)) for at in went]
                alike.append([(env, looks[3]) for env, looks in seen_there if _alike(looks, seen)])
        found = [situation for matching in alike for situation in matching]
        if sum(map(bool, alike)) < _ENOUGH:
            replayed = self._replayed(history, draw)
            found = replayed if len(replayed) == PARTICLES else replayed + found
        if not found:
            found = self._closest(history, draw)
            self._tell(history, found)
        return draw.sample(found, min(PARTICLES, len(found)))

    def _replayed(self, history: History, draw: random.Random) -> list[Situation]:
        """Returns episodes with this history, from one clone that is reset repeatedly."""
        found: list[Situation] = []
        with self._replays(draw) as (duplicate, take):
            for _ in range(TRIES):
                if (looks := self._followed(history, take, matching=True)) is not None:
                    found.append((clone(duplicate, draw.getrandbits(62), self._name), looks[3]))
                    if len(found) == PARTICLES:
                        break
        return found

    def _closest(self, history: History, draw: random.Random) -> list[Situation]:
        """Returns episodes with the same actions and last legal actions whose last observation is closest."""
        close: list[tuple[float, Situation]] = []
        with self._replays(draw) as (duplicate, take):
            for _ in range(TRIES // 4):
                looks = self._followed(history, take, matching=False)
                if looks is None or looks[2:] != history[-1][1][2:]:  # the end, and the legal actions
                    continue
                apart = distance(looks, history[-1][1])
                if len(close) < PARTICLES or apart < close[-1][0]:
                    close.append((apart, (clone(duplicate, draw.getrandbits(62), self._name), looks[3])))
                    close = sorted(close, key=lambda entry: entry[0])[:PARTICLES]
        return [situation for _, situation in close]

    def _followed(
        self, history: History, take: Callable[[int | None], After], *, matching: bool
    ) -> tuple[Hashable, ...] | None:
        """Returns how an episode looks after the actions of a history.

        It is None if one of them is not legal or, if `matching`, if the episode looks different on the way.
        """
        looks: Any = None
        for action, seen in history:
            if looks is not None and action not in looks[3]:
                return None
            looks = self._view.whole(take(action))
            if matching and not _alike(looks, seen):
                return None
        return looks  # type: ignore[no-any-return]

    @contextmanager
    def _replays(self, draw: random.Random) -> Iterator[tuple[AnyEnv, Callable[[int | None], After]]]:
        """Yields a clone and a function that takes actions on it in place (None for `reset`)."""
        duplicate = clone(self._env, draw.getrandbits(62), self._name)
        with lent(draw.getrandbits(62)):
            yield duplicate, lambda action: take_step(duplicate, action, draw.getrandbits(32), self._name)

    def _tell(self, history: History, found: list[Situation]) -> None:
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
        """Returns the state without the cache, which can be computed again."""
        return vars(self) | {"_kept": OrderedDict()}
