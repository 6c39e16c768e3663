"""Asks for consent before names in files, such as `module:factory`, run external code."""

import re
import sys
from collections.abc import Iterable
from importlib import import_module

from starspiel.envs.errors import StarspielError

#: Everything with a colon between the punctuation of a spec: a name, or a value of a parameter.
_NAMES = re.compile(r"[^(),={}]*:[^(),={}]*")
#: A name of ours or OpenSpiel's: `starspiel.agents.bots:SearchBot`, `starspiel:starspiel/Pig-v0`.
_OURS = re.compile(r"(starspiel(?:\.\w+)*|pyspiel):([A-Za-z][\w/-]*)")
#: The maximum number of names in a message.
_SHOWN = 5


def foreign_names(texts: Iterable[object]) -> list[str]:
    """Returns the names in these specs that would import a module outside starspiel and pyspiel.

    The specs need not parse.
    """
    found = (name.strip() for text in texts if isinstance(text, str) for name in _NAMES.findall(text))
    return sorted({name for name in found if not _is_ours(name)})


def _is_ours(name: str) -> bool:
    """Returns whether a name is of pyspiel, a class of starspiel.agents or starspiel.envs, or nothing at all.

    What our modules import from elsewhere does not count. Nor do our functions: some play tournaments, write
    files or import what they are told to.
    """
    parts = _OURS.fullmatch(name)
    if parts is None or parts[1] == "pyspiel":
        return parts is not None
    try:
        found = getattr(import_module(parts[1]), parts[2], None)
    except ImportError:
        return True  # whoever loads it will report that there is no such module
    ours = ("starspiel.agents.", "starspiel.envs.")
    return found is None or (isinstance(found, type) and found.__module__.startswith(ours))


def check_consent(source: str, texts: Iterable[object], *, trust: bool) -> None:
    """Raises StarspielError if specs from `source` would run external code without consent.

    Consent is `trust`, or "y" or "yes" at the terminal.
    """
    names = foreign_names(texts)
    if trust or not names:
        return
    shown = ", ".join(map(ascii, names[:_SHOWN])) + (", …" if len(names) > _SHOWN else "")
    about = f"{source} names {shown}, which would be imported and run as a program"
    answer = ""
    if sys.stdin and sys.stderr and sys.stdin.isatty() and sys.stderr.isatty():
        print(f"{about}. Do you trust it? [y/N] ", end="", file=sys.stderr, flush=True)
        answer = sys.stdin.readline()
    if answer.strip().lower() not in ("y", "yes"):
        raise StarspielError(f"{about}; if you trust it, say so: --trust, or trust=True in Python.")
