"""The examples of the pages on Gymnasium and on registering games do what they show."""

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("page", ["gymnasium.md", "register_openspiel.md"])
def test_the_pages_examples_do_what_they_show(page: str) -> None:
    failed, tried = doctest.testfile(str(DOCS / page), module_relative=False, encoding="utf-8")
    assert failed == 0
    assert tried > 5
