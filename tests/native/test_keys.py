"""Tables of OpenSpiel's own states: by the keys of envs/openspiel/keys.py, and with the values of none."""

import itertools

import numpy as np
import pytest
from support.native import decisions, walk

from starspiel.agents.evaluators import BatchEvaluator
from starspiel.agents.search import Limits, search
from starspiel.envs.load import load_game
from starspiel.envs.openspiel.keys import key_rule, text_key

#: Games without a model whose text is their key; plies to search, and how many moves before the end.
GAMES = {
    "breakthrough(rows=5,columns=4)": (5, 9),
    "catch": (6, 9),
    "cliff_walking": (6, 20),
    "clobber(rows=3,columns=4)": (6, 12),
    "connect_four(egocentric_obs_tensor=true)": (6, 12),
    "dots_and_boxes": (6, 7),
    "gomoku(size=4)": (5, 6),
    "hex(board_size=4)": (6, 7),
    "mnk(m=3,n=3,k=3)": (6, 6),
    "nim": (5, 12),
    "othello": (6, 8),
    "pentago": (2, 2),
    "tic_tac_toe": (6, 7),
    "ultimate_tic_tac_toe": (6, 8),
    "y(board_size=5)": (6, 7),
}
#: Those in which equal positions are at least two plies from a horizon that can be reached in a test.
MEETING = [name for name in GAMES if name not in ("pentago", "catch")]


@pytest.mark.parametrize("name", GAMES)
def test_keys_are_those_of_python(probe, name):
    game = load_game(name).pyspiel_game
    rule, key = text_key(game), key_rule(game).key
    in_python, in_core = {}, {}
    for seed in range(20):
        for state in walk(name, seed):
            if state.is_chance_node():
                continue
            native = probe.text_key(state, rule)
            assert in_core.setdefault(native, key(state)) == key(state)
            # Terminal states of one player are told apart by what was collected, and lines by who drew them.
            if not state.is_terminal() and name != "dots_and_boxes":
                assert in_python.setdefault(key(state), native) == native
    assert len(in_core) > 10


def weighed(game):
    """An evaluator with another value at almost every position, if there is an observation of it."""
    if not game.get_type().provides_observation_tensor:
        return "zero"
    weights = np.random.default_rng(5).uniform(-0.02, 0.02, game.observation_tensor_size() + 1)
    return BatchEvaluator(lambda rows: np.tanh(rows @ weights), load_game(str(game)))


@pytest.mark.parametrize(("name", "algorithm"), zip(GAMES, itertools.cycle(("star2", "expectiminimax"))))
def test_the_table_changes_no_value(name, algorithm):
    depth, before_the_end = GAMES[name]
    evaluator = weighed(load_game(name).pyspiel_game)
    hits = 0
    for seed in range(3):
        states = decisions(name, seed)
        state = states[-min(before_the_end, len(states))]
        arguments = {"evaluator": evaluator, "engine": "native", "explain": False}
        plain = search(state, algorithm, Limits(depth=depth), table_mb=None, order=False, **arguments)
        tabled = search(state, algorithm, Limits(depth=depth), **arguments)
        assert tabled.action_values == pytest.approx(plain.action_values, abs=1e-12)
        assert tabled.best_actions == plain.best_actions
        assert tabled.notes == plain.notes
        assert not any("no key" in note for note in tabled.notes)
        hits += tabled.statistics.table_hits
    assert hits > 0 or name not in MEETING


def test_a_table_makes_connect_four_deep():
    state = load_game("connect_four(egocentric_obs_tensor=true)").new_initial_state()
    nodes = [
        search(state, "star2", Limits(depth=10), "zero", engine="native", table_mb=mb, explain=False).nodes
        for mb in (16, None)
    ]
    assert 2 * nodes[0] < nodes[1]


def test_merging_on_demand_says_that_it_needs_a_model():
    state = next(walk("tic_tac_toe", 1))
    result = search(state, "star2", Limits(depth=2), "zero", engine="native", merge=True)
    assert "merging is off: the native engine has no model of tic_tac_toe." in result.notes
