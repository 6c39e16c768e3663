"""Limits, illegal positions and evaluators that fail: what ends a search, and what it then answers."""

import math
import time
from zlib import crc32

import numpy as np
import pyspiel
import pytest
from support.positions import random_positions, scrambled
from support.trees import TreeGame, bottom, chance, leaf, top

from starspiel.agents.evaluators import FunctionEvaluator
from starspiel.agents.evaluators.zero import ZeroEvaluator
from starspiel.agents.roster import make_bot
from starspiel.agents.search import Limits, search
from starspiel.agents.search.context import BudgetSpentError, SearchContext
from starspiel.agents.search.options import Options
from starspiel.agents.search.variation import principal_variation
from starspiel.envs.errors import EvaluatorError, StarspielError
from starspiel.envs.load import load_game

#: The same for equal positions, as engines that merge them want it.
guessed = FunctionEvaluator(lambda state: crc32(str(state).encode()) / 2**31 - 1)
ALGORITHMS = ("expectiminimax", "star1", "star2")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "needs a limit"),
        ({"depth": 0}, "depth must be a whole number of at least 1, got 0"),
        ({"depth": 2.0}, "got 2.0"),
        ({"depth": True}, "got True"),
        ({"depth": 201}, "at most 200"),
        ({"depth": 2, "nodes": 0}, "nodes must be"),
        ({"seconds": 0}, "seconds must be a positive number"),
        ({"seconds": math.nan}, "got nan"),
        ({"seconds": math.inf}, "got inf"),
        ({"seconds": "1"}, "got '1'"),
    ],
)
def test_limits_that_are_none(given, says):
    with pytest.raises(StarspielError, match=r".") as caught:
        Limits(**given)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("engine", "evaluator"), [("python", scrambled), ("auto", "auto"), ("auto", guessed)]
)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("nodes", [1, 3, 1_000])
@pytest.mark.parametrize("game", ["pig", "backgammon"])
def test_a_node_limit_is_never_passed_and_the_answer_is_the_best_completed_one(
    game, nodes, algorithm, engine, evaluator
):
    arguments = {"evaluator": evaluator, "engine": engine, "explain": False}
    for state in random_positions(load_game(game).pyspiel_game, 3, seed=nodes):
        result = search(state, algorithm, Limits(nodes=nodes), **arguments)
        assert 1 <= result.nodes <= nodes
        assert result.leaves <= result.nodes
        assert set(result.best_actions) <= set(state.legal_actions())
        if result.depth:
            whole = search(state, algorithm, Limits(depth=result.depth), **arguments)
            assert result.action_values == pytest.approx(whole.action_values, abs=1e-9)
            assert result.unfinished or result.best_actions == whole.best_actions
        else:
            assert nodes < 1 + 2 * len(state.legal_actions())


def work(seconds):
    """Takes processor time."""
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


@pytest.mark.parametrize(("algorithm", "seconds"), zip(ALGORITHMS, (1e-9, 0.02, 0.15), strict=True))
def test_a_time_limit_is_kept_on_wide_and_slow_trees(algorithm, seconds):
    """By processor time, and once in ten attempts: who shares the machine's caches lengthens a single one."""
    slow = FunctionEvaluator(lambda state: work(0.005) or 0.0)
    for game, evaluator in (("backgammon", None), ("yacht(players=2)", None), ("pig", slow)):
        state = random_positions(load_game(game).pyspiel_game, 1, seed=2)[0]
        search(state, algorithm, Limits(depth=1), "zero", explain=False)  # Whatever is loaded, is loaded now.
        for _ in range(10):
            started = time.thread_time()
            result = search(state, algorithm, Limits(seconds=seconds), evaluator)
            spent = time.thread_time() - started
            assert set(result.best_actions) <= set(state.legal_actions())
            if spent < seconds + 0.1:
                break
        else:
            pytest.fail(f"ten searches of {game} took {seconds + 0.1} s or more, the last {spent} s")


def test_time_that_is_there_is_used():
    """An hour is not waited for once the depth is reached; ten seconds get past depth 1 on any machine."""
    state = load_game("pig").new_initial_state()
    both = search(state, "star1", Limits(depth=3, nodes=10**9, seconds=3600.0))
    assert both.depth == 3
    assert both.value == search(state, "star1", Limits(depth=3)).value
    assert search(state, "star1", Limits(depth=2, seconds=10.0)).depth == 2
    assert search(state, "star1", Limits(depth=3, nodes=30)).depth < 3
    depths = [search(state, "star2", Limits(nodes=nodes)).depth for nodes in (10, 200, 3_000)]
    assert depths == sorted(set(depths))
    counted = []
    search(state, "star2", Limits(nodes=500), lambda state: counted.append(1) or 0.0, explain=True)
    assert len(counted) <= 500, "with the nodes of the explanation"
    node = bottom(top(leaf(0.5), leaf(-0.5)), leaf(0.75))
    solved = search(TreeGame(node).new_initial_state(), "star1", Limits(nodes=10**6))
    assert (solved.value, solved.exact, solved.depth) == (0.5, True, 2)


@pytest.mark.parametrize("stopped", [KeyboardInterrupt, BudgetSpentError])
def test_a_line_that_is_not_found_in_time_is_not_that_of_the_depth_before(monkeypatch, stopped):
    def line(task, done, action, depth, *further):
        if depth == 3:
            raise stopped
        return principal_variation(task, done, action, depth, *further)

    monkeypatch.setattr("starspiel.agents.search.deepening.principal_variation", line)
    game = load_game("connect_four")
    told = []
    bot = make_bot("star2(depth=5,evaluator=heuristic)", game)
    result = bot.search(game.new_initial_state(), tell=told.append, explain=True)
    assert [len(each.principal_variation) for each in told] == [1, 2]
    assert (result.depth, result.principal_variation) == (3, ((0, result.best_action),))


def test_a_forced_move_costs_one_ply_under_a_budget():
    node = top(chance((0.5, bottom(leaf(1.0), leaf(0.5))), (0.5, top(leaf(0.0), leaf(-1.0)))))
    state = TreeGame(node).new_initial_state()
    result = search(state, "star2", Limits(nodes=10**6), lambda state: 0.0)
    assert (result.depth, result.best_actions) == (1, (10,))
    assert search(state, "star2", Limits(depth=2)).value == pytest.approx(0.25)


def test_only_decision_nodes_can_be_searched():
    pig = pyspiel.load_game("pig(winscore=2)").new_initial_state()
    pig.apply_action(0)
    with pytest.raises(StarspielError, match="chance node of pig") as caught:
        search(pig)
    assert "chance_outcomes" in str(caught.value)
    for action in (2, 1):
        pig.apply_action(action)
    assert pig.is_terminal()
    with pytest.raises(StarspielError, match="terminal state of pig"):
        search(pig)


def _raises(state):
    raise KeyError("lost")


@pytest.mark.parametrize("engine", ["python", "auto"])
@pytest.mark.parametrize(
    ("function", "says"),
    [
        (_raises, "raised KeyError: 'lost'"),
        (lambda state: math.nan, "returned nan; expected a number in [-1, 1]"),
        (lambda state: math.inf, "returned inf"),
        (lambda state: 1.5, "returned 1.5"),
        (lambda state: "good", "returned 'good'; expected a number"),
        (lambda state: np.array([0.5]), "returned array([0.5]); expected a number"),
    ],
)
def test_an_evaluator_that_fails_is_named_with_the_state(engine, function, says):
    state = load_game("pig").new_initial_state()
    for limits in (Limits(depth=2), Limits(seconds=5.0, depth=2), Limits(nodes=1)):
        with pytest.raises(EvaluatorError) as caught:
            search(state, "star2", limits, FunctionEvaluator(function, "fine"), engine=engine)
        assert says in str(caught.value)
        assert "evaluator fine" in str(caught.value)
        assert "Scores: 0 0" in str(caught.value)


def test_the_declared_range_is_what_values_are_held_to():
    state = load_game("pig").new_initial_state()
    assert search(state, evaluator=FunctionEvaluator(lambda s: 7.0, range=(0.0, 8.0))).value == pytest.approx(
        7.0
    )
    with pytest.raises(EvaluatorError, match=r"returned 0\.5; expected a number in \[-0\.25, 0\.25\]"):
        search(state, evaluator=FunctionEvaluator(lambda s: 0.5, "half", range=(-0.25, 0.25)))


def test_the_bounds_of_a_search_hold_utilities_and_evaluator_values():
    pig = load_game("pig")
    for given, bounds in (
        ((-0.25, 0.25), (-1.0, 1.0)),  # Games still end with a whole point.
        ((-3.0, 0.0), (-3.0, 1.0)),
        ((-3.0, 4.0), (-3.0, 4.0)),
        (None, (-1.0, 1.0)),
    ):
        evaluator = FunctionEvaluator(lambda s: 0.0, range=given)
        context = SearchContext(evaluator, pig, Limits(depth=1), Options())
        assert (context.lower, context.upper, context.bounded) == (*bounds, True)
    game = load_game("2048")
    assert not SearchContext(ZeroEvaluator(game), game, Limits(depth=1), Options()).bounded


def test_a_line_of_play_too_long_for_the_stack_is_an_answer_or_one_clear_error():
    node = leaf(1.0)
    for _ in range(3_000):
        node = chance((1.0, node))
    state = TreeGame(top(node, leaf(0.0))).new_initial_state()
    with pytest.raises(StarspielError, match="too long for Python's stack"):
        search(state, "star1", Limits(depth=2))
    shallow = search(state, "star1", Limits(depth=5, nodes=10**6), lambda state: 0.25)
    assert shallow.depth == 1
    assert any("too deep for Python's stack" in note for note in shallow.notes)


@pytest.mark.parametrize("engine", ["python", "auto"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("nodes", [1, 3])
def test_before_the_first_ply_is_done_the_value_is_the_evaluators(algorithm, engine, nodes):
    """As in OpenSpiel's expectiminimax at depth 0; the action is the best of those that were searched."""
    for game in ("backgammon", "einstein_wurfelt_nicht"):
        for state in random_positions(load_game(game).pyspiel_game, 5, seed=2):
            if len(state.legal_actions()) <= nodes:
                continue
            result = search(state, algorithm, Limits(nodes=nodes), guessed, engine=engine)
            if result.depth:
                continue
            assert (result.depth, result.exact) == (0, False)
            assert result.value == pytest.approx(guessed(state))
            assert len(result.action_values) < len(state.legal_actions())
            best = max if state.current_player() == 0 else min
            if result.action_values:
                assert result.action_values[result.best_action] == best(result.action_values.values())
            else:
                assert result.best_action == state.legal_actions()[0]
