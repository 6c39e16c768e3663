"""What was typed, in every command: fractions are not rounded, and `~` is the home folder."""

from pathlib import Path
from typing import Annotated

import pytest
from cyclopts import App, Parameter

from starspiel import make_evaluator
from starspiel.cli.app import main
from starspiel.cli.flags import as_meant
from starspiel.envs.errors import StarspielError
from starspiel.evaluation.checked_settings import checked, read_settings


def run(capfd, *arguments):
    with pytest.raises(SystemExit) as caught:
        main(list(arguments))
    captured = capfd.readouterr()
    return caught.value.code, captured.out, captured.err


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["train", "einstein_wurfelt_nicht", "--games", "3.5"], "--games"),
        (["tournament", "pig", "--pairs", "3.5"], "--pairs"),
        (["tournament", "pig", "--pairs=3.5"], "--pairs"),
        (["calibrate", "heuristic", "pig", "--depth", "3.5"], "--depth"),
        (["play", "pig", "--port", "3.5"], "--port"),
        (["book", "pig", "--seed", "3.5"], "--seed"),
    ],
)
def test_a_fraction_is_no_whole_number(capfd, arguments, name):
    code, out, err = run(capfd, *arguments)
    assert (code, out) == (2, "")
    assert err == f"starspiel: {name} must be a whole number, got '3.5'.\n"


def test_a_fraction_in_the_environment(capfd, monkeypatch):
    monkeypatch.setenv("STARSPIEL_PAIRS", "2.5")
    code, _, err = run(capfd, "tournament", "pig")
    assert (code, err) == (2, "starspiel: STARSPIEL_PAIRS must be a whole number, got '2.5'.\n")


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


def test_a_network_is_written_to_and_read_from_home(capfd, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    given = ["tic_tac_toe", "--games", "2", "--hidden", "2", "--threads", "1", "--output=~/net.npz"]
    assert run(capfd, "train", *given)[0] == 0
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
