"""Detects by short random play whether an environment has two players.

An environment that alternates turns without a word would be maximised for both sides, so it is refused until
its owner says what it is.
"""

import random
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from starspiel.envs.errors import StarspielError, TurnsWarning, UnsupportedGameError, shown
from starspiel.envs.gymnasium.alternation import Turns, find_turns
from starspiel.envs.gymnasium.cloning.clone import After, advance, clone, take_step
from starspiel.envs.gymnasium.cloning.copying import AnyEnv
from starspiel.envs.gymnasium.cloning.dice import lent
from starspiel.envs.gymnasium.masks import Mask, legal_actions
from starspiel.envs.gymnasium.observed import RandomEpisode, Told, in_words, told
from starspiel.envs.gymnasium.players import Players, ToPlay, names_or_refuse, player_names, told_mover

_EPISODES, _STEPS = 60, 60
#: Situations that are always looked at, whatever time it takes, and after which nothing must hint at two.
_LEAST, _HINTED = 16, 240
_SECONDS = 0.5
#: How often what goes with the turns must be seen on either side, for a verdict and for a hint.
_EVIDENCE, _HINT = 8, 3


def refuse_unsaid_turns(env: AnyEnv, name: str, mask: Mask | None) -> None:
    """Raises `UnsupportedGameError` if an environment taken to be one player's looks like two players'.

    Warns (`TurnsWarning`) if something alternates with every move, and nothing says why.
    """
    episodes: list[RandomEpisode] = []
    hinted = False
    try:
        for episode in _random_play(env, name, mask, told):
            episodes.append(episode)
            if not hinted and sum(len(one.rewards) for one in episodes) >= _HINTED:
                if find_turns(episodes, _HINT) is None:
                    return
                hinted = True
    except Exception:  # an environment that cannot be stepped says so to whoever plays it
        if not episodes:
            return
    turns = find_turns(episodes, _EVIDENCE)
    if turns is None:
        return
    what = "" if turns.path is None else in_words(turns.path)
    if len(turns.values) > 2:
        warnings.warn(
            f"{name}: {what} goes round {', '.join(map(shown, turns.values))} with the moves. If these are "
            f"{len(turns.values)} players, which search does not support, an agent would maximise for all; "
            "let the environment play the others. If they are not, players=1 loads it without this warning",
            TurnsWarning,
            stacklevel=5,
        )
        return
    if turns.evidence is None:
        what = what or "the sign of its rewards"
        warnings.warn(
            f"{name}: {what} changes with every move. If it says whose turn it is, an agent would maximise "
            f"for both players: declare {_declaration(turns)}. If it does not, players=1 loads it without "
            "this warning",
            TurnsWarning,
            stacklevel=5,
        )
        return
    raise UnsupportedGameError(
        f"{name} looks like a game of two players: {f'{what} alternates' if what else 'moves alternate'}, "
        f"and {turns.evidence}; an agent would maximise for both. Declare it: {_declaration(turns)}; or "
        "players=1 if it is one player's after all"
    )


def _declaration(turns: Turns) -> str:
    """What to declare, as code as far as that follows."""
    to_play = "... (a key of info, an attribute, or a function of the environment that returns 0 or 1)"
    if turns.path is not None and turns.values:
        root, *rest = turns.path
        plain = all(isinstance(value, bool | int | float | str) for value in turns.values)
        if len(rest) == 1 and root != "observation" and player_names(turns.values) is not None:
            to_play = repr(str(rest[0]))
        elif root == "env" and plain:
            code = in_words(turns.path, "env.unwrapped")
            to_play = f"lambda env: int({code} != {turns.values[0]!r})"
    return (
        f"players=2, to_play={to_play}, and reward='mover' (a step pays whoever made it) or reward='player_0'"
    )


def declared_players(
    env: AnyEnv, name: str, to_play: ToPlay, reward: str | None, mask: Mask | None
) -> Players:
    """The two players that were declared, as a moment of random play shows them.

    If `reward` is None, it is "mover", unless the play contradicts that.
    """

    def told(at: After) -> Told:
        return {} if at.over else {("mover",): told_mover(at.env, at.info, to_play, name)}

    try:
        episodes = list(_random_play(env, name, mask, told, enough=200))
    except StarspielError:
        raise
    except Exception as error:
        raise StarspielError(
            f"{name}: playing it at random raised {type(error).__name__}: {error}"
        ) from error
    seen = [
        (told[("mover",)], reward)
        for episode in episodes
        for told, reward in zip(episode.told, episode.rewards, strict=False)
    ]
    agents = env.get_wrapper_attr("possible_agents") if env.has_wrapper_attr("possible_agents") else None
    movers = [mover for mover, _ in seen]
    begin = [episode.told[0][("mover",)] for episode in episodes if episode.rewards]
    told_so = isinstance(to_play, str) and {type(mover) for mover in movers} == {bool}
    if told_so and len(set(begin)) == 1 and len(set(movers)) == 2:
        names: tuple[Any, Any] = (movers[0], not movers[0])  # whoever begins is player 0
    else:
        names = names_or_refuse(movers, to_play, agents, name)
    if reward is None:
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
    return Players(to_play, reward or "mover", names)


def try_out(env: AnyEnv, name: str, mask: Mask | None) -> None:
    """Plays an environment for a moment, for the errors that it raises about itself."""
    for _ in _random_play(env, name, mask, lambda at: {}, enough=200):
        pass


def _random_play(
    env: AnyEnv, name: str, mask: Mask | None, look: Callable[[After], Told], enough: int = 10**9
) -> Iterator[RandomEpisode]:
    """Random episodes on clones, until some processor time is spent or `enough` moves were made."""
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
        yield RandomEpisode(seen, rewards, at.over)
        moves += len(rewards)
        if moves >= enough or (moves >= _LEAST and time.thread_time() > until):
            return
