"""Plays one game: a plain loop over a State, with new bots, keyed dice and a record of everything.

If agents are limited by depth, nodes or simulations, the result of a game depends only on (game, agents,
seeds), and not on the number of workers, the order of games or the machine.
"""

from collections.abc import Sequence
from math import inf, isfinite
from typing import Any

import pyspiel

from starspiel.envs.base import CHANCE, NO_ACTION, SIMULTANEOUS, Game, joint_child, utility_sum
from starspiel.envs.errors import StarspielError
from starspiel.evaluation.play.course import SEEDS, Course, time_limit
from starspiel.evaluation.play.dice import NOBODYS, Dice, Rolls
from starspiel.evaluation.play.faults import FaultError, returns_of
from starspiel.evaluation.play.record import Fault, GameRecord, impossible
from starspiel.evaluation.play.seat import Seat

#: Longer games are assumed to be endless, for example because agents move in circles.
MOST_EVENTS = 100_000


def play_game(
    game: Game,
    seats: Sequence[Seat],
    dice: Dice,
    start: Sequence[int] = (),
) -> GameRecord:
    """Plays one game and returns its record.

    Bots are never stepped at chance nodes, and are informed of every event except their own moves.

    If all players move at once, each is asked at the same state, and is informed of the others' moves when
    all have moved. The first seat with a fault forfeits the game, and later seats are not asked.

    If chance outcomes are not listed, the game has its own dice, seeded by a number from `dice`. Bots are not
    informed of the seed, which would reveal future outcomes.

    Args:
        seats: the seats in the order of their numbers.
        start: the first actions, which no bot chooses but all are informed of. Empty if chance outcomes are
            not listed.

    A Gymnasium environment's transition table ends at the environment's time limit, of which bots are not
    informed; the returns so far count.

    Raises StarspielError if the game's returns are not finite, have a wrong sum or are outside its
    utility_range, or if it does not end.
    """
    actions: list[int] = []
    play = _play_listed if game.explicit_chance else _play_drawn
    state, fault = play(game, seats, dice, start, actions)
    returns = returns_of(game, state, fault)
    if not all(map(isfinite, returns)):
        raise StarspielError(
            f"{game.name}: the returns are {returns} after {actions}; expected finite numbers."
        )
    if fault is None and (said := impossible(returns, game.utility_range, utility_sum(game))):
        raise StarspielError(f"{game.name}: its rules end a game with {said}, after {actions}. Correct them.")
    moves = tuple([seat.moves for seat in seats])
    return GameRecord(tuple([seat.agent for seat in seats]), tuple(actions), returns, moves, fault)


def _play_listed(
    game: Game, seats: Sequence[Seat], dice: Dice, start: Sequence[int], actions: list[int]
) -> tuple[Any, Fault | None]:
    """Plays a game with listed chance outcomes; returns its last state and the fault that ended it, or None.

    Appends its actions to `actions`.
    """
    state: Any = game.new_initial_state()
    listeners = [seat for seat in seats if seat.listens]
    rolls = Rolls(dice)
    fault: Fault | None = None
    moves_left = time_limit(game) or inf
    try:
        while (player := state.current_player()) >= CHANCE or player == SIMULTANEOUS:
            if player == SIMULTANEOUS:
                state = _joint_turn(state, seats, rolls, start, actions)
                _check_length(game, actions)
                continue
            if player != CHANCE:
                if moves_left <= 0:
                    break
                moves_left -= 1
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
            _check_length(game, actions)
            state = after(state, action)
    except FaultError as error:
        fault = error.fault
    return state, fault


def _joint_turn(
    state: Any, seats: Sequence[Seat], rolls: Rolls, start: Sequence[int], actions: list[int]
) -> Any:
    """Has all players move at once, and returns the state after it."""
    chosen = list(start[len(actions) : len(actions) + len(seats)]) or [
        seat.move(state) if state.legal_actions(seat.number) else NO_ACTION for seat in seats
    ]
    for seat in seats:
        rolls.turn_of(seat.number)
        if seat.hears_joint_moves:
            seat.hear_all(state, chosen)
    actions += chosen
    if isinstance(state, pyspiel.State):
        state.apply_actions(chosen)
        return state
    return joint_child(state, chosen)


def _play_drawn(
    game: Game, seats: Sequence[Seat], dice: Dice, start: Sequence[int], actions: list[int]
) -> tuple[Any, Fault | None]:
    """Plays a game like `_play_listed`, but with sampled chance outcomes: its first action is its seed."""
    assert not start, "a start position lists outcomes"
    seed = dice.number(NOBODYS, 0, 0) % SEEDS
    actions.append(seed)
    under_way = Course(game, seed)
    try:
        while (player := under_way.state.current_player()) >= 0:
            state = under_way.state
            action = seats[player].move(state)
            for seat in seats:
                if seat.listens and seat.number != player:
                    seat.hear(state, player, action)
            actions.append(action)
            _check_length(game, actions)
            under_way.move(action)
    except FaultError as error:
        return under_way.state, error.fault
    return under_way.state, None


def _check_length(game: Game, actions: Sequence[int]) -> None:
    if len(actions) >= MOST_EVENTS:
        raise StarspielError(
            f"{game.name}: the game has not ended after {MOST_EVENTS:,} events. Give it an end: a cap on "
            "the moves in its rules, or horizon=200 for a Gymnasium environment."
        )


def after(state: Any, action: int) -> Any:
    """Returns the next state; OpenSpiel's states are changed in place, which is cheaper."""
    if isinstance(state, pyspiel.State):
        state.apply_action(action)
        return state
    return state.child(action)
