"""All that a seat has started is stopped, counted and ended with it, in whatever session it is."""

import os
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from support import hostile_engine

from starspiel.agents import hard_limits as limits
from starspiel.agents.hard_limits import HardLimits
from starspiel.agents.processes import state_of
from starspiel.agents.seats.bot import SeatBot
from starspiel.agents.seats.command import command_of
from starspiel.agents.seats.process import SeatProcess
from starspiel.envs.errors import SeatError
from starspiel.envs.load import load_game
from starspiel.evaluation.tournament import tournament

PIG = "pig(players=2,winscore=20)"
PROGRAM = f"{sys.executable} -I -S {hostile_engine.__file__}"
ENGINE = f"exec:{PROGRAM}"
SANDBOX = "unshare --user --map-current-user --pid --fork --kill-child --mount-proc"
FREE = HardLimits()
FENCED_PROBE = "import ctypes; ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), 1) < 6 and exit(1)"
MOVE = {"type": "move", "legal": [0, 1]}
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")


@contextmanager
def engine(kind, given=FREE, *more):
    """An engine that has made two moves: the next one is its trick."""
    process = SeatProcess(command_of(f"{ENGINE} {kind!r} {' '.join(more)}"), given)
    try:
        process.ask({"type": "new_game", "seed": 1}, 60)
        process.begin_game()
        process.ask(MOVE, 60), process.ask(MOVE, 60)
        yield process
    finally:
        process.close()


def comes(condition):
    """Whether it comes true within a minute: on a busy machine even that takes a while."""
    for _ in range(600):
        if condition():
            return True
        time.sleep(0.1)
    return False


def test_children_in_sessions_of_their_own_rest_while_others_think(tmp_path):
    with engine("strays", FREE, str(tmp_path)) as process:
        process.ask(MOVE, 60)
        strays = [int(path.name) for path in tmp_path.iterdir()]
        assert len(strays) == 4
        assert comes(lambda: all(state_of(pid) == "T" for pid in strays))
        used = process.cpu_seconds()
        time.sleep(0.2)
        assert process.cpu_seconds() == used
        process.ask(MOVE, 60)
        assert comes(lambda: all(state_of(pid) == "T" for pid in strays)), "woken, and stopped again"
    assert comes(lambda: not any(state_of(pid) in "RST" and state_of(pid) for pid in strays))


def test_children_end_with_a_keeper_that_is_killed(tmp_path):
    with engine("strays", FREE, str(tmp_path)) as process:
        process.ask(MOVE, 60)
        strays = [int(path.name) for path in tmp_path.iterdir()]
        process._keeper.kill()
        process._keeper.wait()
        with pytest.raises(SeatError, match="killed, with its keeper"):
            process.ask(MOVE, 60)
    assert comes(lambda: all(state_of(pid) in ("", "Z") for pid in strays))


def test_memory_that_nobody_has_mapped_counts():
    with engine("memfd", HardLimits(memory_mb=200)) as process, pytest.raises(SeatError) as error:
        process.ask(MOVE, 60)
    assert error.value.kind == "memory"


def test_memory_that_five_processes_share_counts_once():
    with engine("shared memory", HardLimits(memory_mb=250)) as process:
        process.ask(MOVE, 60)


def test_cpu_seconds_in_a_sandbox_are_those_of_what_runs_in_it():
    if not shutil.which("unshare") or subprocess.run([*SANDBOX.split(), "true"], check=False).returncode:
        pytest.skip("no namespaces here")
    agents = {"works": f"exec:{SANDBOX} {PROGRAM} work", "other": ENGINE}
    [record] = tournament(PIG, agents, pairs=1).pairs
    for game in record.games:
        assert sum(game.moves[game.agents.index(0)].seconds) > 0.25


@pytest.mark.slow
def test_time_that_others_take_is_not_the_engines():
    """On one processor with three that are busy, 0.3 CPU seconds take a second, and the limit is less."""
    [processor, *_] = sorted(os.sched_getaffinity(0))
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(3)]
    try:
        with engine("work") as process:
            for pid in (process.pid, *(each.pid for each in busy)):
                os.sched_setaffinity(pid, {processor})
            process.ask(MOVE, 0.7)
    finally:
        for each in busy:
            each.kill()
            each.wait()


def test_agents_of_modules_and_programs_have_limits_if_none_are_given(monkeypatch):
    assert HardLimits().for_strangers() == HardLimits(60.0, 4096)
    assert HardLimits().for_strangers(clock=30.0).move_seconds == 300.0
    given = HardLimits(1.0, 100, 2.0)
    assert given.for_strangers(clock=30.0) == given
    monkeypatch.setattr(limits, "STRANGERS_SECONDS", 1.0)
    agents = {"hangs": f"{ENGINE} hang", "random": "random"}
    [record] = tournament(PIG, agents, pairs=1).pairs
    assert {(agent, fault.kind) for agent, fault in record.faults} == {(0, "hung")}


def test_an_engine_whose_children_are_stopped_goes_on_where_it_was(tmp_path):
    bot = SeatBot(command_of(f"{ENGINE} strays {tmp_path}"), load_game(PIG), 0, 1, HardLimits(60.0, 1000))
    state = load_game(PIG).new_initial_state()
    for _ in range(5):
        assert bot.step(state) in state.legal_actions()
    bot.leave(None, sound=True)


def test_an_engine_can_signal_only_what_it_has_started(tmp_path):
    """Its keeper, its referee and its opponent's processes are out of its reach; its children are not."""
    probe = subprocess.run([sys.executable, "-I", "-S", "-c", FENCED_PROBE], check=False)
    if probe.returncode:
        pytest.skip("no Landlock that knows of signals (Linux 6.12)")
    with engine("signals", FREE, str(tmp_path / "said")) as process:
        process.ask(MOVE, 60)
        process.ask(MOVE, 60)
    assert (tmp_path / "said").read_text().split() == ["refused", "refused", "refused", "sent"]
