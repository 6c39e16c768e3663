"""Identifies games and modules in a store, by hashes of files and of the source of Python objects."""

import importlib.util
import inspect
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cached_property
from hashlib import blake2b
from importlib.machinery import PathFinder
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np

from starspiel.envs.base import Game
from starspiel.envs.errors import StarspielError
from starspiel.envs.gymnasium.sampled.game import SampledGame
from starspiel.envs.named import identity_of
from starspiel.envs.openspiel.game import OpenSpielGame
from starspiel.envs.spec import Spec, parse_spec
from starspiel.evaluation.imports import own_imports
from starspiel.evaluation.play.course import time_limit

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def identity_of_game(game: Game) -> str:
    """Returns the identity of a game: its name, and hashes of its module or of its rules in Python.

    Rules are identified by their source and parameters: the attributes that are numbers, texts, or sequences
    of these, and the dictionaries and sets that are named after a parameter of the constructor. Others may be
    caches, which change from use to use.
    """
    if ":" not in game.name and not is_ours(game):
        given: Iterable[str] = ()
        with suppress(ValueError):  # a constructor of a compiled class
            given = inspect.signature(type(game).__init__).parameters
        parameters = [
            (name, value)
            for name, value in sorted(getattr(game, "__dict__", {}).items())
            if _is_plain(value, name.strip("_") in given)
            and not isinstance(getattr(type(game), name, None), cached_property)
        ]
        return f"{game.name} {of_python(game)} {of_held(parameters)}"
    classes = game.contents.classes if isinstance(game, OpenSpielGame) else getattr(game, "classes", ())
    written = [of_python(kind) for kind in classes]
    if isinstance(game, SampledGame):
        written.append(of_held(game.settings))
    if (limit := time_limit(game)) is not None:
        written.append(f"at most {limit} moves")
    return " ".join([with_modules(identity_of(game)), *written])


def with_modules(spec: str) -> str:
    """Returns the spec, followed by hashes of the files and modules that it names."""
    try:
        found = list(_named(parse_spec(spec)))
    except StarspielError:
        return spec  # The name of a game made in Python need not be a spec.
    return with_held(spec, found)


def with_held(spec: str, found: Iterable[tuple[str, str, str]]) -> str:
    """Returns the spec, followed by a hash of each (name, file, module) and one hash of all their imports."""
    found = sorted(set(found))
    held = [f"{name}:{_hash(_read(file))}" for name, file, _ in found]
    imported = {
        name: file
        for _, of, module in found
        for name, file in (own_imports(module, of) if module else {}).items()
    }
    if imported:
        contents = (f"{name}:{_hash(_read(str(imported[name])))}" for name in sorted(imported))
        held.append(f"imports:{_hash(' '.join(contents).encode())}")
    return " ".join([spec, *held])


def of_python(thing: Any) -> str:
    """Returns the name of a function or class (for another object, of its class) and a hash of its source.

    Modules that the source imports are not part of the hash.
    """
    kind = thing if isinstance(thing, type) or inspect.isroutine(thing) else type(thing)
    try:
        source = inspect.getsource(kind).encode()
    except (OSError, TypeError):  # entered at a prompt, or compiled
        source = b""
    code = getattr(kind, "__code__", None)
    if isinstance(code, CodeType):  # One line may define several functions.
        source += _of_code(code)
    name = f"{getattr(kind, '__module__', '')}:{getattr(kind, '__qualname__', kind)}"
    return f"{name} {_hash(source)}" if source else name


def of_held(thing: Any) -> str:
    """Returns a hash of an object and of all that it holds, the same in every process.

    Values are hashed as `pickle` would store them, functions by their source and what they enclose, and
    objects that cannot be stored by their class.
    """
    digest, ahead = blake2b(digest_size=8), [thing]
    seen: dict[int, tuple[int, Any]] = {}  # with the part itself, so that no other gets its id
    while ahead:
        part = ahead.pop()
        if part is None or type(part) in (bool, int, float, complex, str):
            part = repr(part).encode()
        elif type(part) is not bytes and id(part) in seen:
            part = b"number %d" % seen[id(part)][0]
        elif type(part) is not bytes:
            seen[id(part)] = len(seen), part
            inside = _parts(part)
            ahead += reversed(inside)
            part = b"%s of %d" % (type(part).__name__.encode(), len(inside))
        digest.update(b"%d " % len(part) + part)
    return digest.hexdigest()


def of_object(thing: Any) -> str:
    """Returns the identity of an object made in Python, or of a list of them: sources and all they hold."""
    kinds = thing if isinstance(thing, list | tuple) else [thing]
    return " ".join([*map(of_python, kinds), of_held(thing)])


def is_ours(thing: Any) -> bool:
    """Returns whether the object's class belongs to starspiel, whose version identifies it."""
    return type(thing).__module__.partition(".")[0] == "starspiel"


def _is_plain(value: Any, or_mapping: bool = False) -> bool:
    """Returns whether a value is a number, a text, None, an array, or a sequence of these.

    With `or_mapping`, it may also be a dictionary or set of these.
    """
    if or_mapping and isinstance(value, dict):
        value = [*value.keys(), *value.values()]
    if isinstance(value, list | tuple) or (or_mapping and isinstance(value, set | frozenset)):
        return all(_is_plain(part, or_mapping) for part in value)
    return value is None or isinstance(value, int | float | complex | str | bytes | np.generic | np.ndarray)


def _parts(thing: Any) -> list[Any]:
    """Returns what an object holds or, if that cannot be told, the identity of its class."""
    if isinstance(thing, list | tuple):
        return list(thing)
    if type(thing) is dict:
        return list(thing.items())
    if isinstance(thing, set | frozenset):
        return sorted(_ADDRESS.sub("", repr(each)) for each in thing)  # they have no order of their own
    if inspect.ismethod(thing):
        return [thing.__func__, thing.__self__]
    try:
        if inspect.isfunction(thing):
            enclosed = [cell.cell_contents for cell in thing.__closure__ or ()]
            return [of_python(thing), thing.__defaults__, thing.__kwdefaults__, enclosed]
        if isinstance(thing, type) or inspect.isroutine(thing):
            return [of_python(thing)]
        stored = thing.__reduce_ex__(4)
    except Exception:  # objects refuse it by many kinds of errors, and what is enclosed may not be there yet
        return [of_python(thing)]
    return [list(each) if isinstance(each, Iterator) else each for each in stored]


def _of_code(code: CodeType) -> bytes:
    return b"\0".join([code.co_code, repr(code.co_names).encode(), *map(_of_constant, code.co_consts)])


def _of_constant(constant: object) -> bytes:
    if isinstance(constant, CodeType):
        return _of_code(constant)
    if isinstance(constant, tuple | frozenset):  # Sets are sorted, because their order is not stable.
        parts = [_of_constant(each) for each in constant]
        return b"(" + b",".join(parts if isinstance(constant, tuple) else sorted(parts)) + b")"
    return repr(constant).encode()


def _named(spec: Spec) -> Iterator[tuple[str, str, str]]:
    """Yields (name, file, module) of everything a spec refers to; module is "" for a plain file."""
    module, colon, _ = spec.name.partition(":")
    if colon and (file := _file_of(module)):
        yield module, file, module
    for value in spec.params.values():
        if isinstance(value, Spec):
            yield from _named(value)
        elif isinstance(value, str) and Path(value).is_file():
            yield value, value, ""
        elif isinstance(value, str) and ":" in value:
            yield from _named(Spec(value))


def _file_of(module: str) -> str | None:
    """Returns the file of a module, which may be in the working directory; None if there is none.

    Neither the module nor its packages are imported.
    """
    if module in sys.modules:
        return getattr(sys.modules[module], "__file__", None)
    package, *parts = module.split(".")
    if not all(part.isidentifier() for part in (package, *parts)):
        return None
    found = importlib.util.find_spec(package) or PathFinder.find_spec(package, [os.getcwd()])
    for part in parts:
        if found is None:
            return None
        found = PathFinder.find_spec(part, list(found.submodule_search_locations or ()))
    return None if found is None or not found.has_location else found.origin


def _read(file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise StarspielError(f"cannot read {file}: {error.strerror}.") from None


def _hash(content: bytes) -> str:
    return blake2b(content, digest_size=8).hexdigest()
