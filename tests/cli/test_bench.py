"""starspiel bench."""

import json
import sys

import pytest

from starspiel.agents.search.benchmark import (
    BASELINE,
    CELLS,
    FULL,
    PLAIN,
    STATES,
    Cell,
    Report,
    Row,
    geometric_mean,
    measure,
    shortfalls,
)
from starspiel.agents.search.native_loader import native_status
from starspiel.cli.app import main
from starspiel.cli.bench import search
from starspiel.envs.errors import StarspielError

pytestmark = pytest.mark.skipif(not native_status().available, reason="needs the native core")


def test_one_game_as_json(capsys):
    with pytest.raises(SystemExit) as left:
        main(["bench", "search", "yacht", "--repeat", "1", "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert left.value.code == 0
    assert answer["ok"]
    (cell,) = answer["cells"]
    rows = {row["name"]: row for row in cell["rows"] if row["depth"] == 2}
    assert cell["game"] == "yacht(players=2)"
    assert all(row["value"] == pytest.approx(rows[BASELINE]["value"], abs=1e-9) for row in rows.values())
    assert rows[FULL]["nodes"] < rows["native expectiminimax"]["nodes"] / 20
    assert rows[FULL]["times_sooner"] > 3
    assert answer["geometric_mean"] == pytest.approx(rows[FULL]["times_sooner"])
    assert 0 < cell["state_calls"] < 1.5


def test_different_values_are_found():
    report = Report(Cell("pig", 2, 1, ()))
    report.rows += [Row(BASELINE, 2, 1.0, None, 0.5), Row("a", 2, 0.5, 9, 0.5), Row(FULL, 2, 0.25, 9, 0.6)]
    report.rows += [Row("b", 1, 0.5, 9, 0.7), Row("gave up", 2, 60.0, None, None)]
    assert len(report.disagreements) == 1
    assert FULL in report.disagreements[0]
    assert geometric_mean([report]) == pytest.approx(4.0)
    assert report.speed_up(report.row("gave up")) is None


def test_what_is_required():
    def report(full, plain, states, game="pig"):
        rows = [Row(BASELINE, 2, 60.0, None, 0.5)]
        rows += [Row(name, 2, 60 / times, 9, 0.5) for name, times in ((FULL, full), (PLAIN, plain))]
        return Report(Cell(game, 2, 1, ()), [*rows, Row(STATES, 2, 60 / states, 9, 0.5)])

    assert shortfalls([report(1600, 8, 1.2), report(61, 1, 1)]) == []
    (mean,) = shortfalls([report(1200, 8, 1.2), report(61, 1, 1)])
    assert "270.6 times sooner in the geometric mean, not 300" in mean
    (each,) = shortfalls([report(5000, 8, 1.2), report(59, 1, 1, "banqi")])
    assert each == f"banqi: {FULL} is 59.00 times sooner, not 60."
    assert len(shortfalls([report(1600, 0.9, 0.8)])) == 2
    unfinished = report(1600, 8, 1.2)
    unfinished.rows[0] = Row(BASELINE, 2, 60.0, None, None)
    assert len(shortfalls([unfinished])) == 3
    assert geometric_mean([unfinished]) is None


def test_what_is_required_sets_the_exit_code(monkeypatch, capsys):
    from starspiel.agents.search import benchmark

    command = sys.modules[search.__module__]
    cell = Cell("pig", 3, 1, ())
    monkeypatch.setattr(command, "CELLS", (cell,))
    monkeypatch.setattr(benchmark, "LEAST_MEAN", 1e9)
    assert search(repeat=1) == 0
    assert search(repeat=1, require=True) == 1
    assert "too slow" in capsys.readouterr().out


def test_where_nothing_finished_there_is_no_mean_and_that_is_said(monkeypatch, capsys):
    command = sys.modules[search.__module__]
    monkeypatch.setattr(command, "CELLS", (Cell("backgammon", 5, 1, CELLS[0].history),))
    monkeypatch.setattr(command, "measure", lambda cell, repeat, patience: [("", _unfinished(cell))])
    assert search() == 0
    out = capsys.readouterr().out
    assert "nan" not in out
    assert "no position at which it and OpenSpiel's C++ both finished in 60 s" in " ".join(out.split())
    assert search(as_json=True) == 0
    assert json.loads(capsys.readouterr().out)["geometric_mean"] is None


def _unfinished(cell):
    return Report(cell, [Row(name, cell.depth, 60.0, None, None) for name in (BASELINE, FULL)])


def test_patience_bounds_openspiels_searches_too():
    for name, report in measure(Cell("backgammon", 5, 1, CELLS[0].history), repeat=1, patience=0.5):
        assert name == BASELINE
        assert report.row(BASELINE) == Row(BASELINE, 5, 0.5, None, None)
        break


def test_the_positions_are_decisions():
    from starspiel.envs.load import load_game

    for cell in CELLS:
        state = load_game(cell.game).new_initial_state()
        for action in cell.history:
            assert action in state.legal_actions()
            state = state.child(action)
        assert len(state.legal_actions()) > 1


def test_wrong_usage():
    with pytest.raises(StarspielError, match="backgammon"):
        search("backgamon")
    with pytest.raises(StarspielError, match="positive"):
        search(repeat=0)
