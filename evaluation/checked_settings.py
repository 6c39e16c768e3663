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

#: Maximum number of characters of an invalid value that a message shows.
_SHOWN = 80
#: Larger numbers are mistakes, and Python may refuse to print them.
_LARGEST = 10**30
#: A key in the form that `new_key` writes; `checked_key` also accepts capital letters.
_KEY = re.compile(r"[0-9a-f]{32}")


def checked(**given: Any) -> Settings:
    """Returns Settings from values given in Python, with defaults for the others.

    Raises StarspielError for a value of the wrong type. Python objects are checked later, by `plan`.
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
    """Returns the settings in a TOML file, if one is given; those in `said` override the file's.

    Raises StarspielError that locates the first mistake. Also raises it if the file names code outside
    starspiel and pyspiel and there is no consent to run it: `trust`, or a yes at the terminal.
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
    """Raises StarspielError for huge integers, and for text that no file name and no spec can contain."""
    for name, value in values.items():
        # Not checked by Meta(pattern=...), because msgspec 0.22 occasionally crashes on it.
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
        raise StarspielError(f"{path} is not valid TOML: its lists or tables are nested too deep.") from None
    except ValueError as error:  # an invalid file name, not TOML, not UTF-8, or more digits than Python reads
        raise StarspielError(f"{shown(str(path))} is not valid TOML: {error}.") from None
    for key in table:
        if key not in TYPES:
            raise StarspielError(f"{path}: there is no setting {shown(key)}.{did_you_mean(key, TYPES)}")
    return table


def _mistake(
    error: msgspec.ValidationError, path: Path | None, table: Mapping[str, Any], said: Mapping[str, Any]
) -> StarspielError:
    """Returns the error for a setting that msgspec refused, with the setting's name and position."""
    place = re.search(r"`\$\.(\w+)(?:\[(\d+)\])?", str(error))  # for example `$.agents[1]`
    if place is None:
        return StarspielError(f"{path}: {error}.")
    setting, number = place[1], place[2]
    value = table[setting] if setting in table else said[setting]
    if number is not None:
        value = value[int(number)]
    wrong = unexpected(setting, value, "" if number is None else f" as {setting}[{number}]")
    return StarspielError(f"{path}: {wrong}") if setting in table else wrong


def unexpected(setting: str, value: Any, where: str = "") -> StarspielError:
    """Returns the error that says what is expected for a setting, and what was given (`where`, if known)."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
        text.encode()
    except Exception:  # nested too deep, too many digits, lone surrogates, or a repr that raises
        text = shown(value)
    if setting == "key" and isinstance(value, str):  # a mistyped key reveals most of the secret
        text = f"another text of length {len(value)}"
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
    """Converts NumPy numbers to Python numbers, and paths to strings; returns other values unchanged."""
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
    """Yields all strings in a TOML value, except the keys of tables."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _texts(each)
