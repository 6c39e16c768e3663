"""What is declared once is shown, stored and exported everywhere."""

from io import StringIO

from rich.console import Console

from starspiel.evaluation.play.record import Cost
from starspiel.evaluation.report.columns import FIELDS, STANDINGS, shown
from starspiel.evaluation.report.page import page
from starspiel.evaluation.store.export import write_csv
from starspiel.evaluation.store.schema import GAMES
from starspiel.evaluation.tournament import tournament


def printed(result, width):
    out = Console(file=StringIO(), width=width)
    out.print(result)
    return out.file.getvalue()


def test_every_column_is_on_the_terminal_and_on_the_page():
    for game in ("pig(players=2,winscore=20)", "catch"):
        result = tournament(game, ["random", "greedy"], pairs=2)
        for column in shown(STANDINGS, result.two_player):
            assert column.heading in printed(result, 150)
            assert f"<th>{column.heading}</th>" in page(result)
        assert all(list(line) == list(FIELDS) for line in result.to_dict()["agents"])


def test_a_narrow_terminal_says_what_it_has_no_room_for():
    result = tournament("pig(players=2,winscore=20)", ["random", "greedy"], pairs=2)
    assert "No room for: nodes/move, ms/move." in " ".join(printed(result, 76).split())
    assert "No room" not in printed(result, 150)


def test_every_counter_is_stored_and_exported():
    for seat in (0, 1):
        assert {f"{name}{seat}" for name in Cost._fields} <= GAMES.keys()
    out = StringIO()
    write_csv([], [], out)
    columns = out.getvalue().strip().split(",")
    for name in Cost._fields:
        assert f"{name}_0" in columns or f"cpu_{name}_0" in columns or name == "told"
