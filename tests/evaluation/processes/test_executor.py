"""Worker processes: the same games whatever their number, and misbehaviour that costs the culprit alone."""

import faulthandler
import itertools
import os
import signal
import subprocess
import time
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress

import pyspiel
import pytest
from pebble.pool.process import PoolManager, TaskManager

from starspiel.envs.errors import StarspielError
from starspiel.envs.games.pig import Pig
from starspiel.envs.rules import RulesError
from starspiel.evaluation.limits import HardLimits
from starspiel.evaluation.processes import executor
from starspiel.evaluation.processes.workers import Workers
from starspiel.evaluation.tournament import tournament

PIG = "pig(players=2,winscore=20)"


class First(pyspiel.Bot):
    """Plays the last legal action; its `trick` is called at its third move."""

    def __init__(self, trick=None):
        super().__init__()
        self.trick = trick
        self.moves = 0

    def step(self, state):
        self.moves += 1
        if self.trick and self.moves == 3:
            self.trick()
        return state.legal_actions()[self.moves % 3 == 0 and -1]


def plain(game, seat, seed):
    return First()


def with_trick(trick):
    return lambda game, seat, seed: First(trick)


@pytest.fixture(autouse=True)
def within_a_minute():
    """What hangs is an error, not a test run that never ends."""

    def late(number, frame):
        raise TimeoutError("the test took more than a minute")

    previous = signal.signal(signal.SIGALRM, late)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, previous)


def moves(result):
    return [(record.pair, [game.actions for game in record.games]) for record in result.pairs]


def untimed(result):
    answer = result.to_dict()
    del answer["seconds"]
    for agent in answer["agents"]:
        del agent["cpu_seconds_per_move"]
    return answer


@pytest.mark.parametrize("workers", [1, 2])
def test_workers_play_the_same_games(workers):
    agents = ["random", "star2(depth=1)", "mcts(simulations=20)", "greedy"]
    here = tournament(PIG, agents, pairs=6, seed=7)
    there = tournament(PIG, agents, pairs=6, seed=7, workers=workers, limits=HardLimits(move_seconds=60))
    assert moves(here) == moves(there)
    assert untimed(here) == untimed(there)


def crash():
    faulthandler.disable()  # pytest's, which would print where it crashed
    os.kill(os.getpid(), signal.SIGSEGV)


def chance_node_crash():
    """OpenSpiel's C++ MCTS, stepped at a chance node, takes the process down."""
    faulthandler.disable()
    game = pyspiel.load_game("backgammon")
    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    bot = pyspiel.MCTSBot(game, evaluator, 1.4, 10, 1, False, 1, False)
    bot.step(game.new_initial_state())


def hang():
    while True:
        time.sleep(1)


def hang_ignoring_alarms():
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    hang()


def hang_handling_alarms():
    signal.signal(signal.SIGALRM, lambda number, frame: None)
    hang()


def stop():
    os.kill(os.getpid(), signal.SIGSTOP)


def eat():
    held = []
    while True:
        held.append(bytearray(2**24))


@pytest.mark.parametrize(
    ("trick", "kind", "says"),
    [
        (crash, "crashed", "SIGSEGV"),
        (chance_node_crash, "crashed", "SIGSEGV"),
        (lambda: os._exit(7), "crashed", "exit code 7"),
        (lambda: os._exit(0), "crashed", "exit code 0"),
        (hang, "hung", "no move within 0.5 s"),
        (hang_ignoring_alarms, "hung", "no move within 0.5 s"),
        (hang_handling_alarms, "hung", "no move within 0.5 s"),
        (stop, "hung", "no move within 0.5 s"),
        (eat, "memory", "MemoryError"),
    ],
    ids=[
        "segfault",
        "mcts at a chance node",
        "exit",
        "exit as if all were well",
        "hang",
        "hang ignoring alarms",
        "hang handling alarms",
        "stop",
        "memory",
    ],
)
def test_a_bad_agent_loses_its_own_games_only(trick, kind, says):
    agents = {"bad": with_trick(trick), "one": plain, "two": plain}
    limits = HardLimits(move_seconds=0.5 if kind == "hung" else 60, memory_mb=64)
    result = tournament(PIG, agents, pairs=2, seed=3, workers=2, limits=limits)
    clean = tournament(PIG, {"one": plain, "two": plain}, pairs=2, seed=3)
    assert result.games == 12
    good = [record for record in result.pairs if record.pair.agents == (1, 2)]
    assert [g.actions for r in good for g in r.games] == [g.actions for r in clean.pairs for g in r.games]
    for record in result.pairs:
        if 0 in record.pair.agents:
            assert record.voided[0][0] == 0
            for game in record.games:
                assert game.fault.seat == game.agents.index(0)
                assert game.fault.kind == kind
                assert says in game.fault.message
                state = pyspiel.load_game(PIG).new_initial_state()
                for action in game.actions:
                    state.apply_action(action)
                assert state.current_player() == game.fault.seat, "the record ends where the fault was"
    bad = result.to_dict()["agents"][0]
    assert bad["forfeits"] == {kind: 8}
    assert bad["losses"] == 8


@pytest.mark.parametrize("known", [0, 1, 2], ids=["no start", "every second start", "two of three starts"])
@pytest.mark.parametrize("workers", [1, 2])
def test_workers_that_end_before_pebble_knows_of_their_task(monkeypatch, workers, known):
    """As on a busy machine: pebble gives its pool up, or waits for that task without end."""
    starts = itertools.count()
    task_start = TaskManager.task_start

    def sometimes(self, task, worker):
        if next(starts) % (known + 1):
            task_start(self, task, worker)

    monkeypatch.setattr(TaskManager, "task_start", sometimes)
    agents = {"bad": with_trick(lambda: os._exit(7)), "one": plain, "two": plain}
    limits = HardLimits(move_seconds=60)
    result = tournament(PIG, agents, pairs=2, seed=3, workers=workers, limits=limits)
    clean = tournament(PIG, {"one": plain, "two": plain}, pairs=2, seed=3)
    good = [record for record in result.pairs if record.pair.agents == (1, 2)]
    assert [g.actions for r in good for g in r.games] == [g.actions for r in clean.pairs for g in r.games]
    assert result.to_dict()["agents"][0]["forfeits"] == {"crashed": 8}
    assert result.to_dict()["agents"][0]["losses"] == 8


def test_a_task_that_pebble_forgets_is_played_all_the_same(monkeypatch):
    """One that waits to be handed out when pebble gives its pool up never gets an answer."""
    tasks = itertools.count()
    schedule = PoolManager.schedule

    def breaks_once(self, task):
        if next(tasks) == 1:
            raise BrokenProcessPool("as when all workers have died")
        schedule(self, task)

    monkeypatch.setattr(PoolManager, "schedule", breaks_once)
    agents = {"one": plain, "two": plain}
    result = tournament(PIG, agents, pairs=6, seed=3, workers=2, limits=HardLimits(move_seconds=60))
    assert next(tasks) > 2
    assert moves(result) == moves(tournament(PIG, agents, pairs=6, seed=3))


def leave_a_handler():
    def late(number, frame):
        raise TimeoutError("meant for another")

    signal.signal(signal.SIGALRM, late)


def test_a_handler_left_behind_changes_nothing_for_an_opponent_that_hangs():
    agents = {"tidy": with_trick(leave_a_handler), "stuck": with_trick(hang)}
    result = tournament(PIG, agents, pairs=1, seed=3, workers=1, limits=HardLimits(move_seconds=0.5))
    forfeits = {agent["spec"]: agent["forfeits"] for agent in result.to_dict()["agents"]}
    assert forfeits == {"tidy": {}, "stuck": {"hung": 2}}


@pytest.mark.parametrize("then", [lambda: None, crash], ids=["plays on", "crashes"])
def test_a_bot_that_forks_and_lets_the_child_return_plays_one_game(then, tmp_path):
    def fork():
        if os.fork():
            time.sleep(0.3)
            then()
        else:
            (tmp_path / f"{os.getpid()}.forked").touch()

    def note():
        (tmp_path / f"{os.getpid()}.played").touch()

    agents = {"forks": with_trick(fork), "one": with_trick(note)}
    result = tournament(PIG, agents, pairs=2, seed=3, workers=2, limits=HardLimits(move_seconds=30))
    clean = tournament(PIG, {"forks": plain, "one": plain}, pairs=2, seed=3)
    forked = {path.stem for path in tmp_path.glob("*.forked")}
    assert forked
    assert not forked & {path.stem for path in tmp_path.glob("*.played")}
    if then is not crash:
        assert moves(result) == moves(clean)
        return
    for record, whole in zip(result.pairs, clean.pairs, strict=True):
        for game, full in zip(record.games, whole.games, strict=True):
            assert game.fault.kind == "crashed"
            assert len(game.actions) < len(full.actions)
            assert game.actions == full.actions[: len(game.actions)]


def running(pid):
    state = os.popen(f"ps -o stat= -p {pid}").read().strip()
    return state != "" and not state.startswith("Z")


@pytest.mark.parametrize("after", [lambda: None, hang], ids=["goes on", "hangs"])
def test_what_a_bot_has_started_ends_with_its_worker(after, tmp_path):
    def start():
        process = subprocess.Popen(["sleep", "600"])
        (tmp_path / str(process.pid)).touch()
        after()

    agents = {"starts": with_trick(start), "one": plain}
    tournament(PIG, agents, pairs=2, seed=3, workers=2, limits=HardLimits(move_seconds=0.5))
    started = [int(path.name) for path in tmp_path.iterdir()]
    assert started
    patience = time.monotonic() + 10
    while any(map(running, started)) and time.monotonic() < patience:
        time.sleep(0.05)
    left = [pid for pid in started if running(pid)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left


held = []


def hoard(megabytes):
    """Takes memory that outlives the game: all there is, or some."""
    while True:
        held.append(bytearray(2**20))
        if len(held) % megabytes == 0:
            return


def need():
    bytearray(2**24)


@pytest.mark.parametrize(("megabytes", "forfeits"), [(10**9, {"memory": 8}), (30, {})], ids=["all", "some"])
def test_who_plays_after_a_hoarder_loses_nothing(megabytes, forfeits):
    """One worker plays everything: what the hoarder leaves held would be missing for those after it."""
    agents = {
        "hoarder": with_trick(lambda: hoard(megabytes)),
        "one": with_trick(need),
        "two": with_trick(need),
    }
    result = tournament(PIG, agents, pairs=2, seed=3, limits=HardLimits(memory_mb=100))
    clean = tournament(PIG, dict.fromkeys(agents, plain), pairs=2, seed=3)
    shown = {agent["spec"]: agent for agent in result.to_dict()["agents"]}
    assert shown["hoarder"]["forfeits"] == forfeits
    for name in ("one", "two"):
        assert (shown[name]["voids"], shown[name]["forfeits"]) == (0, {})
    assert len(held) == 0, "not in this process"
    games = moves(result) if not forfeits else [r for r in moves(result) if r[0].agents == (1, 2)]
    assert all(record in moves(clean) for record in games)


def test_a_crash_that_does_not_come_back_is_played_over(tmp_path):
    flag = tmp_path / "crashed"

    def once():
        with suppress(FileExistsError):  # of two workers one
            flag.touch(exist_ok=False)
            crash()

    result = tournament(PIG, {"bad": with_trick(once), "one": plain}, pairs=3, workers=2)
    clean = tournament(PIG, {"bad": plain, "one": plain}, pairs=3)
    assert moves(result) == moves(clean)
    bad = result.to_dict()["agents"][0]
    assert (bad["voids"], bad["forfeits"]) == (1, {})


def interrupt():
    raise KeyboardInterrupt


def test_a_bot_that_raises_what_ctrl_c_raises_does_not_end_the_tournament():
    result = tournament(PIG, {"bad": with_trick(interrupt), "one": plain}, pairs=2, workers=2)
    assert not result.interrupted
    assert result.to_dict()["agents"][0]["forfeits"] == {"raised": 4}


def test_a_crash_while_being_informed_is_the_listeners():
    class Touchy(First):
        def inform_action(self, state, player, action):
            if len(state.history()) > 5:
                crash()

    result = tournament(
        PIG,
        {"touchy": lambda g, p, s: Touchy(), "one": plain},
        pairs=1,
        workers=1,
        limits=HardLimits(move_seconds=30),
    )
    assert result.to_dict()["agents"][0]["forfeits"] == {"crashed": 2}


class Rigged(Pig):
    """Rules that break where player 0 has five points."""

    def chances(self, position):
        return [(0, 0.5)] if position.scores[0] >= 5 else super().chances(position)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_game_that_breaks_its_own_rules_is_one_clear_error(workers):
    with pytest.raises(RulesError, match=r"sum to 0\.5, expected 1") as error:
        tournament(Rigged(goal=20), ["random", "greedy"], pairs=4, workers=workers)
    assert error.value.broken == "probabilities"


class Forbidden(Pig):
    """Rules that allow a move which is none where player 0 has five points."""

    def actions(self, position):
        return (0, 9) if position.scores[0] >= 5 else super().actions(position)


@pytest.mark.parametrize("agents", [["random", "star2"], {"one": plain, "two": plain}])
def test_rules_that_break_while_a_bot_thinks_are_not_the_bots_fault(agents):
    with pytest.raises(RulesError, match=r"actions\(\) gives \(0, 9\)"):
        tournament(Forbidden(goal=20), agents, pairs=4)


def children() -> set[str]:
    """The Python processes of this one; not multiprocessing's tracker, which stays until the end."""
    listed = os.popen(f"ps --ppid {os.getpid()} -o pid=,args=").read().splitlines()
    return {line for line in listed if "python" in line and "resource_tracker" not in line}


def test_no_more_workers_are_started_than_there_are_pairs(monkeypatch):
    numbers = []

    def counted(number, *rest):
        numbers.append(number)
        return Workers(number, *rest)

    monkeypatch.setattr(executor, "Workers", counted)
    assert tournament(PIG, {"a": plain, "b": plain}, pairs=2, workers=8).games == 4
    assert numbers == [2]


def test_stopping_early_leaves_no_worker_behind():
    def stop(progress):
        raise KeyboardInterrupt

    before = children()
    result = tournament(PIG, {"a": plain, "b": plain}, pairs=50, workers=2, on_pair=stop)
    assert result.interrupted
    assert result.games == 2
    assert children() <= before


@pytest.mark.parametrize("wrong", [{"move_seconds": 0}, {"move_seconds": -1.0}, {"memory_mb": 0}])
def test_wrong_limits_are_refused(wrong):
    with pytest.raises(StarspielError, match="must be a number above 0"):
        HardLimits(**wrong)
    with pytest.raises(StarspielError, match="expected for workers: a whole number from 1 to 1,000; got 0"):
        tournament(PIG, {"a": plain, "b": plain}, workers=0)


def late(number, frame):
    raise TimeoutError("out of time")


@pytest.mark.parametrize("when", ["made", "at move"])
def test_an_alarm_left_behind_is_not_the_opponents(when):
    """A bot that times itself and forgets to take the alarm off."""

    def forget():
        signal.signal(signal.SIGALRM, late)
        signal.setitimer(signal.ITIMER_REAL, 0.01)

    def forgetful(game, seat, seed):
        if when == "made" and os.getpid() != here:
            forget()
        return First(forget if when == "at move" else None)

    here = os.getpid()  # where every agent is made once, as a check
    agents = {"forgetful": forgetful, "slow": "mcts(simulations=3000)"}
    result = tournament(PIG, agents, pairs=2, workers=2)
    assert not any(record.faults or record.voided for record in result.pairs)


def test_agents_of_a_module_are_always_played_in_a_process_of_their_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "leaves_at_move.py").write_text(
        "import os\nclass Leaves:\n def __init__(self, game): pass\n def step(self, state): os._exit(0)\n"
    )
    result = tournament(PIG, ["random", "leaves_at_move:Leaves"], pairs=1)
    assert [fault.kind for record in result.pairs for _, fault in record.faults] == ["crashed"] * 2


def test_making_an_agent_takes_no_longer_than_the_limit(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "never_made.py").write_text("import time\ndef agent(game): time.sleep(60)\n")
    with pytest.raises(StarspielError, match=r"making the agent never_made:agent: .* move limit"):
        tournament(PIG, ["random", "never_made:agent"], pairs=1, limits=HardLimits(move_seconds=0.5))
