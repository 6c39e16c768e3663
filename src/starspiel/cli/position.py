"""The position after a history that somebody typed."""

from typing import Any

from starspiel.envs.base import CHANCE, Game
from starspiel.envs.errors import StarspielError
from starspiel.envs.plays import name_of
from starspiel.evaluation.play.course import SEEDS, Course


def parse_history(text: str) -> list[int]:
    """The actions of `3,0,17`; none of an empty string. Raises StarspielError if it is no such list."""
    try:
        return [int(action) for action in text.split(",")] if text.strip() else []
    except ValueError:
        raise StarspielError(f"history must be actions such as 3,0,17, got {text!r}.") from None


def position(game: Game, history: list[int]) -> Any:
    """The decision after the actions; if chances are drawn, after a seed and the moves.

    Raises StarspielError at the first action that is not legal, and if nobody is to move at the end.
    """
    under_way, moves, state = None, history, None
    if game.explicit_chance:
        state = game.new_initial_state()
    else:
        if not history or not 0 <= history[0] < SEEDS:
            raise StarspielError(
                f"history: the chances of {game.name} are drawn, from a seed; expected one first, from 0 to "
                f"{SEEDS - 1}, e.g. --history {','.join(map(str, [1, *history[1:]]))}."
            )
        under_way, moves = Course(game, history[0]), history[1:]
        state = under_way.state
    for number, action in enumerate(moves, start=len(history) - len(moves) + 1):
        problem = f"history: action {number} of {len(history)}, {action}, is not legal"
        if state.is_terminal():
            raise StarspielError(f"{problem}: {game.name} is over by then.")
        if action not in (legal := _legal(state)):
            player = state.current_player()
            what = "outcomes" if player == CHANCE else f"moves of player {player}"
            raise StarspielError(f"{problem}; the {what} are {_named(state, legal)}.")
        if under_way is None:
            state = state.child(action)
        else:
            under_way.move(action)
            state = under_way.state
    if state.is_terminal():
        raise StarspielError(f"history: {game.name} is over by then; give fewer actions.")
    if state.current_player() == CHANCE:
        legal, when = _legal(state), "next" if history else "first"
        example = ",".join(map(str, [*history, legal[0]]))
        raise StarspielError(
            f"history: chance moves {when} in {game.name}; add an outcome, e.g. --history {example}. The "
            f"outcomes are {_named(state, legal)}."
        )
    return state


def _legal(state: Any) -> list[int]:
    chance = state.current_player() == CHANCE
    return [each for each, _ in state.chance_outcomes()] if chance else list(state.legal_actions())


def _named(state: Any, legal: list[int]) -> str:
    player = state.current_player()
    known = ", ".join(f"{action} ({name_of(state, player, action)})" for action in legal[:6])
    return known + (", …" if len(legal) > 6 else "")
