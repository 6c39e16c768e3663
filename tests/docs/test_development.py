"""The pages for contributors name files and versions that there are."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "development.md").read_text(encoding="utf-8")
FOLDERS = ("agents", "benchmarks", "docs", "envs", "evaluation", "native", "src", "tests")


def test_every_file_that_development_names_is_there():
    named = set(re.findall(r"`([\w./]+\.(?:py|hpp|cpp|html|md))`", PAGE))
    there = {path.name for path in ROOT.iterdir()}
    there |= {
        path.relative_to(ROOT).as_posix() for folder in FOLDERS for path in (ROOT / folder).rglob("*.*")
    }
    missing = [
        name
        for name in named
        if "NAME" not in name and not any(f"/{path}".endswith(f"/{name}") for path in there)
    ]
    assert len(named) > 30
    assert not missing, "docs/development.md names files that are not there: say where that is now"


@pytest.mark.parametrize(
    "change",
    [
        *("search option", "baseline", "C++ model", "dice game", "column", "setting", "kind of fault"),
        *("stored field", "evaluator", "native evaluator", "format", "command", "statistic", "opponent"),
    ],
)
def test_there_is_a_recipe_for(change):
    headings = re.findall(r"^\*\*An? (.*?)\.\*\*", PAGE, re.MULTILINE)
    assert any(change in heading for heading in headings)


def test_the_citation_is_of_this_version():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()


def test_the_changelog_begins_with_this_version():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    first = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert first
    assert first[1] == version


def test_hooks_download_nothing():
    hooks = (ROOT / ".pre-commit-config.yaml").read_text()
    assert re.findall(r"repo: (\w+)", hooks) == ["local"]
    assert set(re.findall(r"language: (\w+)", hooks)) == {"system"}
