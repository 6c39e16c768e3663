"""The README shows what its first command prints."""

import re
from pathlib import Path

import pytest

from starspiel.evaluation import tournament
from starspiel.evaluation.default_field import default_field
from starspiel.evaluation.report.verdict import verdict

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_table_is_of_this_version() -> None:
    """Points are the same on every machine; if they change on purpose, paste what the command prints."""
    shown = {
        agent: float(points)
        for agent, points in re.findall(r"^ \d   (\S+) .* … \S+ +([\d.]+) +100 ", README, re.MULTILINE)
    }
    result = tournament("einstein_wurfelt_nicht", default_field("einstein_wurfelt_nicht"))
    assert shown == {entry["agent"]: entry["score"] for entry in result.to_dict()["agents"]}
    assert f"```\n{verdict(result)}\n" in README
