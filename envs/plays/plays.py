"""Lists the distinct plays of a position, and finds the play that a player's text means."""

import re
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import pyspiel

from starspiel.envs.base import CHANCE, Game, merge_key
from starspiel.envs.errors import StarspielError, did_you_mean, shown
from starspiel.envs.inside import unwrapped, unwrapped_state
from starspiel.envs.joint_move import JointMove
from starspiel.envs.kits import BY_NAME
from starspiel.envs.plays import backgammon
from starspiel.envs.plays.words import throw
from starspiel.envs.text import is_number

#: The number that OpenSpiel writes before the names of some moves.
_NUMBERED = re.compile(r"\d+ - ")
#: The maximum number of moves for which an error suggests one with a similar name.
_FEW = 30


@dataclass(frozen=True)
class Play:
    """A move with all equivalent actions.

    Attributes:
        action: the first of the actions.
        name: the shortest of their names.
        actions: all actions that lead to the same position.
    """

    action: int
    name: str
    actions: tuple[int, ...]


def plays(game: Game, state: Any) -> tuple[Play, ...]:
    """Returns the legal moves at a decision, in the game's order.

    Actions are one play if they lead to equal positions, or if the game's kit gives them the same name.
    """
    player = state.current_player()
    is_keyed = game.explicit_chance and not isinstance(state, JointMove)  # other players' moves matter too
    together: dict[Any, list[tuple[int, str]]] = {}
    for action in state.legal_actions():
        key = merge_key(game, state.child(action)) if is_keyed else None
        name = name_of(state, player, action)
        together.setdefault(("action", action) if key is None else ("key", key), []).append((action, name))
    offered: dict[Any, Play] = {}
    is_worded = _moves_of(state) is not None
    for number, found in enumerate(together.values()):
        actions = tuple(action for action, _ in found)
        play = Play(actions[0], min((name for _, name in found), key=lambda name: (len(name), name)), actions)
        same = play.name if is_worded else number  # a kit's name says all that matters about a move
        before = offered.get(same)
        offered[same] = replace(before, actions=(*before.actions, *actions)) if before else play
    return tuple(offered.values())


def play_names(game: Game, state: Any) -> dict[int, str]:
    """Returns the name of each legal action; equivalent actions have the same name."""
    names = {action: play.name for play in plays(game, state) for action in play.actions}
    return {action: names[action] for action in state.legal_actions()}


def name_of(state: Any, player: int, action: int) -> str:
    """Returns the name of an action or an outcome.

    It is the name that the game's kit gives it, or else OpenSpiel's, without the number before some names.
    """
    if (kit := _moves_of(state)) is not None:
        return str(kit.written(unwrapped_state(state), player, action))
    name = str(state.action_to_string(player, action))
    if not isinstance(state, pyspiel.State):
        return name
    if player == CHANCE and (rolled := throw(name)):
        return rolled
    return _NUMBERED.sub("", name, count=1)


def _moves_of(state: Any) -> Any:
    """Returns the module that names the moves of a state's game; None if there is none."""
    if not isinstance(state, pyspiel.State):
        return None
    kit = BY_NAME.get(unwrapped(state.get_game()).get_type().short_name)
    return import_module(kit.moves) if kit is not None and kit.moves else None


def _names(state: Any, play: "Play") -> set[str]:
    """Returns all names of a play, in lower case and without commas."""
    player, kit = state.current_player(), _moves_of(state)
    names = {play.name, *(str(state.action_to_string(player, action)) for action in play.actions)}
    if also := getattr(kit, "also", None):
        inside = unwrapped_state(state)
        names |= {name for action in play.actions for name in also(inside, action)}
    return set(map(_plain, names))


def _plain(text: str) -> str:
    return " ".join(text.lower().replace(",", " ").split())


def meant(game: Game, state: Any, text: str, expected: str = "") -> list[int]:
    """Returns the actions that a text means at a decision.

    The text is the number of a play, its name or, in backgammon, a play as people write it, `24/21/20`, which
    may be two actions. Raises StarspielError if it means no play, or several; its message then says
    `expected` instead of the range of numbers.
    """
    offered = plays(game, state)
    text = text.strip()
    if is_number(text) and 1 <= int(text) <= len(offered):
        return [offered[int(text) - 1].action]
    for play in offered:
        if _plain(text) in _names(state, play):
            return [play.action]
    if is_backgammon(state) and (hops := backgammon.parsed(text)) is not None:
        return _in_backgammon(game, state, text, hops)
    few = not text.isdecimal() and len(offered) <= _FEW
    near = did_you_mean(text, [play.name for play in offered]) if few else ""
    numbers = "1" if len(offered) == 1 else f"1 to {len(offered)}"
    expected = expected or f"answer with {numbers}, or a move's name"
    raise StarspielError(f"no move {shown(text)}: {expected}.{near}")


def is_backgammon(state: Any) -> bool:
    """Returns whether a state is one of OpenSpiel's backgammon."""
    return isinstance(state, pyspiel.State) and state.get_game().get_type().short_name == "backgammon"


def _in_backgammon(game: Game, state: Any, text: str, hops: backgammon.Hops) -> list[int]:
    offered = plays(game, state)
    named = [(play, [backgammon.hops_of(state, action) for action in play.actions]) for play in offered]
    found = backgammon.chosen(hops, named)
    if len(found) == 1:
        return [found[0].action]
    if len(found) > 1:
        names = " or ".join(play.name for play in found)
        raise StarspielError(f"{text!r} may be {names}: name the points on the way, with * for a hit.")
    player = state.current_player()
    for play, ways in named:  # the first half of a double
        after = state.child(play.action)
        if after.current_player() != player:
            continue
        for rest in filter(None, (backgammon.without(hops, way) for way in ways)):
            second = [
                (other, [backgammon.hops_of(after, action) for action in other.actions])
                for other in plays(game, after)
            ]
            if found := backgammon.chosen(rest, second):
                return [play.action, found[0].action]
    raise StarspielError(f"no play {text!r} with these dice.")
