"""What the tests of commands share."""

import io
import sys
from collections.abc import Callable

import pytest

from starspiel.cli.app import main

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command here, on these lines of input; returns exit code, stdout and stderr."""

    def run(*arguments: str, lines: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
        with pytest.raises(SystemExit) as left:
            main(list(arguments))
        out, err = capfd.readouterr()
        return int(left.value.code or 0), out, err

    return run
