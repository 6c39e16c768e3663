"""Checks users' arguments and converts them to Python types; NumPy's numbers pass, booleans do not."""

import math
import os
from numbers import Integral, Real
from typing import Any

from starspiel.envs.errors import SpecError, shown


def whole_number(name: str, value: Any, least: int | None = None, most: int | None = None) -> int:
    """Returns the value as an int. Raises SpecError unless it is a whole number from `least` to `most`."""
    number = int(value) if isinstance(value, Integral) and not isinstance(value, bool) else None
    if number is not None and most is not None and number > most:
        raise SpecError(f"{name} must be at most {most}, got {shown(value)}.")
    if number is None or (least is not None and number < least):
        bound = "" if least is None else f" of at least {least}"
        raise SpecError(f"{name} must be a whole number{bound}, got {shown(value)}.")
    return number


def finite_number(name: str, value: Any) -> float:
    """Returns the value as a float. Raises SpecError unless it is a finite number."""
    number = math.nan
    if isinstance(value, Real) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
    if not math.isfinite(number):
        raise SpecError(f"{name} must be a finite number, got {shown(value)}.")
    return number


def true_or_false(name: str, value: object) -> bool:
    """Returns the value. Raises SpecError unless it is a bool."""
    if not isinstance(value, bool):
        raise SpecError(f"{name} must be true or false, got {shown(value)}.")
    return value


def seed_number(seed: Any) -> int | None:
    """Returns the seed as an int, or None. Raises SpecError for anything else."""
    if seed is None:
        return None
    if not isinstance(seed, Integral) or isinstance(seed, bool):
        raise SpecError(f"seed must be a whole number or None, got {shown(seed)}.")
    return int(seed)


def file_name(name: str, value: str) -> str:
    """Returns the text. Raises SpecError if it cannot be a file name."""
    try:
        encoded = os.fsencode(value)
    except UnicodeError:
        encoded = b"\0"
    if b"\0" in encoded:
        raise SpecError(f"{name} must be the name of a file, got {shown(value)}.")
    return value
