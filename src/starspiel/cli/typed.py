"""What was typed, as it is meant, before it is converted: of every option of every command."""

import math
import os
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Union, get_args, get_origin

from cyclopts import App, ArgumentCollection

from starspiel.envs.errors import StarspielError, shown


def as_meant(app: App, commands: tuple[str, ...], arguments: ArgumentCollection) -> None:
    """Expands `~` in paths. Raises StarspielError for a fraction where a whole number is due.

    Cyclopts itself rounds fractions, and leaves `~` as it is. To be a `config` of an App.
    """
    for argument in arguments:
        kinds = set(_kinds(argument.hint))
        if int in kinds:
            for token in argument.tokens:
                if not _is_whole(token.value):
                    name = token.keyword or argument.name
                    raise StarspielError(f"{name} must be a whole number, got {shown(token.value)}.")
        if Path in kinds:
            argument.tokens[:] = [
                token.evolve(value=os.path.expanduser(token.value)) for token in argument.tokens
            ]


def _kinds(hint: Any) -> Iterator[Any]:
    """The types that values of a hint may have: of `Annotated[list[int], …] | None` int and None."""
    origin = get_origin(hint)
    if origin is None:
        yield hint
    elif origin is Annotated:
        yield from _kinds(get_args(hint)[0])
    elif origin in (Union, types.UnionType, list, tuple):
        for inner in get_args(hint):
            yield from _kinds(inner)


def _is_whole(text: str) -> bool:
    """False for a fraction; what is no number at all is for Cyclopts to tell."""
    try:
        number = float(text)
    except ValueError:
        return True
    return math.isfinite(number) and number.is_integer()
