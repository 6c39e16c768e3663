"""Who ends or stops the referee has lost its game, and sees no dice again that it has seen."""

import ctypes
import json
import os
import subprocess
import sys

import pytest
from support import hostile_engine

from starspiel.agents.seats.process import SeatProcess
from starspiel.evaluation.checked_settings import checked
from starspiel.evaluation.estimate import estimate
from starspiel.evaluation.plan import plan
from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.processes.executor import InProcess
from starspiel.evaluation.store.store import Store
from starspiel.evaluation.tournament import tournament

PIG = "pig(players=2,winscore=20)"
ENGINE = f"exec:{sys.executable} -I -S {hostile_engine.__file__}"
KEY = "00112233445566778899aabbccddeeff"
pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody knows what is above it"),
    pytest.mark.usefixtures("without_fence"),
]


def first_rolls(job, pair):
    """The number of the first roll of seat 0 in each game of a pair."""
    return [job.meeting(pair, seats).dice.number(0, 1, 0) for seats in pair.seatings()]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "fate"), [("kill", "died of SIGKILL"), ("stop", "was stopped")])
def test_who_ends_its_referee_loses_the_game(kind, fate, monkeypatch):
    for module in ("workers", "executor"):
        monkeypatch.setattr(f"starspiel.evaluation.processes.{module}.LOOK_SECONDS", 0.2)
    agents = {"bad": f"{ENGINE} '{kind} the referee'", "one": ENGINE, "two": ENGINE}
    result = tournament(PIG, agents, pairs=1, seed=3, format="gauntlet")
    assert {fault.seat for record in result.pairs for _, fault in record.faults} == {0, 1}
    for record in result.pairs:
        assert [agent for agent, _ in record.faults] == [0, 0]
        for _, fault in record.faults:
            assert (fault.kind, fault.message) == (
                "crashed",
                f"its referee's process {fate} while it was asked",
            )
    assert "4 games forfeited (4 crashed)" in str(result)


def test_only_the_game_that_was_disturbed_is_lost_and_the_other_has_new_dice(tmp_path, caplog):
    agents = {"bad": f"{ENGINE} 'kill the referee once' {tmp_path / 'done'}", "one": ENGINE}
    [record] = tournament(PIG, agents, pairs=1, seed=3).pairs
    assert [game.fault is not None for game in record.games] == [True, False]
    assert record.pair.attempt == 1
    job = plan(checked(game=PIG, agents=agents, pairs=1, seed=3)).job
    again, before = first_rolls(job, record.pair), first_rolls(job, Pair((0, 1), 0))
    assert not {*again} & {*before}
    assert "pair 0 of bad and one was started before, and is played with new dice (attempt 2)" in caplog.text


@pytest.mark.slow
def test_who_ends_the_tournament_sees_other_dice_when_the_command_is_repeated(tmp_path):
    path = tmp_path / "a.db"
    engine = f"bad={ENGINE} 'kill the tournament once' {tmp_path / 'done'}"
    unfenced = "import starspiel.agents.seats.kept as seat; seat._FENCED = False"
    start = f"{unfenced}; from starspiel.cli.app import main; main()"
    command = [sys.executable, "-c", start, "tournament", PIG]
    command += ["--agents", "random", engine, "--pairs", "2", "--store", path, "--json"]
    first = subprocess.run(command, capture_output=True, check=False)
    assert first.returncode < 0
    second = subprocess.run(command, capture_output=True, check=False, text=True)
    assert json.loads(second.stdout)["pairs"] == 2
    assert "pair 0 of random and bad was started before, and is played with new dice" in second.stderr
    with Store(path, read_only=True) as store:
        assert sorted(store.attempts().values()) == [1]
        played = {game.number: game.record.actions for game in store.games()}
    assert len(played) == 2


def test_attempts_are_counted_by_dice_whatever_else_has_changed(tmp_path):
    """Another clock or limit makes another pair of the same dice."""
    path, pair, ours = tmp_path / "a.db", Pair((1, 2), 0), Pair((0, 1), 0)
    agents = {"greedy": "greedy", "random": "random", "stranger": ENGINE}
    jobs = [plan(checked(game=PIG, agents=agents, pairs=1, clock=clock)).job for clock in (None, 5.0)]
    numbers = []
    for job in jobs:
        for _ in range(2):  # each time the process ends before anything is stored
            with Store(path) as store:
                one, other = store.begin(job, [pair, ours])
                numbers.append(one.attempt)
                assert other.attempt == 0, "of ours nobody remembers anything"
    assert numbers == [0, 1, 2, 3]
    assert len({tuple(first_rolls(jobs[0], Pair((1, 2), 0, attempt=number))) for number in numbers}) == 4


class Recorder(InProcess):
    """Plays, and keeps what it was to play."""

    def play(self, referee, schedule, begin=None):
        self.job = referee.job
        return super().play(referee, schedule, begin)


@pytest.mark.parametrize("secret", [{"key": KEY}, {"seed": 7}])
def test_a_dry_run_has_dice_of_its_own(secret):
    made = plan(checked(game=PIG, agents=["random", ENGINE], pairs=2, **secret), recorder := Recorder())
    assert estimate(made).missing_pairs == 2
    for number in range(2):
        shown, real = (first_rolls(job, Pair((0, 1), number)) for job in (recorder.job, made.job))
        assert not {*shown} & {*real}


def is_concealed():
    return ctypes.CDLL(None).prctl(3) == 0  # PR_GET_DUMPABLE


@pytest.mark.parametrize("secret", [{"key": KEY}, {"secret": True}])
def test_nobody_runs_before_the_referee_has_concealed_itself(secret, monkeypatch):
    ctypes.CDLL(None).prctl(4, 1)
    seen, start = [], SeatProcess._start

    def started(process):
        seen.append(is_concealed())
        start(process)

    monkeypatch.setattr(SeatProcess, "_start", started)
    made = plan(checked(game=PIG, agents=["random", f"first={ENGINE}"], pairs=1, clock=1.0, **secret))
    assert seen
    assert all(seen)
    assert made.job.key
    assert is_concealed(), "to the end"


def test_a_referees_memory_is_closed_to_its_agents(tmp_path):
    if os.geteuid() == 0:
        pytest.skip("the administrator reads all memory")
    found = tmp_path / "found"
    agents = {"reads": f"{ENGINE} 'read memory' {found}", "other": ENGINE}
    tournament(PIG, agents, pairs=1, key=KEY)
    assert KEY not in found.read_text()
