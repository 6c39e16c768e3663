"""Finds a module's own imports by reading its source, without importing anything.

Its own imports are the modules of its package and of the folder that it is in, unless that folder belongs to
an installed library.
"""

import ast
import site
import sysconfig
from collections.abc import Iterator
from importlib.machinery import all_suffixes
from pathlib import Path

#: Packages identified by their version.
_BY_VERSION = frozenset({"starspiel", "open_spiel", "pyspiel"})
#: Functions that import the module named by their first argument.
_IMPORTING = frozenset({"import_module", "__import__"})


def own_imports(module: str, file: str) -> dict[str, Path]:
    """Returns name -> file of the own modules that a module or its parent packages import, recursively."""
    parts, path = module.split("."), Path(file).absolute()
    if parts[0] in _BY_VERSION:
        return {}
    at = path.parent if path.stem == "__init__" else path
    root = at.parents[min(len(parts), len(at.parents)) - 1]
    only = f"{parts[0]}." if root in _libraries() else ""
    found: dict[str, Path] = {}
    names = list(_with_packages(module))
    while names:
        name = names.pop()
        if name in found or not f"{name}.".startswith(only):
            continue
        if (its_file := file_below(root, name)) is None:
            continue
        found[name] = its_file
        names += _imported(name, its_file)
    found.pop(module, None)
    return found


def _libraries() -> set[Path]:
    """Returns the folders of installed packages and of Python itself."""
    paths = [*sysconfig.get_paths().values(), *site.getsitepackages(), site.getusersitepackages()]
    return {Path(path).absolute() for path in paths}


def _with_packages(name: str) -> Iterator[str]:
    """Returns the modules that importing `a.b.c` runs: a, a.b and a.b.c."""
    parts = name.split(".")
    return (".".join(parts[:count]) for count in range(1, len(parts) + 1))


def file_below(root: Path, name: str) -> Path | None:
    """Returns the file of a module below a folder; None if it has none, like a namespace package."""
    at = root.joinpath(*name.split("."))
    for stem in (at / "__init__", at):
        for suffix in all_suffixes():
            if (file := stem.with_name(stem.name + suffix)).is_file():
                return file
    return None


def _imported(module: str, file: Path) -> Iterator[str]:
    """Yields all names that a module's source may import, including packages and names of non-modules."""
    if file.suffix != ".py":
        return
    try:
        tree = ast.parse(file.read_bytes())
    except (
        OSError,
        RecursionError,
        SyntaxError,
        ValueError,
    ):  # whoever reads or runs it reports the error
        return
    package = module if file.stem == "__init__" else module.rpartition(".")[0]
    for node in ast.walk(tree):
        for name in _named_in(node):
            if absolute := _absolute(name, package):
                yield from _with_packages(absolute)


def _named_in(node: ast.AST) -> Iterator[str]:
    """Yields the names that a statement or call imports; a relative one keeps its leading dots."""
    match node:
        case ast.Import():
            yield from (alias.name for alias in node.names)
        case ast.ImportFrom():
            base = "." * node.level + (node.module or "")
            yield base
            yield from (f"{base}{'' if base.endswith('.') else '.'}{alias.name}" for alias in node.names)
        case ast.Call(
            func=ast.Name(id=called) | ast.Attribute(attr=called), args=[ast.Constant(str(name)), *_]
        ):
            if called in _IMPORTING:
                yield name


def _absolute(name: str, package: str) -> str:
    """Returns the absolute name of a name imported in `package`; "" if it would be above the top package."""
    below = name.lstrip(".")
    level = len(name) - len(below)
    if not level:
        return name
    above = package.split(".")[: len(package.split(".")) - level + 1] if package else []
    return ".".join([*above, *([below] if below else [])]) if above else ""
