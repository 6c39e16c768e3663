"""What was typed, in every command: fractions are not rounded, and `~` is the home folder."""

from pathlib import Path
from typing import Annotated

import pytest
from cyclopts import App, Parameter

from starspiel import make_evaluator
from starspiel.cli.flags import as_meant
from starspiel.envs.errors import StarspielError
from starspiel.evaluation.settings import checked, read_settings


@pytest.fixture
def app():
    app = App(result_action="return_value", config=as_meant)

    @app.default
    def run(
        *numbers: int,
        pair: tuple[int, int] | None = None,
        part: float | None = None,
        file: Annotated[Path | None, Parameter(alias="-o")] = None,
    ):
        return numbers, pair, part, file

    return app


def test_each_number_of_several_is_looked_at(app):
    assert app(["1", "2.0", "0x10"]) == ((1, 2, 16), None, None, None)
    for typed in (["1", "2.5"], ["--pair", "1", "2.5"]):
        with pytest.raises(StarspielError, match=r"must be a whole number, got '2\.5'"):
            app(typed)


def test_where_a_fraction_is_meant_it_stays(app):
    assert app(["--part", "2.5"])[2] == 2.5


def test_home_in_paths(app, monkeypatch):
    monkeypatch.setenv("HOME", "/home/me")
    assert app(["-o", "~/a.npz"])[3] == app(["--file=~/a.npz"])[3] == Path("/home/me/a.npz")
    assert app(["-o", "a~/b.npz"])[3] == Path("a~/b.npz")


def test_a_network_is_written_to_and_read_from_home(run, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    given = ["tic_tac_toe", "--games", "2", "--hidden", "2", "--threads", "1", "--output=~/net.npz"]
    assert run("train", *given)[0] == 0
    assert (tmp_path / "net.npz").is_file()
    evaluator = make_evaluator("net(file=~/net.npz)", "tic_tac_toe")
    assert evaluator.name == f"net(file={tmp_path}/net.npz)"


def test_home_in_the_settings_of_tournaments(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", "/home/me")
    file = tmp_path / "settings.toml"
    file.write_text('store = "~/a.db"\n')
    assert read_settings(file, {"report": "~/a.html"}).store == "/home/me/a.db"
    assert read_settings(file, {"report": "~/a.html"}).report == "/home/me/a.html"
    assert checked(store="~/a.db").store == "/home/me/a.db"
