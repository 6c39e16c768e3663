"""Solo games of categories: small ones by hand and by brute force, yacht's known optimum."""

import numpy as np
import pytest

from starspiel import load_game, make_evaluator
from starspiel.agents.solve.categories import CategoryGame, Turn


def test_one_die_one_category():
    """Of one die thrown once: its mean. Thrown twice: again below 4, so 4.25."""
    for throws, mean in ((1, 3.5), (2, 4.25)):
        turn = Turn(1, 6, throws)
        game = CategoryGame(turn, np.array([[float(roll[0])] for roll in turn.rolls]))
        table = game.solve()
        assert table[0, 0] == pytest.approx(mean)
        assert table[:, 1].tolist() == [0.0, 0.0]
    # 1/2 of 4, 5, 6 kept, and 1/2 of any throw.
    assert table[1, 0] == pytest.approx((16 + 25 + 36) / 6 + (1 + 4 + 9 + 16 + 25 + 36) / 12)


def test_codes_tell_dice_apart():
    turn = Turn(3, 4, 2)
    codes = {sum(turn.codes[die - 1] for die in kept) for kept in turn.kept}
    assert len(codes) == len(turn.kept) == turn.kept_count


def test_the_optimum_of_yacht_alone():
    """As many points as the optimal player of OpenSpiel's yacht has, 169.8."""
    evaluator = make_evaluator("solo", "yacht(players=1)")
    start = load_game("yacht(players=1)").new_initial_state()
    assert evaluator(start) * 305 == pytest.approx(169.7987, abs=1e-3)
