"""Resolves `module:name`, from users and from registries, by importing on demand."""

import importlib
import os
import sys
import traceback
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from starspiel.envs.errors import SpecError, StarspielError, did_you_mean, shown

#: The top-level modules that users have named.
_NAMED: set[str] = set()


def resolve(target: str) -> Any:
    """Returns the object of `module:object`. Raises StarspielError if its package is not installed."""
    module, _, name = target.partition(":")
    if not is_installed(target):
        raise StarspielError(
            f"{module} is not part of this installation; install starspiel again to have all of it."
        )
    return getattr(importlib.import_module(module), name)


@cache
def is_installed(target: str) -> bool:
    """Returns whether the module of `module:object` exists; imports only the packages around it."""
    try:
        return find_spec(target.partition(":")[0]) is not None
    except ModuleNotFoundError:
        return False


def path_of(target: str) -> Path:
    """Returns the path of the data file that `package:file` names."""
    package, _, name = target.partition(":")
    return Path(str(importlib.import_module(package).__file__)).parent / name


def allow_working_directory() -> None:
    """Makes modules in the working directory importable, as with `python -m`, for console scripts too."""
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())


def find_in_module(name: str, kind: str) -> Any:
    """Returns the object of a user's `package.module:name`. Raises SpecError if that fails.

    `kind` is what error messages call the object, such as "agent" or "game".
    """
    module_name, _, attribute = name.partition(":")
    if not module_name or not attribute:
        raise SpecError(f"{kind} {shown(name)}: expected package.module:name.")
    allow_working_directory()
    _NAMED.add(module_name.partition(".")[0])
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise SpecError(f"{kind} {shown(name)}: there is no module {shown(error.name)}.") from None
    except (Exception, SystemExit) as error:
        raise SpecError(
            f"{kind} {shown(name)}: importing {module_name} raised {type(error).__name__}: {error}."
        ) from None
    try:
        return getattr(module, attribute)
    except AttributeError:
        near = did_you_mean(attribute, (known for known in vars(module) if not known.startswith("_")))
        raise SpecError(
            f"{kind} {shown(name)}: module {module_name} has no {shown(attribute)}."
            f"{near if near.startswith(' Did') else ''}"
        ) from None


def place_in_named_module(error: BaseException) -> str | None:
    """Returns where in a user's module an error arose, e.g. `apply(), my_game.py:23`; None if elsewhere."""
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        if str(frame.f_globals.get("__name__")).partition(".")[0] in _NAMED:
            return f"{frame.f_code.co_name}(), {os.path.basename(frame.f_code.co_filename)}:{line}"
    return None
