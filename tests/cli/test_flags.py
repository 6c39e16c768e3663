"""Flags made of declared settings: each has its type, its help and no more."""

from typing import Annotated, Literal

import pytest
from cyclopts import App, Parameter
from msgspec import Meta

from starspiel.cli.app import main
from starspiel.cli.flags import completed, flags_of, given
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
    app = App(result_action="return_value")

    @app.default
    def run(flags: Annotated[flags | None, Parameter(name="*")] = None):
        return {} if flags is None else given(flags)

    return app


def test_only_what_is_given_is_said(app, monkeypatch):
    assert app([]) == {}
    assert app(["--move-limit", "0.5", "--format", "b"]) == {"move_limit": 0.5, "format": "b"}
    assert app(["--agents", "x", "--agents", "y"]) == {"agents": ["x", "y"]}
    monkeypatch.setenv("TEST_SEED", "7")
    assert app([]) == {"seed": 7}


def test_help_is_what_the_settings_say(app, capsys):
    app(["--help"])
    printed = capsys.readouterr().out
    for words in ("--move-limit FLOAT", "Seconds a move.", "Of the dice.", "[choices: a, b]", "TEST_SEED"):
        assert words in printed


def test_a_tournament_has_a_flag_for_every_setting(capsys):
    with pytest.raises(SystemExit):
        main(["tournament", "--help"])
    printed = " ".join(capsys.readouterr().out.replace("│", " ").split())
    for name in TYPES:
        shown = "GAME" if name == "game" else f"--{name.replace('_', '-')}"
        assert shown in printed
        assert about(name).description.replace("`", "") in printed


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (["pig", "--luck"], ["pig", "--luck", "auto"]),
        (["--luck", "--pairs", "3"], ["--luck", "auto", "--pairs", "3"]),
        (["--luck", "-h"], ["--luck", "auto", "-h"]),
        (["--luck", "net", "--json"], ["--luck", "net", "--json"]),
        (["--luck=net", "pig"], ["--luck=net", "pig"]),
        (["pig", "--json"], ["pig", "--json"]),
    ],
)
def test_a_flag_that_stands_alone_has_its_implied_value(typed, meant):
    assert completed(["tournament", *typed]) == ["tournament", *meant]
