import doctest
from pathlib import Path

import pytest

from starspiel.envs.games import GAMES

PAGES = Path(__file__).parents[2] / "docs" / "games"


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda page: page.name)
def test_the_pages_examples_do_what_they_show(page) -> None:
    failed, _ = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert failed == 0


def test_every_shipped_game_has_a_page_that_the_index_lists() -> None:
    index = (PAGES / "index.md").read_text(encoding="utf-8")
    for name, rules in GAMES.items():
        page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
        assert f"({name}.md)" in index
        assert f"`{name}`" in page.splitlines()[0]
        moves = rules().num_distinct_actions
        assert f"| Moves | {moves}" in page
