"""The position after a history that somebody typed."""

from typing import Any

from starspiel.envs.base import CHANCE, Game
from starspiel.envs.errors import StarspielError
from starspiel.envs.joint_move import JointMove, one_by_one
from starspiel.envs.plays import name_of
from starspiel.evaluation.play.course import SEEDS, retraced


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
    if not game.explicit_chance and not (history and 0 <= history[0] < SEEDS):
        raise StarspielError(
            f"history: the chances of {game.name} are drawn, from a seed; expected one first, from 0 to "
            f"{SEEDS - 1}, e.g. --history {','.join(map(str, [1, *history[1:]]))}."
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
