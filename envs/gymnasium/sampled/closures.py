"""Functions that a copied wrapper holds, bound to the copy.

`copy.deepcopy` copies no functions, so what a function has in its closure stays the original's: Gymnasium's
FlattenObservation holds one with the environment in it. A copy of the function refers to the copies.
"""

import copy
from types import CellType, FunctionType
from typing import Any

from starspiel.envs.gymnasium.sampled.generators import OPAQUE


def bind_functions(layer: Any, copies: dict[int, Any]) -> None:
    """Gives a copied wrapper functions of its own in place of those in its attributes that have closures.

    `copies` is the memo of the deepcopy that made the wrapper; what is copied here is noted there as well.
    """
    for held in (vars(layer), vars(layer).get("_saved_kwargs", {})):  # what RecordConstructorArgs keeps
        for name, function in held.items():
            if type(function) is FunctionType and function.__closure__:
                held[name] = _bound(function, copies)


def _bound(function: FunctionType, copies: dict[int, Any]) -> FunctionType:
    """A function like this one, with copies in its closure."""
    known = copies.get(id(function))
    if known is not None:
        twin: FunctionType = known
        return twin
    cells = tuple(CellType() for _ in function.__closure__ or ())
    twin = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, cells
    )
    twin.__kwdefaults__, twin.__qualname__ = function.__kwdefaults__, function.__qualname__
    twin.__module__, twin.__doc__ = function.__module__, function.__doc__
    twin.__dict__.update(function.__dict__)
    copies[id(function)] = twin
    for cell, original in zip(cells, function.__closure__ or (), strict=True):
        try:
            inside = original.cell_contents
        except ValueError:  # nothing in it yet
            continue
        if type(inside) is FunctionType and inside.__closure__:
            cell.cell_contents = _bound(inside, copies)
        elif isinstance(inside, OPAQUE):
            cell.cell_contents = inside
        else:
            cell.cell_contents = copy.deepcopy(inside, copies)
    return twin
