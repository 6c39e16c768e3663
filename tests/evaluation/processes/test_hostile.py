"""Hostile agents: each costs its own games only, and whoever plays with it does not notice."""

import errno
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from support import hostile, hostile_engine
from support.processes import state_of

from starspiel.agents.hard_limits import HardLimits
from starspiel.agents.seats.bot import SeatBot
from starspiel.agents.seats.command import command_of
from starspiel.agents.seats.keeper import descendants
from starspiel.envs.errors import SeatError, StarspielError
from starspiel.envs.load import load_game
from starspiel.evaluation.checked_settings import checked
from starspiel.evaluation.plan import plan
from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.processes.cluster import RayCluster
from starspiel.evaluation.tournament import tournament

PIG = "pig(players=2,winscore=20)"
#: Without starspiel and the folders of packages: there at once.
ENGINE = f"exec:{sys.executable} -I -S {hostile_engine.__file__}"
#: However busy the machine is.
LATE = HardLimits(move_seconds=60.0, memory_mb=200)
pytestmark = pytest.mark.usefixtures("without_fence")

KINDS = {
    "segfault": ("crashed", "died of SIGSEGV"),
    "a signal without a name": ("crashed", "died of signal 40"),
    "exit as if all were well": ("crashed", "ended with exit code 0"),
    "kill the keeper": ("crashed", "killed"),
    "child kills parent": ("crashed", "died of SIGKILL"),
    "hoard": ("memory", "more than 200 MB of memory"),
    "close": ("broken", "closed its standard output"),
    "no json": ("broken", "'my move is 1'"),
    "no action": ("broken", "action"),
    "a float": ("broken", "int"),
    "another type": ("broken", "expected a move, got Ready"),
    "end of the game": ("broken", "'end'"),
    "gives up": ("raised", "no more ideas"),
    "two answers": ("broken", 'it spoke without being asked: \'{"type": "move"'),
    "endless line": ("broken", "a line of more than 1,048,576 bytes"),
    "hang": ("hung", "no answer to move within 0.2 s"),
    "stop": ("hung", "no answer to move within 0.2 s"),
    "busy": ("hung", "no answer to move within 0.2 s"),
    "stop the keeper": ("hung", "no answer to move within 0.2 s"),
}
#: Of these, those that are played out.
PLAYED = {
    "exit as if all were well": "crashed",
    "kill the keeper": "crashed",
    "hoard": "memory",
    "two answers": "broken",
    "illegal": "illegal",
}


def games(result, agents):
    """What is the same whoever plays: actions and returns by pair, of the pairs between these agents."""
    return {
        record.pair: [(game.actions, game.returns) for game in record.games]
        for record in result.pairs
        if set(record.pair.agents) <= set(agents)
    }


def fault_kinds(result):
    return {
        result.agents[agent]: sorted({fault.kind for _, fault in record.faults})
        for record in result.pairs
        for agent in {agent for agent, _ in record.faults}
    }


@pytest.fixture(scope="module")
def clean():
    return tournament(PIG, {"one": ENGINE, "two": ENGINE}, pairs=1, seed=3)


def running(pid):
    return state_of(pid)[:1] not in ("", "Z")


def ends(pid):
    """Whether the process is gone within a minute: on a busy machine even that takes a while."""
    for _ in range(600):
        if not running(pid):
            return True
        time.sleep(0.1)
    return False


def gauntlet(kinds):
    """The innocent `one` against each kind, and against the innocent `two`."""
    return {"one": ENGINE, "two": ENGINE} | {kind: f"{ENGINE} {kind!r}" for kind in kinds}


@pytest.mark.parametrize("kind", KINDS)
def test_what_an_engine_does_wrong_is_named_and_nothing_of_it_is_left(kind, monkeypatch):
    game = load_game(PIG)
    bot = SeatBot(command_of(f"{ENGINE} {kind!r}"), game, 0, 1, LATE)
    state = game.new_initial_state()
    bot.step(state), bot.step(state)
    if KINDS[kind][0] == "hung":
        bot._limits = HardLimits(move_seconds=0.2)
    if kind == "stop the keeper":  # it never answers, however long one waits
        monkeypatch.setattr("starspiel.agents.seats.kept._KEEPER_SECONDS", 0.5)
    with pytest.raises(SeatError) as error:
        bot.step(state)
    bot.leave(None, sound=False)
    assert error.value.kind == KINDS[kind][0]
    assert KINDS[kind][1] in str(error.value)
    assert ends(bot.process.pid)


def test_an_engine_that_misbehaves_loses_its_own_games_only(clean):
    field = gauntlet(PLAYED)
    result = tournament(PIG, field, pairs=1, seed=3, format="gauntlet", limits=LATE, workers=2)
    assert games(result, (0, 1)) == games(clean, (0, 1))
    assert fault_kinds(result) == {kind: [fault] for kind, fault in PLAYED.items()}
    for record in result.pairs:
        bad = record.pair.agents[1]
        assert {agent for agent, _ in (*record.faults, *record.voided)} == ({bad} if bad > 1 else set())
        assert all(game.agents[game.fault.seat] == bad for game in record.games if game.fault)


@pytest.mark.slow
def test_moves_of_8_s_under_a_limit_of_1_s(clean):
    limits = HardLimits(move_seconds=1.0)
    result = tournament(PIG, gauntlet(["8 s"]), pairs=1, seed=3, limits=limits)
    assert games(result, (0, 1)) == games(clean, (0, 1))
    assert fault_kinds(result) == {"8 s": ["hung"]}


def test_what_an_engine_has_started_ends_with_it_and_what_it_prints_is_bounded(tmp_path, clean):
    """A child in a session of its own whose parent has gone, and 20 MB on standard error."""
    field = {"one": f"{ENGINE} detached {tmp_path}", "two": f"{ENGINE} flood"}
    result = tournament(PIG, field, pairs=1, seed=3)
    assert games(result, (0, 1)) == games(clean, (0, 1))
    started = [int(path.name) for path in tmp_path.iterdir()]
    assert started
    assert all(map(ends, started))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")
def test_what_an_engine_leaves_ends_without_its_keeper(tmp_path):
    """Children in a session of their own, and then the keeper is killed."""
    game = load_game(PIG)
    bot = SeatBot(command_of(f"{ENGINE} 'leave children' {tmp_path}"), game, 0, 1, LATE)
    state = game.new_initial_state()
    bot.step(state), bot.step(state)
    with pytest.raises(SeatError, match="killed, with its keeper"):
        bot.step(state)
    bot.leave(None, sound=False)
    [child] = [int(path.name) for path in tmp_path.iterdir()]
    assert ends(child)


@pytest.mark.parametrize("lacking", ["folders", "processes", "keepers"])
def test_a_machine_without_room_is_nobodys_fault(lacking, monkeypatch, tmp_path):
    """Who fills it up does not have the opponent forfeit."""
    referee = plan(checked(game=PIG, agents=["random", ENGINE], pairs=1)).referee

    def full(*given, **named):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    if lacking == "folders":
        monkeypatch.setattr(tempfile, "mkdtemp", full)
    elif lacking == "processes":
        monkeypatch.setattr(subprocess, "Popen", full)
    else:
        monkeypatch.setattr("starspiel.agents.seats.kept.keeper.__file__", os.devnull)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(StarspielError, match=r"cannot start an agent's process: .* Make room"):
        referee.referee(Pair((0, 1), 0))
    assert not any(tmp_path.iterdir())


def test_in_a_namespace_all_that_an_engine_has_started_ends_without_its_keeper(tmp_path):
    unshare = "unshare --user --map-current-user --pid --fork --kill-child --mount-proc"
    if not shutil.which("unshare") or subprocess.run([*unshare.split(), "true"], check=False).returncode:
        pytest.skip("no namespaces here")
    command = command_of(f"exec:{unshare} {ENGINE.removeprefix('exec:')} detached {tmp_path}")
    bot = SeatBot(command, load_game(PIG), 0, 1, LATE)
    state = load_game(PIG).new_initial_state()
    bot.step(state), bot.step(state), bot.step(state)
    inside = descendants(bot.process.pid)
    assert len(inside) >= 2  # the engine, what it started, and what may just be ending
    bot.process._keeper.kill()
    assert all(map(ends, inside))
    bot.leave(None, sound=False)


@pytest.mark.parametrize("kind", ["work on", "speak later"])
def test_an_engine_rests_while_it_is_not_asked(kind):
    """Threads of its own use no processor, and say nothing; then it goes on where it was."""
    game = load_game(PIG)
    bot = SeatBot(command_of(f"{ENGINE} {kind!r}"), game, 0, 1, LATE)
    state = game.new_initial_state()
    for _ in range(3):
        bot.step(state)
    while not state_of(bot.process.pid).startswith("T"):
        time.sleep(0.01)  # however late the signal comes
    used = bot.process.cpu_seconds()
    time.sleep(0.1)
    assert bot.process.cpu_seconds() == used
    assert bot.process.is_alive
    if kind == "work on":
        bot.step(state)
        assert bot.process.cpu_seconds() > used
    bot.leave(None, sound=True)


ATTACKS = {
    "witness": "support.hostile:Witness",
    "every way": "support.hostile:Player(attack=every_way)",
    "interrupt": "support.hostile:Player(attack=interrupt)",
}


@pytest.mark.slow
def test_bots_that_attack_their_process_attack_themselves():
    result = tournament(PIG, ATTACKS, pairs=1, seed=3, workers=2, common_dice=True)
    assert fault_kinds(result) == {"interrupt": ["raised"]}
    peaceful = dict.fromkeys(ATTACKS, lambda game, seat, seed: hostile.Player(seed))
    theirs = tournament(PIG, peaceful, pairs=1, seed=3)
    assert games(result, (0, 1)) == games(theirs, (0, 1))


@pytest.mark.slow
def test_hostile_agents_on_ray(clean, monkeypatch):
    ray = pytest.importorskip("ray", reason='Ray is an extra: pip install "starspiel[ray]"')
    tests = Path(hostile.__file__).parents[1]  # What a cluster imports is installed on its nodes.
    monkeypatch.setenv("PYTHONPATH", str(tests))
    field = gauntlet(["kill the keeper", "hoard"])
    ray.init(address="local", num_cpus=2, log_to_driver=False, include_dashboard=False)
    try:
        result = tournament(PIG, field, pairs=1, seed=3, engine=RayCluster(2, limits=LATE))
        bots = tournament(PIG, ATTACKS, pairs=1, seed=3, engine=RayCluster(2))
    finally:
        ray.shutdown()
    here = tournament(PIG, field, pairs=1, seed=3, limits=LATE)
    assert games(result, (0, 1)) == games(clean, (0, 1))
    assert fault_kinds(result) == fault_kinds(here)
    assert games(result, range(4)) == games(here, range(4))
    assert fault_kinds(bots) == {"interrupt": ["raised"]}
