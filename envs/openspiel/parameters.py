"""Rejects parameters of OpenSpiel's games with which OpenSpiel would crash, hang or exhaust memory."""

import importlib
import re
from pathlib import Path
from typing import Any

import pyspiel

from starspiel.envs.errors import StarspielError, did_you_mean, shown
from starspiel.envs.games import GAMES
from starspiel.envs.openspiel.refusals import static_refusal
from starspiel.envs.spec import spelled

#: The allowed range of parameters; outside it, OpenSpiel crashes, hangs or makes a game without moves.
_LIMITS: dict[str, dict[str, tuple[int, int]]] = {
    "pig": {"players": (2, 10), "horizon": (1, 10**9), "winscore": (1, 10**6), "diceoutcomes": (1, 10**6)},
    "yacht": {"players": (1, 10), "num_dice": (1, 8), "dice_sides": (1, 20), "rolls_per_turn": (1, 100)},
    "maedn": {"players": (2, 4)},
    "catch": {"rows": (1, 1000), "columns": (1, 1000)},
    "backgammon": {"max_player_turns": (1, 10**9)},
    "blotto": {"players": (2, 10), "coins": (0, 1000), "fields": (1, 100)},
    "banqi": {"max_no_progress": (1, 10**9)},
    "2048": {"max_tile": (4, 2**17)},
    "breakthrough": {"rows": (2, 26), "columns": (2, 26)},
    "cliff_walking": {"height": (1, 1000), "width": (2, 1000), "horizon": (1, 10**9)},
    "checkers": {"columns": (1, 8)},
    "clobber": {"rows": (1, 100), "columns": (2, 100)},
    "connect_four": {"rows": (1, 100), "columns": (1, 100), "x_in_row": (1, 100)},
    "crazyhouse": {"insanity": (0, 1000)},
    "dots_and_boxes": {"num_rows": (1, 50), "num_cols": (1, 50)},
    "goofspiel": {"players": (2, 10), "num_cards": (1, 1000), "num_turns": (-1, 1000)},
    "gomoku": {"size": (1, 32), "dims": (1, 4), "connect": (1, 32)},
    "havannah": {"board_size": (2, 12)},
    "hex": {"board_size": (2, 26), "num_cols": (2, 26), "num_rows": (2, 26)},
    "mnk": {"m": (1, 100), "n": (1, 100), "k": (1, 100)},
    "oware": {"num_houses_per_player": (1, 26), "num_seeds_per_house": (1, 1000)},
    "quoridor": {"board_size": (2, 25), "players": (2, 4), "wall_count": (0, 1000)},
    "y": {"board_size": (1, 26)},
}


#: The maximum number of piles in nim, and of its actions: the piles times the objects in the largest.
_PILES, _NIM_ACTIONS = 1000, 1_000_000
#: The maximum number of outcomes of a throw in yacht; ten million take some gigabytes.
_YACHT_OUTCOMES = 4_000_000
#: Examples of wrappers that need more parameters than the game inside, or a certain kind of game inside.
_EXAMPLES = {
    "repeated_game": "repeated_game(stage_game=matrix_rps(),num_repetitions=3)",
    "start_at": "start_at(game=tic_tac_toe(),history=4;0;8)",
}
#: A game inside another's brackets without a key, as in `misere(pig)`, and the keys that wrappers use for it.
_BARE, _INSIDE = re.compile(r"(\w+)\(\s*(\w+)(\([^()]*\))?\s*\)"), ("game", "stage_game")
_EFG_TOKEN = re.compile(r'"[^"]*"|[{}]|[^\s"{}]+')
_TYPE_NAMES = {
    bool: "true or false",
    dict: "a game with brackets, such as tic_tac_toe()",
    int: "a whole number",
    float: "a number such as 0.5",
    str: "text",
}


def find_kind(spec: str) -> pyspiel.GameType:
    """Returns OpenSpiel's registration of a game string, without loading it.

    Raises StarspielError if there is no such game, with the nearest name.
    """
    name = spec.split("(", 1)[0].strip()
    if name.startswith("python_"):
        importlib.import_module("open_spiel.python.games")  # registers OpenSpiel's games written in Python
    for kind in pyspiel.registered_games():
        if kind.short_name == name:
            return kind
    hint = did_you_mean(name, {*pyspiel.registered_names(), *GAMES})
    if not hint.startswith(" Did"):  # a list of all games of OpenSpiel would not help
        hint = " `starspiel games` lists the games that search supports; name your own package.module:Rules."
    raise StarspielError(f"there is no game {shown(name)}.{hint}")


def instead_of_bare(spec: str) -> str:
    """Returns what to write instead of a wrapped game without a key, `misere(pig)`, or why it is refused.

    It is a sentence that starts with a space; empty for other strings.
    """
    if not (bare := _BARE.fullmatch(spec)):
        return ""
    name, inside, given = bare.groups()
    for kind in pyspiel.registered_games():
        key = next((key for key in _INSIDE if key in kind.parameter_specification), None)
        if kind.short_name == name and key is not None:
            reason = static_refusal(kind)
            written = _EXAMPLES.get(name, f"{name}({key}={inside}{given or '()'})")
            return f" {name} {reason}" if reason else f" Write it as in {written}."
    return ""


def checked_parameters(kind: pyspiel.GameType, given: dict[str, Any]) -> dict[str, Any]:
    """Returns the parameters for `pyspiel.load_game`, including those of wrapped games, after checking them.

    `given` is the result of `pyspiel.game_parameters_from_string`, without the name. It turns text that looks
    like a number into one. Raises StarspielError for a parameter that the game does not have, that has the
    wrong type, or with which OpenSpiel crashes.
    """
    known, name = kind.parameter_specification, kind.short_name
    for needed in known:
        required = needed in ("game", "stage_game", "filename") or f"{needed}=" in _EXAMPLES.get(name, "")
        if required and needed not in given:
            example = _EXAMPLES.get(name, f"{name}({needed}={'PATH' if needed == 'filename' else 'pig()'})")
            raise StarspielError(f"{name} needs the parameter {needed}, as in {example}.")
    checked = {}
    for parameter, value in given.items():
        if parameter not in known:
            hint = did_you_mean(parameter, known) if known else " It takes no parameters."
            raise StarspielError(f"{name} has no parameter {parameter!r}.{hint}")
        about, expected = f"{name}({parameter}={value})", type(known[parameter])
        fits = type(value) is expected or (expected is str and type(value) in (int, float, bool))
        if expected in _TYPE_NAMES and not fits:
            raise StarspielError(f"{about}: expected {_TYPE_NAMES[expected]}, got {value!r}.")
        limits = _LIMITS.get(name, {}).get(parameter)
        if limits is not None and not limits[0] <= value <= limits[1]:
            raise StarspielError(f"{about}: expected {limits[0]} to {limits[1]}, got {value}.")
        if isinstance(value, dict):
            inside = {key: each for key, each in value.items() if key != "name"}
            value = {"name": value["name"], **checked_parameters(find_kind(value["name"]), inside)}
        elif expected is str:
            value = spelled(value)
            if parameter == "filename" or parameter.endswith("_file"):
                _check_file(about, value)
        checked[parameter] = value
    if name in _CHECKS:
        _CHECKS[name](checked)
    return checked


def load_inside(parameters: dict[str, Any]) -> pyspiel.Game:
    """Returns the game that is a parameter of another game. Its parameters are not checked."""
    return pyspiel.load_game(
        parameters["name"], {key: value for key, value in parameters.items() if key != "name"}
    )


def _check_file(about: str, path: str) -> None:
    try:
        found = not path or Path(path).is_file()
    except ValueError:
        found = False
    if not found:
        raise StarspielError(f"{about}: there is no file {path!r}.")


def _check_start(given: dict[str, Any]) -> None:
    """Raises StarspielError unless each action of start_at's history is legal after those before it."""
    inside = load_inside(given["game"])
    game, state = str(inside), inside.new_initial_state()
    for number, text in enumerate(given["history"].split(";"), 1):
        about = f"start_at(history={given['history']}): action {number}, {text!r},"
        if not _is_number(text):
            raise StarspielError(
                f"{about} is no number; expected the actions from the start of {game}, as in 4;0;8."
            )
        if state.is_terminal():
            raise StarspielError(f"{about} comes after the end of {game}; leave it out.")
        legal = state.legal_actions()
        if int(text) not in legal:
            few = f"{', '.join(map(str, legal[:12]))}{', ...' if len(legal) > 12 else ''}"
            raise StarspielError(f"{about} is not legal in {game}; expected one of {few}.")
        state.apply_action(int(text))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal()


def _check_goofspiel(given: dict[str, Any]) -> None:
    """Raises StarspielError if OpenSpiel would never end the game, because only the last card is left."""
    cards, turns = given.get("num_cards", 13), given.get("num_turns", -1)
    if turns in (0, cards - 1):
        raise StarspielError(
            f"goofspiel(num_cards={cards},num_turns={turns}): expected -1 (all cards), or 1 to {cards} turns "
            f"but {cards - 1}: OpenSpiel never ends the others, because it plays the last card by itself."
        )


def _check_nim(given: dict[str, Any]) -> None:
    """Raises StarspielError unless nim's piles are numbers, and few enough that all moves fit in memory."""
    about = f"nim(pile_sizes={given.get('pile_sizes', '1;3;5;7')})"
    piles = given.get("pile_sizes", "1;3;5;7").split(";")
    if not all(_is_number(pile) and len(pile) < 10 for pile in piles):
        raise StarspielError(f"{about}: expected whole numbers between semicolons, as in 1;3;5;7.")
    largest = max(map(int, piles))
    if len(piles) > _PILES or len(piles) * largest > _NIM_ACTIONS:
        raise StarspielError(
            f"{about}: expected at most {_PILES} piles, and their number times the largest at most "
            f"{_NIM_ACTIONS}, got {len(piles)} x {largest}."
        )


def _check_yacht(given: dict[str, Any]) -> None:
    """Raises StarspielError if yacht has too many throws to list: each sequence of faces is an outcome."""
    dice, sides = given.get("num_dice", 5), given.get("dice_sides", 6)
    if sides**dice > _YACHT_OUTCOMES:
        raise StarspielError(
            f"yacht(num_dice={dice},dice_sides={sides}): a throw has {sides}^{dice} = {sides**dice} "
            f"outcomes; expected at most {_YACHT_OUTCOMES}, as OpenSpiel lists them all."
        )


def _check_efg(given: dict[str, Any]) -> None:
    """Raises StarspielError unless each decision in an extensive-form game's file belongs to a player."""
    about = f"efg_game(filename={given['filename']})"
    _check_file(about, given["filename"])
    tokens = _EFG_TOKEN.findall(Path(given["filename"]).read_text(errors="replace"))
    names = tokens[tokens.index("{") + 1 : tokens.index("}")] if {"{", "}"} <= set(tokens) else []
    for kind, label, player in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if kind == "p" and label.startswith('"') and player not in map(str, range(1, len(names) + 1)):
            raise StarspielError(
                f"{about}: expected a player from 1 to {len(names)} at each decision, got {player} at p "
                f"{label}."
            )


#: Game -> a function that checks its parameters, after their types and the games inside them are checked.
_CHECKS = {
    "efg_game": _check_efg,
    "goofspiel": _check_goofspiel,
    "nim": _check_nim,
    "start_at": _check_start,
    "yacht": _check_yacht,
}
