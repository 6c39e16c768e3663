"""Engines as agents: the examples play, `starspiel check` finds what is wrong, positions can be jumped to."""

import shutil
import subprocess
import sys
from pathlib import Path

import pyspiel
import pytest
from support import hostile_engine

from starspiel.agents import hard_limits as limits
from starspiel.agents import make_bot
from starspiel.agents.hard_limits import HardLimits
from starspiel.agents.seats import conformance
from starspiel.agents.seats.command import command_of
from starspiel.agents.seats.conformance import check_engine
from starspiel.agents.seats.process import SeatProcess
from starspiel.envs.errors import SeatError, SpecError, StarspielError
from starspiel.evaluation.tournament import tournament

EXAMPLES = Path(__file__).parents[3] / "examples" / "engines"
FIRST = f"exec:{sys.executable} -I -S {EXAMPLES / 'first_engine.py'}"
HOSTILE = f"exec:{sys.executable} -I -S {hostile_engine.__file__}"
PIG = "pig(players=2,winscore=20)"
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")


def test_the_example_in_python_keeps_the_protocol():
    report = check_engine(FIRST, PIG, games=2)
    assert report.ok, str(report)
    assert "first engine 1.0, version 1" in str(report)
    assert {"it ends when told to quit", "the same seed plays the same"} <= {c.name for c in report.checks}
    assert len((EXAMPLES / "first_engine.py").read_text().splitlines()) <= 45


@pytest.mark.skipif(shutil.which("c++") is None, reason="no C++ compiler")
def test_the_example_in_cpp_keeps_the_protocol(tmp_path):
    program = tmp_path / "first_engine"
    subprocess.run(["c++", "-o", program, EXAMPLES / "first_engine.cpp"], check=True)
    assert check_engine(f"exec:{program}", PIG, games=2).ok


@pytest.mark.parametrize(
    ("engine", "check", "says"),
    [
        ("exec:cat", "it ignores unknown messages", "starspiel-check"),
        ("exec:true", "it says hello", "crashed: the process ended with exit code 0"),
        ("exec:cat not_there", "it says hello", "cat: not_there: No such file"),
        (f"{HOSTILE} 'two answers'", "it answers every move", "without being asked"),
        (f"{HOSTILE} illegal", "moves are legal", "plays 99"),
        (f"{HOSTILE} 'a policy' '[[0, 7], [1, 7]]'", "it answers every move", "gives 0 the probability 7"),
        (f"{HOSTILE} 'a policy' '[[0, 0], [1, 1]]'", "policies are over legal moves", "never does"),
    ],
)
def test_the_check_finds_what_is_wrong(engine, check, says):
    report = check_engine(engine, PIG, games=1)
    assert not report.ok
    wrong = [part for part in report.checks if not part.ok and part.name.startswith(check)]
    assert wrong
    assert says in str(wrong[0])


def test_the_check_waits_no_longer_than_a_tournament(monkeypatch):
    assert HardLimits().for_strangers() == conformance._PATIENCE
    monkeypatch.setattr(conformance, "_PATIENCE", HardLimits(move_seconds=0.5))
    report = check_engine(f"{HOSTILE} hang", PIG, games=1)
    assert "hung: no answer to move within 0.5 s" in str(report)
    assert "every call is answered" in {part.name for part in report.checks if not part.ok}


@pytest.mark.parametrize(
    ("move_seconds", "start_seconds"), [(None, 300), (0.1, 30), (1, 30), (5, 150), (60, 300), (1000, 1000)]
)
def test_the_time_to_start_follows_the_move_limit(move_seconds, start_seconds):
    assert HardLimits(move_seconds).start_seconds == start_seconds


def test_an_engine_that_hangs_at_its_start_is_given_up_soon(monkeypatch):
    monkeypatch.setattr(limits, "LEAST_START_SECONDS", 0.2)
    says = r"no answer to hello within 0.3 s; to start, it has 30 times the limit of a move, and at least "
    with pytest.raises(StarspielError, match=says):
        tournament(PIG, ["exec:sleep 100", "random"], pairs=1, limits=HardLimits(move_seconds=0.01))


def test_a_policy_that_is_none_loses_the_game_of_its_seat():
    field = {"one": FIRST, "other": f"{HOSTILE} 'a policy' '[[0, 0.5], [99, 0.5]]'"}
    [record] = tournament(PIG, field, pairs=1).pairs
    assert {(agent, fault.kind) for agent, fault in record.faults} == {(1, "broken")}
    assert "it names 99, but the legal actions are 0, 1" in record.faults[0][1].message


def test_an_engine_is_shown_any_position():
    bot = make_bot(FIRST, PIG, 0, 7)
    state = pyspiel.load_game(PIG).new_initial_state()
    for action in (0, 3):
        state.apply_action(action)
    first = bot.step(state)
    bot.restart()
    assert bot.step(state) == first, "the same seed, the same history"
    assert bot.step(state) in state.legal_actions(), "taken back"
    assert bot.last_nodes == 1


def test_an_engine_is_named_with_its_arguments_and_by_its_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "engine.py").write_text((EXAMPLES / "first_engine.py").read_text())
    spec = f"exec:{sys.executable} engine.py --level {{1,2}} 'a b'"
    result = tournament(PIG, [spec], pairs=1)
    assert [name.partition("engine.py ")[2] for name in result.agents] == [
        "--level 1 'a b'",
        "--level 2 'a b'",
    ]
    assert command_of(result.agents[0])[1:] == (str(tmp_path / "engine.py"), "--level", "1", "a b")
    assert result.games == 2
    assert not any(record.voided for record in result.pairs)


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("exec:", "exec: alone"),
        ("exec:./not_there", r"there is no program '\./not_there'"),
        ("exec:'a", "quotation"),
    ],
)
def test_a_command_that_cannot_be_run(spec, says):
    with pytest.raises(SpecError, match=says):
        command_of(spec)


def ask_without_end(process, move):
    """For engines whose children go on while they answer."""
    while True:
        process.ask(move, 60)


@pytest.mark.parametrize(
    "kind",
    [
        "busy",
        pytest.param("short children", marks=LINUX),
        pytest.param("children that nobody waits for", marks=LINUX),
        pytest.param("very brief children that nobody waits for", marks=LINUX),
        pytest.param("a child that stays", marks=LINUX),
    ],
)
def test_cpu_seconds_of_a_game_are_limited(kind):
    process = SeatProcess(command_of(f"{HOSTILE} {kind!r}"), HardLimits(cpu_seconds=0.4))
    try:
        for _ in range(2):  # in a second game they count anew
            process.ask({"type": "new_game", "seed": 1}, 60)
            process.begin_game()
            move = {"type": "move", "legal": [0, 1]}
            process.ask(move, 60), process.ask(move, 60)
        with pytest.raises(SeatError, match=r"more than 0\.4 CPU seconds in a game") as error:
            ask_without_end(process, move)
        assert error.value.kind == "cpu"
    finally:
        process.close()
