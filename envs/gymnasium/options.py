"""How an environment is to be played: what its owner may declare when it is loaded, as one checked value."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from numbers import Real
from typing import Any, Self

import gymnasium

from starspiel.envs.arguments import finite_number, whole_number
from starspiel.envs.errors import StarspielError, did_you_mean, shown

#: Actions of the longest horizon there is.
_LONGEST = 2**31 - 1


@dataclass(frozen=True, kw_only=True)
class EnvOptions:
    """The keywords of `load_game`, `load_gymnasium` and `EnvAgent` for an environment.

    Attributes:
        horizon: end the game after this many actions; True takes the environment's own TimeLimit. Without
            it a table is played with no limit; samples stop where the clone's TimeLimit stops them.
        discount: the factor on rewards per action, in (0, 1].
        utility_range: sampled games only: the (least, greatest) return that you know to be possible, at any
            point of an episode. It turns Star pruning on. A sampled return outside it is an error.
    """

    horizon: int | bool | None = None
    discount: float = 1.0
    utility_range: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if (
            isinstance(self.discount, bool)
            or not isinstance(self.discount, Real)
            or not 0 < self.discount <= 1
        ):
            raise StarspielError(f"discount must be a number in (0, 1], got {shown(self.discount)}")
        object.__setattr__(self, "discount", float(self.discount))
        if self.horizon is not None and not isinstance(self.horizon, bool):
            object.__setattr__(self, "horizon", whole_number("horizon", self.horizon, 1, _LONGEST))
        object.__setattr__(self, "utility_range", _range(self.utility_range))

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """The options given by name. Raises StarspielError for a name there is not, or a wrong value."""
        known = [field.name for field in fields(cls)]
        for name in given:
            if name not in known:
                raise StarspielError(
                    f"an environment has no option {shown(name)}.{did_you_mean(name, known)}"
                )
        return cls(**given)

    def given(self) -> dict[str, Any]:
        """The options that differ from their defaults, by name."""
        return {
            field.name: value
            for field in fields(self)
            if (value := getattr(self, field.name)) != field.default
        }

    def in_string(self) -> dict[str, Any]:
        """Those of `given` that a game string can hold."""
        return {name: value for name, value in self.given().items() if name in IN_STRINGS}

    def settled(self, env: gymnasium.Env[Any, Any]) -> Self:
        """The same with the environment's TimeLimit for `horizon=True`, and None for False."""
        if self.horizon is False:
            return replace(self, horizon=None)
        if self.horizon is not True:
            return self
        limit = env.spec.max_episode_steps if env.spec else None
        if limit is None:
            raise StarspielError(f"horizon=True needs a TimeLimit, and {env} has none; give a number")
        return replace(self, horizon=limit)


#: The options that a game string can hold: `FrozenLake-v1(horizon=100)`.
IN_STRINGS = ("horizon", "discount")


def _range(given: Any) -> tuple[float, float] | None:
    if given is None:
        return None
    try:
        low, high = (finite_number("utility_range", bound) for bound in given)
    except (TypeError, ValueError):
        low, high = 1.0, 0.0
    if low > high:
        raise StarspielError(f"utility_range must be (least, greatest) return, got {shown(given)}")
    return low, high
