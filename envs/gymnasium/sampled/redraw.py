"""Draws situations that match what an agent has seen, for environments with hidden state.

Their hidden state is a sample of what it may be, given everything that has been seen. If the environment has
a method `redraw_hidden(np_random)`, that draws it. Otherwise, episodes that have looked the same so far are
continued with fresh dice, and those that still look the same are kept (a particle filter; Gordon, Salmond &
Smith 1993). If few do, episodes are replayed from `reset` with the same actions. If none of these match
either, a warning is given and the closest are used (approximate Bayesian computation; Beaumont, Zhang &
Balding 2002).

A player need not have seen what others did: their actions are taken to be uniform among the legal ones. If
few of those drawn match, because what follows shows the action, half of the tries take it and are weighted
(importance sampling).
"""

import random
import warnings
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import gymnasium
import numpy as np

from starspiel.envs.errors import HiddenStateWarning, StarspielError, UnsupportedGameError, shown
from starspiel.envs.gymnasium.cloning.clone import After, advance, clone, take_step
from starspiel.envs.gymnasium.cloning.copying import AnyEnv
from starspiel.envs.gymnasium.cloning.dice import lent
from starspiel.envs.gymnasium.numbering import NumberedActions, Numbering
from starspiel.envs.gymnasium.players import Players
from starspiel.envs.gymnasium.sampled.visible import TurnsView, as_key, distance

#: The number of situations drawn for a history, and of replays from `reset` tried for them at each step.
PARTICLES, TRIES = 32, 4_000
#: How often each earlier situation is continued, and how many must match so that replays are not needed.
_CONTINUED, _ENOUGH = 8, 8
#: The share of tries that take the action of another player from the history.
_TAKEN = 0.5
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


def of_mover(history: History, players: Players | None) -> History:
    """Returns a history without what others than the last player to move were shown and paid."""
    mover: Any = history[-1][1][4] if history else None
    actor: Any = None
    known = []
    for action, seen in history:
        observation, reward, over, legal, following = seen
        if following != mover:
            observation = legal = _UNKNOWN
        if players is not None and actor is not None and not players.tells(mover, actor):
            reward = _UNKNOWN
        known.append((action, (observation, reward, over, legal, following)))
        actor = following
    return tuple(known)


def _alike(looks: tuple[Hashable, ...], seen: tuple[Hashable, ...]) -> bool:
    """Returns whether a situation looks like one that was seen, as far as that is known."""
    return all(known is _UNKNOWN or known == part for part, known in zip(looks, seen, strict=True))


def _chosen(
    action: int | None, legal: Any, before: tuple[Hashable, ...], draw: random.Random, share: float
) -> tuple[int | None, float]:
    """Returns an action to try for one of a history, and its importance weight, 0 if it is not possible.

    It is another one only if another player acted, so that what was seen `before` is not known. Then `share`
    of the tries take the action of the history if it is legal, and the rest a uniform choice.
    """
    if before[3] is not _UNKNOWN or not legal:
        return action, float(action in legal)
    if action not in legal:
        return draw.choice(legal), 1.0
    chosen = action if draw.random() < share else draw.choice(legal)
    # Uniformly, each action has a chance of 1 / n; here the one of the history has share + (1 - share) / n.
    return chosen, 1 / (len(legal) * share + 1 - share) if chosen == action else 1 / (1 - share)


def _resampled(found: list[tuple[Situation, float]], draw: random.Random) -> list[Situation]:
    """Returns at most PARTICLES situations, drawn by their weights."""
    situations, weights = [each for each, _ in found], [weight for _, weight in found]
    if min(weights) == max(weights):
        return draw.sample(situations, min(PARTICLES, len(found)))
    return draw.choices(situations, weights, k=min(PARTICLES, len(found)))


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
        particles = self._particles(of_mover(history, self._view.players))
        return particles[int(rng.integers(len(particles)))][0]

    def check(self, history: History, observation: Any = None) -> None:
        """Raises `StarspielError` if a history is needed but empty, or ends with another observation."""
        if self._by_environment:
            return
        if history and observation is not None and as_key(observation) != history[-1][1][0]:
            raise StarspielError(
                f"{self._name}: expected the observation that agent.env showed last, got "
                f"{shown(observation)}. Reset and step agent.env, which remembers what an episode has shown, "
                "and not the environment inside"
            )
        if not history:
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

        A situation in which an action of the history is not legal is not the one that was seen.
        """
        draw = random.Random(f"redraw {len(history)}")  # differs from the dice of episodes with small seeds
        alike: list[list[tuple[Situation, float]]] = []
        # What others did and was not shown has no influence at first; it counts if it is needed to match.
        for share in (0.0, _TAKEN) if len(history) > 1 else ():
            if not share or (sum(map(bool, alike)) < _ENOUGH and history[-2][1][3] is _UNKNOWN):
                alike = [self._continued(each, history, draw, share) for each in self._kept[history[:-1]]]
        found = [situation for matching in alike for situation in matching]
        if sum(map(bool, alike)) < _ENOUGH:
            replayed = self._replayed(history, draw)
            found = replayed if len(replayed) == PARTICLES else replayed + found
        if not found:
            found = self._closest(history, draw)
            self._tell(history, found)
        return _resampled(found, draw)

    def _continued(
        self, situation: Situation, history: History, draw: random.Random, share: float
    ) -> list[tuple[Situation, float]]:
        """Returns what follows a situation and looks as the history ends, with weights; see `_chosen`."""
        (before, legal), (_, looked), (action, seen) = situation, *history[-2:]
        found = []
        for _ in range(_CONTINUED):
            chosen, weight = _chosen(action, legal, looked, draw, share)
            if not weight:
                break
            at = advance(before, chosen, draw.getrandbits(62), self._name)
            if _alike(looks := self._view.whole(at), seen):
                found.append(((at.env, looks[3]), weight))
        return found

    def _replayed(self, history: History, draw: random.Random) -> list[tuple[Situation, float]]:
        """Returns episodes with this history and their weights, from one clone that is reset repeatedly."""
        found: list[tuple[Situation, float]] = []
        with self._replays(draw) as (duplicate, take):
            for _ in range(TRIES):
                looks, weight = self._followed(history, take, draw, matching=True)
                if weight:
                    found.append(((clone(duplicate, draw.getrandbits(62), self._name), looks[3]), weight))
                    if len(found) == PARTICLES:
                        break
        return found

    def _closest(self, history: History, draw: random.Random) -> list[tuple[Situation, float]]:
        """Returns episodes with the last legal actions whose last observation is closest, with weights."""
        close: list[tuple[float, Situation, float]] = []
        with self._replays(draw) as (duplicate, take):
            for _ in range(TRIES // 4):
                looks, weight = self._followed(history, take, draw, matching=False)
                if not weight or looks[2:] != history[-1][1][2:]:  # the end, and the legal actions
                    continue
                apart = distance(looks, history[-1][1])
                if len(close) < PARTICLES or apart < close[-1][0]:
                    situation = clone(duplicate, draw.getrandbits(62), self._name), looks[3]
                    close = sorted([*close, (apart, situation, weight)], key=lambda entry: entry[0])[
                        :PARTICLES
                    ]
        return [entry[1:] for entry in close]

    def _followed(
        self,
        history: History,
        take: Callable[[int | None], After],
        draw: random.Random,
        *,
        matching: bool,
    ) -> tuple[Any, float]:
        """Returns how an episode looks after the actions of a history, and its weight.

        The weight is 0 if an action is not legal or, if `matching`, the episode looks different on the way.
        """
        looks: Any = self._view.whole(take(None))
        weight = float(not matching or _alike(looks, history[0][1]))
        for (_, before), (action, seen) in pairwise(history):
            chosen, factor = _chosen(action, looks[3], before, draw, _TAKEN)
            weight *= factor
            if not weight:
                break
            looks = self._view.whole(take(chosen))
            weight *= not matching or _alike(looks, seen)
        return looks, weight

    @contextmanager
    def _replays(self, draw: random.Random) -> Iterator[tuple[AnyEnv, Callable[[int | None], After]]]:
        """Yields a clone and a function that takes actions on it in place (None for `reset`)."""
        duplicate = clone(self._env, draw.getrandbits(62), self._name)
        with lent(draw.getrandbits(62)):
            yield duplicate, lambda action: take_step(duplicate, action, draw.getrandbits(32), self._name)

    def _tell(self, history: History, found: list[tuple[Situation, float]]) -> None:
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
