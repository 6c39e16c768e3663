"""A stored game held against the rules of its game, and against its dice."""

from collections.abc import Callable
from math import inf, isclose
from typing import Any

from starspiel.envs.base import CHANCE, Game
from starspiel.evaluation.play.course import SEEDS, course, time_limit
from starspiel.evaluation.play.dice import NOBODYS, Dice, Rolls
from starspiel.evaluation.play.faults import illegal, returns_of
from starspiel.evaluation.play.match import after
from starspiel.evaluation.play.record import Outcome, impossible, key_of_actions
from starspiel.evaluation.store.rows import StoredGame

#: Seconds are stored to 1e-7, and their sum as single-precision numbers add up.
_SECONDS, _RELATIVE = 1e-7, 1e-5


class UnrepeatableError(Exception):
    """A game of drawn chances that comes out differently each time it is played again from its seed."""


class _DeviationError(Exception):
    """What is not as it should be, in words."""


def deviation(game: Game, stored: StoredGame, outcome: Outcome, dice: Dice | None) -> str | None:
    """What of a stored game its rules, its dice or its own moves contradict, in words; None if nothing.

    Args:
        outcome: the same game as tables count it.
        dice: what its chance outcomes were thrown with; without, they may be any that can be.

    Raises UnrepeatableError where it cannot be played again.
    """
    record = stored.record
    try:
        _check_counts(stored, outcome)
        made = (_of_listed if game.explicit_chance else _of_drawn)(game, stored, dice)
        if record.fault is None and made != [len(moves.seconds) for moves in record.moves]:
            raise _DeviationError(f"its seats made {made} moves, with costs of {_lengths(stored)} on record")
        if record.fault is None and (said := impossible(record.returns, game.utility_range)):
            raise _DeviationError(said)
    except _DeviationError as found:
        return str(found)
    return None


def _lengths(stored: StoredGame) -> list[int]:
    return [len(moves.seconds) for moves in stored.record.moves]


def _check_counts(stored: StoredGame, outcome: Outcome) -> None:
    """Raises _DeviationError where what tables count is not what the moves add up to."""
    record = stored.record
    if outcome.facts.length != len(record.actions):
        raise _DeviationError(
            f"it has {len(record.actions)} events, and is counted as {outcome.facts.length}"
        )
    try:
        same = outcome.facts.actions_key == key_of_actions(record.actions)
    except OverflowError:
        same = False
    if not same:
        raise _DeviationError("its events are not those that it is known by")
    for seat, (counted, moves) in enumerate(zip(outcome.costs, record.moves, strict=True)):
        own = moves.cost
        slack = _SECONDS * (1 + own.moves)
        near = isclose(counted.seconds, own.seconds, rel_tol=_RELATIVE, abs_tol=slack)
        if counted._replace(seconds=0.0) != own._replace(seconds=0.0) or not near:
            raise _DeviationError(f"the moves of seat {seat} cost {own}, and are counted as {counted}")


def _of_listed(game: Game, stored: StoredGame, dice: Dice | None) -> list[int]:
    """How many moves each seat has made after the start position. Raises _DeviationError."""
    rolls = None if dice is None else Rolls(dice)
    state: Any = game.new_initial_state()
    made = [0] * game.num_players
    left, start = time_limit(game) or inf, stored.start
    if stored.record.actions[: len(start)] != start and stored.record.fault is None:
        raise _DeviationError(f"it does not begin with its start position {list(start)}")
    for number, action in enumerate(stored.record.actions):
        player = state.current_player()
        if player < CHANCE or (player != CHANCE and left <= 0):
            raise _DeviationError(f"it goes on after its end, with event {number}")
        if player == CHANCE:
            outcomes = state.chance_outcomes()
            if action not in [outcome for outcome, chance in outcomes if chance > 0.0]:
                raise _DeviationError(f"event {number}: chance cannot bring {action}")
            thrown = action if rolls is None else rolls.throw(outcomes)
            if thrown != action and number >= len(start):
                raise _DeviationError(f"event {number}: chance brings {action}, and its dice show {thrown}")
        else:
            _check_legal(state, number, player, action)
            left -= 1
            made[player] += number >= len(start)
            if rolls is not None:
                rolls.turn_of(player)
        state = after(state, action)
    player = state.current_player()
    _check_end(game, stored, state, over=player < CHANCE or (player != CHANCE and left <= 0))
    return made


def _of_drawn(game: Game, stored: StoredGame, dice: Dice | None) -> list[int]:
    """The same of a game whose chances are drawn from its first action, the seed. Raises _DeviationError."""
    actions, fault = stored.record.actions, stored.record.fault
    if not actions and fault is not None:  # nobody could be seated
        return [0] * game.num_players
    if not actions or not 0 <= actions[0] < SEEDS:
        raise _DeviationError("it does not begin with a seed")
    if dice is not None and actions[0] != (seed := dice.number(NOBODYS, 0, 0) % SEEDS):
        raise _DeviationError(f"it begins with the seed {actions[0]}, and its dice say {seed}")
    try:
        return _played_again(game, stored)
    except _DeviationError as found:
        if _said(_played_again, game, stored) != str(found):
            raise UnrepeatableError from None
        raise


def _played_again(game: Game, stored: StoredGame) -> list[int]:
    seed, *moves = stored.record.actions
    under_way, made = course(game, seed), [0] * game.num_players
    for number, action in enumerate(moves, start=1):
        player = under_way.state.current_player()
        if player < 0:
            raise _DeviationError(f"it goes on after its end, with event {number}")
        _check_legal(under_way.state, number, player, action)
        made[player] += 1
        under_way.move(action)
    _check_end(game, stored, under_way.state, over=under_way.state.current_player() < 0)
    return made


def _said(play: Callable[[Game, StoredGame], Any], game: Game, stored: StoredGame) -> str | None:
    try:
        play(game, stored)
    except _DeviationError as found:
        return str(found)
    return None


def _check_legal(state: Any, number: int, player: int, action: int) -> None:
    if action not in (legal := state.legal_actions()):
        raise _DeviationError(f"event {number}: seat {player} {illegal(player, action, list(legal)).message}")


def _check_end(game: Game, stored: StoredGame, state: Any, *, over: bool) -> None:
    """Raises _DeviationError unless the game ends in this state, or was forfeited in it, with its returns."""
    record = stored.record
    events = f"after its {len(record.actions)} events"
    if over and record.fault is not None:
        raise _DeviationError(f"{events} it is over, and yet forfeited by seat {record.fault.seat}")
    if not over and record.fault is None:
        raise _DeviationError(f"{events} it is not over, and nobody has forfeited it")
    returns = returns_of(game, state, record.fault)
    if returns != record.returns:
        raise _DeviationError(f"{events} its returns are {returns}, and the record says {record.returns}")
