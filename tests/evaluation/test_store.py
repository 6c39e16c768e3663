"""The store: nothing is lost, nothing is played twice, and every trouble is one clear error."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace

import pyspiel
import pytest

from starspiel.agents.solve import solve
from starspiel.envs.errors import StarspielError
from starspiel.evaluation.store import Store
from starspiel.evaluation.tournament import tournament

PIG = "pig(players=2,winscore=20)"
AGENTS = ["random", "greedy", "mcts(simulations=5)"]


def untimed(result):
    answer = result.to_dict()
    del answer["seconds"]
    for agent in answer["agents"]:
        del agent["cpu_seconds_per_move"]
    return answer


def counted(played):
    return lambda progress: played.append(progress.last.pair)


def test_a_second_run_plays_nothing_and_says_the_same(tmp_path):
    path = tmp_path / "a.db"
    plain = tournament(PIG, AGENTS, pairs=4, seed=2, luck="heuristic")
    first = tournament(PIG, AGENTS, pairs=4, seed=2, luck="heuristic", store=path)
    played = []
    second = tournament(PIG, AGENTS, pairs=4, seed=2, luck="heuristic", store=path, on_pair=counted(played))
    assert played == []
    assert untimed(plain) == untimed(first) == untimed(second)


def test_only_what_is_new_is_played(tmp_path):
    path = tmp_path / "a.db"
    tournament(PIG, AGENTS[:2], pairs=3, store=path)
    played = []
    tournament(PIG, AGENTS[:2], pairs=5, store=path, on_pair=counted(played))
    assert [pair.number for pair in played] == [3, 4]
    played.clear()
    # Another agent, in front of the others: the old pairs are found under their new indices.
    extended = tournament(PIG, AGENTS[::-1], pairs=5, store=path, on_pair=counted(played))
    assert len(played) == 10
    assert all(0 in pair.agents for pair in played)
    assert untimed(extended) == untimed(tournament(PIG, AGENTS[::-1], pairs=5))
    played.clear()
    tournament(PIG, AGENTS[:2], pairs=1, seed=2, store=path, on_pair=counted(played))
    assert len(played) == 1, "another seed is another tournament"


def test_luck_is_measured_on_stored_games(tmp_path):
    path = tmp_path / "a.db"
    tournament(PIG, AGENTS, pairs=3, store=path)
    played = []
    late = tournament(PIG, AGENTS, pairs=3, store=path, luck="heuristic", on_pair=counted(played))
    assert played == []
    assert untimed(late) == untimed(tournament(PIG, AGENTS, pairs=3, luck="heuristic"))


def test_stored_records_are_the_games(tmp_path):
    class Broken(pyspiel.Bot):
        def step(self, state):
            raise ValueError("lost my head")

    agents = {"broken": lambda game, seat, seed: Broken(), "star": "star2(depth=1)", "random": "random"}
    plain = tournament(PIG, agents, pairs=2)
    tournament(PIG, agents, pairs=2, store=tmp_path / "a.db")
    with Store(tmp_path / "a.db", read_only=True) as store:
        stored = list(store.games())
        names = list(agents)
        for game, record in zip(stored, [g for pair in plain.pairs for g in pair.games], strict=True):
            assert game.names == tuple(names[agent] for agent in record.agents)
            assert game.record.actions == record.actions
            assert game.record.returns == record.returns
            assert game.record.fault == record.fault
            for mine, theirs in zip(game.record.moves, record.moves, strict=True):
                assert mine.nodes == theirs.nodes
                assert len(mine.seconds) == len(theirs.seconds)
            assert store.game(game.id).id == store.game(game.id[:12]).id == game.id
        with pytest.raises(StarspielError, match="has no game"):
            store.game("zzz")
        [run] = store.runs()
        assert list(run["config"]["agents"]) == names
        assert run["open_spiel"]
        assert {"engine", "workers", "limits", "starts"} <= run["config"].keys()
    again = tournament(PIG, agents, pairs=2, store=tmp_path / "a.db")
    assert untimed(again) == untimed(plain)


def test_one_player_games(tmp_path):
    plain = tournament("catch", ["random", "greedy"], pairs=5)
    for _ in range(2):
        assert untimed(
            tournament("catch", ["random", "greedy"], pairs=5, store=tmp_path / "c.db")
        ) == untimed(plain)


COMMAND = [
    *(sys.executable, "-c", "from starspiel.cli import main; main()", "tournament", PIG, "--agents", *AGENTS),
    *("--pairs", "120", "--seed", "4", "--json"),
]


@pytest.mark.slow
def test_killed_ten_times_and_resumed(tmp_path):
    path = tmp_path / "k.db"
    rng = random.Random(1)
    command = [*COMMAND, "--workers", "2", "--store", str(path)]
    kills = 0
    for _ in range(10):
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
        )
        try:
            process.wait(0.4 + rng.random() * 0.5)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
        time.sleep(0.05)
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    whole = subprocess.run(COMMAND, capture_output=True, text=True, check=True)
    answers = [json.loads(run.stdout) for run in (done, whole)]
    for answer in answers:
        del answer["seconds"]
        for agent in answer["agents"]:
            del agent["cpu_seconds_per_move"]
    assert kills >= 3
    assert answers[0] == answers[1]


def test_two_processes_on_one_store(tmp_path):
    path = tmp_path / "a.db"
    with Store(path):
        done = subprocess.run([*COMMAND, "--store", str(path)], capture_output=True, text=True, check=False)
        with Store(path, read_only=True) as reader:
            assert list(reader.games()) == []
    assert done.returncode == 2
    assert "in use by another tournament" in done.stderr
    assert done.stderr.count("\n") == 1


def test_ctrl_c_within_a_pair_leaves_no_half_of_it(tmp_path, monkeypatch):
    path = tmp_path / "a.db"
    saved, calls = Store._save_game, []

    def interrupted(self, *arguments):
        calls.append(None)
        if len(calls) == 4:
            raise KeyboardInterrupt
        saved(self, *arguments)

    monkeypatch.setattr(Store, "_save_game", interrupted)
    first = tournament(PIG, AGENTS[:2], pairs=5, store=path)
    assert first.interrupted
    assert first.games == 2
    monkeypatch.undo()
    with Store(path, read_only=True) as store:
        assert len(list(store.games())) == 2
    played = []
    done = tournament(PIG, AGENTS[:2], pairs=5, store=path, on_pair=counted(played))
    assert [pair.number for pair in played] == [1, 2, 3, 4]
    assert untimed(done) == untimed(tournament(PIG, AGENTS[:2], pairs=5))


def test_half_a_pair_is_played_again(tmp_path):
    path = tmp_path / "a.db"
    whole = tournament(PIG, AGENTS[:2], pairs=3, store=path)
    with sqlite3.connect(path) as db:
        db.execute("DELETE FROM games WHERE rowid = (SELECT min(rowid) FROM games)")
    db.close()
    played = []
    again = tournament(PIG, AGENTS[:2], pairs=3, store=path, on_pair=counted(played))
    assert [pair.number for pair in played] == [0]
    assert untimed(again) == untimed(whole)
    tournament(PIG, AGENTS[:2], pairs=3, store=path, on_pair=counted(played))
    assert len(played) == 1


def test_a_file_with_other_contents_is_another_agent(tmp_path):
    path, solution = tmp_path / "a.db", tmp_path / "s.npz"
    solved = solve("pig(players=2,winscore=4)")
    agents = ["random", f"optimal(solution={solution})"]
    luck = f"solution(file={solution})"
    played = []
    solved.save(solution)
    game = "pig(players=2,winscore=4)"
    tournament(game, agents, pairs=2, store=path, luck=luck, on_pair=counted(played))
    tournament(game, agents, pairs=2, store=path, luck=luck, on_pair=counted(played))
    assert len(played) == 2
    replace(solved, values=-solved.values).save(solution)
    tournament(game, agents, pairs=2, store=path, luck=luck, on_pair=counted(played))
    assert len(played) == 4
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT count(DISTINCT evaluator) FROM luck").fetchone() == (2,)
    db.close()


def refused(path, says):
    before = path.read_bytes()
    with pytest.raises(StarspielError, match=says):
        tournament(PIG, AGENTS, pairs=1, store=path)
    assert path.read_bytes() == before, "nothing is lost"


def test_files_that_are_no_store(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("not a database " * 100)
    refused(text, "not a store")
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE mine (x)")
    refused(other, "not a store")
    for size in (0, 1):
        text.write_bytes(b"S" * size)
        refused(text, "empty or cut off")
    with pytest.raises(StarspielError, match="there is no store"):
        Store(tmp_path / "none.db", read_only=True)
    with pytest.raises(StarspielError, match="cannot write"):
        Store(tmp_path / "no such folder" / "a.db")


def test_another_version_and_a_truncated_file(tmp_path):
    path = tmp_path / "a.db"
    tournament(PIG, AGENTS, pairs=20, store=path)
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    refused(path, "version 99")
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 1")
    db.close()
    size = path.stat().st_size
    os.truncate(path, size - 100)
    refused(path, "damaged")
    os.truncate(path, size // 2)
    with pytest.raises(StarspielError, match=r"damaged|cannot be used"):
        tournament(PIG, AGENTS, pairs=20, store=path)


def test_a_broken_record_is_one_clear_error(tmp_path):
    path = tmp_path / "a.db"
    tournament(PIG, AGENTS[:2], pairs=1, store=path)
    with sqlite3.connect(path) as db:
        db.execute("UPDATE records SET moves = x'ff00'")
    db.close()
    with Store(path, read_only=True) as store, pytest.raises(StarspielError, match="damaged"):
        list(store.games())
    with pytest.raises(StarspielError, match="damaged"):
        tournament(PIG, AGENTS[:2], pairs=1, store=path, luck="heuristic")


def test_a_full_disk_keeps_what_was_stored(tmp_path, monkeypatch):
    path = tmp_path / "a.db"
    tournament(PIG, AGENTS, pairs=2, store=path)
    opened = Store._open

    def small(self, read_only):
        opened(self, read_only)
        self._db.execute("PRAGMA max_page_count = 40")

    monkeypatch.setattr(Store, "_open", small)
    with pytest.raises(StarspielError, match="no space is left"):
        tournament(PIG, AGENTS, pairs=500, store=path)
    monkeypatch.undo()
    played = []
    tournament(PIG, AGENTS, pairs=2, store=path, on_pair=counted(played))
    assert played == []
