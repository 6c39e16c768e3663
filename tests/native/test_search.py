"""The native engine is the Python engine: the same values, and node for node while its extras are off."""

import itertools
import math
import signal
import subprocess
import sys
import time

import numpy as np
import pyspiel
import pytest
from support.native import OFF, assert_same_search, core_options, some_decisions, walk

from starspiel.agents.evaluators.base import FunctionEvaluator
from starspiel.agents.evaluators.registry import make_evaluator
from starspiel.agents.search import Limits, Options, search
from starspiel.agents.search.native import native_engine
from starspiel.envs.errors import EvaluatorError, StarspielError
from starspiel.envs.load import load_game
from starspiel.envs.openspiel.game import qualifying_games

#: Games with a native model, and the depth the Python engine reaches quickly.
MODELLED = {
    "pig": 4,
    "pig(winscore=12,horizon=14)": 4,
    "einstein_wurfelt_nicht": 2,
    "maedn(players=2)": 3,
    "yacht(players=2,num_dice=2)": 2,
    "yacht(players=2)": 1,
    "2048(max_tile=64)": 2,
    "connect_four": 4,
    "connect_four(rows=4,columns=5,x_in_row=3)": 5,
    "banqi": 2,
    "backgammon": 1,
    "backgammon(scoring_type=full_scoring)": 1,
}
#: The same of games whose rules are in Python.
RULES = {
    "cant_stop": 1,
    "cant_stop(sides=2)": 4,
    "cant_stop(shortest=2,sides=4)": 2,
    "dice": 2,
    "dice(full=reroll,line=3,size=3)": 3,
    "knucklebones": 2,
    "knucklebones(columns=2,rows=2,sides=3)": 4,
    "royal_game_of_ur": 2,
    "royal_game_of_ur(dice=2,pieces=2)": 4,
    "star_pig": 4,
    "star_pig(goal=12)": 5,
}
ALGORITHMS = [("expectiminimax", 1), ("star1", 1), ("star2", 1), ("star2", 3)]


def evaluator_of(game):
    return "heuristic" if "num_dice" not in game else "zero"


@pytest.mark.parametrize(
    ("game", "algorithm", "probes"),
    [
        (game, *algorithm)
        for number, game in enumerate(MODELLED | RULES)
        for algorithm in (("star2", 1), ALGORITHMS[(0, 1, 3)[number % 3]])
    ],
)
def test_node_for_node(core, game, algorithm, probes):
    for state in some_decisions(game, 3):
        for exact_action_values in (True, False):
            arguments = {
                "probes": probes,
                "exact_action_values": exact_action_values,
                "evaluator": evaluator_of(game),
                "explain": False,
            }
            limits = Limits(depth=(MODELLED | RULES)[game])
            python = search(state, algorithm, limits, engine="python", table_mb=None, **arguments)
            native = search(state, algorithm, limits, engine="native", **OFF, **arguments)
            assert_same_search(python, native)


@pytest.mark.parametrize("game", MODELLED)
def test_openspiels_own_states_node_for_node(core, game):
    """The native search without a model, as other games use it."""
    for state in some_decisions(game, 2):
        limits = Limits(depth=MODELLED[game])
        python = search(state, "star2", limits, "zero", engine="python", explain=False, ties="first")
        bounds = load_game(game).utility_range or (-math.inf, math.inf)
        options = core_options(core, bounds=bounds, value_range=(-math.inf, math.inf), prune=True, probes=1)
        engine = core.Engine(state, False, core.Zero(), options)
        finished, values = engine.root(state, MODELLED[game], math.inf, None, None)
        assert finished
        assert dict(values) == pytest.approx(python.action_values, abs=1e-12)
        assert engine.counters()["nodes"] == python.nodes


@pytest.mark.parametrize("parameters", ["rows=8,columns=9", "x_in_row=1", "egocentric_obs_tensor=true"])
def test_the_heuristic_of_a_form_without_a_model_is_called_in_python(core, parameters):
    state = load_game(f"connect_four({parameters})").new_initial_state()
    native, python = (
        search(state, "star2", Limits(depth=2), "heuristic", engine=engine) for engine in ("native", "python")
    )
    assert native.action_values == pytest.approx(python.action_values, abs=1e-12)
    assert any("is written in Python" in note for note in native.notes)


@pytest.mark.parametrize(
    ("game", "algorithm"), zip(MODELLED | RULES, itertools.cycle(("star2", "star1", "expectiminimax")))
)
def test_extras_change_no_value(core, game, algorithm):
    depth = (MODELLED | RULES)[game]
    depth += algorithm != "expectiminimax" or game.startswith("pig")
    for state in some_decisions(game, 2):
        arguments = {"evaluator": evaluator_of(game), "explain": False, "engine": "native"}
        plain = search(state, algorithm, Limits(depth=depth), **OFF, **arguments)
        for extras in (
            {"table_mb": 1, "merge": False, "order": False},
            {"table_mb": None, "merge": True, "order": False},
            {"table_mb": None, "merge": False, "order": True},
            {"table_mb": 64, "merge": True, "order": True},
        ):
            result = search(state, algorithm, Limits(depth=depth), **extras, **arguments)
            assert result.action_values == pytest.approx(plain.action_values, abs=1e-9)
            assert result.best_actions == plain.best_actions
            assert result.exact == plain.exact
            shared = search(
                state, algorithm, Limits(depth=depth), exact_action_values=False, **extras, **arguments
            )
            assert shared.value == pytest.approx(plain.value, abs=1e-9)
            assert shared.best_actions == plain.best_actions
            known = {action: plain.action_values[action] for action in shared.action_values}
            assert shared.action_values == pytest.approx(known, abs=1e-9)


@pytest.mark.parametrize("game", ["pig", "maedn(players=2)", "einstein_wurfelt_nicht", "backgammon"])
def test_deepening_with_a_kept_table_changes_no_value(core, game):
    states = [state for state in some_decisions(game, 8) if len(state.legal_actions()) > 1]
    assert len(states) >= 2
    for state in states:
        depth = 3 if game != "backgammon" else 2
        at_once = search(state, limits=Limits(depth=depth), evaluator="heuristic", **OFF)
        deepened = search(state, limits=Limits(depth=depth, nodes=10**9), evaluator="heuristic")
        assert deepened.depth == at_once.depth
        assert deepened.action_values == pytest.approx(at_once.action_values, abs=1e-9)
        assert deepened.principal_variation == at_once.principal_variation


def test_extras_are_counted(core):
    state = some_decisions("backgammon", 1)[0]
    merged = search(state, limits=Limits(depth=2), evaluator="heuristic", table_mb=None).statistics
    assert merged.merged_outcomes > 0
    assert merged.merged_moves > 0
    state = load_game("pig").new_initial_state()
    with_table = search(state, limits=Limits(depth=7), evaluator="heuristic")
    without = search(state, limits=Limits(depth=7), evaluator="heuristic", **OFF)
    assert with_table.statistics.table_hits > 0
    assert with_table.nodes < without.nodes / 20


@pytest.mark.parametrize("name", qualifying_games())
def test_every_game_by_both_engines(core, name):
    state = next(state for state in walk(name, 7) if state.current_player() >= 0)
    # Backgammon's 21 rolls, valued by a network, would take Python 9 s.
    depth = 2 if len(state.legal_actions()) <= 30 and name != "backgammon" else 1
    try:
        python = search(state, limits=Limits(depth=depth), engine="python", explain=False)
    except EvaluatorError:  # what is collected so far need not be a return a game can end with
        with pytest.raises(EvaluatorError, match="zero"):
            search(state, limits=Limits(depth=depth), engine="native", explain=False)
        return
    native = search(state, limits=Limits(depth=depth), engine="native", explain=False)
    tolerance = 1e-5 if "net" in native.evaluator else 1e-9  # networks compute in single precision
    assert native.action_values == pytest.approx(python.action_values, abs=tolerance)
    assert native.best_actions == python.best_actions


@pytest.mark.parametrize("game", sorted({*MODELLED} - {"yacht(players=2)"}))
def test_rollouts_play_the_same_games(core, game):
    """Number for number over two searches with one evaluator, so that the generator is handed back, too."""
    state = some_decisions(game, 1)[0]
    answers = {}
    for engine in ("python", "native"):
        evaluator = make_evaluator("rollout(n=2)", load_game(game), seed=5)
        answers[engine] = [
            search(state, "star2", Limits(depth=1), evaluator, engine=engine, explain=False).action_values
            for _ in range(2)
        ]
        answers[engine].append(evaluator.random.getstate())
    assert answers["native"] == answers["python"]


def test_the_line_is_the_python_engines(core):
    for state in some_decisions("einstein_wurfelt_nicht", 3):
        python = search(state, "star2", Limits(depth=2), "heuristic", engine="python")
        native = search(state, "star2", Limits(depth=2), "heuristic", engine="native")
        assert native.principal_variation == python.principal_variation
        assert native.line == python.line


def test_the_value_of_a_search_cut_off_at_once_is_the_native_evaluators(core, monkeypatch):
    """The Python counterpart may take thirty times as long, which would be an overrun."""
    state = some_decisions("backgammon", 1)[0]
    evaluator = make_evaluator("rollout(n=50)", load_game("backgammon"), seed=1)
    expected = make_evaluator("rollout(n=50)", load_game("backgammon"), seed=1)(state)
    native = native_engine(state, load_game("backgammon"), evaluator, Limits(depth=1), Options(table_mb=None))
    assert native.evaluate(state) == pytest.approx(expected, abs=1e-12)

    def python(self, state):
        raise AssertionError

    monkeypatch.setattr(type(evaluator), "__call__", python)
    result = search(state, "star2", Limits(seconds=1e-5), evaluator, engine="native", explain=False)
    assert (result.depth, result.action_values) == (0, {})
    assert -1 <= result.value <= 1


def test_node_limit(core):
    state = load_game("pig").new_initial_state()
    for nodes in (1, 50, 3000):
        python = search(state, "star2", Limits(nodes=nodes), "heuristic", engine="python")
        native = search(state, "star2", Limits(nodes=nodes), "heuristic", engine="native", **OFF)
        assert native.nodes == python.nodes <= nodes
        assert (native.depth, native.best_actions) == (python.depth, python.best_actions)
        assert native.value == pytest.approx(python.value, abs=1e-12)


def test_large_tables_are_freed_within_the_limit(core):
    """Freeing a table of a gigabyte takes up to a tenth of a second."""
    state = load_game("maedn(players=2)").new_initial_state().child(5)
    late = []
    for _ in range(3):
        started = time.thread_time()
        search(state, "star2", Limits(seconds=0.2), "heuristic", table_mb=2000, explain=False)
        late.append(time.thread_time() - started - 0.2)
    assert min(late) < 0.005


@pytest.mark.parametrize("seconds", [1e8, 1e10, 1e300])
def test_long_time_limits_are_none(core, seconds):
    state = load_game("pig").new_initial_state()
    result = search(state, limits=Limits(depth=3, seconds=seconds), evaluator="heuristic", engine="native")
    assert result.depth == 3


@pytest.mark.slow
@pytest.mark.parametrize("game", ["yacht(num_dice=8)", "yacht(dice_sides=20)"])
def test_many_rolls_take_no_time(core, game):
    """Millions of rolls of some thousand kinds: an engine is made at once."""
    state = load_game(game).new_initial_state()
    while state.current_player() < 0:
        state = state.child(0)  # without listing the others
    options = core_options(core, (-1.0, 1.0), prune=True, probes=1, merge=True, order=True)
    spent = []
    for _ in range(3):
        started = time.process_time()
        core.Engine(state, True, core.Zero(), options)
        spent.append(time.process_time() - started)
    assert min(spent) < 0.1


def test_rolls_of_many_sides_are_summed(core):
    """By the evaluator's mean over rolls that no other test has, a tie of which would be a lost outcome."""
    game = "yacht(players=2,num_dice=3,dice_sides=7)"
    evaluator = make_evaluator("zero", load_game(game))
    for state in some_decisions(game, 3):
        plain = search(state, "expectiminimax", Limits(depth=2), evaluator, engine="native", **OFF)
        merged = search(
            state, "expectiminimax", Limits(depth=2), evaluator, table_mb=None, merge=True, order=False
        )
        assert merged.action_values == pytest.approx(plain.action_values, abs=1e-12)
        assert merged.nodes < plain.nodes


@pytest.mark.parametrize("evaluator", ["heuristic", "rollout(n=20000000)", lambda state: 0.0])
def test_ctrl_c(core, evaluator):
    def interrupt(signum, frame):
        raise KeyboardInterrupt

    state = load_game("pig").new_initial_state()
    previous = signal.signal(signal.SIGALRM, interrupt)
    started = time.process_time()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(KeyboardInterrupt):
            search(state, "expectiminimax", Limits(depth=40), evaluator, engine="native", **OFF)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    assert time.process_time() - started < 2


@pytest.mark.parametrize("engine", ["native", "python"])
def test_single_numbers_are_values_and_ranges_are_pairs_of_them(core, engine):
    state = load_game("pig").new_initial_state()
    for number in (0.5, np.float32(0.5), np.array(0.5)):
        result = search(state, limits=Limits(depth=2), evaluator=lambda s, v=number: v, engine=engine)
        assert result.value == pytest.approx(0.5)
        assert type(result.value) is float
    for declared in ("ab", (0,), (1, -1), (math.nan, 1), (0, 1, 2), 3, (None, 1)):
        evaluator = FunctionEvaluator(lambda state: 0.0, "mine", declared)
        with pytest.raises(EvaluatorError, match="mine: range must be"):
            search(state, evaluator=evaluator, engine=engine)


EXTRAS_ARE_OFF = "merging, ordering and the table are off"


def history_length(state):
    return len(state.history()) % 7 / 7


@pytest.mark.parametrize("algorithm", ["expectiminimax", "star2"])
@pytest.mark.parametrize("game", ["pig", "maedn(players=2)", "einstein_wurfelt_nicht"])
def test_extras_are_off_for_functions_that_may_look_at_more_than_the_position(core, game, algorithm):
    depth = 5 if game == "pig" else 2
    for state in some_decisions(game, 3):
        python = search(state, algorithm, Limits(depth=depth), history_length, engine="python")
        native = search(state, algorithm, Limits(depth=depth), history_length, engine="native")
        assert native.action_values == pytest.approx(python.action_values, abs=1e-12)
        assert native.nodes == python.nodes
        assert any(EXTRAS_ARE_OFF in note and "by_position=True" in note for note in native.notes)


def test_functions_of_the_position_have_the_extras(core):
    heuristic = make_evaluator("heuristic", load_game("pig"))
    state = load_game("pig").new_initial_state()
    undeclared = search(state, limits=Limits(depth=5), evaluator=lambda s: heuristic(s), engine="native")
    declared = search(
        state,
        limits=Limits(depth=5),
        evaluator=FunctionEvaluator(lambda s: heuristic(s), by_position=True),
        engine="native",
    )
    assert declared.action_values == pytest.approx(undeclared.action_values, abs=1e-9)
    assert declared.nodes < undeclared.nodes / 4
    assert undeclared.statistics.table_hits == 0 < declared.statistics.table_hits
    assert not any(EXTRAS_ARE_OFF in note for note in declared.notes)


def test_a_table_too_large_for_the_memory_left_is_refused(core):
    code = (
        "import resource\n"
        "from starspiel import Limits, load_game, search\n"
        "from starspiel.agents.search import options\n"
        "from starspiel.envs.errors import StarspielError\n"
        "state = load_game('pig').new_initial_state()\n"
        "search(state, limits=Limits(depth=1))\n"
        "options._memory_mb = lambda: 1 << 20\n"
        "resource.setrlimit(resource.RLIMIT_AS, (3_000_000_000, -1))\n"
        "try:\n"
        "    search(state, limits=Limits(seconds=1), evaluator='heuristic', table_mb=8000)\n"
        "except StarspielError as error:\n"
        "    print(error)\n"
        "print(search(state, limits=Limits(depth=1), evaluator='heuristic').engine)\n"
    )
    pytest.importorskip("resource")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines() == [
        "there is not enough memory for table_mb=8000; give a smaller one, or None for no table.",
        "native",
    ], done.stderr


def test_evaluators_may_change_the_state_they_get(core):
    def plays_on(state):
        value = len(state.history()) % 5 / 5
        if not state.is_terminal():
            state.apply_action(state.legal_actions()[0])
        return value

    state = load_game("pig").new_initial_state()
    for algorithm in ("expectiminimax", "star2"):
        for limits in (Limits(depth=3), Limits(nodes=1500)):
            expected = search(state, algorithm, limits, lambda s: len(s.history()) % 5 / 5, explain=False)
            got = search(state, algorithm, limits, plays_on, explain=False)
            assert got.action_values == expected.action_values
            assert got.nodes == expected.nodes


def test_games_written_in_python_are_refused(core):
    import open_spiel.python.games  # noqa: F401 (registers them)

    for name in ("python_tic_tac_toe", "misere(game=python_tic_tac_toe())"):
        state = pyspiel.load_game(name).new_initial_state()
        with pytest.raises(StarspielError, match="written in Python"):
            search(state, limits=Limits(depth=1), engine="native")
        assert search(state, limits=Limits(depth=1)).engine == "python"


def test_yacht_of_more_rolls_than_a_model_counts(core):
    """A raw pyspiel game; load_game refuses it."""
    state = pyspiel.load_game("yacht(rolls_per_turn=256,num_dice=1,dice_sides=2)").new_initial_state()
    state = state.child(0).child(0)
    native = search(state, "star2", Limits(depth=1), engine="native", explain=False)
    assert list(native.action_values) == state.legal_actions()


def test_other_games_and_samples_are_refused_by_name(core):
    state = load_game("pig").new_initial_state()
    with pytest.raises(StarspielError, match="no samples"):
        search(state, "star2ss", engine="native")
    with pytest.raises(StarspielError, match="native"):
        search(state, engine="natve")


def test_memory_is_bounded_and_given_back(core):
    resource = pytest.importorskip("resource")
    game = load_game("pig")
    state = game.new_initial_state()
    evaluators = ["heuristic", FunctionEvaluator(lambda s: 0.0, by_position=True)]

    def peak_mb():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    search(state, limits=Limits(depth=4), evaluator="heuristic")
    before = peak_mb()
    for number in range(1500):
        search(state, limits=Limits(depth=1 + number % 2), evaluator=evaluators[number % 2], explain=False)
    search(state, limits=Limits(depth=14), evaluator="heuristic", table_mb=8, explain=False)
    assert native_engine(state, game, FunctionEvaluator(lambda s: 0.0), Limits(depth=1), Options(table_mb=8))
    assert peak_mb() - before < 8 + 6


def test_the_probing_rule_is_reported(core):
    """With ordering Star2 leaves the chance nodes before the last decision to Star1, and says how many."""
    state = some_decisions("backgammon", 1)[0]
    ruled = search(state, "star2", Limits(depth=2), "heuristic", engine="native").statistics
    assert ruled.unprobed > 0
    assert search(state, "star1", Limits(depth=2), "heuristic", engine="native").statistics.unprobed == 0
    always = search(state, "star2", Limits(depth=2), "heuristic", engine="native", order=False).statistics
    assert always.unprobed == 0
    assert always.probes > 0
