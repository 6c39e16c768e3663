"""Runs a command in this process, which has loaded all of it already."""

import pytest

from starspiel.cli.app import main


def run(capsys, *arguments):
    """Its exit code, output and errors."""
    with pytest.raises(SystemExit) as left:
        main([str(argument) for argument in arguments])
    return left.value.code, *capsys.readouterr()


def output(capsys, *arguments):
    """What a command prints that succeeds."""
    code, out, err = run(capsys, *arguments)
    assert code == 0, err
    return out


def refusal(capsys, *arguments):
    """The one line that a command says which is used wrongly."""
    code, out, err = run(capsys, *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    return err
