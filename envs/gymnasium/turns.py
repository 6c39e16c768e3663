"""Whether an environment has two players, found out by playing it at random for a moment.

An environment that alternates turns without a word would be maximised for both sides, so it is refused until
its owner says what it is.
"""

import itertools
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import gymnasium

from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.gymnasium.masks import Mask, legal_actions
from starspiel.envs.gymnasium.players import (
    Players,
    ToPlay,
    is_name,
    names_or_refuse,
    plain_name,
    player_names,
    told_mover,
)
from starspiel.envs.gymnasium.sampled.clone import After, AnyEnv, advance

# Says who is to move and nothing else: one change within an episode is enough.
_SURE = (
    "current_player",
    "player_to_move",
    "player_to_play",
    "to_play",
    "to_move",
    "side_to_move",
    "whose_turn",
    "current_agent",
    "agent_selection",
    "active_player",
    "player_turn",
)
# May count something or be somebody's place: it must also come back to what it was.
_UNSURE = ("turn", "player", "current_turn", "current", "mover", "player_id", "side")

_EPISODES = 40
_STEPS = 60
#: Situations that are always looked at, whatever time it takes, and how many are looked at for names alone.
_LEAST, _NAMED = 16, 60
_SECONDS = 0.5
#: Rewards that must agree with the parity of the move, of each parity. Where they do not depend on it, the
#: chance that all of 2 x 6 do is below 1 in 2,000.
_REWARDS = 6


@dataclass(frozen=True)
class _Seen:
    """A situation of an episode: what it says of who is to move, and what the next step paid."""

    told: dict[str, Any]
    reward: float
    move: int


def refuse_unsaid_turns(env: AnyEnv, name: str, mask: Mask | None) -> None:
    """Raises `UnsupportedGameError` where an environment taken to be one player's looks like two players'."""
    episodes: list[list[_Seen]] = []
    try:
        for episode in _random_play(env, name, mask, _told):
            episodes.append(episode)
            if sum(map(len, episodes)) >= _NAMED and not _may_flip(episodes):
                break
    except Exception:  # an environment that cannot be stepped says so to whoever plays it
        if not episodes:
            return
    for place in dict.fromkeys(place for episode in episodes for seen in episode for place in seen.told):
        if _alternates(episodes, place):
            raise UnsupportedGameError(
                f"{name} looks like a game of two players: {place!r} alternates, and an agent would "
                f"maximise for both. Declare it: players=2, to_play={place!r}, and reward='mover' (a step "
                "pays whoever made it) or reward='player_0'; or players=1 where it is one player's after all"
            )
    if _may_flip(episodes) and _flips(episodes):
        raise UnsupportedGameError(
            f"{name} looks like a game of two players: in random play the sign of every reward follows from "
            "whether the number of the move is odd or even, and an agent would maximise for both. Declare "
            "it: players=2, to_play=... (a key of info, an attribute, or a function of the environment) and "
            "reward='mover' or 'player_0'; or players=1 where it is one player's after all"
        )


def declared_players(
    env: AnyEnv, name: str, to_play: ToPlay, reward: str | None, mask: Mask | None
) -> Players:
    """The two players that were declared, as a moment of random play shows them.

    Where `reward` is None, it is "mover", unless the play contradicts that.
    """

    def told(at: After) -> dict[str, Any]:
        return {"mover": told_mover(at.env, at.info, to_play, name)}

    try:
        episodes = list(_random_play(env, name, mask, told, enough=200))
    except StarspielError:
        raise
    except Exception as error:
        raise StarspielError(
            f"{name}: playing it at random raised {type(error).__name__}: {error}"
        ) from error
    seen = [at for episode in episodes for at in episode]
    agents = env.get_wrapper_attr("possible_agents") if env.has_wrapper_attr("possible_agents") else None
    names = names_or_refuse([at.told["mover"] for at in seen], to_play, agents, name)
    if reward is None:
        paid = {at.told["mover"]: set[bool]() for at in seen}
        for at in seen:
            if at.reward:
                paid[at.told["mover"]].add(at.reward > 0)
        if paid[names[0]] == {True} and paid[names[1]] == {False}:
            raise UnsupportedGameError(
                f"{name}: in random play every reward after a step of player 0 was positive and every one "
                "after a step of player 1 negative, so these seem to be the rewards of player 0; say "
                "reward='player_0', or reward='mover' where a step pays whoever made it"
            )
    return Players(to_play, reward or "mover", names)


def try_out(env: AnyEnv, name: str, mask: Mask | None) -> None:
    """Plays an environment for a moment, for the errors that it raises about itself."""
    for _ in _random_play(env, name, mask, lambda at: {}, enough=200):
        pass


def _random_play(
    env: AnyEnv, name: str, mask: Mask | None, look: Callable[[After], dict[str, Any]], enough: int = 10**9
) -> Iterator[list[_Seen]]:
    """Random episodes on clones, until some processor time is spent or `enough` situations were seen."""
    draw = random.Random(2)
    until = time.thread_time() + _SECONDS
    looked_at = 0
    for _ in range(_EPISODES):
        at = advance(env, None, draw.getrandbits(31), name)
        episode: list[_Seen] = []
        while not at.over and len(episode) < _STEPS:
            told = look(at)
            legal = legal_actions(at.env, at.observation, at.info, mask, name)
            at = advance(at.env, draw.choice(legal), draw.getrandbits(62), name)
            episode.append(_Seen(told, at.reward, len(episode)))
            if looked_at + len(episode) >= _LEAST and time.thread_time() > until:
                break
        yield episode
        looked_at += len(episode)
        if looked_at >= enough or (looked_at >= _LEAST and time.thread_time() > until):
            return


def _told(at: After) -> dict[str, Any]:
    """What the info and the attributes of an environment say under the names in use for who is to move."""
    layer: Any = at.env
    holders = [layer]
    while isinstance(layer, gymnasium.Wrapper):
        layer = layer.env
        holders.append(layer)
    # One level further down, for a game or a board that the environment keeps.
    held = vars(layer).values() if hasattr(layer, "__dict__") else ()
    holders += [part for part in held if hasattr(part, "__dict__") and not isinstance(part, type)]
    told: dict[str, Any] = {}
    for word in (*_SURE, *_UNSURE):
        if isinstance(at.info, dict) and word in at.info:
            told[word] = plain_name(at.info[word])
            continue
        for holder in holders:
            for key in (word, f"_{word}"):
                if key in getattr(holder, "__dict__", {}) or isinstance(
                    getattr(type(holder), key, None), property
                ):
                    told.setdefault(key, plain_name(getattr(holder, key, None)))
    return told


def _alternates(episodes: list[list[_Seen]], place: str) -> bool:
    """Whether what is told there changes between two players within an episode."""
    lines = [[seen.told.get(place) for seen in episode] for episode in episodes]
    values = [told for line in lines for told in line]
    if not all(map(is_name, values)) or player_names(values) is None:
        return False
    changes = [sum(one != two for one, two in itertools.pairwise(line)) for line in lines]
    return max(changes, default=0) >= (1 if place.lstrip("_") in _SURE else 2)


def _signs(episodes: list[list[_Seen]]) -> tuple[set[bool], set[bool]]:
    """The signs of the rewards after moves of even and of odd number."""
    signs: tuple[set[bool], set[bool]] = (set(), set())
    for episode in episodes:
        for seen in episode:
            if seen.reward:
                signs[seen.move % 2].add(seen.reward > 0)
    return signs


def _may_flip(episodes: list[list[_Seen]]) -> bool:
    """Whether no reward yet contradicts that its sign follows from the parity of the move."""
    even, odd = _signs(episodes)
    return len(even) < 2 and len(odd) < 2 and (even != odd)


def _flips(episodes: list[list[_Seen]]) -> bool:
    """Whether enough rewards, after moves of several numbers, say that their sign is that of the parity."""
    even, odd = ([s.move for e in episodes for s in e if s.reward and s.move % 2 == p] for p in (0, 1))
    return all(len(moves) >= _REWARDS and len(set(moves)) >= 2 for moves in (even, odd))
