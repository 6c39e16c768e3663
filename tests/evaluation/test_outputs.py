"""Files that cannot be written are named, with the reason and what to do, whichever command writes them."""

import errno
import json
import os
import shutil
import subprocess
import sys

import pytest

from starspiel.envs.errors import StarspielError
from starspiel.evaluation.outputs import replacing

PIG = "pig(players=2,winscore=10)"
#: Run in a mount namespace of its own: a disk that is written to, and then read-only.
ON_A_READ_ONLY_DISK = """
import contextlib, io, json, subprocess, sys
from starspiel.cli.app import main

def said(*arguments):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as err:
        try:
            main(list(arguments))
        except SystemExit as left:
            return left.code, err.getvalue()

disk, game = sys.argv[1:]
subprocess.run(["mount", "-t", "tmpfs", "tmpfs", disk], check=True)
play = ("tournament", game, "--agents", "random", "greedy", "--pairs")
said(*play, "1", "--store", f"{disk}/have.db")
said("ladder", f"{disk}/ladder", "add", "random", "greedy", "--game", game)
subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
commands = [
    (*play, "1", "--report", f"{disk}/new.html"),
    (*play, "1", "--store", f"{disk}/new.db"),
    (*play, "2", "--store", f"{disk}/have.db"),
    ("export", f"{disk}/have.db", "-o", f"{disk}/new.csv"),
    ("export", f"{disk}/have.db", "--format", "jsonl", "-o", f"{disk}/new.jsonl"),
    ("merge", f"{disk}/have.db", "-o", f"{disk}/new_merged.db"),
    ("ladder", f"{disk}/ladder", "add", "star2"),
    ("ladder", f"{disk}/new_ladder", "add", "star2"),
]
json.dump([(command, *said(*command)) for command in commands], sys.stdout)
"""


def test_on_a_read_only_disk(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    apart = ["unshare", "--user", "--map-root-user", "--mount"]
    if shutil.which("unshare") is None or subprocess.run([*apart, "true"], check=False).returncode:
        pytest.skip("nobody may mount a disk here")
    done = subprocess.run(
        [*apart, sys.executable, "-c", ON_A_READ_ONLY_DISK, str(disk), PIG],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    for command, code, said in json.loads(done.stdout):
        files = [word for word in command if "/new" in word] or [
            word for word in command if str(disk) in word
        ]
        assert (code, said.count("\n")) == (2, 1), (command, said)
        assert files[0] in said
        assert said.startswith("starspiel: cannot write the ")
        assert said.endswith("read-only file system; name a file on another disk.\n")


@pytest.mark.parametrize(
    ("number", "cure"),
    [
        (errno.ENOSPC, "no space left on device; free some space, or name a file on another disk"),
        (errno.EIO, "check the disk"),
        (errno.EPERM, "fix that, or name a file elsewhere"),
    ],
)
def test_a_disk_that_fails_while_it_is_written_to(tmp_path, number, cure):
    path = tmp_path / "report.html"
    path.write_text("the last one")
    with (
        pytest.raises(StarspielError, match=f"cannot write the report {path}: .*{cure}"),
        replacing("the report", path),
    ):
        raise OSError(number, os.strerror(number))  # without a name, as of every write
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]
    assert path.read_text() == "the last one"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_standard_output_on_a_full_disk():
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-c", "from starspiel.cli.app import main; main()", "games", "--json"]
        left = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert left.returncode == 2
    assert left.stderr == (
        "starspiel: cannot write standard output: no space left on device; free some space, or name a "
        "file on another disk.\n"
    )
