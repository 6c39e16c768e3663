"""The native engine from Python's side: loading it, and saying why where it cannot be used."""

import ctypes
import functools
import os
from dataclasses import dataclass
from importlib import metadata
from typing import Any

import pyspiel

#: Set to "OFF" to run everything on the Python engine.
SWITCH = "STARSPIEL_NATIVE"


@dataclass(frozen=True, slots=True)
class NativeStatus:
    """Whether the native core is in use.

    Attributes:
        module: `starspiel._native`, or None.
        reason: one sentence: what it was built for, or why it is not used and what to do.
    """

    module: Any | None
    reason: str

    @property
    def available(self) -> bool:
        return self.module is not None


def native_status() -> NativeStatus:
    """The native core, loaded on the first call; never raises."""
    if os.environ.get(SWITCH, "").strip().lower() in ("off", "0", "false", "no"):
        return NativeStatus(None, f"switched off by the environment variable {SWITCH}.")
    return _load()


@functools.cache
def _load() -> NativeStatus:
    installed = metadata.version("open_spiel")
    try:
        # The module is linked against nothing: OpenSpiel's symbols must be visible when it is loaded.
        ctypes.CDLL(pyspiel.__file__, mode=ctypes.RTLD_GLOBAL)
        from starspiel import _native
    except ImportError as error:
        if isinstance(error, ModuleNotFoundError):
            return NativeStatus(
                None,
                "starspiel was installed without it: no C++ compiler worked when it was built, "
                "or the build was told to leave it out.",
            )
        return NativeStatus(None, f"it does not load here ({error}); reinstall starspiel to build it again.")
    except OSError as error:
        return NativeStatus(None, f"pyspiel's symbols cannot be made visible to it ({error}).")
    if _native.open_spiel_version != installed:
        return NativeStatus(
            None,
            f"it was built for open_spiel {_native.open_spiel_version}, but {installed} is installed; "
            "build it again: pip install --force-reinstall --no-deps --no-cache-dir starspiel.",
        )
    return NativeStatus(_native, f"built for open_spiel {installed}.")
