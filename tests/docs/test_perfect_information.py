"""The table of OpenSpiel's games of perfect information: complete, and what the agents say today."""

import re
import sys

import pytest
from support.installation import ROOT

sys.path.insert(0, str(ROOT / "docs" / "site"))
import perfect_information


@pytest.fixture(scope="module")
def rows() -> dict[str, str]:
    """What plays a game, by its short name, as the table says."""
    lines = [line.strip("| \n").split(" | ") for line in perfect_information.table().splitlines()[2:]]
    named = ((name, cells[-1]) for cells in lines for name in re.findall(r"`(\w+)[^`]*`", cells[0]))
    return dict(sorted(named))


def test_the_page_has_the_table_of_today():
    page = perfect_information.PAGE.read_text(encoding="utf-8")
    assert page == perfect_information.written(page), "run python docs/site/perfect_information.py"


def test_no_game_is_missing_and_few_are_refused_each_for_a_reason_of_its_own(rows):
    assert list(rows) == [kind.short_name for kind in perfect_information.kinds()]
    assert len(rows) > 60
    reasons = {
        "is a mean-field game": {name for name in rows if name.startswith("mfg_")},
        "crashes the process": {"morpion_solitaire"},
        "cannot list them": {"stones_and_gems"},
        "lists every pure strategy": {"normal_form_extensive_game"},
    }
    refused = {name: said for name, said in rows.items() if said.startswith("refused")}
    for reason, names in reasons.items():
        assert {name for name, said in refused.items() if reason in said} == names, reason
    assert set(refused) == set().union(*reasons.values())
    unsearched = {name for name in rows if name.startswith("matrix_")} - ZERO_SUM
    unsearched |= {"snake", "matching_pennies_3p"}
    assert {name for name, said in rows.items() if said.startswith("`random`")} == unsearched


ZERO_SUM = {"matrix_brps", "matrix_mp", "matrix_rps", "matrix_rpsw"}


@pytest.mark.parametrize("game", ["chinese_checkers", "maedn", "pig", "yacht"])
def test_games_of_more_players_are_searched_by_everything(rows, game):
    assert rows[game] == "all"
