"""Parses and writes specs such as `star2(depth=3,evaluator=rollout(n=20))`, in OpenSpiel's grammar."""

import contextlib
import inspect
import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyspiel

from starspiel.envs.errors import SpecError, did_you_mean, shown

_EXEC = "exec:"
_SEVERAL = "separate several by spaces after --agents, and repeat --opponent for each"
#: The maximum nesting of brackets; beyond it, OpenSpiel's recursive parser would crash.
MOST_NESTED = 32
_AROUND = re.compile(r"\s*([(),=])\s*")
_EXPONENT = re.compile(r"[-+]?\d+(\.\d*)?[eE][-+]?\d+")


@dataclass(frozen=True, slots=True)
class Spec:
    """A name and its parameters; `str` gives the canonical spec string, with parameters sorted by name."""

    name: str
    params: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        if not self.params:
            return self.name
        inside = ",".join(f"{key}={spelled(value)}" for key, value in sorted(self.params.items()))
        return f"{self.name}({inside})"


def spelled(value: Any) -> str:
    """Returns a parameter's value as specs spell it: booleans in lower case."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def spec_of(name: str, **parameters: tuple[object, object]) -> str:
    """Returns the spec string with the parameters whose value differs from the default.

    Each parameter is given as a pair (value, default).
    """
    return str(Spec(name, {key: value for key, (value, default) in parameters.items() if value != default}))


def is_command(spec: str) -> bool:
    """Returns whether a spec is `exec:COMMAND`, the command of a program that speaks the seat protocol."""
    return spec.lstrip().startswith(_EXEC)


def command_words(spec: str) -> list[str]:
    """Returns the words of `exec:COMMAND`, the program first. Raises SpecError if there are none."""
    try:
        words = shlex.split(spec.strip().removeprefix(_EXEC))
    except ValueError as error:
        raise SpecError(f"agent {shown(spec)}: {error}.") from None
    if not words:
        raise SpecError("expected a command, as in exec:./my_engine --threads 1, got exec: alone.")
    return words


def parse_spec(text: str) -> Spec:
    """Returns the Spec of a string `name` or `name(key=value,...)`. All of `exec:COMMAND` is its name.

    Raises SpecError if the string does not parse.
    """
    if not isinstance(text, str):
        raise SpecError(f"expected a spec, a string such as star2(depth=3) or heuristic, got {shown(text)}.")
    if is_command(text):
        return Spec(text.strip())
    stripped = _AROUND.sub(r"\1", text.strip())
    if not stripped or stripped.startswith("("):
        raise SpecError(f"expected a spec such as star2(depth=3), got {shown(text)}.")
    if stripped.count("(") != stripped.count(")"):
        raise SpecError(f"the brackets of {shown(text)} do not match.")
    if "," in stripped.partition("(")[0]:
        raise SpecError(f"expected one name, got {shown(text)}; {_SEVERAL}.")
    if "(" in stripped and not stripped.endswith(")"):
        raise SpecError(f"expected nothing after the closing bracket of {shown(text)}; {_SEVERAL}.")
    return _from_raw(read_parameters(stripped))


def as_spec(spec: str | Spec) -> Spec:
    """Returns a Spec unchanged and parses a string. Raises SpecError for anything else."""
    return spec if isinstance(spec, Spec) else parse_spec(spec)


def read_parameters(text: str) -> dict[str, Any]:
    """Returns the parameters that OpenSpiel's grammar reads from a string, with its name as "name".

    Raises SpecError if the string does not parse.
    """
    check_keys(text)
    with quiet_stderr():
        try:
            raw: dict[str, Any] = pyspiel.game_parameters_from_string(text)
        except pyspiel.SpielError as error:
            reason = f"{error}"
            if "CHECK_TRUE" in reason:
                reason = "it has a number that cannot be read; whole numbers go up to 2147483647."
            raise SpecError(f"{shown(text)} does not parse: {reason}") from None
    return raw


def check_keys(text: str) -> None:
    """Raises SpecError for invalid strings that OpenSpiel's parser would accept silently or crash on.

    These are equal or empty keys, deep nesting, and characters that are invalid in UTF-8 or C.
    """
    if "\0" in text:
        raise SpecError(f"expected text without a zero character, got {shown(text)}.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise SpecError(f"{shown(text)} cannot be written in UTF-8.") from None
    level = 0
    for character in text:
        level += {"(": 1, ")": -1}.get(character, 0)
        if level > MOST_NESTED:
            raise SpecError(f"expected at most {MOST_NESTED} brackets within each other, got {shown(text)}.")
    _check_parts(text.strip())


def _check_parts(text: str) -> None:
    """Raises SpecError unless every part between brackets is key=value with distinct keys, at every level."""
    if "(" not in text or not text.endswith(")"):
        return
    keys = set()
    for part in _parts(text[text.index("(") + 1 : -1]):
        key, equals, value = part.partition("=")
        if not equals or not key.strip() or "(" in key or not value.strip():
            hint = " Values are numbers, words and specs, not lists." if "]" in part else ""
            raise SpecError(f"expected key=value, got {shown(part)} in {shown(text)}.{hint}")
        if key in keys:
            raise SpecError(f"{shown(key)} is given twice in {shown(text)}.")
        keys.add(key)
        _check_parts(value.strip())


def _parts(inside: str) -> list[str]:
    """Splits at commas that are not inside brackets."""
    level, begin, parts = 0, 0, []
    for place, character in enumerate(inside):
        level += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and level == 0:
            parts.append(inside[begin:place])
            begin = place + 1
    return [*parts, inside[begin:]] if inside else []


def _from_raw(raw: dict[str, Any]) -> Spec:
    params = dict(raw)
    name = params.pop("name")
    for key, value in params.items():
        if isinstance(value, dict):
            params[key] = _from_raw(value)
        elif isinstance(value, str) and value[:1] == "~":
            params[key] = os.path.expanduser(value)
        else:
            params[key] = read_exponent(value)
    return Spec(name, params)


def read_exponent(value: Any) -> Any:
    """Returns text such as 1e-3, which OpenSpiel's grammar leaves a string, as a float; else the value."""
    return float(value) if isinstance(value, str) and _EXPONENT.fullmatch(value) else value


@contextlib.contextmanager
def quiet_stderr() -> Iterator[None]:
    """Hides what C++ code writes to the process's stderr: OpenSpiel prints each error before it raises it."""
    kept = os.dup(2)
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(sink)


def call_with_params(
    factory: Callable[..., Any], spec: Spec, *given: Any, reserved: Iterable[str] = (), **keywords: Any
) -> Any:
    """Returns `factory(*given, **spec.params, **keywords)`, without the `keywords` that it does not accept.

    Raises SpecError if it does not accept a parameter of the spec, or if that parameter is `reserved`.
    """
    parameters = inspect.signature(factory).parameters.values()
    takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters)
    named = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD][len(given) :]
    named += [p.name for p in parameters if p.kind is p.KEYWORD_ONLY]
    allowed = [name for name in named if name not in keywords and name not in set(reserved)]
    for key in spec.params:
        if key in keywords or (key not in allowed and not takes_any):
            hint = did_you_mean(key, allowed) if allowed else " It takes no parameters."
            raise SpecError(f"{spec.name} has no parameter {shown(key)}.{hint}")
    passed = {key: value for key, value in keywords.items() if key in named or takes_any}
    try:
        inspect.signature(factory).bind(*given, **spec.params, **passed)
    except TypeError as error:
        offered = f" It gets {', '.join(keywords)} by name, and what the spec sets." if keywords else ""
        raise SpecError(f"{spec}: {error}.{offered}") from None
    return factory(*given, **spec.params, **passed)


def parameters_of(factory: Callable[..., Any], left_out: Iterable[str]) -> dict[str, Any]:
    """Returns the named parameters of a factory with their defaults, `inspect.Parameter.empty` if none."""
    hidden = set(left_out)
    return {
        name: p.default
        for name, p in inspect.signature(factory).parameters.items()
        if name not in hidden and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    }
