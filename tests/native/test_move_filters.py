"""Move filters in the native engine: the Python engine's values and moves, with every speed-up."""

import pytest
from support.native import OFF, some_decisions

from starspiel.agents.search import Limits, search

#: The plies searched.
GAMES = {
    "backgammon": 2,
    "banqi": 2,
    "breakthrough(rows=5,columns=4)": 3,
    "cant_stop(sides=3)": 3,
    "connect_four": 4,
    "einstein_wurfelt_nicht": 3,
    "maedn(players=2)": 3,
    "pig(winscore=20)": 5,
    "royal_game_of_ur(dice=2,pieces=2)": 4,
    "star_2048(rows=3,columns=3)": 3,
}
EXTRAS = [{}, {"merge": True, "order": False}, {"table_mb": None}, {"threads": 2}]


def asked(state, depth, filters, evaluator, **how):
    how |= {"filters": filters, "ties": "first", "explain": False}
    return search(state, "star2", Limits(depth=depth), evaluator, **how)


def says_so(result):
    return any("selective" in note for note in result.notes)


@pytest.mark.parametrize("game", GAMES)
def test_both_engines_search_the_same_moves(core, game):
    for number, state in enumerate(some_decisions(game, 3)):
        filters = ("narrow", "3:0.2/2:0.1/2:0.05")[number % 2]
        python = asked(state, GAMES[game], filters, "auto", engine="python", table_mb=None)
        close = {"abs": 1e-6, "rel": 1e-6}  # networks add up in single precision
        for extras in (OFF, *EXTRAS):
            native = asked(state, GAMES[game], filters, "auto", engine="native", **extras)
            assert native.action_values == pytest.approx(python.action_values, **close), extras
            assert (native.depth, native.exact) == (python.depth, python.exact)
            assert says_so(native) == says_so(python) == (python.statistics.filtered_moves > 0)


def test_what_a_filtered_search_knows_of_a_shallower_depth_it_does_not_take_for_the_deeper(core):
    """Without filters the table's entries of finished lines hold for all depths."""
    state = some_decisions("connect_four(rows=4,columns=4,x_in_row=3)", 1)[0]
    given = {"engine": "native", "exact_action_values": True}
    plain = asked(state, 9, None, "zero", **given)
    filtered = asked(state, 9, "1000:9000/1000:9", "zero", **given)
    assert filtered.action_values == plain.action_values
