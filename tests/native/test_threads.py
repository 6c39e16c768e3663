"""Several threads of one search: the same value and the same best actions, within the same limits."""

import itertools
import signal
import time

import pytest
from support.native import decisions

from starspiel.agents.evaluators import FunctionEvaluator
from starspiel.agents.search import Limits, search
from starspiel.envs.load import load_game

#: Plies at which threads share the work several plies deep and one takes a moment.
GAMES = {
    "backgammon": 2,
    "banqi": 4,
    "connect_four": 8,
    "connect_four(egocentric_obs_tensor=true)": 6,
    "cant_stop(sides=2)": 5,
    "einstein_wurfelt_nicht": 5,
    "maedn(players=2)": 5,
    "pig(winscore=40)": 9,
    "yacht(players=2,num_dice=3)": 3,
    "2048(max_tile=64)": 4,
}


@pytest.fixture
def all_iterations(monkeypatch):
    """Searches go on to their limits, however long the next iteration takes."""
    monkeypatch.setattr("starspiel.agents.search.pace.Pace.next_fits", lambda pace: True)


def middle(name, seed):
    states = decisions(name, seed)
    return states[len(states) // 2]


@pytest.fixture(autouse=True)
def four_processors(monkeypatch):
    monkeypatch.setattr("starspiel.agents.search.options.processors", lambda: 4)


def test_no_more_threads_search_than_there_are_processors_for(monkeypatch):
    state = middle("einstein_wurfelt_nicht", 3)
    for there, says in ((3, "3 of 64 threads searched: this process may use 3 processors."), (64, None)):
        monkeypatch.setattr("starspiel.agents.search.options.processors", lambda there=there: there)
        result = search(state, "star2", Limits(depth=2), "heuristic", engine="native", threads=64)
        assert result.notes == (() if says is None else (says,))


@pytest.mark.parametrize(
    ("name", "algorithm"), zip(GAMES, itertools.cycle(("star2", "star1", "star2", "expectiminimax")))
)
def test_threads_change_no_value_and_no_best_action(name, algorithm):
    evaluator = "zero" if "num_dice" in name or "egocentric" in name else "heuristic"
    depth = GAMES[name] - (algorithm == "expectiminimax" and name != "backgammon")
    for seed in (1, 2):
        state = middle(name, seed)
        for exact in (True, False):
            arguments = {
                "evaluator": evaluator,
                "engine": "native",
                "explain": False,
                "exact_action_values": exact,
            }
            one = search(state, algorithm, Limits(depth=depth), **arguments)
            for threads in (2, 3):
                several = search(state, algorithm, Limits(depth=depth), threads=threads, **arguments)
                assert several.value == pytest.approx(one.value, abs=1e-12)
                assert several.best_actions == one.best_actions
                assert several.exact == one.exact
                assert several.notes == one.notes
                if exact:
                    assert several.action_values == pytest.approx(one.action_values, abs=1e-12)


@pytest.mark.parametrize(("name", "depth"), [("dice(line=3,size=3)", 6), ("einstein_wurfelt_nicht", 3)])
def test_a_small_search_is_that_of_one_thread(name, depth):
    """Whether it gets by without the evaluator is not left to a race."""
    found = set()
    for seed in range(25):
        states = decisions(name, seed)
        for state in states[-3:]:
            one, *several = (
                search(
                    state,
                    "star2",
                    Limits(depth=depth),
                    "heuristic",
                    engine="native",
                    explain=False,
                    exact_action_values=False,
                    threads=threads,
                )
                for threads in (1, 2, 3)
            )
            for result in several:
                assert result.exact == one.exact
                assert result.action_values == pytest.approx(one.action_values, abs=1e-12)
            found.add(one.exact)
    assert found == {True, False}


def test_threads_share_the_work():
    """Both find most of what they need in the table: the nodes of all are hardly more than those of one."""
    state = middle("einstein_wurfelt_nicht", 3)
    limits = Limits(depth=6)
    arguments = {"evaluator": "heuristic", "engine": "native", "explain": False}
    one, two = (search(state, "star2", limits, threads=threads, **arguments) for threads in (1, 2))
    assert two.nodes != one.nodes
    assert two.nodes < 1.9 * one.nodes


@pytest.mark.parametrize(
    ("name", "seed", "depth", "exact"),
    [
        ("banqi", 4, 4, True),
        ("connect_four", 2, 9, False),
        ("einstein_wurfelt_nicht", 2, 6, False),
        ("pig", 2, 9, False),
        ("maedn(players=2)", 2, 5, False),
    ],
)
def test_iterations_of_several_threads(all_iterations, name, seed, depth, exact):
    """Those too short to share go by no window of others."""
    arguments = {"evaluator": "heuristic", "engine": "native", "explain": False}
    one, two = (
        search(
            middle(name, seed),
            "star2",
            Limits(depth=depth, seconds=60),
            threads=threads,
            exact_action_values=exact,
            **arguments,
        )
        for threads in (1, 2)
    )
    assert (two.depth, two.best_actions) == (one.depth, one.best_actions)
    assert not exact or two.soonest_actions == one.soonest_actions
    assert abs(two.value - one.value) < 1e-9


@pytest.mark.parametrize(
    ("limits", "evaluator", "options"),
    [
        (Limits(nodes=500), "heuristic", {}),
        (Limits(depth=2), "heuristic", {"table_mb": None}),
        (Limits(depth=2), "rollout(n=1)", {}),
        (Limits(depth=2), FunctionEvaluator(lambda state: 0.0, by_position=True), {}),
        (Limits(depth=2), "heuristic", {"engine": "python"}),
    ],
)
def test_one_thread_where_more_cannot_share_is_said(limits, evaluator, options):
    state = load_game("pig").new_initial_state()
    result = search(state, "star2", limits, evaluator, threads=2, **options)
    assert any("one thread" in note for note in result.notes)


def test_a_time_limit_and_an_interrupt_end_all_threads(core, all_iterations):
    def interrupt(signum, frame):
        raise KeyboardInterrupt

    state = load_game("pig").new_initial_state()
    arguments = {"evaluator": "heuristic", "engine": "native", "threads": 2, "explain": False}
    started = time.process_time()
    search(state, "expectiminimax", Limits(seconds=0.05), **arguments)
    assert time.process_time() - started < 2
    previous = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(KeyboardInterrupt):
            search(state, "expectiminimax", Limits(depth=150), **arguments)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    ended = time.process_time()
    time.sleep(0.05)
    assert time.process_time() - ended < 0.04  # nobody searches on
    assert time.process_time() - started < 4
