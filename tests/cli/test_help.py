"""`--help`, `--version`: what every command says of itself, and what that loads."""

import ast
import re
import shlex
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from inspect import cleandoc
from pathlib import Path
from typing import get_args

import pytest

from starspiel.cli.flags import LADDER_ACTIONS
from starspiel_cli import COMMANDS, make_app

#: What has a page of its own: commands, and those that are two words.
LADDER = [f"ladder {action}" for action in LADDER_ACTIONS]
PAGES = [name for name in COMMANDS if name != "ladder"] + LADDER
#: Where these are written, if not in the file of their name.
WRITTEN = {page: ("ladder", page.partition(" ")[2]) for page in LADDER}


@pytest.mark.parametrize("command", PAGES)
def test_every_command_shows_its_docstring_and_examples_whole_at_80_columns(command, run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    file, name = WRITTEN.get(command, (command, command))
    doc = cleandoc(getattr(import_module(f"starspiel.cli.{file}"), name).__doc__)
    about, _, after = doc.partition("For example:")
    examples = re.findall(r"^ {4}(starspiel .*)$", after.partition("Args:")[0], re.MULTILINE)
    shown = run(*command.split(), "--help")[1]
    lines = [line.strip() for line in shown.splitlines()]
    assert about.split(".")[0].replace("`", "").split() == " ".join(lines[2:]).split(".")[0].split()
    assert examples[0].startswith(f"starspiel {command}")
    assert set(examples) <= set(lines)
    assert ("--json" in shown) == (command not in ("play", "export")), "as the README says"
    assert run("--help", *command.split())[1] == shown


def test_the_list_of_commands_has_a_line_for_each(run):
    shown = run("--help")[1]
    for name, line in COMMANDS.items():
        assert f"{name:<12} {line}" in shown


@pytest.mark.parametrize("flags", [[], ["--help"], ["--version"]])
def test_no_game_is_loaded_for_it(flags):
    code = """
import sys
from starspiel_cli import main
main()
heavy = {"starspiel", "pyspiel", "gymnasium", "numpy", "scipy"}
if "--version" in sys.argv:
    heavy.add("rich")
print(sorted(heavy & set(sys.modules)), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code, *flags], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"
    expected = f"starspiel {version('starspiel')} (" if flags == ["--version"] else "tournament"
    assert expected in done.stdout


def test_a_commands_help_loads_that_command_only():
    code = """
import sys
from starspiel_cli import main
try:
    main()
finally:
    print([name for name in sys.modules if name.startswith("starspiel.cli.")], file=sys.stderr)
"""
    command = [sys.executable, "-c", code, "games", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert sorted(ast.literal_eval(done.stderr)) == [
        "starspiel.cli.app",
        "starspiel.cli.flags",
        "starspiel.cli.games",
        "starspiel.cli.output",
    ]


def with_a_reader_that_goes_away(arguments):
    """What a command writes to stderr, if the reader of its stdout exits before it writes."""
    code = "from starspiel_cli import main; main()"
    command = f"{shlex.quote(sys.executable)} -c {shlex.quote(code)} {arguments} | true"
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True).stderr


def test_a_reader_that_goes_away_is_no_error():
    assert with_a_reader_that_goes_away("--help") == ""


@pytest.mark.parametrize("more", ["", "--json"])
def test_a_reader_that_goes_away_does_not_keep_a_report_from_being_written(tmp_path, more):
    with_a_reader_that_goes_away(
        f"tournament pig --pairs 1 --report {tmp_path}/r.html --agents random greedy {more}"
    )
    assert "greedy" in (tmp_path / "r.html").read_text()


#: The options that name files: what a command makes, a chart, the tree of a search, pages of results and of a
#: game, a tournament's settings, a saved game. (A tournament's --store and --report are settings, and texts.)
FILES = {"--output", "--plot", "--tree", "--report", "--html", "--config", "--save", "--resume"}


def options(page):
    """The options of a command, each with its type."""
    app = make_app(page.split())
    for word in page.split():
        app = app[word]
    return {
        name: argument.hint
        for argument in app.assemble_argument_collection()
        for name in argument.names
        if name.startswith("-")
    }


def test_what_names_a_file_is_called_the_same_in_all_commands():
    found = {page: options(page) for page in PAGES}
    files = {name for flags in found.values() for name, hint in flags.items() if Path in get_args(hint)}
    assert files == {*FILES, "-o"}
    for page, flags in found.items():
        assert ("-o" in flags) == ("--output" in flags), page
