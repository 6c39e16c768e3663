"""`EnvOptions`: checked declarations about an environment that is loaded."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from numbers import Real
from typing import Any, Self

import gymnasium

from starspiel.envs.arguments import finite_number, whole_number
from starspiel.envs.errors import StarspielError, did_you_mean, shown
from starspiel.envs.gymnasium.masks import Mask
from starspiel.envs.gymnasium.players import REWARDS, ToPlay
from starspiel.envs.gymnasium.time_limit import time_limit

#: The values of `hidden`: how hidden state is treated.
WAYS = ("warn", "redraw", "seen", "refuse")
#: The longest horizon in actions.
_LONGEST = 2**31 - 1


@dataclass(frozen=True, kw_only=True)
class EnvOptions:
    """The keyword arguments of `load_game`, `load_gymnasium` and `EnvAgent` for an environment.

    Attributes:
        horizon: end the game after this many actions; True takes the environment's own TimeLimit. Without a
            horizon, a table is searched without a limit, and tournaments end its episodes at the TimeLimit,
            unless this is False. Samples stop when the clone's TimeLimit stops them.
        discount: the factor on rewards per action, in (0, 1].
        utility_range: sampled games only: the (least, greatest) return that you know to be possible, at any
            point of an episode; least:greatest in game strings. It enables Star pruning. A sampled return
            outside it is an error.
        players: the number of players who share the environment; 1 if one player collects all its rewards.
            None means 1, but an environment that seems to have several players is refused. Two players play
            against each other; with more, each maximises their own rewards. PettingZoo's environments
            declare their players themselves.
        to_play: with several players, who is to move: a key of `info`, an attribute or method of the
            environment, or a function of it. Its values are numbers from 0, numbers from 1 or, for two
            players, 1 and -1. If its values are strings, members of an Enum, or booleans of an attribute or
            key, the player who always starts is player 0.
        reward: with several players, whose reward `step` returns: "mover" (the player who made the step) or,
            with two players, "player_0". None means "mover", unless random play contradicts that.
        general_sum: whether two players' rewards need not sum to 0, so that each maximises their own.
        mask: a function of the environment (a clone, with its wrappers) that returns a 0 or 1 for each
            action. If it is given, no other mask is read.
        clone: sampled games only: a function that copies what copy.deepcopy cannot. It is given
            `env.unwrapped` and returns another environment in the same situation that shares nothing with it
            that a step changes. Copies of the wrappers are put around it.
        own_dice: sampled games only: whether to accept dice from the operating system's entropy. A search
            neither foresees nor changes them, but its results no longer depend on its seed alone.
        hidden: sampled games only: how to treat state that the environment hides from its agents, but that a
            search on clones sees. "warn" looks for it and warns (`HiddenStateWarning`), "refuse" refuses it,
            "seen" lets the search see it, "redraw" searches from situations that match the observations.
    """

    horizon: int | bool | None = None
    discount: float = 1.0
    utility_range: tuple[float, float] | None = None
    players: int | None = None
    to_play: ToPlay | None = None
    reward: str | None = None
    general_sum: bool = False
    mask: Mask | None = None
    clone: Callable[[Any], Any] | None = None
    own_dice: bool = False
    hidden: str = "warn"

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
        self._check_players()
        if self.mask is not None and not callable(self.mask):
            raise StarspielError(f"mask must be a function of the environment, got {shown(self.mask)}")
        if self.clone is not None and not callable(self.clone):
            raise StarspielError(
                f"clone must be a function that copies the environment, got {shown(self.clone)}"
            )
        for name in ("own_dice", "general_sum"):
            if not isinstance(getattr(self, name), bool):
                raise StarspielError(f"{name} must be true or false, got {shown(getattr(self, name))}")
        way = self.hidden
        if not isinstance(way, str) or way not in WAYS:
            hint = did_you_mean(way, WAYS) if isinstance(way, str) else f" Known: {', '.join(WAYS)}."
            raise StarspielError(f"hidden must be warn, redraw, seen or refuse, got {shown(way)}.{hint}")

    def _check_players(self) -> None:
        if self.players is not None:
            object.__setattr__(self, "players", whole_number("players", self.players, 1))
        if not self.is_shared and (self.to_play is not None or self.reward is not None):
            raise StarspielError("to_play and reward are for several players; say players=2 as well")
        if self.is_shared and not (
            callable(self.to_play) or (isinstance(self.to_play, str) and self.to_play)
        ):
            raise StarspielError(
                f"players={self.players} needs to_play, a key of info, an attribute or a function of the "
                f"environment that says who is to move; got {shown(self.to_play)}"
            )
        if self.reward is not None and (not isinstance(self.reward, str) or self.reward not in REWARDS):
            raise StarspielError(
                "reward must be 'mover' (a step pays whoever made it) or 'player_0', got "
                f"{shown(self.reward)}"
            )
        if self.reward == "player_0" and (self.general_sum or self.players != 2):
            raise StarspielError(
                "reward='player_0' says nothing about the others' rewards, which each of them maximises; say "
                "reward='mover', or make it an AEC environment of PettingZoo, which pays every player"
            )

    @property
    def is_shared(self) -> bool:
        """Whether several players are declared."""
        return self.players is not None and self.players > 1

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """Returns the options given by name.

        Raises StarspielError for an unknown name or an invalid value.
        """
        known = [field.name for field in fields(cls)]
        for name in given:
            if name not in known:
                raise StarspielError(
                    f"an environment has no option {shown(name)}.{did_you_mean(name, known)}"
                )
        return cls(**given)

    def given(self) -> dict[str, Any]:
        """Returns the options that differ from their defaults, by name."""
        return {
            field.name: value
            for field in fields(self)
            if (value := getattr(self, field.name)) != field.default
        }

    def in_string(self) -> dict[str, Any]:
        """Returns those options of `given` that a game string can contain."""
        return {
            name: in_string(value)
            for name, value in self.given().items()
            if name in IN_STRINGS and isinstance(value, int | float | str | tuple)
        }

    def settled(self, env: gymnasium.Env[Any, Any]) -> Self:
        """Returns the options with the environment's TimeLimit for `horizon=True`."""
        if self.horizon is not True:
            return self
        limit = time_limit(env) if env.has_wrapper_attr("_elapsed_steps") else None
        if limit is None:
            raise StarspielError(f"horizon=True needs a TimeLimit, and {env} has none; give a number")
        return replace(self, horizon=limit)


#: The options that a game string can contain: `FrozenLake-v1(horizon=100)`.
IN_STRINGS = (
    "horizon",
    "discount",
    "utility_range",
    "players",
    "to_play",
    "reward",
    "general_sum",
    "own_dice",
    "hidden",
)


def in_string(value: Any) -> Any:
    """Returns an option's value as game strings spell it: true, and -1:2.5 for the range (-1, 2.5)."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ":".join(repr(float(bound)).removesuffix(".0") for bound in value)
    return value


def _range(given: Any) -> tuple[float, float] | None:
    if given is None:
        return None
    try:
        bounds = map(float, given.split(":")) if isinstance(given, str) else given
        low, high = (finite_number("utility_range", bound) for bound in bounds)
    except (TypeError, ValueError):
        low, high = 1.0, 0.0
    if low > high:
        raise StarspielError(
            "utility_range must be (least, greatest) return, or least:greatest in a string, got "
            f"{shown(given)}"
        )
    return low, high
