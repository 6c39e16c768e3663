"""What the inputs of backgammon say of the next roll, against OpenSpiel's legal moves."""

import random

from starspiel.agents.encoders.backgammon import inputs_of_rolls
from starspiel.envs.base import CHANCE
from starspiel.envs.load import load_game


def men(state, player):
    points = [state.board(player, 24 - d if player == 0 else d - 1) for d in range(1, 25)]
    observed = state.observation_tensor(0)
    return [int(observed[193 + 3 * player]), *points, int(observed[192 + 3 * player])]


def hits(state, player):
    """The pips that the best legal move of a roll takes from the opponent by sending men to the bar."""
    best = 0
    for action in state.legal_actions():
        before, after = men(state, 1 - player), men(state.child(action), 1 - player)
        if after[25] > before[25]:
            best = max(best, *(25 - d for d in range(1, 25) if after[d] < before[d]))
    return best


def test_shots_are_what_legal_moves_hit():
    """Doubles are two turns in OpenSpiel and left out; both dice must be played, which the count ignores."""
    draw = random.Random(3)
    game = load_game("backgammon")
    compared = equal = 0
    while compared < 60:
        state = game.new_initial_state()
        for _ in range(draw.randrange(3, 120)):
            if state.is_terminal():
                break
            actions = (
                [a for a, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()
            )
            state = state.child(draw.choice(actions))
        if state.is_terminal() or state.current_player() != CHANCE or state.move_number() == 0:
            continue
        rolled = [state.child(outcome) for outcome in range(0, 30, 2)]
        player = rolled[0].current_player()
        by_rolls = [hits(each, player) for each in rolled]
        # The doubles' part of both counts: at most six rolls, each of which costs 24 pips at most.
        rolls, pips, *_ = inputs_of_rolls(men(state, player), men(state, 1 - player))
        least = 2 * sum(hit > 0 for hit in by_rolls)
        assert least <= rolls
        assert 2 * sum(by_rolls) <= pips
        compared += 1
        equal += rolls <= least + 6
    assert equal >= 0.95 * compared


def test_blocks_are_counted_in_rolls():
    """Before a prime of six points nothing passes; behind it, and without it, everything does."""
    alone, prime = [0] * 26, [0] * 26
    alone[25] = 1
    for distance in range(1, 7):
        prime[distance] = 2
    assert inputs_of_rolls(alone, prime)[2:5] == [36, 36, 36]
    alone[25], alone[12] = 0, 1
    assert inputs_of_rolls(alone, prime)[2:4] == [0, 0]
