"""Things named by `module:object`, imported when they are asked for: how a room names what lies above it."""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from starspiel.envs.errors import StarspielError


def resolve(target: str) -> Any:
    """The object that `module:object` names. Raises StarspielError if this installation lacks its package."""
    module, _, name = target.partition(":")
    if not is_installed(target):
        raise StarspielError(
            f"{module} is not part of this installation; install starspiel again to have all of it."
        )
    return getattr(import_module(module), name)


@cache
def is_installed(target: str) -> bool:
    """Whether the module of `module:object` is there; only the packages around it are imported."""
    try:
        return find_spec(target.partition(":")[0]) is not None
    except ModuleNotFoundError:
        return False


def path_of(target: str) -> Path:
    """The path of the data file that `package:file` names."""
    package, _, name = target.partition(":")
    return Path(str(import_module(package).__file__)).parent / name
