"""Max^n and paranoid searches of OpenSpiel's games of several players: the Python engine's, node for node."""

import itertools
import random

import pytest
from support.native import OFF, assert_same_search, some_decisions

from starspiel.agents.evaluators.heuristic import has_heuristic
from starspiel.agents.evaluators.registry import make_evaluator
from starspiel.agents.search import Limits, search
from starspiel.envs.load import load_game

#: Games with a model of the core and without, and the depth the Python engine reaches quickly.
GAMES = {
    "pig(players=3)": 3,
    "pig(players=4,winscore=12,horizon=14)": 3,
    "maedn(players=3)": 3,
    "maedn(players=4)": 3,
    "yacht(players=3,num_dice=2)": 2,
    "chinese_checkers(players=3)": 1,
}
SEARCHES = [
    ("expectiminimax", "maxn"),
    ("star1", "maxn"),
    ("expectiminimax", "paranoid"),
    ("star1", "paranoid"),
    ("star2", "paranoid"),
]


class Arbitrary:
    """Vectors that sum to nothing, each drawn by the text of its state."""

    name = "arbitrary"
    range = (-1.0, 1.0)
    constant_sum = True
    by_position = True

    def __call__(self, state):
        draw = random.Random(str(state))
        parts = [draw.choice((-1, -0.5, 0, 0.5, 1)) for _ in range(state.num_players())]
        mean = sum(parts) / len(parts)
        return [(part - mean) / 2 for part in parts]


class ManyArbitrary(Arbitrary):
    def batch_values(self, states):
        return [self(state) for state in states]


def evaluators(game):
    return [Arbitrary(), "heuristic" if has_heuristic(load_game(game)) else "zero"]


def both(state, algorithm, limits, evaluator, native=OFF, **arguments):
    python = search(state, algorithm, limits, evaluator, engine="python", table_mb=None, **arguments)
    return python, search(state, algorithm, limits, evaluator, engine="native", **native, **arguments)


def assert_same_returns(python, native, tolerance=1e-12):
    assert (native.perspective, native.player) == (python.perspective, python.player)
    if python.action_returns is None:
        assert native.action_returns is None
        return
    assert set(native.action_returns) == set(python.action_returns)
    for action, vector in python.action_returns.items():
        assert native.action_returns[action] == pytest.approx(vector, abs=tolerance)
    assert native.returns == pytest.approx(python.returns, abs=tolerance)


@pytest.mark.parametrize(
    ("game", "algorithm", "opponents"),
    [
        (game, *search)
        for number, game in enumerate(GAMES)
        for search in (SEARCHES[number % 2], SEARCHES[2 + number % 3])
    ],
)
def test_node_for_node(core, game, algorithm, opponents):
    limits = Limits(depth=GAMES[game])
    for state in some_decisions(game, 3):
        for evaluator in evaluators(game):
            for exact_action_values in (True, False):
                python, native = both(
                    state,
                    algorithm,
                    limits,
                    evaluator,
                    opponents=opponents,
                    exact_action_values=exact_action_values,
                    explain=False,
                )
                assert_same_search(python, native)
                assert_same_returns(python, native)
                assert native.value == pytest.approx(python.value, abs=1e-12)


@pytest.mark.parametrize("game", GAMES)
def test_values_asked_for_together(core, game):
    for state in some_decisions(game, 3):
        for depth in (1, GAMES[game]):
            python, native = both(state, "star1", Limits(depth=depth), ManyArbitrary(), explain=False)
            assert_same_search(python, native)
            assert_same_returns(python, native)
        python, native = both(state, "star1", Limits(depth=2), ManyArbitrary(), opponents="paranoid")
        assert native.action_values == pytest.approx(python.action_values, abs=1e-12)


@pytest.mark.parametrize(("game", "opponents"), zip(GAMES, itertools.cycle(("maxn", "paranoid"))))
def test_rollouts_play_the_same_games(core, game, opponents):
    state = some_decisions(game, 1)[0]
    answers = {}
    for engine in ("python", "native"):
        evaluator = make_evaluator("rollout(n=2)", load_game(game), seed=5)
        found = search(state, "star1", Limits(depth=1), evaluator, engine=engine, opponents=opponents)
        answers[engine] = found.action_values, found.action_returns, evaluator.random.getstate()
    assert answers["native"] == answers["python"]


@pytest.mark.parametrize(("game", "opponents"), zip(GAMES, itertools.cycle(("maxn", "paranoid"))))
def test_extras_and_deepening_change_no_value(core, game, opponents):
    for state in some_decisions(game, 3):
        evaluator = evaluators(game)[1]
        limits = Limits(depth=GAMES[game], nodes=10**9)
        for extras in ({}, {"threads": 2}, {"merge": True}, {"table_mb": None, "merge": True}):
            python, native = both(
                state, "star2", limits, evaluator, {"merge": None} | extras, opponents=opponents
            )
            assert native.depth == python.depth
            assert native.value == pytest.approx(python.value, abs=1e-9)
            assert native.best_actions == python.best_actions
            assert native.line == python.line
            assert_same_returns(python, native, 1e-9)


def test_a_table_saves_nodes(core):
    state = load_game("pig(players=3)").new_initial_state()
    for opponents in ("maxn", "paranoid"):
        with_table, without = (
            search(state, limits=Limits(depth=6), evaluator="zero", opponents=opponents, **switches)
            for switches in ({}, OFF)
        )
        assert with_table.statistics.table_hits > 0
        assert with_table.nodes < without.nodes / 5
        assert with_table.value == pytest.approx(without.value, abs=1e-9)


def test_limits_are_kept(core):
    state = some_decisions("maedn(players=4)", 1)[0]
    for opponents in ("maxn", "paranoid"):
        for nodes in (1, 50, 3000):
            python, native = both(state, "star1", Limits(nodes=nodes), "zero", opponents=opponents)
            assert native.nodes == python.nodes <= nodes
            assert (native.depth, native.best_actions) == (python.depth, python.best_actions)
            assert_same_returns(python, native)
