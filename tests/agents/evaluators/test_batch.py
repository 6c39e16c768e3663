"""Functions over arrays as evaluators: batches change no value, and what is no value is refused in words."""

import numpy as np
import pytest
from support.piglets import Piglet
from support.positions import random_states

import starspiel
from starspiel.agents.encoders import encoder_of
from starspiel.agents.evaluators import BatchEvaluator
from starspiel.envs.load import load_game

GAMES = [
    "backgammon",
    "banqi",
    "connect_four",
    "einstein_wurfelt_nicht",
    "maedn(players=2)",
    "pig(winscore=20)",
]
QUICK = ["connect_four", "einstein_wurfelt_nicht", "pig(winscore=20)"]


def smooth(game, calls=None):
    """A function that tells positions apart, of one row at a time and of many."""
    weights = np.random.default_rng(1).normal(0, 0.2, len(encoder_of(game).units)).astype(np.float32)

    def value(rows):
        assert rows.dtype == np.float32
        assert rows.shape[1:] == weights.shape
        if calls is not None:
            calls.append(len(rows))
        # Row by row, as a matrix product rounds by the number of rows.
        return np.tanh([float(np.dot(row, weights)) for row in rows])

    return value


def decisions(game, seed, every):
    states = [state for state in random_states(game, seed) if state.current_player() >= 0]
    return states[every // 2 :: every][:2]


@pytest.mark.parametrize("engine", ["python", "auto"])
def test_successors_come_in_one_call(engine):
    calls = []
    game = load_game("connect_four")
    evaluator = BatchEvaluator(smooth(game, calls), game)
    starspiel.search(
        game.new_initial_state(),
        "expectiminimax",
        starspiel.Limits(depth=2),
        evaluator,
        engine=engine,
        explain=False,
    )
    assert calls == [7] * 7


def test_an_encoder_of_ones_own_gets_whole_batches_in_the_native_engine():
    """The core does not know the encoder, so the states are made in Python, and still valued together."""

    class Own(type(encoder_of(load_game("connect_four")))):
        pass

    calls = []
    game = load_game("connect_four")
    evaluator = BatchEvaluator(smooth(game, calls), Own(game))
    found = starspiel.search(
        game.new_initial_state(), "expectiminimax", starspiel.Limits(depth=2), evaluator, explain=False
    )
    plain = starspiel.search(
        game.new_initial_state(),
        "expectiminimax",
        starspiel.Limits(depth=2),
        BatchEvaluator(smooth(game), game),
        engine="python",
    )
    assert calls == [7] * 7
    assert found.action_values == pytest.approx(plain.action_values, abs=1e-12)


def test_rules_with_features_are_valued_by_them():
    game = Piglet(5)
    seen = []

    def value(rows):
        seen.append(rows.shape)
        return np.full(len(rows), 0.25)

    evaluator = BatchEvaluator(value, game)
    start = game.new_initial_state()
    assert evaluator(start) == 0.25
    stopped = start.child(1)
    assert evaluator(stopped) == -0.25  # the other player is about to act
    assert evaluator(start.child(0)) == 0.0  # a coin decides who acts: half of each
    assert seen == [(1, 18), (1, 18), (2, 18)]


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda rows: rows, r"returned an array of shape \(7, 127\); expected \(7,\) or \(7, 1\)"),
        (lambda rows: np.zeros(3), r"returned an array of shape \(3,\); expected \(7,\)"),
        (lambda rows: 0.5, r"returned an array of shape \(\); expected \(7,\)"),
        (lambda rows: np.zeros(len(rows), dtype=np.int64), "returned an array of int64; expected floats"),
        (lambda rows: np.zeros(len(rows), dtype=complex), "returned an array of complex128; expected floats"),
        (lambda rows: ["a"] * len(rows), "expected floats, one value a row"),
        (lambda rows: None, "returned None; expected floats"),
        (lambda rows: np.where(np.arange(len(rows)) == 2, np.nan, 0.0), "returned nan for row 2 of 7"),
        (lambda rows: np.full(len(rows), np.inf), "returned inf for row 0"),
        (lambda rows: 1 / 0, r"raised ZeroDivisionError: division by zero for an array of shape \(7, 127\)"),
        (lambda rows: np.full(len(rows), 1.5), r"returned -1.5; expected a number in \[-1, 1\]"),
    ],
)
@pytest.mark.parametrize("engine", ["python", "auto"])
def test_what_is_no_value_is_refused_in_words(function, words, engine):
    game = load_game("connect_four")
    evaluator = BatchEvaluator(function, game, name="mine")
    with pytest.raises(starspiel.EvaluatorError, match=f"evaluator mine.*{words}"):
        starspiel.search(
            game.new_initial_state(), "star2", starspiel.Limits(depth=1), evaluator, engine=engine
        )


def test_a_column_of_values_will_do_and_so_will_lists_and_half_precision():
    game = load_game("connect_four")
    for function in (
        lambda rows: np.full((len(rows), 1), 0.5),
        lambda rows: [0.5] * len(rows),
        lambda rows: np.full(len(rows), 0.5, dtype=np.float16),
    ):
        assert BatchEvaluator(function, game)(game.new_initial_state()) == 0.5


@pytest.mark.parametrize(
    ("arguments", "words"),
    [((3, "connect_four"), "expected a function of an array"), ((np.tanh, "star_2048"), "has no encoder")],
)
def test_what_is_no_function_or_encoder_is_refused(arguments, words):
    with pytest.raises(starspiel.StarspielError, match=words):
        BatchEvaluator(*arguments)


@pytest.mark.parametrize("algorithm", ["expectiminimax", "star1", "star2"])
@pytest.mark.parametrize(("name", "depth"), [*((name, 1) for name in GAMES), *((name, 2) for name in QUICK)])
def test_both_engines_find_the_values_of_single_calls(name, depth, algorithm):
    game, limits = load_game(name), starspiel.Limits(depth=depth)
    evaluator = BatchEvaluator(smooth(game), name)
    for state in decisions(game, 2, 12):
        plain = starspiel.search(state, algorithm, limits, lambda at: evaluator(at), engine="python")
        for engine in ("python", "auto"):
            found = starspiel.search(state, algorithm, limits, evaluator, engine=engine)
            assert found.value == pytest.approx(plain.value, abs=1e-9)
            assert set(found.best_actions) == set(plain.best_actions)
            if depth == 1:
                assert found.action_values == pytest.approx(plain.action_values, abs=1e-12)


def test_vectors_begin_with_the_player_about_to_act():
    """Before a roll nobody sees the board, so the mean is taken; a row's own columns go round the table."""
    game = load_game("maedn(players=4)")
    evaluator = BatchEvaluator(lambda rows: np.tile([0.75, -0.25, -0.5, 0.0], (len(rows), 1)), game)
    start = game.new_initial_state()
    thrown = start.child(0)
    assert thrown.current_player() == 0
    assert evaluator(thrown) == (0.75, -0.25, -0.5, 0.0)
    passed = thrown.child(thrown.legal_actions()[0])
    assert passed.is_chance_node()
    assert passed.child(0).current_player() == 1
    assert evaluator(passed.child(0)) == (0.0, 0.75, -0.25, -0.5)
    assert evaluator(passed) == pytest.approx((0.0, 0.75, -0.25, -0.5))
    assert evaluator.batch_values([thrown, passed.child(0)]) == [
        evaluator(thrown),
        evaluator(passed.child(0)),
    ]


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda rows: np.zeros(len(rows)), r"of shape \(7,\); expected \(7, 3\), one return a player"),
        (lambda rows: np.zeros((len(rows), 2)), r"of shape \(7, 2\); expected \(7, 3\), one return a player"),
        (lambda rows: np.full((len(rows), 3), np.nan), "returned nan for row 0 of 7; expected finite"),
        (lambda rows: np.full((len(rows), 3), 2.0), r"expected 3 numbers in \[-1, 1\]"),
    ],
)
def test_what_is_no_vector_is_refused_in_words(function, words):
    """Six outcomes of the die after rolling, and the position after stopping, are asked for together."""
    state = load_game("pig(players=3)").new_initial_state()
    evaluator = BatchEvaluator(function, "pig(players=3)", name="mine")
    with pytest.raises(starspiel.EvaluatorError, match=f"evaluator mine.*{words}"):
        starspiel.search(state, "star1", starspiel.Limits(depth=1), evaluator)


def test_a_search_of_more_players_asks_for_all_successors_at_once():
    calls = []

    def value(rows):
        calls.append(len(rows))
        shares = np.exp(rows[:, :3])  # a softmax of anything
        return 3 * shares / shares.sum(axis=1, keepdims=True) - 1

    game = load_game("chinese_checkers(players=3)")
    evaluator = BatchEvaluator(value, game, range=(-1.0, 2.0))
    found = starspiel.search(game.new_initial_state(), "star1", starspiel.Limits(depth=1), evaluator)
    assert calls == [len(game.new_initial_state().legal_actions())]
    assert sum(found.returns) == pytest.approx(0, abs=1e-6)
