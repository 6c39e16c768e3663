"""Detects by short random play whether several players share an environment.

If an environment with several players is not declared as such, an agent would maximise the rewards of all
sides. It is therefore refused until its user declares the players. It is recognised by an attribute, or a key
of `info`, whose name suggests whose turn it is and whose value keeps changing among a few values: in a cycle,
unless its name can mean nothing else, because turns may also be skipped or reversed.
"""

import random
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from starspiel.envs.errors import StarspielError, UnsupportedGameError, shown
from starspiel.envs.gymnasium.cloning.clone import After, advance, clone, take_step
from starspiel.envs.gymnasium.cloning.copying import AnyEnv, is_of_library
from starspiel.envs.gymnasium.cloning.dice import lent
from starspiel.envs.gymnasium.masks import Mask, legal_actions
from starspiel.envs.gymnasium.options import EnvOptions
from starspiel.envs.gymnasium.players import (
    Players,
    is_name,
    place,
    plain_name,
    player_names,
    told_mover,
)

_EPISODES, _STEPS = 60, 60
#: The number of moves that are always played, however long they take, and the number that is enough.
_LEAST, _ENOUGH = 16, 240
_SECONDS = 0.5
#: The number of resets that show whether the same player always starts.
_RESETS = 16
#: The number of changes after which cycling values are taken to be players, and the most players.
_CHANGES, _MOST_PLAYERS = 8, 6
#: Names of attributes that say whose turn it is.
_WHOSE_TURN = re.compile(
    r"(([a-z0-9]+_)*(player|mover|mark|turn|agent_selection|to_(play|move))"
    r"|is_([a-z]+_)*player_?(one|two|[0-9])|(current|active|next|acting)_(side|seat|symbol|colou?r|agent|team)|turn_of)"
    r"(_(id|idx|index|turn|to_(play|move)))?"
)
#: Those of them that can mean nothing else (`player` alone may be where a player stands).
_ONLY_TURNS = re.compile(
    r"((current|active|next|acting)_(player|mover)(_id|_idx|_index)?|agent_selection|(player_)?to_(play|move))"
)

#: What an environment says about a situation, by name.
Told = dict[str, Any]


@dataclass(frozen=True)
class RandomEpisode:
    """An episode of random play.

    Attributes:
        told: what the environment said before each move, and after the last.
        rewards: the reward of each move.
    """

    told: Sequence[Told]
    rewards: Sequence[float]


def refuse_unsaid_turns(env: AnyEnv, name: str, mask: Mask | None) -> None:
    """Raises `UnsupportedGameError` if an environment without declared players looks like one of several."""
    episodes: list[RandomEpisode] = []
    with suppress(Exception):  # an environment that cannot be stepped will raise when it is played
        episodes.extend(_random_play(env, name, mask, _whose_turn, _ENOUGH))
    if (turns := _alternating(episodes)) is None:
        return
    key, forms = turns
    are_names = player_names(forms, len(forms)) is not None or all(isinstance(form, bool) for form in forms)
    to_play = (
        repr(key)
        if are_names and "." not in key
        else "... (a function of the environment, which returns a number)"
    )
    players, changes, or_else = "two", "alternates between", " or reward='player_0'"
    if len(forms) > 2:
        players, changes, or_else = str(len(forms)), "changes among", ""
    said = " and ".join(map(shown, forms))
    raise UnsupportedGameError(
        f"{name} looks like a game of {players} players: {key} {changes} {said}; "
        f"an agent would maximise for all. Declare it: players={len(forms)}, to_play={to_play}, and "
        f"reward='mover' (a step pays whoever made it){or_else}; or players=1 if it is one player's after all"
    )


def _whose_turn(at: After) -> Told:
    """Returns what attributes, attributes of these, and info say that is named for whose turn it is."""
    env: Any = at.env.unwrapped
    properties = [key for key in dir(type(env)) if isinstance(getattr(type(env), key, None), property)]
    held = getattr(env, "__dict__", {})
    found: Told = {}
    for key in filter(partial(_is_like, _WHOSE_TURN), (*held, *properties)):
        try:
            found[key] = getattr(env, key)
        except Exception:  # a user's property may raise anything; it is then ignored
            continue
    for name, part in held.items():
        inside = part if isinstance(part, dict) else getattr(part, "__dict__", {})
        if not is_of_library(type(part)) or isinstance(part, dict):
            found |= {f"{name}.{key}": told for key, told in inside.items() if _is_like(_WHOSE_TURN, key)}
    found |= {key: told for key, told in at.info.items() if _is_like(_WHOSE_TURN, key)}
    plain = (int, str, Enum, np.generic)
    return {key: plain_name(told) for key, told in found.items() if isinstance(told, plain)}


def _is_like(names: re.Pattern[str], key: Any) -> bool:
    """Returns whether a name, without its parts' names and in snake case, is one of `names`."""
    last = str(key).rpartition(".")[2].strip("_")
    return names.fullmatch(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", last).lower()) is not None


def _alternating(episodes: Sequence[RandomEpisode]) -> tuple[str, tuple[Any, ...]] | None:
    """Returns (name, values in order) of a value that changes as a player to move does; or None."""
    keys = dict.fromkeys(key for episode in episodes for told in episode.told for key in told)
    for key in sorted(keys, key=lambda key: not _is_like(_ONLY_TURNS, key)):
        moves = [episode.told[: len(episode.rewards)] for episode in episodes]
        lines = [[told[key] for told in line if key in told] for line in moves]
        changes = [[(a, b) for a, b in pairwise(line) if a != b] for line in lines]
        forms = {told for line in lines for told in line}
        comes_back = any(len(line) >= len(forms) for line in changes)
        all_return = {b for line in changes for _, b in line} == forms
        often = sum(map(len, changes)) >= _CHANGES
        order = next((tuple(dict.fromkeys(line)) for line in lines if forms == set(line)), ())
        looks_so = 2 <= len(order) <= _MOST_PLAYERS and all_return and comes_back and often
        if looks_so and (_is_like(_ONLY_TURNS, key) or all(_goes_round(line, order) for line in lines)):
            return key, order
    return None


def _goes_round(line: Sequence[Any], order: Sequence[Any]) -> bool:
    """Returns whether each change is to the next value in `order` that still occurs later.

    Values that do not occur later may be players who are out.
    """
    for at, (now, after) in enumerate(pairwise(line), 1):
        to_come = set(line[at:])
        turned = [*order, *order][order.index(now) + 1 :]
        if now != after and next(form for form in turned if form in to_come) != after:
            return False
    return True


def declared_players(env: AnyEnv, name: str, declared: EnvOptions) -> Players:
    """Returns the declared players, with the names that short random play shows.

    If no `reward` is declared, it is "mover". Raises UnsupportedGameError if the play contradicts that.
    """
    to_play, reward = declared.to_play, declared.reward
    assert to_play is not None, "EnvOptions checks it"
    zero_sum = declared.players == 2 and not declared.general_sum

    def told(at: After) -> Told:
        return {} if at.over else {"mover": told_mover(at.env, at.info, to_play, name)}

    try:
        episodes = list(_random_play(env, name, declared.mask, told, enough=200))
    except StarspielError:
        raise
    except Exception as error:
        raise StarspielError(
            f"{name}: playing it at random raised {type(error).__name__}: {error}"
        ) from error
    seen = [
        (told["mover"], reward)
        for episode in episodes
        for told, reward in zip(episode.told, episode.rewards, strict=False)
    ]
    agents = env.get_wrapper_attr("possible_agents") if env.has_wrapper_attr("possible_agents") else None
    movers = [mover for mover, _ in seen]
    begin = []
    if not all(type(mover) is int for mover in movers):
        begin = [told(advance(env, None, seed, name))["mover"] for seed in range(_RESETS)]
    told_so = isinstance(to_play, str) and {type(mover) for mover in movers} == {bool}
    if told_so and len(set(begin)) == 1 and len(set(movers)) == declared.players:
        names: tuple[Any, ...] = (movers[0], not movers[0])  # the player who always starts is player 0
    else:
        names = _names_or_refuse(movers + begin, begin, agents, declared, name)
    if reward is None and zero_sum:
        paid = {mover: set[bool]() for mover, _ in seen}
        for mover, amount in seen:
            if amount:
                paid[mover].add(amount > 0)
        if paid[names[0]] == {True} and paid[names[1]] == {False}:
            raise UnsupportedGameError(
                f"{name}: in random play every reward after a step of player 0 was positive and every one "
                "after a step of player 1 negative, so these seem to be the rewards of player 0; say "
                "reward='player_0', or reward='mover' if a step pays whoever made it"
            )
    return Players(to_play, reward or "mover", names, zero_sum=zero_sum)


def _names_or_refuse(
    seen: list[Any], begin: list[Any], agents: Any, declared: EnvOptions, name: str
) -> tuple[Any, ...]:
    """Returns the `player_names` that a few random episodes have shown.

    Their order is that of `agents` if these are the same names. Otherwise it is that of their first moves if
    the same player always starts. Raises UnsupportedGameError if their number is not the declared one, or if
    it is not known whose rewards are paid.
    """
    players = declared.players or 1
    order: list[Any] = []
    names = None
    if all(map(is_name, seen)):
        if isinstance(agents, list | tuple) and len(agents) == players and set(agents) == set(seen):
            order = list(agents)
        elif len(set(begin)) == 1:
            order = list(dict.fromkeys([*begin, *seen]))
        names = player_names(seen, players, order)
    if names is None:
        distinct = list(dict.fromkeys(map(shown, seen)))
        known, numbers = "0 and 1, 1 and 2, 1 and -1 or two names", "0 or 1"
        if players > 2:
            known, numbers = f"0 to {players - 1}, 1 to {players} or as many names", f"0 to {players - 1}"
        fewer = len(distinct) if player_names(seen, len(distinct)) is not None else 0
        instead = f"declare players={fewer} or " if fewer > 1 else ""
        raise UnsupportedGameError(
            f"{name}: expected {place(declared.to_play)} to be {known} in turn, and in {len(seen)} "
            f"situations of random play it was {', '.join(distinct[:9])}; {instead}give a function of the "
            f"environment that returns {numbers}: to_play=lambda env: ..."
        )
    if declared.reward == "player_0" and not isinstance(names[0], int) and not order:
        raise UnsupportedGameError(
            f"{name}: either of {shown(names[0])} and {shown(names[1])} starts, so it is not known whose "
            "rewards are those of player 0; give a function of the environment that returns 0 or 1: "
            "to_play=lambda env: ..."
        )
    return names


def try_out(env: AnyEnv, name: str, mask: Mask | None) -> None:
    """Plays an environment briefly, so that it raises its errors now."""
    for _ in _random_play(env, name, mask, lambda at: {}, enough=200):
        pass


def _random_play(
    env: AnyEnv, name: str, mask: Mask | None, look: Callable[[After], Told], enough: int
) -> Iterator[RandomEpisode]:
    """Yields random episodes on clones, until some processor time is spent or `enough` moves were made."""
    draw = random.Random(2)
    until = time.thread_time() + _SECONDS
    moves = 0
    for _ in range(_EPISODES):
        at = advance(env, None, draw.getrandbits(31), name)
        played = clone(at.env, draw.getrandbits(62), name)
        seen, rewards = [look(at)], list[float]()
        while not at.over and len(rewards) < _STEPS:
            legal = legal_actions(at.env, at.observation, at.info, mask, name)
            with lent(draw.getrandbits(62)):
                at = take_step(played, draw.choice(legal), 0, name)
            seen.append(look(at))
            rewards.append(at.reward)
            if moves + len(rewards) >= _LEAST and time.thread_time() > until:
                break
        yield RandomEpisode(seen, rewards)
        moves += len(rewards)
        if moves >= enough or (moves >= _LEAST and time.thread_time() > until):
            return
