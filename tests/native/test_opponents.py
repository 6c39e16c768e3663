"""Modelled opponents and quiescence in the native engine: the Python engine's values and nodes."""

import pytest
from open_spiel.python import policy
from support.native import OFF, assert_same_search, some_decisions, walk

from starspiel.agents.evaluators.base import FunctionEvaluator
from starspiel.agents.native_positions import for_core
from starspiel.agents.search import Limits, search
from starspiel.envs.load import load_game

OPPONENTS = ["random", "mix(error=0.2)", "greedy", "mix(error=0.5,policy=greedy)"]
#: With how deep the Python engine searches quickly.
GAMES = {
    "pig": 4,
    "einstein_wurfelt_nicht": 2,
    "banqi": 2,
    "star_pig": 4,
    "cant_stop(sides=2)": 4,
    "tic_tac_toe": 3,
}
QUIET = {"banqi": (1, 2), "royal_game_of_ur(pieces=3)": (2, 2)}


@pytest.mark.parametrize(
    ("game", "opponent"),
    [(game, each) for number, game in enumerate(GAMES) for each in OPPONENTS[number % 2 :: 2]],
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


@pytest.mark.parametrize("algorithm", ["expectiminimax", "star1", "star2"])
@pytest.mark.parametrize("game", QUIET)
def test_quiescence_node_for_node(core, game, algorithm):
    depth, more = QUIET[game]
    further = 0
    for state in some_decisions(game, 3):
        how = {"evaluator": "heuristic", "explain": False, "quiescence": more}
        python = search(state, algorithm, Limits(depth=depth), engine="python", table_mb=None, **how)
        native = search(state, algorithm, Limits(depth=depth), engine="native", **OFF, **how)
        assert_same_search(python, native)
        extras = search(state, algorithm, Limits(depth=depth), engine="native", **how)
        assert extras.action_values == pytest.approx(python.action_values, abs=1e-9)
        without = search(
            state, algorithm, Limits(depth=depth), engine="native", **OFF, **how | {"quiescence": 0}
        )
        further += native.nodes > without.nodes
    assert further


@pytest.mark.parametrize("game", QUIET)
def test_the_core_says_what_the_game_says(core, game):
    loaded, seen = load_game(game), set()
    for seed in range(3):
        for state in walk(game, seed):
            if not state.is_terminal():
                assert core.quiet(for_core(core, state)) == loaded.quiet(state), str(state)
                seen.add(loaded.quiet(state))
    assert seen == {True, False}
    assert core.quiet(load_game("pig").new_initial_state()) is None


def test_an_evaluator_of_ones_own_says_what_is_quiet(core):
    class Turns(FunctionEvaluator):
        def quiet(self, state):
            return state.legal_actions() == [] or state.move_number() % 3 == 0

    for state in some_decisions("pig", 3):
        how = {"evaluator": Turns(lambda s: s.move_number() % 7 / 7), "quiescence": 3, "explain": False}
        assert_same_search(
            search(state, "star2", Limits(depth=2), engine="python", table_mb=None, **how),
            search(state, "star2", Limits(depth=2), engine="native", **OFF, **how),
        )


def test_networks_are_asked_against_opponents_too(core):
    """Evaluators that value many positions together are asked in batches by both engines."""
    for state in some_decisions("backgammon", 1):
        for how in ({"opponent": "uniform"}, {"opponent": "mix(error=0.4)"}):
            python = search(state, "star1", Limits(depth=2), "net", engine="python", explain=False, **how)
            native = search(state, "star1", Limits(depth=2), "net", engine="native", explain=False, **how)
            assert native.value == pytest.approx(python.value, abs=1e-5)


def test_an_openspiel_policy_is_asked_from_the_core(core):
    game = load_game("pig(players=2,winscore=30)")
    state = game.new_initial_state()
    uniform = policy.UniformRandomPolicy(game.pyspiel_game)
    by_policy, built_in = (
        search(state, "star2", Limits(depth=4), engine="native", opponent=o) for o in (uniform, "uniform")
    )
    assert by_policy.action_values == pytest.approx(built_in.action_values, abs=1e-12)
    assert any("asked in Python" in note for note in by_policy.notes)
    assert any("may move differently in equal positions" in note for note in by_policy.notes)
    by_agent = search(state, "star2", Limits(depth=4), engine="native", opponent="random")
    assert (by_agent.nodes, by_agent.notes) == (built_in.nodes, built_in.notes)  # nobody is asked in Python
