"""Checks settings from Python, TOML files and the command line."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import msgspec

from starspiel.envs.errors import StarspielError, did_you_mean, shown
from starspiel.envs.trust import check_consent
from starspiel.evaluation.settings import TYPES, Settings, about

#: The most characters of a wrong value in a message.
_SHOWN = 80
#: Greater numbers are mistakes, and Python may refuse to print them.
_LARGEST = 10**30
#: A key as `new_key` writes it; capitals are taken for it.
_KEY = re.compile(r"[0-9a-f]{32}")


def checked(**given: Any) -> Settings:
    """Returns the Settings given from Python, with defaults. Raises StarspielError for a value of the wrong
    type; the plan checks Python objects.
    """
    values = {name: _plain(value) for name, value in given.items()}
    for name, value in values.items():
        if value is None or isinstance(value, str | int | float) or not _says(name, "python"):
            try:
                msgspec.convert(value, TYPES[name])
            except (msgspec.ValidationError, RecursionError, UnicodeEncodeError):
                raise unexpected(name, value) from None
    _refuse_unusable(values)
    return Settings(**values)


def read_settings(path: Path | None, said: Mapping[str, Any], *, trust: bool = False) -> Settings:
    """The settings in a TOML file, if there is one, with what is `said` in place of the file's.

    Raises StarspielError with the place of the first mistake, and if the file names code of a module
    outside starspiel and pyspiel without consent: `trust`, or a yes at the terminal.
    """
    table = {} if path is None else _read_table(path)
    try:
        # The whole file first, so that its mistakes are reported even in unused values.
        msgspec.convert(table, Settings)
        for name in said:
            table.pop(name, None)
        settings = msgspec.convert({**table, **said}, Settings)
    except msgspec.ValidationError as error:
        raise _mistake(error, path, table, said) from None
    except RecursionError:
        raise StarspielError(f"{path}: a setting is nested too deep.") from None
    _refuse_unusable(msgspec.structs.asdict(settings))
    used = [table[name] for name in table if _says(name, "specs")]
    check_consent(f"the configuration {path}", _texts(used), trust=trust)
    return settings


def _refuse_unusable(values: Mapping[str, Any]) -> None:
    """Raises StarspielError for endless numbers, and for texts that no file and no spec can have."""
    for name, value in values.items():
        # Not by Meta(pattern=...), on which msgspec 0.22 crashes now and then.
        if isinstance(value, int) and abs(value) > _LARGEST:
            raise unexpected(name, value)
        if isinstance(value, str) and ("\0" in value or value.encode(errors="ignore").decode() != value):
            raise unexpected(name, value)


def _read_table(path: Path) -> dict[str, Any]:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise StarspielError(f"cannot read the configuration {path}: {error.strerror}.") from None
    except RecursionError:
        raise StarspielError(f"{path} is no valid TOML: its lists or tables are nested too deep.") from None
    except ValueError as error:  # no name of a file, not TOML, not UTF-8, more digits than Python reads
        raise StarspielError(f"{shown(str(path))} is no valid TOML: {error}.") from None
    for key in table:
        if key not in TYPES:
            raise StarspielError(f"{path}: there is no setting {shown(key)}.{did_you_mean(key, TYPES)}")
    return table


def _mistake(
    error: msgspec.ValidationError, path: Path | None, table: Mapping[str, Any], said: Mapping[str, Any]
) -> StarspielError:
    """The message of an error with its place."""
    place = re.search(r"`\$\.(\w+)(?:\[(\d+)\])?", str(error))  # `$.agents[1]` and the like
    if place is None:
        return StarspielError(f"{path}: {error}.")
    setting, number = place[1], place[2]
    value = table[setting] if setting in table else said[setting]
    if number is not None:
        value = value[int(number)]
    wrong = unexpected(setting, value, "" if number is None else f" as {setting}[{number}]")
    return StarspielError(f"{path}: {wrong}") if setting in table else wrong


def unexpected(setting: str, value: Any, where: str = "") -> StarspielError:
    """The error with what is expected for a setting, and what was given."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
        text.encode()
    except Exception:  # nested too deep, more digits than Python writes, half characters, somebody's own repr
        text = shown(value)
    if setting == "key" and isinstance(value, str):  # a mistyped secret is nearly the secret
        text = f"{len(value)} characters that are not"
    elif len(text) > _SHOWN:
        text = f"{text[:_SHOWN]}…"
    hint, kind = "", get_args(TYPES[setting])[0]
    if isinstance(value, str) and get_origin(kind) is Literal:
        near = did_you_mean(value, get_args(kind))
        hint = near if near.startswith(" Did") else ""
    return StarspielError(f"expected for {setting}: {_says(setting, 'expected')}; got {text}{where}.{hint}")


def checked_key(given: str) -> str:
    """Returns a key in its canonical form. Raises StarspielError for an invalid one, without showing it."""
    if not _KEY.fullmatch(key := given.lower()):
        raise unexpected("key", given)
    return key


def _says(setting: str, what: str) -> Any:
    return (about(setting).extra or {})[what]


def _plain(value: Any) -> Any:
    """Converts NumPy's numbers and paths to Python numbers and strings."""
    match value:
        case bool():
            return value
        case Integral():
            return int(value)
        case Real():
            return float(value)
        case Path():
            return str(value)
    return value


def _texts(value: Any) -> Iterator[str]:
    """All texts in a value of TOML's, but names."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)
