"""Whether the function `clone=` returns an environment in the situation that it is given."""

import random
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

from starspiel.envs.errors import StarspielError, UnsupportedGameError, shown
from starspiel.envs.gymnasium.masks import legal_actions
from starspiel.envs.gymnasium.sampled.clone import After, AnyEnv, advance, clone, seed_alike, take_step
from starspiel.envs.gymnasium.sampled.global_dice import lent
from starspiel.envs.gymnasium.sampled.shows import Shows, is_same_look
from starspiel.envs.gymnasium.sampled.situations import LOADING_SECONDS, Budget
from starspiel.envs.gymnasium.sampled.visible import View

#: Episodes and steps in which copies are compared when a game is loaded.
_EPISODES, _STEPS = 6, 8
#: Steps that must differ if the dice may have, and copies that must agree where their dice differ.
_SUSPECT, _TRIES = 3, 8

#: What is seen of a step; None if it raised an error.
Look = tuple[Any, ...] | None


@dataclass(frozen=True)
class _Compared:
    """The same action in a copy and in the original: what was seen, and whether only dice could differ."""

    copy: Look
    original: Look
    is_certain: bool


class Copies:
    """What is known of the copies that an owner's own function makes.

    Args:
        env: an environment copied by it, which is never stepped.
        view: how what it shows is read.
        own_dice: whether it throws dice that no seed decides.
    """

    def __init__(self, env: AnyEnv, view: View, own_dice: bool) -> None:
        self._env, self._view, self._own_dice = env, view, own_dice
        self._name = view.name
        self._is_tried = False

    def refuse_others(self) -> None:
        """Steps an environment and its copies with the same dice; raises if these are in other situations."""
        budget = Budget(LOADING_SECONDS)
        for seed in range(_EPISODES):
            if budget.spent() and seed:
                break
            self._follow(seed)

    def check(self, env: AnyEnv, twin: AnyEnv, observation: Any, info: Any) -> None:
        """Raises `UnsupportedGameError` if a copy of the real environment does not look like it."""
        legal = legal_actions(env, observation, info, self._view.mask, self._name)
        self._compare_legal(legal, twin, observation, info, "here")
        told = self._shows.of(clone(twin, 0, self._name))
        if observation is not None and told is not None and not is_same_look(told, observation):
            self._refuse("here", f"shows {shown(told)}", f"act was given {shown(observation)}")
        if not self._is_tried and not self._own_dice:
            self._is_tried = True
            self._agree(twin, legal[0])

    @cached_property
    def _shows(self) -> Shows:
        return Shows(self._env, self._view)

    def _follow(self, seed: int) -> None:
        """An episode of one environment, stepped in place, and a copy of it before each step."""
        draw = random.Random(seed)
        name, view = self._name, self._view
        original = clone(self._env, seed, name)
        at = self._taken(original, None, seed)
        taken: list[int] = []
        suspect = compared = 0
        while at is not None and not at.over and len(taken) < _STEPS:
            where = f"after reset(seed={seed}) and the actions {taken}"
            twin = clone(original, seed, name)
            try:
                legal = view.legal_actions(at)
            except StarspielError:  # said to whoever plays it
                return
            self._compare_legal(list(legal), twin, at.observation, at.info, where)
            action = draw.choice(legal)
            found = self._step_both(original, action, draw.getrandbits(62))
            if found is None:
                return
            compared += 1
            result, at = found
            taken.append(action)
            if result.copy != result.original:
                suspect += 1
                if result.is_certain or (suspect >= _SUSPECT and 2 * suspect > compared):
                    self._refuse(
                        where,
                        f"step({action}) {_in_words(result.copy)}",
                        f"in the environment itself, with the same dice, it {_in_words(result.original)}",
                    )

    def _step_both(self, original: AnyEnv, action: int, seed: int) -> tuple[_Compared, After] | None:
        """Steps copies, and then the original; None if nothing can be compared."""
        twins = [clone(original, seed, self._name) for _ in range(2)]
        places = [seed_alike(twin, seed) for twin in twins]
        looks = [self._look(self._taken(twin, action, seed)) for twin in twins]
        others = [
            self._look(self._taken(clone(original, number, self._name), action, number))
            for number in range(_TRIES)
        ]
        if looks[0] != looks[1] and not self._own_dice:
            self._agree(original, action)
        alike = seed_alike(original, seed) == places[0] and looks[0] == looks[1] and not self._own_dice
        at = self._taken(original, action, seed)
        if at is None:
            return None
        comparable = alike or all(other == looks[0] for other in (*others, looks[1]))
        original_look = self._look(at)
        return _Compared(looks[0] if comparable else original_look, original_look, alike), at

    def _taken(self, env: AnyEnv, action: int | None, seed: int) -> After | None:
        """What `step`, or `reset`, makes of an environment; None if it raises."""
        try:
            with lent(seed):
                return take_step(env, action, seed, self._name)
        except StarspielError:
            return None

    def _look(self, at: After | None) -> Look:
        try:
            return None if at is None else self._view.whole(at)
        except StarspielError:
            return None

    def _compare_legal(self, legal: list[int], twin: AnyEnv, observation: Any, info: Any, where: str) -> None:
        try:
            copied: Any = legal_actions(twin, observation, info, self._view.mask, self._name)
        except Exception as error:  # whatever a user's function raises
            copied = error
        if copied != legal:
            self._refuse(where, f"allows the actions {shown(copied)}", f"the original allows {shown(legal)}")

    def _agree(self, env: AnyEnv, action: int) -> None:
        """Raises if two copies that are seeded alike go different ways."""
        if any(
            self._look(self._advanced(env, action)) != self._look(self._advanced(env, action)) for _ in "ab"
        ):
            raise UnsupportedGameError(
                f"{self._name} cannot be sampled: two clones seeded alike went different ways, so what "
                "clone= returns shares what a step changes, or throws dice that no seed decides. Copy what "
                "steps change, and draw from self.np_random; own_dice=True accepts dice of the operating "
                "system"
            )

    def _advanced(self, env: AnyEnv, action: int) -> After | None:
        try:
            return advance(env, action, 1, self._name)
        except StarspielError:
            return None

    def _refuse(self, where: str, copy: str, original: str) -> NoReturn:
        raise UnsupportedGameError(
            f"{self._name}: the copy that clone= returns is not in the situation of the environment that it "
            f"was given: {where}, the copy {copy}, and {original}. Return another environment that goes on "
            "from the same situation, not a new, reset or stored one"
        )


def refuse_one_for_all(env: AnyEnv, name: str) -> None:
    """Raises `UnsupportedGameError` if the function that makes copies returns one object each time."""
    one, other = clone(env, 0, name), clone(env, 0, name)
    if one.unwrapped is other.unwrapped:
        raise UnsupportedGameError(
            f"{name}: clone= returned the same object for two calls. Return another environment each time, "
            "in the situation of the one that it is given"
        )


def _in_words(look: Look) -> str:
    if look is None:
        return "raises an error"
    observation, reward, over = look[:3]
    return f"shows {shown(observation)}, pays {reward:g} and {'ends' if over else 'does not end'} the episode"
