"""One game: a plain loop over a State, with fresh bots, keyed dice and a record of everything.

The result of a game is a function of (game, agents, seeds) alone, for agents limited by depth, nodes or
simulations: whatever the number of workers, the order or the machine.
"""

from collections.abc import Sequence
from math import isfinite
from typing import Any

import pyspiel

from starspiel.envs.base import CHANCE, Game
from starspiel.envs.errors import StarspielError
from starspiel.evaluation.play.dice import Dice, Rolls
from starspiel.evaluation.play.faults import FaultError, returns_of
from starspiel.evaluation.play.record import Fault, GameRecord
from starspiel.evaluation.play.seat import Seat


def play_game(
    game: Game,
    seats: Sequence[Seat],
    dice: Dice,
    start: Sequence[int] = (),
    journal: list[int] | None = None,
) -> GameRecord:
    """Plays one game. Bots are never stepped at chance nodes, and informed of every event that is not theirs.

    Args:
        seats: who plays, in the order of their numbers.
        start: the first actions, which nobody chooses: everyone is informed of them.
        journal: gets the actions as they come.

    Raises StarspielError where the game's returns are no finite numbers.
    """
    state: Any = game.new_initial_state()
    actions: list[int] = [] if journal is None else journal
    listeners = [seat for seat in seats if seat.listens]
    rolls = Rolls(dice)
    fault: Fault | None = None
    try:
        while (player := state.current_player()) >= CHANCE:
            given = len(actions) < len(start)
            if player == CHANCE:
                action = rolls.throw(state.chance_outcomes())
            else:
                rolls.turn_of(player)
                action = 0 if given else seats[player].move(state)
            if given:
                action = start[len(actions)]
            for seat in listeners:
                if given or seat.number != player:
                    seat.hear(state, player, action)
            actions.append(action)
            state = _after(state, action)
    except FaultError as error:
        fault = error.fault
    returns = returns_of(game, state, fault)
    if not all(map(isfinite, returns)):
        raise StarspielError(
            f"{game.name}: the returns are {returns} after {actions}; expected finite numbers."
        )
    moves = tuple([seat.moves for seat in seats])
    return GameRecord(tuple([seat.agent for seat in seats]), tuple(actions), returns, moves, fault)


def _after(state: Any, action: int) -> Any:
    """The next state; OpenSpiel's are changed in place, which is cheaper."""
    if isinstance(state, pyspiel.State):
        state.apply_action(action)
        return state
    return state.child(action)
