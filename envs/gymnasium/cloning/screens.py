"""Lets environments that draw with pygame be cloned, without drawing anything for their clones."""

import copyreg
import sys
from collections.abc import Iterable
from typing import Any

#: Types of pygame, by module, which copy.deepcopy refuses: those with a state, and those without.
_COPIED = (("surface", "Surface"), ("mask", "Mask"))
_SHARED = (("font", "Font"), ("freetype", "Font"), ("mixer", "Sound"), ("time", "Clock"))


def make_copyable() -> None:
    """Lets copy.deepcopy copy pygame's surfaces and masks, and share its fonts, sounds and clocks.

    Does nothing if pygame has not been imported.
    """
    pygame: Any = sys.modules.get("pygame")
    if pygame is None or pygame.Surface in copyreg.dispatch_table:
        return
    for kind in _found(_COPIED):
        copyreg.pickle(kind, lambda held: (_CopyOf(held), ()))
    for kind in _found(_SHARED):
        copyreg.pickle(kind, lambda held: "shared")  # copy.deepcopy returns the object itself


def draw_nothing(layers: Iterable[Any]) -> None:
    """Keeps the layers of a clone from showing each of their steps in a window."""
    for layer in layers:
        if getattr(layer, "__dict__", {}).get("render_mode") == "human":
            layer.render_mode = None


def _found(names: Iterable[tuple[str, str]]) -> list[Any]:
    kinds = (getattr(sys.modules.get(f"pygame.{module}"), name, None) for module, name in names)
    return [kind for kind in kinds if isinstance(kind, type)]


class _CopyOf:
    """A function that returns a copy of a surface or mask. It cannot be pickled, like these."""

    def __init__(self, held: Any) -> None:
        self._held = held

    def __call__(self) -> Any:
        return self._held.copy()

    def __reduce__(self) -> Any:
        raise TypeError(f"cannot pickle {type(self._held).__name__!r} object")
