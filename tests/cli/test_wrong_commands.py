"""What wrong commands print, word for word: `wrong_commands.txt`, in which a change of a message is seen."""

from pathlib import Path

import pytest

LINES = (Path(__file__).parent / "wrong_commands.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(("command", "said"), list(zip(LINES[::2], LINES[1::2], strict=True)))
def test_a_wrong_command_says_what_was_meant(run, tmp_path, monkeypatch, command: str, said: str) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run(*command.removeprefix("$ starspiel ").split())
    assert (code, out, err) == (2, "", f"{said}\n")


def test_there_are_more_than_twenty_five_of_them() -> None:
    assert len(LINES) > 50
