"""The store: nothing is lost, nothing is played twice, and every trouble is one clear error."""

import contextlib
import json
import os
import random
import resource
import shlex
import signal
import sqlite3
import subprocess
import sys
from dataclasses import replace

import pytest
from support import hostile_engine
from support.simple_bots import untimed

from starspiel.agents.hard_limits import HardLimits
from starspiel.agents.solve import solve
from starspiel.envs.errors import StarspielError
from starspiel.evaluation.store.file import StoreFile
from starspiel.evaluation.store.merge import merge
from starspiel.evaluation.store.store import Store
from starspiel.evaluation.store.tables import VERSION
from starspiel.evaluation.tournament import tournament

PIG = "pig(players=2,winscore=20)"
AGENTS = ["random", "greedy", "mcts(simulations=5)"]


def counted(played):
    return lambda progress: played.append(progress.last.pair)


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
    steps = []

    def stop(done, total):
        steps.append((done, total))
        if done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tournament(PIG, AGENTS, pairs=3, store=path, luck="heuristic", on_luck=stop)
    assert steps == [(done, 18) for done in range(1, 6)]
    steps.clear()
    late = tournament(
        PIG,
        AGENTS,
        pairs=3,
        store=path,
        luck="heuristic",
        on_pair=counted(played),
        on_luck=lambda *step: steps.append(step),
    )
    assert steps == [(done, 13) for done in range(1, 14)], "what was measured is kept"
    assert played == []
    assert untimed(late) == untimed(tournament(PIG, AGENTS, pairs=3, luck="heuristic"))
    steps.clear()
    tournament(PIG, AGENTS, pairs=3, store=path, luck="heuristic", on_luck=lambda *step: steps.append(step))
    assert steps == []


PLAY = [
    *(sys.executable, "-c", "from starspiel.cli import main; main()"),
    "tournament",
    PIG,
    "--json",
    "--agents",
]
COMMAND = [*PLAY, *AGENTS, "--pairs", "60", "--seed", "4"]


def records(path):
    """Everything about every game but the time it took, as bytes and numbers, by the game's id."""
    with Store(path, read_only=True) as store:
        return {
            game.id: (
                *(game.game, game.seed, game.number, game.start, game.names),
                *(game.record.actions, game.record.returns, game.record.fault),
                [(len(m.seconds), m.nodes.tobytes(), m.values.tobytes()) for m in game.record.moves],
            )
            for game in store.games()
        }


def count(path):
    with contextlib.suppress(StarspielError), Store(path, read_only=True) as store:
        return len(list(store.rows()))
    return 0


#: After so many new pairs, a timer of this process's own computing ends it, wherever it is: no handler is
#: asked. The store commits after every few games, by a clock that moves when it is looked at: neither a busy
#: machine nor a quick one changes anything in that.
KILLED_WITHIN = """
import itertools, signal
from starspiel.evaluation import tournament
from starspiel.evaluation.store import file
looks = itertools.count()
file.monotonic = lambda: next(looks) * file._COMMIT_SECONDS / 4
played = itertools.count(1)
def count(progress):
    if next(played) == {pairs}:
        signal.setitimer(signal.ITIMER_REAL, {seconds})
"""


@pytest.mark.slow
def test_killed_four_times_and_resumed(tmp_path):
    path, whole = tmp_path / "k.db", tmp_path / "whole.db"
    rng = random.Random(1)
    agents = ["random", "star2(depth=1)", "mcts(simulations=5)"]
    arguments = f"{PIG!r}, {agents!r}, 40, store={str(path)!r}, on_pair=count"
    grown = [0]
    for number in range(4):
        alarm = KILLED_WITHIN.format(pairs=rng.randint(3, 15), seconds=rng.uniform(0.001, 0.02))
        died = subprocess.run(
            [sys.executable, "-c", alarm + f"tournament({arguments}, workers={1 + number % 2})"],
            stderr=subprocess.DEVNULL,
            check=False,
        )
        assert died.returncode == -signal.SIGALRM
        grown.append(count(path))
    assert grown == sorted(grown), "nothing is lost"
    assert len(set(grown)) >= 3, "runs go on from where others died"
    assert grown[-1] < 240, "killed while it played"
    command = [*PLAY, *agents, "--pairs", "40", "--workers", "2", "--store", str(path)]
    subprocess.run(command, capture_output=True, check=True)
    tournament(PIG, agents, pairs=40, store=whole)
    assert records(path) == records(whole)
    assert len(records(whole)) == 240


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_FSIZE and its signal as Linux has them")
def test_a_disk_that_takes_no_more(tmp_path):
    """One clear error, nothing lost, and the same command goes on when there is room."""
    path, whole = tmp_path / "a.db", tmp_path / "whole.db"

    def small():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))

    command = [*COMMAND, "--store", str(path)]
    tournament(PIG, AGENTS, pairs=10, seed=4, store=path)
    filled = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=small)
    assert (filled.returncode, filled.stdout, filled.stderr.count("\n")) == (2, "", 1)
    assert "missing, full or failing" in filled.stderr
    before = records(path)
    assert 60 <= len(before) < 360
    subprocess.run(command, capture_output=True, check=True)
    tournament(PIG, AGENTS, pairs=60, seed=4, store=whole)
    assert records(path) == records(whole)
    assert before.items() <= records(whole).items()


def test_a_killed_run_s_log_is_found_through_a_link(tmp_path):
    """Pages that only the log holds are no sign of damage."""
    path, link = tmp_path / "a.db", tmp_path / "elsewhere" / "b.db"
    link.parent.mkdir()
    link.symlink_to(path)
    killed = "import os; from starspiel.evaluation import tournament as t; "
    killed += (
        f"t({PIG!r}, {AGENTS[:2]!r}, 40, store={str(path)!r}, on_pair=lambda p: p.done == 30 and os._exit(9))"
    )
    subprocess.run([sys.executable, "-c", killed], check=False, stderr=subprocess.DEVNULL)
    assert path.with_name("a.db-wal").stat().st_size > 0
    with Store(link) as store:
        assert store.path == link


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
        return saved(self, *arguments)

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


def test_half_a_pair_is_damage_and_played_again_once_it_is_left_out(tmp_path):
    damaged, path = tmp_path / "a.db", tmp_path / "b.db"
    whole = tournament(PIG, AGENTS[:2], pairs=3, store=damaged)
    with sqlite3.connect(damaged) as db:
        db.execute("DELETE FROM games WHERE rowid = (SELECT min(rowid) FROM games)")
    db.close()
    refused(damaged, r"damaged: 1 pair does not match its checksum: \w+ \(number 0, ")
    assert len(merge([damaged], path, salvage=True).skipped) == 1
    played = []
    again = tournament(PIG, AGENTS[:2], pairs=3, store=path, on_pair=counted(played))
    assert [pair.number for pair in played] == [0]
    assert untimed(again) == untimed(whole)
    tournament(PIG, AGENTS[:2], pairs=3, store=path, on_pair=counted(played))
    assert len(played) == 1


@pytest.mark.slow
def test_forfeits_by_another_limit_are_played_again(tmp_path):
    path, played = tmp_path / "a.db", []
    engine = f"exec:{sys.executable} -I -S {hostile_engine.__file__}"
    agents = {"slow": f"{engine} ponder", "one": engine, "two": engine}

    def run(seconds, **settings):
        played.clear()
        limits = HardLimits(move_seconds=seconds)
        return tournament(PIG, agents, 1, limits=limits, store=path, on_pair=counted(played), **settings)

    short = run(0.6, luck="heuristic")
    # Of its four games one is lost before its first move.
    assert [agent["forfeits"] for agent in short.to_dict()["agents"]] == [{"hung": 3}, {}, {}]
    run(0.6)
    assert played == []
    long = run(60, luck="heuristic")
    assert sorted(pair.agents for pair in played) == [(0, 1), (0, 2)], "only the forfeits"
    assert {pair.attempt for pair in played} == {1}, "with dice that nobody has seen"
    assert not any(agent["forfeits"] for agent in long.to_dict()["agents"])
    for seconds in (60, 0.6):  # Games that were played to their end stand.
        late = run(seconds, luck="heuristic")
        assert played == []
        assert untimed(late) == untimed(long)


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
        db.execute(f"PRAGMA user_version = {VERSION}")
    db.close()
    size = path.stat().st_size
    os.truncate(path, size - 100)
    refused(path, "damaged")
    os.truncate(path, size // 2)
    with pytest.raises(StarspielError, match=r"damaged|cannot be used"):
        tournament(PIG, AGENTS, pairs=20, store=path)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("games.return0", "abc"),
        ("games.return0", float("inf")),
        ("games.length", float("inf")),
        ("games.moves0", None),
        ("games.seat0", b"\xff"),
        ("games.fault_seat", 7),
        ("pairs.start", '["a"]'),
        ("pairs.voided", "[[1, 2, 3]]"),
        ("runs.config", "[" * 100_000),
    ],
)
def test_a_column_that_holds_something_else_is_one_clear_error(tmp_path, column, value):
    path = tmp_path / "a.db"
    tournament(PIG, AGENTS[:2], pairs=1, store=path)
    table, name = column.split(".")
    with sqlite3.connect(path) as db:
        db.execute(f"UPDATE {table} SET {name} = ?", (value,))
    db.close()

    def read_all():
        with Store(path, read_only=True) as store:
            for _ in (*store.runs(), *store.rows(), *store.games()):
                pass
        tournament(PIG, AGENTS[:2], pairs=1, store=path)  # which alone reads what was void

    with pytest.raises(StarspielError, match="damaged"):
        read_all()
    with contextlib.suppress(StarspielError):  # a tournament need not read what exports do
        tournament(PIG, AGENTS[:2], pairs=1, store=path)


def test_a_game_whose_pair_is_gone_is_not_proposed(tmp_path):
    path = tmp_path / "a.db"
    tournament(PIG, AGENTS[:2], pairs=1, store=path)
    with Store(path, read_only=True) as store:
        identity = next(store.games()).id
    with sqlite3.connect(path) as db:
        db.execute("DELETE FROM pairs")
    db.close()
    with Store(path, read_only=True) as store, pytest.raises(StarspielError, match="holds no games"):
        store.game(identity)


def test_sqlite_alone_reads_the_moves(tmp_path):
    path = tmp_path / "a.db"
    tournament(PIG, AGENTS[:2], pairs=2, store=path)
    with Store(path, read_only=True) as store:
        games = {game.id: list(game.record.actions) for game in store.games()}
    db = sqlite3.connect(path)
    rows = db.execute("SELECT game, json_extract(moves, '$.actions') FROM records").fetchall()
    db.close()
    assert {game: json.loads(actions) for game, actions in rows} == games


@pytest.mark.skipif(sys.platform != "linux", reason="mounts as Linux does")
def test_a_store_on_a_medium_that_takes_no_writes_is_read(tmp_path):
    tournament(PIG, AGENTS[:2], pairs=2, store=tmp_path / "a #1?.db")
    mounted = "mount --bind . . && mount -o remount,ro,bind ."
    in_namespace = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]

    def inside(command):
        return subprocess.run(
            [*in_namespace, f"{mounted} && cd {shlex.quote(str(tmp_path))} && {command}"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    try:
        if inside("! touch written").returncode:
            pytest.skip("no mounting here")
    except FileNotFoundError:
        pytest.skip("no mounting here")
    starspiel = shlex.join([sys.executable, "-c", "from starspiel.cli import main; main()"])
    done = inside(f"{starspiel} export 'a #1?.db'")
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 5
    done = inside(f"{starspiel} replay 'a #1?.db' {done.stdout.splitlines()[1].partition(',')[0]}")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_full_disk_keeps_what_was_stored(tmp_path, monkeypatch):
    path = tmp_path / "a.db"
    tournament(PIG, AGENTS, pairs=2, store=path)
    opened = StoreFile._open

    def small(self, read_only):
        opened(self, read_only)
        self.connection.execute("PRAGMA max_page_count = 40")

    monkeypatch.setattr(StoreFile, "_open", small)
    with pytest.raises(StarspielError, match="no space is left"):
        tournament(PIG, AGENTS, pairs=500, store=path)
    monkeypatch.undo()
    played = []
    tournament(PIG, AGENTS, pairs=2, store=path, on_pair=counted(played))
    assert played == []
