"""One game: a plain loop over a State, with fresh bots, keyed dice and a record of everything.

The result of a game is a function of (game, agents, seeds) alone, for agents limited by depth, nodes or
simulations: whatever the number of workers, the order or the machine.
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

#: Longer games are taken not to end: agents that go in circles.
MOST_EVENTS = 100_000


def play_game(
    game: Game,
    seats: Sequence[Seat],
    dice: Dice,
    start: Sequence[int] = (),
) -> GameRecord:
    """Plays one game. Bots are never stepped at chance nodes, and informed of every event that is not theirs.

    If all players move at once each is asked at the same state, and learns what the others did when all have
    moved. Whose fault comes first in the order of the seats forfeits the game; later ones are not asked.

    A game whose chances are not listed is played with its own dice, from a seed that follows from `dice`;
    nobody is informed of the seed, which would tell what is to come.

    Args:
        seats: who plays, in the order of their numbers.
        start: the first actions, which nobody chooses: everyone is informed of them. Empty if chances are
            not listed.

    A table of Gymnasium's ends at its environment's time limit, which nobody is told: what has been collected
    by then counts.

    Raises StarspielError if the game's returns are no finite numbers, do not sum to what they should or are
    outside its utility_range, or it does not end.
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
    """The state that the game ended in, and the fault that ended it; `actions` gets its actions."""
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
    """The state after a move that all make at once."""
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
    """The same of a game whose chances are not listed: its first action is its seed."""
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
    """The next state; OpenSpiel's are changed in place, which is cheaper."""
    if isinstance(state, pyspiel.State):
        state.apply_action(action)
        return state
    return state.child(action)
