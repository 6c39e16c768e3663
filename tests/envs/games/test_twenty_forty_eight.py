import random
from functools import cache

import pyspiel
import pytest

from starspiel.agents.solve import solve
from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.errors import SpecError
from starspiel.envs.games.twenty_forty_eight import (
    TwentyFortyEight,
    TwentyFortyEightPosition,
)
from starspiel.envs.load import load_game


def test_moves_and_outcomes_are_openspiels_where_that_lists_all() -> None:
    game, rules = pyspiel.load_game("2048"), TwentyFortyEight()
    rng = random.Random(2)
    compared = omitted = 0
    for _ in range(10):
        state, mine = game.new_initial_state(), rules.new_initial_state()
        while not state.is_terminal():
            tiles = [int(tile) for tile in str(state).split()]
            assert [1 << tile if tile else 0 for tile in mine.position.tiles] == tiles
            assert mine.returns() == state.returns()
            assert mine.current_player() == state.current_player()
            if state.is_chance_node():
                assert dict(mine.chance_outcomes()) == pytest.approx(dict(state.chance_outcomes()))
            else:
                assert set(state.legal_actions()) <= set(mine.legal_actions())
                omitted += len(mine.legal_actions()) - len(state.legal_actions())
            action = rng.choice(state.legal_actions())
            state, mine = state.child(action), mine.child(action)
            compared += 1
    assert compared > 1000
    assert omitted > 0


def test_the_small_board_has_the_known_values() -> None:
    solution = solve("star_2048(columns=2,rows=2)")
    assert solution.value == pytest.approx(66.964149457101, abs=1e-9)
    rules = TwentyFortyEight(rows=2, columns=2)

    @cache
    def greatest(position: TwentyFortyEightPosition) -> float:
        player = rules.player(position)
        if player == TERMINAL:
            return rules.utility(position)
        events = [o for o, _ in rules.chances(position)] if player == CHANCE else rules.actions(position)
        return max(greatest(rules.apply(position, event)) for event in events)

    assert greatest(rules.initial()) == rules.utility_range[1] == 180


def test_positions_that_differ_by_the_points_so_far_have_one_key() -> None:
    rules = TwentyFortyEight()
    state = rules.new_initial_state().child(0).child(3)
    other = type(state)(rules, state.position._replace(score=100))
    assert rules.key(state) == rules.key(other)
    assert rules.frame(other) == (100.0, 1.0)


@pytest.mark.parametrize("wrong", ["rows=1", "columns=9", "rows=many"])
def test_wrong_sizes_are_refused(wrong) -> None:
    with pytest.raises(SpecError, match=r"must be (a whole number of at least 2|at most 8)"):
        load_game(f"star_2048({wrong})")
