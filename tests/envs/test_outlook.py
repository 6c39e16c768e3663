"""How values are told to people."""

import random
import re

import pytest

from starspiel.envs.games.pig import Pig
from starspiel.envs.load import load_game
from starspiel.envs.outlook import outlook

WON_BY_ONE = ["pig", "pig(players=3,winscore=30)", "maedn(players=3)", "maedn(players=4)", "tic_tac_toe"]


def end(game, seed):
    rng, state = random.Random(seed), game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            state = state.child(rng.choice([action for action, _ in state.chance_outcomes()]))
        else:
            state = state.child(rng.choice(state.legal_actions()))
    return state


@pytest.mark.parametrize("name", WON_BY_ONE)
def test_the_winner_has_all_chance_and_a_draw_shares_it(name):
    game = load_game(name)
    told = outlook(game)
    assert told.is_chance
    for seed in range(6):
        returns = end(game, seed).returns()
        own = [told.of(returns[0] if told.opposed else value, player) for player, value in enumerate(returns)]
        assert sum(own) == pytest.approx(1)
        assert all(
            chance in (pytest.approx(0), pytest.approx(1), pytest.approx(1 / len(own))) for chance in own
        )
    assert told.share(told.high - told.low) == 1
    assert told.change(told.high - told.low) == "+100.0 %"


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("backgammon(scoring_type=full_scoring)", "equity"),
        ("2048", "expected score"),
        ("star_2048(rows=2,columns=2)", "expected score"),
        ("catch", "expected return"),
        ("yacht(players=3)", "expected return"),  # of three, two winners leave the loser less than two losers
    ],
)
def test_other_returns_are_told_as_they_are(name, word):
    told = outlook(load_game(name))
    assert (told.word, told.is_chance, told.of(0.25)) == (word, False, 0.25)


class Margins(Pig):
    """Pig whose winner gets more for a game in which the other has no points. It has no hash."""

    __hash__ = None

    def utility(self, position):
        return super().utility(position) * (0.5 if min(position.scores) else 1.0)


def test_own_rules_that_pay_margins_are_not_told_as_chances():
    assert outlook(Pig(goal=20)).is_chance
    assert outlook(Margins(goal=20)).word == "equity"


@pytest.mark.parametrize(
    "parameters", [*(f"num_dice={n},dice_sides={7 - n}" for n in range(1, 6)), "dice_sides=8", "num_dice=6"]
)
def test_yacht_alone_is_told_in_the_points_of_its_sheet(parameters):
    """OpenSpiel divides them by a number of its own, which depends on the dice."""
    game = load_game(f"yacht(players=1,{parameters})")
    begun = game.new_initial_state().chance_outcomes()[0][0]
    inside = load_game(f"start_at(game={game.name},history={begun})")
    for played in (game, inside):
        told, state = outlook(played), end(played, 3)
        [total] = re.findall(r"total: (\d+)", str(state))
        assert told.word == "expected score"
        assert told.of(state.returns()[0]) == pytest.approx(int(total))
        assert told.text(state.returns()[0]) == f"{total}.0"
        assert told.paid(state.returns()[0]) == f"{total} points"
        assert told.paid(1 / told.points) == "1 point"
