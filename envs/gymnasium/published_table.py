"""Tests whether an environment's steps are those that its transition table was published with."""

from typing import Any


def has_steps_as_published(inside: Any) -> bool:
    """Returns whether `step` and `reset` come from the class that made the table, or from a base of it."""
    kinds = type(inside).__mro__
    maker = next((number for number, kind in enumerate(kinds) if _makes_table(kind)), -1)
    return maker >= 0 and all(
        method not in vars(inside)
        and next(number for number, kind in enumerate(kinds) if method in vars(kind)) >= maker
        for method in ("step", "reset")
    )


def _makes_table(kind: type) -> bool:
    made = getattr(vars(kind).get("__init__"), "__code__", None)
    return "P" in vars(kind) or (made is not None and "P" in made.co_names)
