"""The tutorials and how-to pages work as they stand: their files, commands and prompts in an empty folder."""

import csv
import doctest
import re
import shlex
import sys
from pathlib import Path

import pytest

from starspiel.agents import registry
from starspiel.cli.app import main

DOCS = Path(__file__).parents[2] / "docs"
#: Those of the tutorials start processes for agents of one's own.
PAGES = [
    pytest.param(page, id=f"{folder}/{page.stem}", marks=pytest.mark.slow if folder == "tutorials" else ())
    for folder in ("tutorials", "howto")
    for page in sorted((DOCS / folder).glob("*.md"))
    if page.name != "index.md"
]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_the_pages_blocks_do_what_they_say(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    kept = dict(registry.BOTS)
    before, names, printed = set(sys.modules), {}, ""
    try:
        for kind, text in BLOCK.findall(page.read_text(encoding="utf-8")):
            if kind == "sh":
                for line in text.replace("\\\n", " ").splitlines():
                    run(line)
            elif kind == "python" and ">>> " in text:
                check_prompts(page, text, names)
            elif kind == "python":
                file = re.match(r"# (\w+\.py)\n", text)
                assert file, "the first line of a file is its name, as a comment"
                Path(file[1]).write_text(text, encoding="utf-8")
            else:
                assert kind == "text", f"blocks are sh, python or text, not {kind}"
                printed += capsys.readouterr().out
                check_table(text, printed)
    finally:
        for name in registry.BOTS.keys() - kept.keys():
            del registry.BOTS[name]
        for module in set(sys.modules) - before:
            if Path(getattr(sys.modules[module], "__file__", None) or "/").is_relative_to(tmp_path):
                del sys.modules[module]


def run(line):
    """Runs a command of ours, in this process; those that install have run before any test."""
    command, *arguments = shlex.split(line)
    if command != "starspiel":
        assert command in ("pip", "python3"), line
        return
    if "ID" in arguments:  # the reader puts an id there
        with Path("games.csv").open(encoding="utf-8", newline="") as games:
            arguments[arguments.index("ID")] = next(csv.DictReader(games))["id"][:6]
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 0, line


def check_table(text, printed):
    """Everything in a table's row but the time that moves took is the same on every machine."""
    lines = [line.split() for line in printed.splitlines()]
    rows = [line.split() for line in text.splitlines() if re.match(r" \d", line)]
    assert rows
    for row in rows:
        assert row[:-1] in [line[:-1] for line in lines]


def check_prompts(page, text, names):
    test = doctest.DocTestParser().get_doctest(text, names, page.name, str(page), 0)
    runner = doctest.DocTestRunner()
    runner.run(test, clear_globs=False)
    names.update(test.globs)
    assert runner.failures == 0
