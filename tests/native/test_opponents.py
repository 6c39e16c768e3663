"""Modelled opponents in the native engine: the Python engine's values and nodes."""

import pytest
from open_spiel.python import policy
from support.native import OFF, assert_same_search, some_decisions

from starspiel.agents.search import Limits, search
from starspiel.envs.load import load_game

OPPONENTS = ["random", "greedy"]
#: With how deep the Python engine searches quickly.
GAMES = {
    "pig": 4,
    "einstein_wurfelt_nicht": 2,
    "banqi": 2,
    "star_pig": 4,
    "cant_stop(sides=2)": 4,
    "tic_tac_toe": 3,
}


@pytest.mark.parametrize(
    ("game", "opponent"),
    [(game, OPPONENTS[number // 2 % 2]) for number, game in enumerate(GAMES)],
)
def test_opponents_node_for_node(core, game, opponent):
    depth = GAMES[game] - (opponent == "greedy")
    for state, algorithm in zip(some_decisions(game, 2), ("star2", "expectiminimax"), strict=True):
        how = {
            "evaluator": "zero" if game == "tic_tac_toe" else "heuristic",
            "explain": False,
            "opponent": opponent,
        }
        python = search(state, algorithm, Limits(depth=depth), engine="python", table_mb=None, **how)
        native = search(state, algorithm, Limits(depth=depth), engine="native", **OFF, **how)
        assert_same_search(python, native)
        extras = search(state, "star2", Limits(depth=depth), engine="native", **how)
        assert extras.action_values == pytest.approx(python.action_values, abs=1e-9)
        assert extras.best_actions == python.best_actions


def test_networks_are_asked_against_opponents_too(core):
    """Evaluators that value many positions together are asked in batches by both engines."""
    for state in some_decisions("backgammon", 1):
        how = {"evaluator": "net", "opponent": "uniform", "explain": False}
        python = search(state, "star1", Limits(depth=2), engine="python", **how)
        native = search(state, "star1", Limits(depth=2), engine="native", **how)
        assert native.value == pytest.approx(python.value, abs=1e-5)


def test_an_openspiel_policy_is_asked_from_the_core(core):
    game = load_game("pig(players=2,winscore=30)")
    state = game.new_initial_state()
    uniform = policy.UniformRandomPolicy(game.pyspiel_game)
    by_policy, built_in = (
        search(state, "star2", Limits(depth=4), engine="native", opponent=o) for o in (uniform, "uniform")
    )
    assert by_policy.action_values == pytest.approx(built_in.action_values, abs=1e-12)
    assert any("called in Python" in note for note in by_policy.notes)
    assert any("may move differently in equal positions" in note for note in by_policy.notes)
    by_agent = search(state, "star2", Limits(depth=4), engine="native", opponent="random")
    assert (by_agent.nodes, by_agent.notes) == (built_in.nodes, built_in.notes)  # nobody is asked in Python
