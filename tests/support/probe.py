"""Compiles native/probe.cpp, while other tests run: it takes half a minute."""

import importlib.util
import os
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

PROBE = Path(__file__).parents[1] / "native" / "probe.cpp"
SOURCES = PROBE.parents[2] / "native"


def can_compile() -> bool:
    return bool(shutil.which("c++")) and bool(importlib.util.find_spec("pybind11")) and SOURCES.is_dir()


def probe_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the compiled module will be: in the folder of this run, which pytest's workers have in common."""
    own = tmp_path_factory.getbasetemp()
    return (own if os.environ.get("PYTEST_XDIST_WORKER") is None else own.parent) / "probe" / "_probe.so"


def begin(made: Path) -> "subprocess.Popen[bytes] | None":
    """Begins to compile, if no other worker has; what the compiler says of errors goes beside the module."""
    try:
        made.parent.mkdir()
    except FileExistsError:
        return None
    import pybind11
    import pyspiel

    listed = (SOURCES.parent / "CMakeLists.txt").read_text(encoding="utf-8")
    models = re.findall(r"^    (\w+):(\w+Model)\b", listed, re.MULTILINE)
    includes = "".join(f'#include "models/{header}.hpp"\n' for header, _ in models)
    names = ", ".join(f"starspiel::{name}" for _, name in models)
    (made.parent / "models.hpp").write_text(f"{includes}#define STARSPIEL_MODELS {names}\n")
    installed = Path(pyspiel.__file__).parent
    headers = [installed, installed / "open_spiel" / "abseil-cpp", installed / "open_spiel/json/include"]
    headers += [Path(pybind11.get_include()), Path(sysconfig.get_path("include"))]
    flags = ["-std=c++20", "-O0", "-ffp-contract=off", "-shared", "-fPIC", "-fvisibility=hidden"]
    flags += [f"-I{SOURCES}", f"-I{made.parent}"]
    flags += [flag for header in headers for flag in ("-isystem", str(header))]
    half, said = made.with_suffix(".half"), made.with_suffix(".said")
    ends = f'&& mv "{half}" "{made}" || mv "{said}" "{made.with_suffix(".failed")}"'
    command = ["sh", "-c", f'c++ "$@" >"{said}" 2>&1 {ends}', "sh", *flags, str(PROBE), "-o", str(half)]
    return subprocess.Popen(command)
