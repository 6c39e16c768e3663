"""Any Gymnasium environment with numbered actions, as a Game for search.

Where the chances come from, best first, is the Game's `source`:

1. rules: the environment declares its own game (`env.unwrapped.game`), as starspiel's dice games do;
2. table: it publishes `P` and `initial_state_distrib`, as FrozenLake, CliffWalking and Taxi do;
3. samples: reseeded clones of the environment are stepped. Only sampling searches can use these.
"""

import re
import warnings
from collections.abc import Mapping
from numbers import Real
from typing import Any

import gymnasium
import gymnasium.error
import pyspiel
from gymnasium import spaces

from starspiel.envs.arguments import finite_number, whole_number
from starspiel.envs.base import Game, State
from starspiel.envs.errors import HiddenStateWarning, StarspielError, UnsupportedGameError, shown
from starspiel.envs.gymnasium.action_names import action_names
from starspiel.envs.gymnasium.picture import TablePicture
from starspiel.envs.gymnasium.sampled.foresight import refuse_foreseen
from starspiel.envs.gymnasium.sampled.game import SampledGame
from starspiel.envs.gymnasium.sampled.hidden import check_way, find_hidden
from starspiel.envs.gymnasium.sampled.redraw import Seen
from starspiel.envs.gymnasium.table import TableGame
from starspiel.envs.modules import allow_working_directory
from starspiel.envs.spec import read_exponent, read_parameters

#: Actions of the longest horizon there is.
_LONGEST = 2**31 - 1

_ID = re.compile(r"^(?:[\w.]+:)?(?:[\w:.-]+/)?[\w:.-]+-v\d+$")

# Wrappers that leave the actions, the rewards and the rules of the environment inside them as they are.
_TRANSPARENT = (
    gymnasium.ObservationWrapper,
    gymnasium.wrappers.Autoreset,
    gymnasium.wrappers.HumanRendering,
    gymnasium.wrappers.OrderEnforcing,
    gymnasium.wrappers.PassiveEnvChecker,
    gymnasium.wrappers.RecordEpisodeStatistics,
    gymnasium.wrappers.RecordVideo,
    gymnasium.wrappers.RenderCollection,
    gymnasium.wrappers.TimeLimit,
    Seen,
)


def is_gymnasium_id(spec: str) -> bool:
    """Whether a game string is `[namespace/]Name-v1`, with or without parameters."""
    return _ID.match(spec.partition("(")[0]) is not None


def load_gymnasium(
    env: gymnasium.Env[Any, Any] | str,
    *,
    horizon: int | bool | None = None,
    discount: float = 1.0,
    utility_range: tuple[float, float] | None = None,
    hidden: str = "warn",
) -> Game:
    """The Game of a Gymnasium environment: one player collects its rewards. `game.source` says which way.

    Args:
        env: an environment, which is never stepped, or a string: an id with the parameters of
            `gymnasium.make` and of this function, e.g. `"FrozenLake-v1(map_name=8x8,horizon=true)"`.
        horizon: end the game after this many actions; True takes the environment's own TimeLimit. Without
            it a table is played with no limit; samples stop where the clone's TimeLimit stops them.
        discount: the factor on rewards per action, in (0, 1].
        utility_range: sampled games only: the (least, greatest) return that you know to be possible, at any
            point of an episode. It turns Star pruning on. A sampled return outside it is an error.
        hidden: sampled games only: what to do about state that the environment hides from its agents, and a
            search on clones sees. "warn" looks for it and warns (`HiddenStateWarning`), "refuse" refuses it,
            "seen" lets the search see it, "redraw" searches from situations that match what has been shown.

    Raises:
        UnsupportedGameError: the action space is not Discrete, or the environment cannot be cloned, or its
            clones would foresee or change its dice, or hidden state is found and `hidden` is "refuse".
        StarspielError: no such environment, or an argument or a table is wrong.
    """
    if isinstance(env, str):
        return _load_id(env, horizon, discount, utility_range, hidden)
    if not isinstance(env, gymnasium.Env):
        raise StarspielError(f"expected a Gymnasium environment or its id, got {shown(env)}")
    if isinstance(discount, bool) or not isinstance(discount, Real) or not 0.0 < discount <= 1.0:
        raise StarspielError(f"discount must be a number in (0, 1], got {shown(discount)}")
    _check_range(utility_range)
    check_way(hidden)
    discount = float(discount)
    limit = _horizon(env, horizon)
    name = _name(env, limit, discount, hidden)
    inside: Any = env.unwrapped
    untrusted = _why_not_inside(env)
    game = getattr(inside, "game", None)
    if isinstance(game, Game) and not untrusted:
        if limit is not None or discount != 1.0 or utility_range is not None or hidden != "warn":
            raise StarspielError(
                f"{name} declares its own rules; leave out horizon, discount, utility_range and hidden"
            )
        return game
    if isinstance(game, Game):
        _check_opponent(inside, name, untrusted)
    _check_actions(env, name)
    table: Any = getattr(inside, "P", None)
    starts = getattr(inside, "initial_state_distrib", None)
    has_table = isinstance(table, Mapping | list | tuple)
    if has_table and starts is not None and not untrusted:
        if utility_range is not None:
            raise StarspielError(f"{name} has a table, from which its utility_range follows; leave it out")
        if hidden != "warn":
            raise StarspielError(f"{name} has a table, in which nothing is hidden; leave hidden={hidden} out")
        played = TableGame(
            table, starts, name=name, discount=discount, horizon=limit, action_names=action_names(env)
        )
        played.picture = TablePicture(env, name, played.actions)
        return played
    half = "a table P, but no initial_state_distrib" if has_table else ""
    why = untrusted or half or "no declared rules, no table"
    sampled = SampledGame(
        env, name=name, discount=discount, horizon=limit, utility_range=utility_range, hidden=hidden, why=why
    )
    _try_clones(sampled)
    return sampled


def _try_clones(game: SampledGame) -> None:
    """Looks for dice that a search would foresee, and for hidden state as far as `hidden` asks for it."""
    tried = refuse_foreseen(game.env, game.name, allow_stored=game.hidden in ("redraw", "seen"))
    if tried is not None and not tried.settled:
        game.source += "; whether its dice can be foreseen is not settled: too slow to try"
    if tried is None or game.hidden in ("redraw", "seen"):
        return
    found = find_hidden(game.env, game.name, episodes=40, steps=6, seconds=0.5)
    if found.reason is None:
        return
    if game.hidden == "refuse":
        raise UnsupportedGameError(f"{game.name} has hidden state: {found.reason}")
    warnings.warn(
        f"{game.name} has hidden state, which a search on its clones sees: {found.reason}. An agent that may "
        "know only what is shown needs hidden='redraw'; hidden='seen' lets it see, without this warning",
        HiddenStateWarning,
        stacklevel=4,
    )


def state_of(env: gymnasium.Env[Any, Any], game: Game, info: dict[str, Any] | None = None) -> State:
    """The State an environment is in now, for a search; the environment's own dice stay out of it.

    `game` is `load_gymnasium(env)`; `info` is the dict that `reset` or `step` returned last: its
    `action_mask`, where there is one, names the legal actions of a sampled game.

    Raises `StarspielError` before `reset`, and after the last step that a TimeLimit allows. A state after
    `terminated` is terminal where that can be known, which it cannot for a sampled game.
    """
    inside: Any = env.unwrapped
    if env.has_wrapper_attr("_max_episode_steps") and env.has_wrapper_attr("_elapsed_steps"):
        elapsed, limit = (env.get_wrapper_attr(name) for name in ("_elapsed_steps", "_max_episode_steps"))
        if elapsed is not None and elapsed >= limit:
            raise StarspielError(
                f"{game.name}: the episode is over, as its TimeLimit is {limit} steps; call env.reset()"
            )
    if isinstance(game, SampledGame):
        return game.state_of(env, info or {}, _elapsed(env, game))
    if isinstance(game, TableGame):
        if getattr(inside, "s", None) is None:
            raise StarspielError(
                f"{game.name}: expected the state of the table that the environment is in as "
                "env.unwrapped.s; call env.reset() first"
            )
        return game.state_at(int(inside.s), elapsed=_elapsed(env, game))
    state: State | None = getattr(inside, "state", None)
    if state is None:
        raise StarspielError(
            f"{game.name}: expected the current State in env.unwrapped.state; call env.reset() first"
        )
    return state


def _load_id(
    spec: str,
    horizon: int | bool | None,
    discount: float,
    utility_range: tuple[float, float] | None,
    hidden: str,
) -> Game:
    parameters = read_parameters(spec)
    env_id = parameters.pop("name")
    for key, value in parameters.items():
        if isinstance(value, dict):  # game=pig(winscore=20)
            parameters[key] = pyspiel.game_parameters_to_string(value)
        else:
            parameters[key] = read_exponent(value)
    horizon = parameters.pop("horizon", horizon)
    discount = parameters.pop("discount", discount)
    hidden = parameters.pop("hidden", hidden)
    if ":" in env_id:
        allow_working_directory()
    try:
        env: gymnasium.Env[Any, Any] = gymnasium.make(env_id, **parameters)
    except (gymnasium.error.Error, TypeError, KeyError, ModuleNotFoundError) as error:
        raise StarspielError(
            f"gymnasium cannot make {shown(spec)}: {type(error).__name__}: {error}"
        ) from None
    return load_gymnasium(env, horizon=horizon, discount=discount, utility_range=utility_range, hidden=hidden)


def _name(env: gymnasium.Env[Any, Any], horizon: int | None, discount: float, hidden: str) -> str:
    """The string that makes the game again, as far as the environment's parameters can be written in one."""
    spec = env.spec
    if spec is None:
        return type(env.unwrapped).__name__
    registered = gymnasium.registry.get(spec.id)
    defaults = registered.kwargs if registered else {}
    parameters = {k: v for k, v in spec.kwargs.items() if k != "render_mode" and defaults.get(k) != v}
    if registered and spec.max_episode_steps != registered.max_episode_steps:
        parameters["max_episode_steps"] = spec.max_episode_steps
    if horizon is not None:
        parameters["horizon"] = horizon
    if discount != 1.0:
        parameters["discount"] = discount
    if hidden != "warn":
        parameters["hidden"] = hidden
    if not parameters:
        return spec.id
    return f"{spec.id}({','.join(f'{k}={v}' for k, v in sorted(parameters.items()))})"


def _horizon(env: gymnasium.Env[Any, Any], horizon: int | bool | None) -> int | None:
    if horizon is None or horizon is False:
        return None
    if horizon is True:
        limit = env.spec.max_episode_steps if env.spec else None
        if limit is None:
            raise StarspielError(f"horizon=True needs a TimeLimit, and {env} has none; give a number")
        return limit
    return whole_number("horizon", horizon, 1, _LONGEST)


def _check_range(utility_range: Any) -> None:
    if utility_range is None:
        return
    try:
        low, high = utility_range
        sound = finite_number("low", low) <= finite_number("high", high)
    except (TypeError, ValueError):
        sound = False
    if not sound:
        raise StarspielError(f"utility_range must be (least, greatest) return, got {shown(utility_range)}")


def _elapsed(env: gymnasium.Env[Any, Any], game: TableGame | SampledGame) -> int:
    if game.horizon is None:
        return 0
    if not env.has_wrapper_attr("_elapsed_steps"):
        raise StarspielError(
            f"{game.name}: the actions taken so far are not known, because the environment has no TimeLimit; "
            "wrap it in gymnasium.wrappers.TimeLimit"
        )
    return int(env.get_wrapper_attr("_elapsed_steps"))


def _why_not_inside(env: gymnasium.Env[Any, Any]) -> str:
    """Why the rules or the table inside may not be those of `env` as it is played; empty where they are."""
    outer = env
    while isinstance(outer, gymnasium.Wrapper):
        if not isinstance(outer, _TRANSPARENT):
            return f"the wrapper {type(outer).__name__} may change actions or rewards"
        outer = outer.env
    if getattr(env.unwrapped, "fickle_passenger", False):
        return "Taxi's fickle passenger is not in its table"
    return ""


def _check_opponent(inside: Any, name: str, untrusted: str) -> None:
    """Refuses to sample a game of starspiel's whose other seat cannot be part of a clone."""
    game, opponent = inside.game, getattr(inside, "opponent", None)
    if opponent is None and game.num_players == 2:
        raise UnsupportedGameError(
            f"{name} is self-play of {game.name}, and {untrusted}: sampled steps are one player's, who "
            "would decide for both seats. Leave the wrapper out, or make the environment with an opponent=..."
        )
    if isinstance(opponent, str | pyspiel.Bot):
        raise UnsupportedGameError(
            f"{name} is {game.name} against {opponent}, and {untrusted}: its rules would be set aside and "
            "its steps sampled on clones, but the opponent is a bot, which cannot be cloned. Give the "
            "environment inside (env.unwrapped), whose rules every agent plays, or an opponent that is a "
            "function of the state"
        )


def _check_actions(env: gymnasium.Env[Any, Any], name: str) -> None:
    if not isinstance(env.action_space, spaces.Discrete) or env.action_space.start < 0:
        raise UnsupportedGameError(
            f"{name} has the action space {env.action_space}; search needs Discrete actions >= 0. "
            "Wrap the environment in a gymnasium.ActionWrapper that numbers its actions."
        )
