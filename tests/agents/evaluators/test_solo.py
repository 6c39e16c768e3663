"""The evaluator solo: exact alone, symmetric for two, refused elsewhere."""

import pytest
from support.positions import random_states

from starspiel import SpecError, load_game, make_evaluator
from starspiel.agents.conformance import check_evaluator

ALONE = "yacht(players=1)"


def test_alone_it_is_the_best_move_and_the_mean_over_throws():
    value = make_evaluator("solo", ALONE)
    means = 0
    for state in random_states(load_game(ALONE), 1, 200):
        if not state.is_chance_node():
            assert value(state) == pytest.approx(max(value(state.child(a)) for a in state.legal_actions()))
        elif len(outcomes := state.chance_outcomes()) <= 216 and means < 9:
            assert value(state) == pytest.approx(sum(p * value(state.child(o)) for o, p in outcomes))
            means += 1
    assert means > 3


def test_two_players_share_and_values_differ():
    value = make_evaluator("solo", "yacht(players=2)")
    values = [value(state) for state in random_states(load_game("yacht(players=2)"), 2, 200)]
    assert value(load_game("yacht(players=2)").new_initial_state()) == 0.0
    assert min(values) >= -1.0
    assert max(values) <= 1.0
    # Who has filled the worst categories with nothing is behind; both play at random.
    assert len({round(each, 3) for each in values}) > 50


@pytest.mark.parametrize(("dice", "sides"), [(1, 3), (2, 6), (4, 3), (5, 6)])
def test_before_the_end_values_are_returns_whatever_the_dice(dice, sides):
    name = f"yacht(players=1,num_dice={dice},dice_sides={sides})"
    value = make_evaluator("solo", name)
    *_, last = random_states(load_game(name), 4)
    after = last.child(last.legal_actions()[-1])
    assert after.returns()[0] > 0
    assert value(after) == after.returns()[0]
    assert value(last) == pytest.approx(after.returns()[0])
    assert make_evaluator("auto", name).name == "solo"


@pytest.mark.parametrize("name", [ALONE, "yacht(players=2)"])
def test_it_passes_every_check_that_ships(name):
    report = check_evaluator("solo", name, positions=60)
    assert report.ok, str(report)


@pytest.mark.parametrize("name", ["pig", "backgammon", "yacht(players=2,num_dice=6)", "cant_stop"])
def test_games_without_such_tables(name):
    with pytest.raises(SpecError, match="solo values yacht"):
        make_evaluator("solo", name)
