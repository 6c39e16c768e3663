"""Arrow keys answer at the terminal where moves are directions."""

import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from starspiel.cli.arrow_keys import bindings

pytest.importorskip("readline")


def test_keys_without_a_move_edit_the_line() -> None:
    lines = bindings({"up", "left"}, libedit=False)
    assert r'"\e[A": "up\C-m"' in lines
    assert r'"\eOD": "left\C-m"' in lines
    assert r'"\e[B": next-history' in lines
    assert all(line.startswith("bind") for line in bindings({"up"}, libedit=True))


def test_2048_is_played_by_arrow_keys_in_a_terminal(tmp_path: Path) -> None:
    master, slave = pty.openpty()
    command = [sys.executable, "-c", "from starspiel.cli import main; main()", "play", "2048", "--seed", "3"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    process = subprocess.Popen(
        command,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        cwd=tmp_path,
        env=environment,
        start_new_session=True,
    )
    os.close(slave)
    seen, keys = "", [b"\x1b[D", b"\x1b[A", b"\x1bOC", b"\x1b[B", b"q\r"]
    deadline = time.monotonic() + 120
    try:
        while keys and time.monotonic() < deadline:
            if select.select([master], [], [], 1)[0]:
                seen += os.read(master, 65536).decode(errors="replace")
            if seen.count("your move> ") > 5 - len(keys):
                os.write(master, keys.pop(0))
        process.wait(60)
    finally:
        process.kill()
    assert not keys, seen
    assert process.returncode == 0
    # Each key was answered by a new tile, not by an error.
    assert len(re.findall(r"chance: \d added to row", seen)) >= 2 + 3
    assert "no move" not in seen
