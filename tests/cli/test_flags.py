"""Flags made of declared settings, and what was typed: fractions are not rounded, `~` is the home folder."""

from pathlib import Path
from typing import Annotated, Literal

import pytest
from cyclopts import App, Parameter
from msgspec import Meta

from starspiel import make_evaluator
from starspiel.cli.flags import as_meant, completed, flags_of, given
from starspiel.envs.errors import StarspielError
from starspiel.evaluation.checked_settings import checked, read_settings
from starspiel.evaluation.settings import TYPES, about

HINTS = {
    "move_limit": Annotated[Annotated[float, Meta(gt=0)] | None, Meta(description="Seconds a move.")],
    "seed": Annotated[Annotated[int, Meta(ge=1)], Meta(description="Of the dice.")],
    "format": Annotated[Literal["a", "b"], Meta(description="Who meets whom.")],
    "agents": Annotated[list[str] | dict[str, str], Meta(description="Who plays.")],
}


@pytest.fixture
def app():
    flags = flags_of(
        "Flags", HINTS, kinds={"agents": list[str]}, parameters={"seed": Parameter(env_var="TEST_SEED")}
    )
    app = App(result_action="return_value", config=as_meant)

    @app.default
    def run(
        *numbers: int,
        flags: Annotated[flags | None, Parameter(name="*")] = None,
        pair: tuple[int, int] | None = None,
        file: Annotated[Path | None, Parameter(alias="-o")] = None,
    ):
        return {} if flags is None else given(flags), numbers, file

    return app


def test_only_what_is_given_is_said(app, monkeypatch):
    assert app([])[0] == {}
    assert app(["--move-limit", "0.5", "--format", "b"])[0] == {"move_limit": 0.5, "format": "b"}
    assert app(["--agents", "x", "--agents", "y"])[0] == {"agents": ["x", "y"]}
    monkeypatch.setenv("TEST_SEED", "7")
    assert app([])[0] == {"seed": 7}


def test_each_whole_number_of_several_is_looked_at(app):
    assert app(["1", "2.0", "0x10"])[1] == (1, 2, 16)
    for typed in (["1", "2.5"], ["--pair", "1", "2.5"]):
        with pytest.raises(StarspielError, match=r"must be a whole number, got '2\.5'"):
            app(typed)


def test_help_is_what_the_settings_say(app, capsys):
    app(["--help"])
    printed = capsys.readouterr().out
    for words in ("--move-limit FLOAT", "Seconds a move.", "Of the dice.", "[choices: a, b]", "TEST_SEED"):
        assert words in printed


def test_a_tournament_has_a_flag_for_every_setting(run):
    printed = " ".join(run("tournament", "--help")[1].replace("│", " ").split())
    for name in TYPES:
        shown = "GAME" if name == "game" else f"--{name.replace('_', '-')}"
        assert shown in printed
        assert about(name).description.replace("`", "") in printed


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("tournament pig --luck", "tournament pig --luck auto"),
        ("tournament --luck --pairs 3", "tournament --luck auto --pairs 3"),
        ("tournament --luck net --json", "tournament --luck net --json"),
        ("tournament --luck=net pig", "tournament --luck=net pig"),
        ("export --luck", "export --luck"),
        ("ladder pig play --pairs 3", "ladder play pig --pairs 3"),
        ("ladder play play", "ladder play play"),
        ("ladder", "ladder"),
    ],
)
def test_arguments_are_completed(typed, meant):
    assert completed(typed.split()) == meant.split()


def test_home_in_paths(app, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", "/home/me")
    assert app(["-o", "~/a.npz"])[2] == app(["--file=~/a.npz"])[2] == Path("/home/me/a.npz")
    assert app(["-o", "a~/b.npz"])[2] == Path("a~/b.npz")
    file = tmp_path / "settings.toml"
    file.write_text('store = "~/a.db"\n')
    read = read_settings(file, {"report": "~/a.html"})
    assert (read.store, read.report) == ("/home/me/a.db", "/home/me/a.html")
    assert checked(store="~/a.db").store == "/home/me/a.db"


def test_a_network_is_written_to_and_read_from_home(run, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    few = ["--games", "2", "--hidden", "2", "--threads", "1"]
    assert run("train", "tic_tac_toe", *few, "--output=~/net.npz")[0] == 0
    evaluator = make_evaluator("net(file=~/net.npz)", "tic_tac_toe")
    assert evaluator.name == f"net(file={tmp_path}/net.npz)"
