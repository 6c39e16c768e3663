"""Keys of games of simultaneous moves: equal keys mean equal futures, near the horizon too."""

import random

import pyspiel
import pytest

from starspiel import Limits, UnsupportedGameError, load_game, make_bot, search
from starspiel.envs.base import SIMULTANEOUS, joint_child, joint_moves
from starspiel.envs.openspiel.keys import Counted

GAMES = {
    "soccer": pyspiel.load_game("markov_soccer", {"grid": "AO.\n..B\n"}),
    "soccer near its horizon": pyspiel.load_game("markov_soccer", {"grid": "AO.\n..B\n", "horizon": 6}),
    "laser_tag": pyspiel.load_game("laser_tag", {"grid": "S..\n..S", "horizon": 7, "zero_sum": True}),
    "capture_the_flag": pyspiel.load_game("capture_the_flag", {"grid": "a..b", "horizon": 1000}),
    "capture_the_flag near its horizon": pyspiel.load_game(
        "capture_the_flag", {"grid": "a..b", "horizon": 8}
    ),
    "goofspiel": pyspiel.load_game("goofspiel(num_cards=4,imp_info=false,points_order=random)"),
    "oshi_zumo": pyspiel.load_game("oshi_zumo(coins=4,size=1,horizon=6)"),
    "repeated_game": pyspiel.load_game("repeated_game(stage_game=matrix_brps(),num_repetitions=4)"),
}


def decisions(game, seed):
    """The positions of a random game in which both players move."""
    draw, state = random.Random(seed), game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state = state.child(draw.choices(outcomes, chances)[0])
            continue
        assert state.current_player() == SIMULTANEOUS
        yield state
        state = joint_child(state, [draw.choice(moves) for moves in joint_moves(state, 2)])


def to_go(state):
    """What two plies say of the position, and its moves."""
    result = search(state, "expectiminimax", Limits(depth=2), "zero", table_mb=None)
    collected = load_game(state.get_game()).frame(state)[0]
    values = [each.action_values.items() for each in result.strategies]
    return [{a: round(v - collected, 9) + 0.0 for a, v in of_one} for of_one in values]


@pytest.mark.parametrize("name", GAMES)
def test_equal_keys_are_equal_positions(name):
    game = load_game(GAMES[name])
    known, again = {}, 0
    for seed in range(300):
        for state, _ in zip(decisions(game, seed), range(12), strict=False):
            first = known.setdefault(game.key(state), state)
            if first.history() != state.history():
                assert to_go(state) == to_go(first)
                again += 1
        if again > 5:
            break
    assert again > 5
    assert None not in known


def test_the_horizon_is_part_of_keys_that_are_near_it():
    near = load_game("oshi_zumo(coins=4,size=1,horizon=6)")
    far = load_game("oshi_zumo(coins=4,size=1)")
    for game, counted in ((near, True), (far, False)):
        first = game.new_initial_state()
        second = joint_child(first, (0, 0))
        assert isinstance(game.key(first), Counted) == counted
        assert (game.key(first) == game.key(second)) != counted


def test_what_a_parameter_makes_zero_sum_is_searched():
    game = load_game("laser_tag(zero_sum=true)")
    assert game.utility_sum == 0
    assert game.simultaneous
    with pytest.raises(UnsupportedGameError, match="not zero-sum"):
        make_bot("star2", "laser_tag")


def test_files_of_matrix_games_are_searched_if_they_are_zero_sum(tmp_path):
    path = tmp_path / "game.nfg"
    for second, is_played in ((-3, True), (2, False)):
        path.write_text(f'NFG 1 R "small" {{ "A" "B" }} {{ 2 2 }}\n\n3 {second} 0 0 -1 1 2 -2\n')
        if is_played:
            found = search(load_game(f"nfg_game(filename={path})").new_initial_state())
            assert found.value == pytest.approx(1.0)
        else:
            with pytest.raises(UnsupportedGameError, match="not zero-sum"):
                search(load_game(f"nfg_game(filename={path})").new_initial_state())
