"""Compares a stored game with its rules and dice."""

from math import inf, isclose

from starspiel.envs.base import CHANCE, NO_ACTION, Game, utility_sum
from starspiel.envs.joint_move import one_by_one
from starspiel.evaluation.play.course import SEEDS, retraced, time_limit
from starspiel.evaluation.play.dice import NOBODYS, Dice, Rolls
from starspiel.evaluation.play.faults import illegal, returns_of
from starspiel.evaluation.play.record import GameRecord, Outcome, impossible, key_of_actions

#: Absolute and relative tolerance of seconds: stored to 1e-7, and summed from single-precision numbers.
_SECONDS, _RELATIVE = 1e-7, 1e-5


class UnrepeatableError(Exception):
    """Raised for a game with sampled chance outcomes that differs each time it is replayed from its seed."""


def deviation(
    game: Game, record: GameRecord, start: tuple[int, ...], outcome: Outcome, dice: Dice | None
) -> str | None:
    """Describes how a stored game contradicts its rules, dice or moves; returns None if it does not.

    `outcome` is the same game as tables count it. Without `dice`, any possible chance outcomes are accepted.
    Raises UnrepeatableError if the game cannot be replayed.
    """
    if said := _miscounted(record, outcome):
        return said
    said = _deviation(game, record, start, dice)
    if said and not game.explicit_chance and said != _deviation(game, record, start, dice):
        raise UnrepeatableError
    return said


def _miscounted(record: GameRecord, outcome: Outcome) -> str | None:
    """Describes how the counted outcome differs from the moves of the record; None if it does not."""
    if outcome.facts.length != len(record.actions):
        return f"it has {len(record.actions)} events, and is counted as {outcome.facts.length}"
    try:
        same = outcome.facts.actions_key == key_of_actions(record.actions)
    except OverflowError:
        same = False
    if not same:
        return "its events do not match the key of its actions"
    for seat, (counted, moves) in enumerate(zip(outcome.costs, record.moves, strict=True)):
        own = moves.cost
        slack = _SECONDS * (1 + own.moves)
        near = isclose(counted.seconds, own.seconds, rel_tol=_RELATIVE, abs_tol=slack)
        if counted._replace(seconds=own.seconds) != own or not near:
            return f"the moves of seat {seat} cost {own}, and are counted as {counted}"
    return None


def _deviation(game: Game, record: GameRecord, start: tuple[int, ...], dice: Dice | None) -> str | None:
    actions, fault, made = record.actions, record.fault, [0] * game.num_players
    if actions[: len(start)] != start and fault is None:
        return f"it does not begin with its start position {list(start)}"
    rolls = None if dice is None else Rolls(dice)
    left, number, state = time_limit(game) or inf, -1, one_by_one(game.new_initial_state())
    for number, (before, action, after) in enumerate(retraced(game, actions)):
        player, state = before.current_player(), after
        if number == 0 and not game.explicit_chance:
            if dice is not None and action != (seed := dice.number(NOBODYS, 0, 0) % SEEDS):
                return f"it begins with the seed {action}, and its dice say {seed}"
        elif player == CHANCE:
            thrown = action if rolls is None else rolls.throw(before.chance_outcomes())
            if thrown != action and number >= len(start):
                return f"event {number}: chance brings {action}, and its dice show {thrown}"
        elif left <= 0:
            return f"it goes on after its end, with event {number}"
        else:
            left -= 1
            made[player] += number >= len(start) and action != NO_ACTION
            if rolls is not None:
                rolls.turn_of(player)
    player = state.current_player()
    if not game.explicit_chance and number < 0 and (actions or fault is None):
        return "it does not begin with a seed"
    over = player < CHANCE or (player != CHANCE and left <= 0)
    if number + 1 < len(actions):
        action = actions[number + 1]
        if over:
            return f"it goes on after its end, with event {number + 1}"
        if player == CHANCE:
            return f"event {number + 1}: chance cannot bring {action}"
        legal = list(state.legal_actions())
        return f"event {number + 1}: seat {player} {illegal(player, action, legal).message}"
    events = f"after its {len(actions)} events"
    if over is (fault is not None):
        return (
            f"{events} it is not over, and nobody has forfeited it"
            if fault is None
            else f"{events} it is over, and yet forfeited by seat {fault.seat}"
        )
    if (returns := returns_of(game, state, fault)) != record.returns:
        return f"{events} its returns are {returns}, and the record says {record.returns}"
    lengths = [len(moves.seconds) for moves in record.moves]
    if fault is None and made != lengths:
        return f"its seats made {made} moves, with costs of {lengths} on record"
    if fault is not None:
        return None
    return impossible(record.returns, game.utility_range, utility_sum(game))
