"""Describes the machine and versions of a tournament, to judge its times and to repeat it."""

import os
import platform
import shlex
import sys
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

#: The packages whose versions can change how a game is played.
_PACKAGES = ("starspiel", "open_spiel", "numpy", "gymnasium")


def environment() -> dict[str, str | int]:
    """Returns the command, time, hardware, load and versions, as a flat dictionary."""
    described: dict[str, str | int] = {
        "command": shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]),
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": f"{platform.system()} {platform.release()} {platform.machine()}",
        "processor": _processor(),
        "cores": os.cpu_count() or 1,
        "load": " ".join(f"{load:.2f}" for load in os.getloadavg()),
        "python": platform.python_version(),
    }
    return described | versions()


@cache
def versions() -> dict[str, str]:
    """Returns the versions of the packages that can change how a game is played."""
    found = {}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"
