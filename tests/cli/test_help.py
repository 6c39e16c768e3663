"""`--help`, `--version`: what every command says of itself, and what that loads."""

import subprocess
import sys

import pytest

from starspiel.cli.app import _COMMANDS, main


def printed(capsys, *arguments):
    with pytest.raises(SystemExit) as left:
        main(list(arguments))
    assert left.value.code == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("command", _COMMANDS)
def test_every_command_shows_its_docstring_and_examples(command, capsys):
    told = printed(capsys, command, "--help")
    lines = [line.strip() for line in told.splitlines()]
    first = lines.index("For example:") + 1
    while not lines[first]:
        first += 1
    assert lines[first].startswith(f"starspiel {command}")
    assert ("--json" in told) == (command not in ("play", "export")), "as the README says"
    assert printed(capsys, "--help", command) == told


def test_a_tournaments_help_is_all_of_it(capsys):
    told = " ".join(printed(capsys, "tournament", "--help").split())
    assert "two games with the same dice and swapped seats" in told
    assert "--sprt nelo0=0,nelo1=20" in told


def test_the_list_of_commands_has_a_line_for_each(capsys):
    told = printed(capsys, "--help")
    for name, line in _COMMANDS.items():
        assert f"{name:<12} {line}" in told


@pytest.mark.parametrize("flag", ["--help", "--version"])
def test_no_command_is_loaded_for_it(flag):
    code = """
import sys
from starspiel.cli import main
try:
    main()
except SystemExit as left:
    assert left.code == 0
loaded = [name for name in sys.modules if name.startswith(("starspiel.evaluation", "starspiel.cli."))]
print(loaded, file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code, flag], capture_output=True, text=True, check=True)
    assert done.stderr == "['starspiel.cli.app']\n"
