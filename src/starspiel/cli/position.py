"""Reads a history or a position that a user typed, and writes positions in other programs' notations."""

from typing import Any

from starspiel.envs.base import CHANCE, Game, possible_outcomes
from starspiel.envs.errors import StarspielError, did_you_mean, shown
from starspiel.envs.joint_move import JointMove, one_by_one
from starspiel.envs.modules import is_installed, resolve
from starspiel.envs.openspiel.game import OpenSpielGame
from starspiel.envs.plays import meant, name_of
from starspiel.envs.plays.plays import is_backgammon
from starspiel.envs.spec import quiet_stderr
from starspiel.envs.text import is_number
from starspiel.evaluation.play.course import SEEDS, Course, retraced

_NOTATIONS = "starspiel.envs.gnubg.text:notations_of"


def parse_history(game: Game, text: str) -> list[int]:
    """Returns the actions of a history of numbers (`3,0,17`) or names (`roll,rolled 4`).

    Names that contain commas are separated by ";". If the history has names, it ends at the first number that
    is not legal. Raises StarspielError for a name that is not one of a legal action there.
    """
    given = text.strip().removesuffix(";")
    words = [word.strip() for word in given.split(";" if ";" in text else ",")] if given else []
    if all(is_number(word.removeprefix("-")) for word in words):
        return [int(word) for word in words]
    course, actions = (Course(game) if game.explicit_chance else None), list[int]()
    for number, word in enumerate(words, start=1):
        if course is None:  # a game with sampled chance outcomes, whose history starts with a seed
            if not is_number(word) or int(word) >= SEEDS:
                raise StarspielError(f"history: expected a seed first, such as 1, got {shown(word)}.")
            actions.append(int(word))
            course = Course(game, actions[0])
            continue
        try:
            found = [int(word)] if is_number(word) else _named(game, course.state, word)
        except StarspielError as error:
            hint = (
                " If names contain commas, separate them with semicolons."
                if "," in text and ";" not in text
                else ""
            )
            raise StarspielError(f"history: action {number} of {len(words)}: {error}{hint}") from None
        for action in found:
            actions.append(action)
            if action not in course.possible():
                return actions
            course.move(action)
    return actions


def _named(game: Game, state: Any, name: str) -> list[int]:
    """Returns the actions that a name stands for: a chance outcome, or a play, which may be two actions.

    Raises StarspielError if no legal action has that name.
    """
    if state.is_terminal():
        raise StarspielError(f"{name!r} comes after the end of the game.")
    player = state.current_player()
    if player != CHANCE and not isinstance(state, JointMove):
        return meant(game, state, name, f"the moves of player {player} are {_legal(state)}")
    possible = list(state.legal_actions())
    if player == CHANCE:
        possible = [outcome for outcome, _ in possible_outcomes(state)]
    names = {str(state.action_to_string(player, each)).lower(): each for each in reversed(possible)}
    names |= {name_of(state, player, each).lower(): each for each in reversed(possible)}
    if name.lower() not in names:
        what = ("outcome", "outcomes") if player == CHANCE else ("move", f"moves of player {player}")
        near = did_you_mean(name, names)
        hint = near if near.startswith(" Did") else ""  # without it, the list of names would be repeated
        raise StarspielError(f"no {what[0]} {shown(name)}; the {what[1]} are {_legal(state)}.{hint}")
    return [names[name.lower()]]


def typed_position(game: Game, text: str) -> Any:
    """Returns the decision at a position of backgammon, or at one that OpenSpiel reads, e.g. a FEN of chess.

    Raises StarspielError if the game cannot read positions, the text is invalid, or no player is to move.
    """
    if is_backgammon(game.new_initial_state()):
        return resolve("starspiel.agents.reference.placed:placed")(game, text)
    if not isinstance(game, OpenSpielGame):
        raise StarspielError(f"{game.name} cannot read positions; give the moves with --history.")
    try:
        with quiet_stderr():
            state = game.pyspiel_game.new_initial_state(text)
    except Exception as error:  # OpenSpiel's messages name its own source files
        raise StarspielError(
            f"{game.name} cannot read the position {text!r}; OpenSpiel reads positions of chess, as FEN, and "
            "of few other games. Give the moves with --history."
        ) from error
    if state.is_terminal() or state.is_chance_node():
        whose = "the game is over there" if state.is_terminal() else "chance moves there"
        raise StarspielError(f"no player moves at the position {text!r}: {whose}.")
    return state


def notations(state: Any) -> dict[str, str]:
    """Returns a backgammon decision in the notations of other programs, by name of the notation.

    Returns {} for other games, and for the second half of a double.
    """
    if not is_backgammon(state) or not is_installed(_NOTATIONS):
        return {}
    if state.full_history()[-1].player == state.current_player():
        return {}
    written: dict[str, str] = resolve(_NOTATIONS)(state)
    return written


def position_after(game: Game, history: list[int]) -> Any:
    """Returns the decision after the actions; if chance outcomes are sampled, after a seed and the moves.

    Raises StarspielError at the first action that is not legal, and if no player is to move at the end.
    """
    if not game.explicit_chance and not (history and 0 <= history[0] < SEEDS):
        raise StarspielError(
            f"history: the chance outcomes of {game.name} are sampled from a seed; expected a seed first, "
            f"from 0 to {SEEDS - 1}, e.g. --history {','.join(map(str, [1, *history[1:]]))}."
        )
    states = [one_by_one(game.new_initial_state()), *(after for _, _, after in retraced(game, history))]
    made, state = len(states) - 1, states[-1]
    over, player = state.is_terminal(), state.current_player()
    if made < len(history):
        problem = f"history: action {made + 1} of {len(history)}, {history[made]}, is not legal"
        what = "outcomes" if player == CHANCE else f"moves of player {player}"
        why = f": {game.name} is over by then." if over else f"; the {what} are {_legal(state)}."
        raise StarspielError(problem + why)
    if over:
        raise StarspielError(f"history: {game.name} is over by then; give fewer actions.")
    if player == CHANCE:
        example = ",".join(map(str, [*history, state.chance_outcomes()[0][0]]))
        raise StarspielError(
            f"history: chance moves {'next' if history else 'first'} in {game.name}; add an outcome, e.g. "
            f"--history {example}. The outcomes are {_legal(state)}."
        )
    if not isinstance(state, JointMove):
        return state
    if state.chosen:
        raise StarspielError(
            f"history: all players of {game.name} move at once; expected one move of each, got "
            f"{list(state.chosen)}."
        )
    return state.node


def _legal(state: Any) -> str:
    player = state.current_player()
    legal = [each for each, _ in state.chance_outcomes()] if player == CHANCE else state.legal_actions()
    known = ", ".join(f"{action} ({name_of(state, player, action)})" for action in legal[:6])
    return known + (", …" if len(legal) > 6 else "")
