"""Where the generators of an environment are: found once for each kind of environment, and then looked up.

To walk through all that a clone refers to (`Reach`, which says what counts) takes several times as long as
to copy it. `copy.deepcopy` notes what it copies, so that only what it has not noted is left to be looked at,
and of that the classes are known from before.
"""

import gc
import random
import zlib
from collections import OrderedDict
from collections.abc import Sequence
from types import FunctionType
from typing import Any

import gymnasium
import numpy as np

from starspiel.envs.gymnasium.sampled.classes import Classes
from starspiel.envs.gymnasium.sampled.generators import (
    GENERATORS,
    OPAQUE,
    PLAIN,
    Reach,
    Route,
    follow,
    fresh,
    may_throw,
    parts,
)

#: Kinds of environments whose plans are kept.
_KEPT = 64
#: What `gc.get_referents` does not tell the parts of.
_WALKED_APART = (*OPAQUE, FunctionType, np.ndarray)


class Plan:
    """What is known of the environments of one class, inside wrappers of certain classes.

    Attributes:
        elsewhere: how many generators there may be that no route leads to.
        seeds_spaces: whether a step has drawn from a space that had no generator yet.
        stateless: the operating system's generators in it. They cannot be copied, and need not be.
        classes: the classes of what is in the environment.
    """

    def __init__(self) -> None:
        self.elsewhere = {0}
        self.seeds_spaces = False
        self.stateless: list[Any] = []
        self.classes = Classes()
        self._routes: dict[Route, int] = {}
        self._ordinary: set[type] = set()
        self._noted: set[type] = set()

    def find_routes(self, env: Any, passed: Sequence[Any]) -> None:
        """Looks for the ways to the generators of `env`."""
        reach = Reach(env, "env", without=passed)
        for held in reach:
            if isinstance(held, GENERATORS) and (route := reach.route(held)) is not None:
                self._routes[route] = key_of(route)
        self._routes = dict(sorted(self._routes.items(), key=repr))

    def find_stateless(self, env: Any, passed: Sequence[Any]) -> bool:
        """Looks for generators without a state; whether there are others than before."""
        before = {id(held) for held in self.stateless}
        self.stateless = [h for h in Reach(env, "env", without=passed) if isinstance(h, random.SystemRandom)]
        return not {id(held) for held in self.stateless} <= before

    def replacements(self, env: Any, seed: int) -> dict[int, Any]:
        """New generators for a clone of `env`, by the id of what they stand for."""
        made: dict[int, Any] = {}
        for route, key in self._routes.items():
            held = follow(env, route)
            if held is not None and id(held) not in made:
                made.update((id(was), new) for was, new in fresh(held, stream(seed, key)))
        return made

    def look_through(self, copied: Sequence[Any], passed: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """(generators, iterators, environments and spaces) of a clone: those among `copied`, and what else.

        Looks at all that was copied and at all that this refers to, but for `passed` and for the classes:
        these are gone through when they are first met, and again when they have changed.
        """
        if self.classes.have_changed():
            self.classes = Classes()
        known = self.classes.known
        seen = dict(zip(map(id, copied), copied, strict=True))
        out = {id(part) for part in passed}
        count = len(seen)
        ahead = copied
        while ahead:
            referred = self._referents(ahead)
            ahead = []
            for part in [part for part in referred if type(part) not in PLAIN]:
                key = id(part)
                if key in seen or key in known or key in out:
                    continue
                if isinstance(part, type):
                    self.classes.add(part)
                else:
                    seen[key] = part
                    ahead.append(part)
        held = list(seen.values())
        noted = self._noted
        return (
            [part for part in held[:count] if type(part) in noted],
            [part for part in held[count:] if type(part) in noted],
        )

    def _referents(self, ahead: Sequence[Any]) -> list[Any]:
        """What objects refer to directly; their types are sorted on the way."""
        apart = set()
        for kind in set(map(type, ahead)) - self._ordinary:
            if issubclass(kind, _WALKED_APART):
                apart.add(kind)
            elif issubclass(kind, (gymnasium.Env, gymnasium.Space)) or may_throw(kind):
                self._noted.add(kind)
            else:
                self._ordinary.add(kind)
        if not apart:
            return gc.get_referents(*ahead)
        referred = gc.get_referents(*(part for part in ahead if type(part) not in apart))
        for part in ahead:
            if type(part) in apart:
                referred += parts(part)
        return referred


def stream(seed: int, *key: int) -> np.random.SeedSequence:
    """Where a generator of a clone gets its numbers from; each has a key of its own."""
    return np.random.SeedSequence(seed, spawn_key=key)


def key_of(route: Route) -> int:
    """The key of what a route leads to, the same in every process."""
    return zlib.crc32(repr(route).encode())


_PLANS: OrderedDict[tuple[type, ...], Plan] = OrderedDict()


def plan_of(env: Any) -> Plan:
    """The plan for environments like this one; that of the kind seen longest ago is forgotten."""
    kinds = [type(env)]
    while isinstance(env, gymnasium.Wrapper):
        env = env.env
        kinds.append(type(env))
    key = tuple(kinds)
    plan = _PLANS.get(key)
    if plan is None:
        plan = _PLANS[key] = Plan()
        if len(_PLANS) > _KEPT:
            _PLANS.popitem(last=False)
    else:
        _PLANS.move_to_end(key)
    return plan
