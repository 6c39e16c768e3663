"""A store's file: whole or not at all, whatever moment its maker is killed at, and however many make it."""

import os
import signal
import sqlite3
import sys
import time

import pytest

from starspiel.envs.errors import StarspielError
from starspiel.evaluation.store import file as store_file
from starspiel.evaluation.store.store import Store


def in_a_child(work, kill_after=None):
    """Runs `work` in a fork, killed after as many seconds; returns how it ended, as os.waitpid does."""
    begin, started = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(started, b"!")
            work()
        finally:
            os._exit(0)
    os.read(begin, 1)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(child, signal.SIGKILL)
    os.close(begin)
    os.close(started)
    return os.waitpid(child, 0)[1]


def create(path):
    Store(path).close()


def usable(path):
    """Whether there is a file; one that is there must be a store."""
    if not path.exists():
        return False
    with Store(path) as store:
        assert list(store.games()) == store.runs() == []
    return True


def test_killed_at_forty_calls_that_creating_makes(tmp_path):
    """The n-th call that the interpreter makes is the last one, for n from the first call to the end."""

    def counting(last=None):
        calls = 0

        def count(frame, event, argument):
            nonlocal calls
            calls += 1
            if calls == last:
                os.kill(os.getpid(), signal.SIGKILL)

        sys.setprofile(count)
        try:
            create(path)
        finally:
            sys.setprofile(None)
        return calls

    path = tmp_path / "whole.db"
    counting()  # The first time is another.
    path.unlink()
    calls, seen = counting(), []
    for number in range(1, calls, calls // 40):
        path = tmp_path / f"{number}.db"
        assert in_a_child(lambda number=number: counting(number)) == signal.SIGKILL
        seen.append(usable(path))
    assert seen == sorted(seen)
    assert set(seen) == {False, True}


def test_two_at_once_make_one_store(tmp_path, monkeypatch):
    """The second finds no file, and one is there when its own is ready."""
    path, made = tmp_path / "a.db", []
    connect = sqlite3.connect

    def late(name, **options):
        if not made:
            made.append(None)
            create(path)
            with Store(path) as first:
                first.add_run({"who": "the first"})
        return connect(name, **options)

    monkeypatch.setattr(sqlite3, "connect", late)
    with Store(path) as second:
        assert [run["config"] for run in second.runs()] == [{"who": "the first"}]
    assert [file.name for file in tmp_path.iterdir()] == ["a.db"], "nothing is left beside it"


def test_what_cannot_be_finished_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(store_file, "SCRIPT", "CREATE TABLE half (x); nonsense")
    with pytest.raises(StarspielError, match="cannot be used"):
        create(tmp_path / "a.db")
    assert list(tmp_path.iterdir()) == []


def test_a_link_to_nothing_yet_is_followed(tmp_path):
    (tmp_path / "a.db").symlink_to(tmp_path / "b.db")
    create(tmp_path / "a.db")
    assert (tmp_path / "a.db").is_symlink()
    assert usable(tmp_path / "b.db")


def test_what_a_killed_process_leaves_does_not_keep_the_lock(tmp_path):
    path, pids = tmp_path / "a.db", tmp_path / "pid"

    def work():
        started, starts = os.pipe()
        with Store(path):
            child = os.fork()
            if child == 0:
                os.setsid()
                os.write(starts, b"x")
                time.sleep(60)
                os._exit(0)
            pids.write_text(str(child))
            os.read(started, 1)
            os.kill(os.getpid(), signal.SIGKILL)

    assert in_a_child(work) == signal.SIGKILL
    try:
        create(path)
    finally:
        os.kill(int(pids.read_text()), signal.SIGKILL)
