"""Time limits over whole games, and what keeps them.

Judged by processor time, of which a search that overlooks its deadline takes too much on the busiest machine.
benchmarks/clock.py measures the wall clock, on a quiet one.
"""

import gc
import itertools
import os
import random
import threading
import time
import warnings

import pytest

from starspiel.agents.bots.search_bot import SearchBot
from starspiel.agents.native_loader import native_status
from starspiel.agents.search import Limits, search
from starspiel.agents.search.gc_pause import PAUSE, CollectorPause
from starspiel.envs.base import CHANCE
from starspiel.envs.errors import EvaluatorError
from starspiel.envs.games import GAMES
from starspiel.envs.load import load_game
from starspiel.envs.openspiel.game import qualifying_games

#: Seconds that a time limit may be overrun by.
PROMISED = 0.005
#: Games with dice; those without show the same with a third of the limit.
DICE = [
    "2048(max_tile=64)",
    "backgammon",
    "banqi",
    "catch",
    "einstein_wurfelt_nicht",
    "maedn",
    "pig",
    "yacht",
]
#: A whole game of 2048 has thousands of moves.
SHIPPED = [f"{name}(columns=2,rows=2)" if name == "star_2048" else name for name in GAMES]
OTHERS = sorted(set(qualifying_games()) - {"2048", *DICE})[::5]
#: What makes one attempt late by chance is the machine (its caches); what makes so many late is the search.
ATTEMPTS = 10


@pytest.mark.slow
@pytest.mark.parametrize("name", [*SHIPPED, *DICE, *OTHERS])
def test_no_move_of_a_whole_game_is_late(name):
    game = load_game(name)
    seconds = 0.005 if name in OTHERS else 0.015
    bot = SearchBot(game, "star2", Limits(seconds=seconds))
    rng = random.Random(1)
    state = game.new_initial_state()
    while not state.is_terminal():
        player = state.current_player()
        if player == CHANCE:
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            action = rng.choices(outcomes, chances)[0]
        elif player == 0:
            late = []
            while len(late) < ATTEMPTS and (not late or late[-1] > PROMISED):
                before = time.thread_time()
                action = bot.step(state)
                late.append(time.thread_time() - before - seconds)
            assert min(late) <= PROMISED, f"late by {late} at\n{state}"
        else:
            action = rng.choice(state.legal_actions())
        state = state.child(action)


def test_nothing_is_collected_between_the_pause_and_the_answer(monkeypatch):
    """By a clock that goes on when it is read, so that no busy machine jumps the pause."""
    happened = []
    state = load_game("star_pig").new_initial_state()
    seconds = 3 * PAUSE
    ticks = itertools.count()

    class Noted(CollectorPause):
        __slots__ = ()

        def begin(self):
            super().begin()
            happened.append("pause")

        def end(self):
            happened.append("answer")
            super().end()

    def note(phase, info):
        if phase == "start":
            happened.append("collection")

    monkeypatch.setattr("starspiel.agents.search.context.CollectorPause", Noted)
    thresholds = gc.get_threshold()
    gc.callbacks.append(note)
    gc.set_threshold(100, 1, 1)
    try:
        with monkeypatch.context() as patched:
            patched.setattr("starspiel.agents.search.pace.Pace.next_fits", lambda pace: True)
            patched.setattr("starspiel.agents.search.context.time.perf_counter", lambda: next(ticks) / 1000)
            arguments = {"explain": False, "engine": "python"}
            search(state, "star2", Limits(seconds=seconds), "heuristic", **arguments)
    finally:
        gc.set_threshold(*thresholds)
        gc.callbacks.remove(note)
    assert next(ticks) >= 1000 * seconds
    assert "pause" in happened
    first, answer = happened.index("pause"), happened.index("answer")
    assert "collection" in happened[:first]
    assert "collection" not in happened[first:answer]


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("game", ["star_pig", "pig"])
def test_the_collector_is_left_as_it_was(game, enabled):
    def raises(state):
        raise ValueError("no value")

    state = load_game(game).new_initial_state()
    was = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    try:
        search(state, "star2", Limits(seconds=0.01))
        assert gc.isenabled() is enabled
        with pytest.raises(EvaluatorError):
            search(state, "star2", Limits(depth=3, seconds=0.05), raises)
        assert gc.isenabled() is enabled
    finally:
        (gc.enable if was else gc.disable)()


def test_a_pause_lasts_until_the_last_search_ends_its():
    """The collector is one for all threads."""
    assert gc.isenabled()
    one, other = CollectorPause(), CollectorPause()
    one.begin()
    other.begin()
    one.end()
    assert not gc.isenabled()
    one.end()
    assert not gc.isenabled()
    other.end()
    assert gc.isenabled()


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize("evaluator", ["heuristic", "function"])
def test_the_collector_runs_until_the_last_tenth_of_a_second(engine, evaluator):
    """Another thread sees when it is switched off."""
    if engine == "native" and not native_status().available:
        pytest.skip("no native core")
    seconds = 8 * PAUSE
    state = load_game("pig").new_initial_state()
    given = "heuristic" if evaluator == "heuristic" else lambda state: 0.0
    seen, over = [], threading.Event()

    def watch():
        while not over.wait(0.005):
            seen.append((time.perf_counter() - started, gc.isenabled()))

    watcher = threading.Thread(target=watch)
    started = time.perf_counter()
    watcher.start()
    try:
        search(state, "star2", Limits(seconds=seconds), given, engine=engine, table_mb=None, explain=False)
    finally:
        over.set()
        watcher.join()
    early = [enabled for moment, enabled in seen if moment < seconds - 1.5 * PAUSE]
    assert early
    assert all(early)
    assert gc.isenabled()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.parametrize("enabled", [True, False])
def test_a_fork_during_a_pause_leaves_the_child_the_collector_as_it_was(enabled):
    was = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    pause = CollectorPause()
    try:
        pause.begin()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # there may be other threads
            child = os.fork()
        if child == 0:
            code = 0 if gc.isenabled() is enabled else 1
            pause.end()  # of a search that goes on in the child
            code |= 0 if gc.isenabled() is enabled else 2
            pause.begin()
            code |= 4 if gc.isenabled() else 0
            pause.end()
            code |= 0 if gc.isenabled() is enabled else 8
            os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert not gc.isenabled()
        pause.end()
        assert gc.isenabled() is enabled
    finally:
        pause.end()
        (gc.enable if was else gc.disable)()
