"""Modules of the working directory or installed, which people name as `package.module:name`."""

import importlib
import os
import sys
import traceback
from typing import Any

from starspiel.envs.errors import SpecError, did_you_mean, shown

#: The modules that people have named, without what follows the first dot.
_NAMED: set[str] = set()


def allow_working_directory() -> None:
    """Lets modules of the working directory be imported, as `python -m` does; a console script does not."""
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())


def find_in_module(name: str, kind: str) -> Any:
    """What `package.module:name` names. `kind` is what it is to be, for errors: "agent", "game".

    Raises SpecError where there is no such module, the module cannot be imported, or holds nothing so named.
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
    """Where in a module that people named an error arose, `apply(), my_game.py:23`; None where in none."""
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        if str(frame.f_globals.get("__name__")).partition(".")[0] in _NAMED:
            return f"{frame.f_code.co_name}(), {os.path.basename(frame.f_code.co_filename)}:{line}"
    return None
