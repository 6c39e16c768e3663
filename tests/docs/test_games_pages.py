import re
from pathlib import Path

import gymnasium
import pytest

from starspiel.agents.solve import solve
from starspiel.envs.games import GAMES

#: The template of the pages.
ROWS = (
    *("Players", "Moves", "Chance outcomes", "Utility range"),
    *("Key", "Parameters", "Gymnasium", "Source"),
)
SECTIONS = ("Rules", "Encoding", "Known exact values", "Versions")

PAGES = Path(__file__).parents[2] / "docs" / "games"
#: `| game | positions | value |` in the pages' tables.
SOLVED = [
    (spec, int(positions.replace(",", "")), float(value))
    for page in sorted(PAGES.glob("*.md"))
    for spec, positions, value in re.findall(
        r"^\| `(\w+\(.+\))` \| ([\d,]+) \| ([\d.]+) \|$", page.read_text(encoding="utf-8"), re.MULTILINE
    )
]


@pytest.mark.parametrize(
    ("spec", "positions", "value"),
    [
        pytest.param(*row, marks=pytest.mark.slow if row[1] > 20_000 else ())
        for row in SOLVED
        if row[1] < 300_000  # the others take minutes
    ],
)
def test_the_pages_exact_values_are_what_solving_finds(spec, positions, value) -> None:
    solution = solve(spec)
    assert solution.states == positions
    assert solution.value == pytest.approx(value, abs=1e-12)


def test_every_shipped_game_has_a_page_that_the_index_lists() -> None:
    index = (PAGES / "index.md").read_text(encoding="utf-8")
    for name, rules in GAMES.items():
        page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
        assert f"({name}.md)" in index
        assert f"`{name}`" in page.splitlines()[0]
        moves = rules().num_distinct_actions
        assert f"| Moves | {moves}" in page
        rows = re.findall(r"^\| ([A-Z][\w ]*) \|", page, re.MULTILINE)
        assert rows == list(ROWS)
        sections = re.findall(r"^## (.*)$", page, re.MULTILINE)
        [newest, number] = re.findall(r"^\| Gymnasium \| `(starspiel/\w+-v(\d+))` \|$", page, re.MULTILINE)[0]
        assert newest in gymnasium.registry
        expected = SECTIONS if int(number) else SECTIONS[:-1]
        assert [name for name in sections if name in SECTIONS] == list(expected)
        _, _, history = page.partition("## Versions")
        versions = re.findall(r"^\| [\d.]+ \| `starspiel/\w+-v(\d+)` \| ", history, re.MULTILINE)
        assert len(versions) == (int(number) + 1 if int(number) else 0), "each version has a line"
