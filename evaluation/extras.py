"""Extras of evaluation, resolved by name: nothing below an extra imports it."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from starspiel.envs.errors import StarspielError


def has_extra(room: str) -> bool:
    """Whether an extra such as "report" is installed."""
    return find_spec(f"starspiel.evaluation.{room}") is not None


def extra(name: str) -> Any:
    """Returns what an extra defines, e.g. "report.text:as_text".

    Raises StarspielError if the extra is not installed.
    """
    module, _, attribute = name.partition(":")
    room = module.partition(".")[0]
    if not has_extra(room):
        raise StarspielError(f"this needs starspiel.evaluation.{room}, which is not installed here.")
    return getattr(import_module(f"starspiel.evaluation.{module}"), attribute)
