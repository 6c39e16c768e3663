"""What is declared once is shown, stored and exported everywhere."""

from io import StringIO

import numpy as np
import pytest
from rich.console import Console

from starspiel.evaluation.play.record import Cost
from starspiel.evaluation.report.columns import FIELDS, shown
from starspiel.evaluation.report.page import page
from starspiel.evaluation.report.tables import difference_rows
from starspiel.evaluation.report.words import elo
from starspiel.evaluation.result import TournamentResult
from starspiel.evaluation.statistics.means import with_margin
from starspiel.evaluation.statistics.tally import Tally
from starspiel.evaluation.store.export import write_csv
from starspiel.evaluation.store.tables import TABLES
from starspiel.evaluation.tournament import tournament


def printed(result, width):
    out = Console(file=StringIO(), width=width)
    out.print(result)
    return out.file.getvalue()


def test_every_column_is_on_the_terminal_and_on_the_page():
    for game in ("pig(players=2,winscore=20)", "catch"):
        result = tournament(game, ["random", "greedy"], pairs=2)
        for column in shown(result):
            assert column.heading in printed(result, 150)
            assert f"<th>{column.heading}</th>" in page(result)
        assert ("pair" in printed(result, 150)) == (result.players == 2)
        ranks = ["rank_best", "rank_worst"]
        assert all(list(line) == [*FIELDS, *ranks] for line in result.to_dict()["agents"])


@pytest.mark.parametrize("width", [40, 120])
@pytest.mark.parametrize(
    ("game", "headings"),
    [
        (
            "pig(players=2,winscore=10)",
            ["pairs", "left out", "raw ± 95 %", "adjusted ± 95 %", "variance factor"],
        ),
        ("catch", ["games", "difference", "95 %", "p (Holm)"]),
    ],
)
def test_a_narrow_terminal_has_luck_and_differences_whole(game, headings, width):
    names = ["one agent with a long name", "another of a name as long"]
    luck = "zero" if game.startswith("pig") else None
    result = tournament(game, {names[0]: "random", names[1]: "greedy"}, pairs=8, luck=luck)
    table = printed(result, width).partition("Mean return per game" if luck else "Mean difference")[2]
    for heading in headings:
        assert table.count(heading) >= 1
    cells = [with_margin(line.adjusted, line.adjusted_margin) for line in result.adjusted] + [
        row[-1] for row in difference_rows(result)
    ]
    for cell in cells:
        assert cell in table
    assert max(map(len, table.splitlines())) <= width


def test_every_counter_is_stored_and_exported():
    for seat in (0, 1):
        assert {f"{name}{seat}" for name in Cost._fields} <= TABLES["games"].keys()
    out = StringIO()
    write_csv([], [], out)
    columns = out.getvalue().strip().split(",")
    for name in Cost._fields:
        assert f"{name}_0" in columns or f"cpu_{name}_0" in columns or name == "counted"


@pytest.mark.parametrize(("agents", "width"), [(40, 80), (14, 80), (14, 200), (6, 80)])
def test_a_crosstable_has_every_column_within_the_terminal(agents, width):
    tally = Tally(agents)
    tally.counts[np.triu_indices(agents, 1)] = 1.0
    names = tuple(f"star2(depth={number},evaluator=rollout)" for number in range(agents))
    console = Console(width=width, file=StringIO())
    console.print(TournamentResult("pig", 1, names, 1, tally, 0.0))
    text = console.file.getvalue()
    table = text.partition("Score in %")[2].partition("The first seat")[0].splitlines()
    assert max(map(len, table)) <= width
    headings = [line.split()[2:] for line in table if line.split()[:2] == ["#", "agent"]]
    assert [rank for block in headings for rank in block] == [str(number + 1) for number in range(agents)]
    assert all("star2" in row for row in table if row.split()[:1] == ["7"])
    whole = agents == 6 or width == 200
    assert ("intervals are in the report" in text) != whole
    low, high = (ends[0, 1] for ends in TournamentResult("pig", 1, names, 1, tally, 0.0).matrix_interval)
    assert (f"{100 * low:.0f}-{100 * high:.0f}" in text) == whole


def test_nothing_is_minus_zero():
    assert [elo(value) for value in (-0.4, 0.0, 0.4, -0.6)] == ["+0", "+0", "+0", "-1"]
