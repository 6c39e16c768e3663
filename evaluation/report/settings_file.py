"""Writes a tournament's settings as a file that repeats it: `starspiel tournament --config FILE`."""

import json
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import msgspec

from starspiel.evaluation.report.notes import key_shown
from starspiel.evaluation.report.words import listed
from starspiel.evaluation.result import TournamentResult
from starspiel.evaluation.settings import Settings

#: Settings that are not copied: they concern the machine, or are written separately.
_LEFT_OUT = ("game", "agents", "report", "store", "address")


def settings_file(result: TournamentResult) -> str:
    """Returns the settings as TOML; "" if the result has none.

    Comments name what a file cannot contain: bots, rules and evaluators that are Python objects.
    """
    return "" if result.settings is None else "\n".join(_lines(result, result.settings)) + "\n"


def as_link(text: str) -> str:
    """Returns a data URL that contains the text, for a link that saves it."""
    return f"data:application/toml;base64,{b64encode(text.encode()).decode()}"


def _lines(result: TournamentResult, settings: Settings) -> Iterator[str]:
    yield f"game = {_written(result.game)}"
    given: dict[str, Any] = msgspec.structs.asdict(settings)
    if given.get("pairs") is None:
        given["pairs"] = result.planned_pairs if result.sprt is not None else settings.pair_count
    given["seed"] = result.seed
    left_out = _LEFT_OUT if result.key is None else (*_LEFT_OUT, "seed", "secret", "key")
    for name, value in given.items():
        if name in left_out or value is None or value is False:
            continue
        if isinstance(value, str | int | float):
            yield f"{name} = {_written(value)}"
        else:
            yield f"# {name}: {_comment(value)}, given from Python"
    if result.key is not None:  # instead of the settings seed and secret
        yield f"key = {_written(result.key)}" if result.key else f"# key: {key_shown(result)}"
    if result.starts != ((),):
        yield f"# The start positions: {_comment(listed(result.starts))}"
    yield ""
    yield "[agents]"
    for name, source, spec in zip(result.agents, result.sources, result.specs, strict=True):
        if source is None:
            yield f"# {_written(name)}: a Python object, {_comment(spec)}"
        else:
            yield f"{_written(name)} = {_written(source)}"


def _written(value: str | float) -> str:
    """Returns a value as TOML, whose strings are written as in JSON, except one character to be escaped."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _comment(value: object) -> str:
    return " ".join(str(value).split())
