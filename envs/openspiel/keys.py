"""Sound keys for OpenSpiel's games: equal keys mean equal players, moves, outcomes and returns from there on.

A state's text often omits what the future depends on: the die, who is next, a counter. The key of each game
here adds what its text omits. A game that is not listed has no key.

In games that are cut off after a number of moves, the key omits the counter if more than `depth` plies
remain. Such keys are sound for searches of at most `depth` plies. Closer to the cut-off, the counter is part
of the key (`Counted`), which is then sound for any depth.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyspiel

from starspiel.envs.base import CHANCE, TERMINAL

Key = Callable[[Any], Hashable | None]


@dataclass(frozen=True)
class KeyRule:
    """A game's key and its limits.

    Attributes:
        key: the key of a state.
        depth: for how many decision plies of search keys are sound; None for any number.
        moves_left: if keys omit a cut-off, the least number of decisions between a state and the cut-off.
    """

    key: Key
    depth: int | None = None
    moves_left: Callable[[Any], int] | None = None


class Counted(NamedTuple):
    """The key of a position so close to the game's cut-off that it contains the number of plies left."""

    position: Hashable
    left: int


def key_rule(game: pyspiel.Game) -> KeyRule | None:
    """Returns the key rule of an OpenSpiel game; None if no sound key is known."""
    name = game.get_type().short_name
    if name in _TEXT_AND_PLAYER:
        return KeyRule(_text_and_player)
    make = _RULES.get(name)
    return make(game) if make else None


def text_key(game: pyspiel.Game) -> str | None:
    """Returns what the native core makes keys from; None if it has no keys for the game.

    It is "text" (and who decides), "text and move" (the move number), or "text and observation".
    """
    name = game.get_type().short_name
    if name == "dots_and_boxes":  # who drew each line
        return "text and observation"
    if name in _TEXT_AND_PLAYER:
        return "text"
    return "text and move" if name == "cliff_walking" else None


def _living(key: Key) -> Key:
    """Returns a key for all states from one for non-terminal states; terminal ones have their returns."""
    return lambda state: (TERMINAL, *state.returns()) if state.is_terminal() else key(state)


def _text_and_player(state: Any) -> Hashable:
    """Returns the key for games whose text shows everything except perhaps whose turn it is."""
    player = state.current_player()
    return (TERMINAL, *state.returns()) if player == TERMINAL else (player, str(state))


# Games whose text shows the whole position: no repetition rule, no counter, no hidden choice.
_TEXT_AND_PLAYER = {
    *("breakthrough", "catch", "clobber", "connect_four", "dots_and_boxes", "gomoku", "hex"),
    *("mnk", "nim", "othello", "pentago", "tic_tac_toe", "ultimate_tic_tac_toe", "y"),
}

#: Up to this many plies before a cut-off, their number is part of the key.
_FAR = 100


def _pig(game: pyspiel.Game) -> KeyRule:
    horizon: int = game.get_parameters()["horizon"]

    def moves_left(state: Any) -> int:
        return horizon - _pig_decisions(state.history())

    def key(state: Any) -> Hashable:
        # The text shows a roll in progress; the horizon counts decisions, not rolls.
        if state.move_number() + _FAR < horizon:
            return str(state)
        left = moves_left(state)
        return str(state) if left > _FAR else Counted(str(state), left)

    return KeyRule(_living(key), _FAR, moves_left)


def _pig_decisions(history: list[int]) -> int:
    """Returns the number of decisions in a history of pig, where each roll (0) is followed by its outcome."""
    decisions = at = 0
    while at < len(history):
        decisions += 1
        at += 2 if history[at] == 0 else 1
    return decisions


def _backgammon(game: pyspiel.Game) -> KeyRule:
    cap: int = game.get_parameters()["max_player_turns"]

    def turns_left(state: Any) -> int:
        # The game is cut off when more than `cap` turns have been played.
        return cap + 1 - sum(1 for move in state.full_history() if move.player == CHANCE)

    def key(state: Any) -> Hashable:
        # Every turn takes a roll and a move or two, so the turns played are at most half the moves.
        if state.move_number() // 2 + _FAR < cap:
            return str(state)
        left = turns_left(state)
        return str(state) if left > _FAR else Counted(str(state), left)

    return KeyRule(_living(key), _FAR, turns_left)


def _einstein(game: pyspiel.Game) -> KeyRule:
    def key(state: Any) -> Hashable:
        player = state.current_player()
        if player == CHANCE:  # the text omits who rolls
            return CHANCE, state.child(0).current_player(), str(state)
        # ... and the die, which only decides what may move.
        return player, tuple(state.legal_actions()), str(state)

    return KeyRule(_living(key))


def _maedn(game: pyspiel.Game) -> KeyRule:
    def key(state: Any) -> Hashable:
        # At chance nodes the text omits who rolls: the same player again after a six.
        return (state.child(0).current_player(), str(state)) if state.is_chance_node() else str(state)

    return KeyRule(_living(key))


def _yacht(game: pyspiel.Game) -> KeyRule:
    rerolls = 1 << game.get_parameters()["num_dice"]

    def key(state: Any) -> Hashable:
        if state.is_chance_node():  # the text omits which dice are rerolled; at a turn's start all are rolled
            history = state.history()
            return (history[-1] if history and history[-1] < rerolls else -1), str(state)
        return str(state)

    return KeyRule(_living(key))


#: Up to this many plies before the no-progress draw of banqi, its counter is part of the key.
_FAR_BANQI = 20
_FLIPS = 32


def _banqi(game: pyspiel.Game) -> KeyRule:
    cap: int = game.get_parameters()["max_no_progress"]

    def key(state: Any) -> Hashable:
        text = str(state)
        history = state.history()
        if state.is_chance_node():  # the text omits the flipped square, and the face-down pieces
            return history[-1], tuple(state.chance_outcomes()), text
        hidden = tuple(state.child(state.legal_actions()[0]).chance_outcomes()) if "?" in text else ()
        left = cap - _quiet_moves(history, cap - _FAR_BANQI)
        return (hidden, text) if left > _FAR_BANQI else Counted((hidden, text), left)

    return KeyRule(_living(key), _FAR_BANQI, lambda state: cap - quiet_moves(state.history()))


def quiet_moves(history: list[int]) -> int:
    """Returns the number of moves since the last flip or capture in a history of banqi."""
    return _quiet_moves(history, 0)


def _quiet_moves(history: list[int], enough: int) -> int:
    """Returns the number of moves since the last flip or capture in a history of banqi.

    If that is less than `enough`, it may be an upper bound.
    """
    since_flip = 0
    for action in reversed(history):
        if action < _FLIPS:  # a flip or the piece it showed
            break
        since_flip += 1
    if since_flip < enough:
        return since_flip
    quiet = at = 0
    occupied = [True] * _FLIPS
    while at < len(history):
        if history[at] < _FLIPS:
            quiet = 0
            at += 2
            continue
        source, target = divmod(history[at] - _FLIPS, _FLIPS)
        quiet = 0 if occupied[target] else quiet + 1
        occupied[source], occupied[target] = False, True
        at += 1
    return quiet


def _2048(game: pyspiel.Game) -> KeyRule:
    cap = game.max_game_length()

    def key(state: Any) -> Hashable | None:
        player = state.current_player()
        if player == TERMINAL:
            return (TERMINAL,)  # rewards are paid during the game, so the value to go is 0
        if player == CHANCE:
            # OpenSpiel remembers which tiles the last move merged and treats them as unmergeable when it next
            # lists the legal moves (a move is therefore missing in 6 % of positions). Neither the text nor
            # the outcomes show that before the new tile has appeared.
            return None
        left = cap - state.move_number()
        position = str(state), tuple(state.legal_actions())
        return position if left > 2 * _FAR else Counted(position, left)

    return KeyRule(key, _FAR)


def _cliff_walking(game: pyspiel.Game) -> KeyRule:
    def key(state: Any) -> Hashable:
        return (TERMINAL,) if state.is_terminal() else (state.move_number(), str(state))

    return KeyRule(key)


_RULES: dict[str, Callable[[pyspiel.Game], KeyRule]] = {
    "2048": _2048,
    "backgammon": _backgammon,
    "banqi": _banqi,
    "cliff_walking": _cliff_walking,
    "einstein_wurfelt_nicht": _einstein,
    "maedn": _maedn,
    "pig": _pig,
    "yacht": _yacht,
}
