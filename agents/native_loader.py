"""Loads the native core, `starspiel._native`, or says why it is not in use."""

import ctypes
import functools
import hashlib
import importlib
import importlib.util
import json
import logging
import multiprocessing
import os
import shlex
import sys
import weakref
from dataclasses import dataclass
from importlib import metadata, resources
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pyspiel

from starspiel.envs.base import Game
from starspiel.envs.load import game_of
from starspiel.envs.openspiel.registered import RegisteredState

_LOGGER = logging.getLogger("starspiel")

#: Set to "OFF" to run everything on the Python engine.
SWITCH = "STARSPIEL_NATIVE"


@dataclass(frozen=True, slots=True)
class NativeStatus:
    """Whether the native core is in use, and why.

    Attributes:
        module: `starspiel._native`, or None.
        reason: one sentence: what the core was built for, or why it is not used and the remedy.
        chosen: whether the user switched it off, now or at installation.
    """

    module: Any | None
    reason: str
    chosen: bool = False

    @property
    def available(self) -> bool:
        return self.module is not None


def native_status() -> NativeStatus:
    """Returns the status of the native core, which the first call loads; never raises."""
    if os.environ.get(SWITCH, "").strip().lower() in ("off", "0", "false", "no"):
        return NativeStatus(None, f"switched off by the environment variable {SWITCH}.", chosen=True)
    return _load()


def say_if_missing() -> None:
    """Logs, once per process, that the native core is missing. Does nothing if the user switched it off or if
    this process is a worker.
    """
    status = native_status()
    if status.module is None and not status.chosen and multiprocessing.parent_process() is None:
        _say(f"starspiel: searches run in Python only, many times slower: {status.reason}")


@functools.cache
def _say(line: str) -> None:
    _LOGGER.warning(line)


@functools.cache
def _load() -> NativeStatus:
    installed = metadata.version("open_spiel")
    if importlib.util.find_spec("starspiel._native") is None:
        why = _why_not_built()
        if why is None:
            left_out = "starspiel was installed without it: the build was told to leave it out."
            return NativeStatus(None, left_out, chosen=True)
        # On Windows, nothing that the user could install would help.
        remedy = "" if sys.platform == "win32" else f" Once this is fixed, build it again: {_build_again()}"
        return NativeStatus(None, f"starspiel was installed without it: when it was built, {why}.{remedy}")
    # Checked before loading, against the package's metadata: another version of OpenSpiel may lack symbols
    # that the core needs.
    if (built_for := _built_for()) not in (None, installed):
        return NativeStatus(None, _other_version(built_for, installed))
    try:
        # The module is linked against nothing, so OpenSpiel's symbols must be visible when it is loaded.
        ctypes.CDLL(pyspiel.__file__, mode=ctypes.RTLD_GLOBAL)
        _native = importlib.import_module("starspiel._native")
    except ImportError as error:
        return NativeStatus(None, f"it does not load here ({error}); build it again: {_build_again()}")
    except OSError as error:
        return NativeStatus(None, f"pyspiel's symbols cannot be made visible to it ({error}).")
    if _native.open_spiel_version != installed:
        return NativeStatus(None, _other_version(_native.open_spiel_version, installed))
    if not _fits(_native):
        return NativeStatus(
            None,
            f"it was built before these Python files changed; build it again: {_build_again()}",
        )
    return NativeStatus(_native, f"built for open_spiel {installed}.")


def _fits(core: Any) -> bool:
    """Returns whether the core has the interface that the Python files expect. In an editable installation,
    the Python files may be newer than the core.
    """
    try:
        declared = (resources.files("starspiel") / "_native.pyi").read_bytes()
    except FileNotFoundError:  # stripped from the package, so there is nothing to compare
        return True
    return getattr(core, "interface", None) == hashlib.sha256(declared).hexdigest()


def _built_for() -> str | None:
    """Returns the version of open_spiel that the package's metadata names; None if it names none."""
    text = metadata.distribution("starspiel").read_text("open_spiel_version.txt")
    return text.strip() if text else None


def _other_version(built_for: str | None, installed: str) -> str:
    return (
        f"it was built for open_spiel {built_for}, but {installed} is installed: "
        f"pip install open_spiel=={built_for}, or build it for {installed}: {_build_again()}"
    )


def _build_again() -> str:
    """Returns the command that builds the core again, from where pip found starspiel's sources."""
    text = metadata.distribution("starspiel").read_text("direct_url.json")
    found: dict[str, Any] = json.loads(text) if text else {"url": "starspiel"}
    sources, folder, repository = found["url"], found.get("dir_info"), found.get("vcs_info")
    if folder is not None:
        sources = shlex.quote(url2pathname(urlsplit(sources).path))
        return f"pip install --force-reinstall --no-deps {'-e ' if folder.get('editable') else ''}{sources}"
    if sources.endswith(".whl"):
        return "pip install --force-reinstall --no-deps . (in a copy of the sources)"
    if repository is not None:
        sources = f"{repository['vcs']}+{sources}"
    return (
        f"pip install --force-reinstall --no-deps --no-cache-dir --no-binary starspiel {shlex.quote(sources)}"
    )


def _why_not_built() -> str | None:
    """Returns the reason that CMakeLists.txt recorded if the core could not be built, or None."""
    try:
        return (resources.files("starspiel") / "_not_native.txt").read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return None


# Whether a game is written in C++; cached, because finding out takes a new state.
_NATIVE_GAMES: weakref.WeakKeyDictionary[Game, bool] = weakref.WeakKeyDictionary()


def is_native(core: Any, state: pyspiel.State) -> bool:
    """Returns whether the state's game, and the games that it wraps, are written in C++."""
    if isinstance(state, RegisteredState):
        return False
    game = game_of(state)
    if game not in _NATIVE_GAMES:
        _NATIVE_GAMES[game] = core.is_native(state)
    return _NATIVE_GAMES[game]
