"""Makes any Gymnasium environment with finitely many actions a Game for search.

The Game's `source` says where its chances come from. The best available of these is used:

1. rules: the environment declares its own game (`env.unwrapped.game`), as starspiel's dice games do;
2. table: it publishes `P` and `initial_state_distrib`, as FrozenLake, CliffWalking and Taxi do, and its
   steps agree with them;
3. samples: reseeded clones of the environment are stepped. Only sampling searches can use these.
"""

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import gymnasium
import pyspiel

from starspiel.envs.base import Game, State, conforms
from starspiel.envs.errors import StarspielError, StarspielWarning, TableWarning, UnsupportedGameError, shown
from starspiel.envs.gymnasium.action_names import action_names
from starspiel.envs.gymnasium.aec import AECTurns, declared_game, is_pettingzoo
from starspiel.envs.gymnasium.budget import Budget
from starspiel.envs.gymnasium.cloning.clone import advance, clone
from starspiel.envs.gymnasium.cloning.copying import OBSERVING_WRAPPERS, ClonedBy
from starspiel.envs.gymnasium.making import make_env, name_of
from starspiel.envs.gymnasium.masks import unread_mask
from starspiel.envs.gymnasium.numbering import NumberedActions, numbered_actions
from starspiel.envs.gymnasium.options import EnvOptions
from starspiel.envs.gymnasium.picture import TablePicture
from starspiel.envs.gymnasium.players import Players
from starspiel.envs.gymnasium.published_table import has_steps_as_published
from starspiel.envs.gymnasium.refusals import check_actions, refuse_compatibility, refuse_other
from starspiel.envs.gymnasium.sampled.faithful import refuse_lost_identity, refuse_strays
from starspiel.envs.gymnasium.sampled.game import SampledGame
from starspiel.envs.gymnasium.sampled.redraw import Seen
from starspiel.envs.gymnasium.table import TableGame
from starspiel.envs.gymnasium.table_steps import TableSteps
from starspiel.envs.gymnasium.time_limit import is_out_of_time, time_limit
from starspiel.envs.gymnasium.turns import declared_players, refuse_unsaid_turns, try_out

#: Processor seconds for comparing a table with steps, if they are of the class that made it, and otherwise.
_PUBLISHED, _OVERRIDDEN = 0.5, 2.0

#: The ends of error messages for options of sampled games that are given although there is a table.
_NOT_FOR_TABLES = {
    "utility_range": "from which its utility_range follows; leave it out",
    "clone": "so that nothing is cloned; leave clone out",
    "own_dice": "which lists its chances; leave own_dice out",
    "hidden": "in which nothing is hidden; leave hidden out",
    "mask": "and what has no rows in it cannot be taken; leave mask out, or those rows out of the table",
}

# Wrappers that do not change the actions, the rewards and the rules of the environment inside them.
_TRANSPARENT = (
    gymnasium.ObservationWrapper,
    gymnasium.wrappers.Autoreset,
    gymnasium.wrappers.OrderEnforcing,
    gymnasium.wrappers.TimeLimit,
    *OBSERVING_WRAPPERS,
    Seen,
)


def load_gymnasium(env: gymnasium.Env[Any, Any] | str, **options: Any) -> Game:
    """Returns the Game of a Gymnasium environment, or of a PettingZoo AEC environment.

    One player collects the rewards of a Gymnasium environment, unless more are declared. `game.source` says
    where the chances come from.

    Args:
        env: an environment, which is never stepped, or a string: an id with the parameters of
            `gymnasium.make` and of this function, e.g. `"FrozenLake-v1(map_name=8x8,horizon=true)"`.
        options: those of `EnvOptions`, by name.

    Raises:
        UnsupportedGameError: the action space is not finite; the environment cannot be cloned; its clones
            would foresee or change its dice; it looks like a game of several players and none are declared;
            or hidden state is found and `hidden` is "refuse".
        StarspielError: there is no such environment, or an argument or a table is wrong.
    """
    if isinstance(env, str):
        env, declared_there = make_env(env)
        options = {**options, **declared_there}
    refuse_other(env)
    declared = EnvOptions.of(options)
    if is_pettingzoo(env):
        env = AECTurns(env)
    if isinstance(env, AECTurns):
        return _pettingzoo_game(env, declared)
    if not isinstance(env, gymnasium.Env):
        raise StarspielError(f"expected a Gymnasium environment or its id, got {shown(env)}")
    if declared.general_sum and not declared.is_shared:
        raise StarspielError(f"general_sum is for several players; declare those of {env}: players=2")
    played = declared.settled(env)
    name = name_of(env, played)
    untrusted = _why_not_inside(env, _TRANSPARENT)
    game = getattr(env.unwrapped, "game", None)
    if conforms(game, Game) and not untrusted:
        return _declared(game, name, played)
    if conforms(game, Game):
        _check_opponent(env.unwrapped, name, untrusted, played)
    refuse_compatibility(env, name)
    env = numbered_actions(env)
    check_actions(env, name)
    listed = _listed(env, name, played)
    return listed if isinstance(listed, TableGame) else _sampled_game(env, name, played, listed)


def state_of(
    env: gymnasium.Env[Any, Any], game: Game, info: dict[str, Any] | None = None, observation: Any = None
) -> State:
    """Returns the current State of an environment, for a search that does not use the environment's own dice.

    `game` is `load_gymnasium(env)`. `info` and `observation` are what `reset` or `step` returned last. In a
    sampled game, they may contain the legal actions and the player to move. For PettingZoo's environments,
    they are not needed.

    Raises `StarspielError` before `reset`, and after the last step that a TimeLimit allows. A state after
    `terminated` is terminal if that can be known; in a sampled game it cannot.
    """
    if is_pettingzoo(env):
        env = AECTurns(env)
    inside: Any = env.aec.unwrapped if isinstance(env, AECTurns) else env.unwrapped
    if is_out_of_time(env):
        raise StarspielError(
            f"{game.name}: the episode is over, as its TimeLimit is {time_limit(env)} steps; call env.reset()"
        )
    if isinstance(game, SampledGame):
        return game.state_of(env, info, observation, _elapsed(env, game))
    if isinstance(game, TableGame):
        if getattr(inside, "s", None) is None:
            raise StarspielError(
                f"{game.name}: expected the state of the table that the environment is in as "
                "env.unwrapped.s; call env.reset() first"
            )
        return game.state_at(int(inside.s), elapsed=_elapsed(env, game))
    where = "game_state" if isinstance(env, AECTurns) else "state"  # PettingZoo has a method `state`
    state: State | None = getattr(inside, where, None)
    if state is None or not hasattr(state, "legal_actions"):
        raise StarspielError(
            f"{game.name}: expected the current State in env.unwrapped.{where}; call env.reset() first"
        )
    return state


def _declared(game: Game, name: str, options: EnvOptions) -> Game:
    """Returns the rules that an environment declares. Raises StarspielError if options are given."""
    if unused := list(options.given()):
        raise StarspielError(f"{name} declares its own rules; leave out {', '.join(unused)}")
    return game


def _listed(env: gymnasium.Env[Any, Any], name: str, options: EnvOptions) -> TableGame | str:
    """Returns the game of an environment's table if its steps agree with it, else why it must be sampled."""
    inside: Any = env.unwrapped
    table, starts = getattr(inside, "P", None), getattr(inside, "initial_state_distrib", None)
    untrusted = _why_not_inside(env, (*_TRANSPARENT, NumberedActions))
    if not isinstance(table, Mapping | list | tuple):
        return untrusted or "no declared rules, no table"
    if options.is_shared:
        untrusted = untrusted or "its table is for one player"
    if isinstance(env, NumberedActions):
        untrusted = untrusted or "its table numbers other actions"
    if starts is None or untrusted:
        return untrusted or "a table P, but no initial_state_distrib"
    game = TableGame(
        table,
        starts,
        name=name,
        discount=options.discount,
        horizon=options.horizon or None,
        time_limit=None if options.horizon is False else time_limit(env),
        action_names=action_names(env),
    )
    game.steps = TableSteps(env)
    published = has_steps_as_published(inside)
    found = game.steps.compare(game, Budget(_PUBLISHED if published else _OVERRIDDEN))
    if found.contradiction is not None:
        warnings.warn(
            f"{name}: the table env.unwrapped.P is not what its steps do: {found.contradiction}. Its "
            "steps are sampled instead; correct P, or leave it out",
            TableWarning,
            stacklevel=4,
        )
        return f"its table is not what its steps do: {found.contradiction}"
    if not published and 2 * found.compared <= found.reachable:
        return f"its class overrides step or reset, and its table is not confirmed: {found}"
    game.source += f" ({found})"
    for option in options.given():
        if option in _NOT_FOR_TABLES:
            raise StarspielError(f"{name} has a table, {_NOT_FOR_TABLES[option]}")
    game.picture = TablePicture(env, name, game.actions)
    return game


def _sampled_game(env: gymnasium.Env[Any, Any], name: str, options: EnvOptions, why: str) -> Game:
    if options.clone is not None:
        env = ClonedBy(env, options.clone)
    refuse_strays(env, name)
    inside = clone(env, 0, name)
    players = None
    if options.to_play is not None:
        players = declared_players(inside, name, options)
    elif options.players is None:
        refuse_unsaid_turns(inside, name, options.mask)
    if options.mask is None:
        _warn_of_unread_mask(inside, name)
    game = SampledGame(env, name=name, options=options, players=players, why=why)
    game.refuse_untrusted()
    refuse_lost_identity(env, game.view)
    return game


def _warn_of_unread_mask(env: gymnasium.Env[Any, Any], name: str) -> None:
    try:
        after = advance(env, None, 1, name)
    except StarspielError:  # will be raised again when it is played
        return
    if (where := unread_mask(after.env, after.observation, after.info)) is not None:
        warnings.warn(
            f"{name}: {where} seems to tell the legal actions, and is not read, so all actions count as "
            "legal. If it does, say mask=lambda env: ..., a function that returns 0 or 1 for each action, or "
            'put it in info["action_mask"]',
            StarspielWarning,
            stacklevel=4,
        )


def _pettingzoo_game(env: AECTurns, options: EnvOptions) -> Game:
    name = str(env.aec)
    if (game := declared_game(env.aec)) is not None:
        return _declared(game, name, options)
    if options.players is not None:
        raise StarspielError(
            f"{name} is an environment of PettingZoo, which says itself who plays; leave out players, "
            "to_play and reward"
        )
    if options.clone is not None:
        raise StarspielError(
            f"{name} is an environment of PettingZoo, which is copied by copy.deepcopy; leave clone out, and "
            "give it a __deepcopy__ if it needs one"
        )
    check_actions(env, name)
    if (mask := options.mask) is not None:
        options = replace(options, mask=lambda turns: mask(turns.aec))
    options = options.settled(env)
    agents = range(len(env.aec.possible_agents))
    env.zero_sum = len(agents) == 2 and not options.general_sum
    players = None
    if len(agents) > 1:
        players = Players(AECTurns.mover, "player_0", agents, zero_sum=env.zero_sum)
    refuse_strays(env, name)
    try_out(clone(env, 0, name), name, options.mask)
    game = SampledGame(env, name=name, options=options, players=players)
    game.source += f" (PettingZoo, agents: {', '.join(map(str, env.aec.possible_agents))})"
    game.refuse_untrusted()
    refuse_lost_identity(env, game.view)
    return game


def _elapsed(env: gymnasium.Env[Any, Any], game: TableGame | SampledGame) -> int:
    if game.horizon is None:
        return 0
    if not env.has_wrapper_attr("_elapsed_steps"):
        raise StarspielError(
            f"{game.name}: the actions taken so far are not known, because the environment has no TimeLimit; "
            "wrap it in gymnasium.wrappers.TimeLimit"
        )
    return int(env.get_wrapper_attr("_elapsed_steps"))


def _why_not_inside(env: gymnasium.Env[Any, Any], transparent: tuple[type, ...]) -> str:
    """Returns why the rules or table inside may differ from `env` as it is played; "" if they do not."""
    outer = env
    while isinstance(outer, gymnasium.Wrapper):
        if not isinstance(outer, transparent):
            return f"the wrapper {type(outer).__name__} may change actions or rewards"
        outer = outer.env
    return ""


def _check_opponent(inside: Any, name: str, untrusted: str, options: EnvOptions) -> None:
    """Refuses to sample one of starspiel's games whose other players cannot be part of a clone."""
    game, opponent = inside.game, getattr(inside, "opponent", None)
    if opponent is None and game.num_players > 1 and not (game.num_players == options.players == 2):
        declare = ", or declare players=2, to_play='current_player', reward='player_0'"
        raise UnsupportedGameError(
            f"{name} is self-play of {game.name}, and {untrusted}: sampled steps are one player's, who "
            "would decide for all seats. Leave the wrapper out, or make the environment with an opponent=..."
            f"{declare if game.num_players == 2 else ''}"
        )
    if isinstance(opponent, str | pyspiel.Bot):
        raise UnsupportedGameError(
            f"{name} is {game.name} against {opponent}, and {untrusted}: its rules would be set aside and "
            "its steps sampled on clones, but the opponent is a bot, which cannot be cloned. Give the "
            "environment inside (env.unwrapped), whose rules every agent plays, or an opponent that is a "
            "function of the state"
        )
