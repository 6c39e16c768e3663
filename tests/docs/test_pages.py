"""The examples of the pages do what they show."""

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(
    page
    for page in (*DOCS.glob("*.md"), *DOCS.glob("games/*.md"))
    if ">>> " in page.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_pages_examples_do_what_they_show(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if page.stem == "pettingzoo":
        pytest.importorskip("pettingzoo", reason='an extra: pip install "starspiel[pettingzoo]"')
    monkeypatch.chdir(tmp_path)  # Some write files.
    monkeypatch.syspath_prepend(DOCS.parent / "examples")
    failed, tried = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert failed == 0
    assert tried
