"""Makes states from backgammon position IDs."""

from typing import Any

from starspiel.agents.evaluators.bearoff import has_bearoff
from starspiel.agents.native_loader import native_status
from starspiel.envs.base import Game
from starspiel.envs.errors import StarspielError
from starspiel.envs.gnubg.position import MEN, PLACES, Position
from starspiel.envs.gnubg.text import read_position


def placed(game: Game, text: str) -> Any:
    """Returns the decision node of a position; its history contains an unrelated opening throw.

    Raises StarspielError if the game is not backgammon, the text is not a position, no dice are thrown there,
    or the native core is missing.
    """
    if not has_bearoff(game):
        raise StarspielError(f"{text!r} is a position of backgammon, and not of {game.name}.")
    position = read_position(text)
    if not position.dice:
        raise StarspielError(
            f"no dice are thrown at the position {text!r}: give an XGID with dice, such as 31 in its fifth "
            "field, or a Position ID with its Match ID."
        )
    status = native_status()
    if status.module is None:
        raise StarspielError(f"setting up positions needs the native core, which is missing: {status.reason}")
    first = game.new_initial_state()
    begun = (first.child(outcome) for outcome, _ in first.chance_outcomes())
    state = next(after for after in begun if after.current_player() == position.player)
    _set(status.module, state, position)
    return state


def _set(core: Any, state: Any, position: Position) -> None:
    own, other = position.sides
    core.set_backgammon(
        state,
        player=position.player,
        dice=sorted(position.dice),
        bar=[own[-1], other[-1]],
        off=[MEN - sum(own), MEN - sum(other)],
        # OpenSpiel numbers the points from player 1's side.
        board=[list(reversed(own[: PLACES - 1])), list(other[: PLACES - 1])],
    )
