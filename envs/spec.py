"""Spec strings such as `star2(depth=3,evaluator=rollout(n=20))`, in OpenSpiel's own parameter grammar."""

import inspect
import os
import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyspiel

from starspiel.envs.errors import SpecError, did_you_mean, shown
from starspiel.envs.spec_syntax import check_keys
from starspiel.envs.stderr import quiet_stderr

_EXEC = "exec:"
_AROUND = re.compile(r"\s*([(),=])\s*")
_EXPONENT = re.compile(r"[-+]?\d+(\.\d*)?[eE][-+]?\d+")


@dataclass(frozen=True, slots=True)
class Spec:
    """A name and its parameters; `str` gives the canonical spec string, parameters in order of name."""

    name: str
    params: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        if not self.params:
            return self.name
        inside = ",".join(f"{key}={_text(value)}" for key, value in sorted(self.params.items()))
        return f"{self.name}({inside})"


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def is_command(spec: str) -> bool:
    """Whether it is `exec:COMMAND`, the command of a program that speaks the seat protocol."""
    return spec.lstrip().startswith(_EXEC)


def command_words(spec: str) -> list[str]:
    """The words of `exec:COMMAND`, the program first. Raises SpecError if there is none."""
    try:
        words = shlex.split(spec.strip().removeprefix(_EXEC))
    except ValueError as error:
        raise SpecError(f"agent {shown(spec)}: {error}.") from None
    if not words:
        raise SpecError("expected a command, as in exec:./my_engine --threads 1, got exec: alone.")
    return words


def parse_spec(text: str) -> Spec:
    """The Spec of a string `name` or `name(key=value,...)`; of `exec:COMMAND`, all of it is the name.

    Raises SpecError where it does not parse.
    """
    if not isinstance(text, str):
        raise SpecError(f"expected a spec such as star2(depth=3), got {shown(text)}.")
    if is_command(text):
        return Spec(text.strip())
    stripped = _AROUND.sub(r"\1", text.strip())
    if not stripped or stripped.startswith("("):
        raise SpecError(f"expected a spec such as star2(depth=3), got {shown(text)}.")
    if stripped.count("(") != stripped.count(")"):
        raise SpecError(f"the brackets of {shown(text)} do not match.")
    if "(" in stripped and not stripped.endswith(")"):
        raise SpecError(f"expected nothing after the closing bracket of {shown(text)}.")
    return _from_raw(read_parameters(stripped))


def read_parameters(text: str) -> dict[str, Any]:
    """What OpenSpiel's grammar makes of a string: its parameters, and its name as "name".

    Raises SpecError where it does not parse.
    """
    check_keys(text)
    with quiet_stderr():  # OpenSpiel prints its errors as well.
        try:
            raw: dict[str, Any] = pyspiel.game_parameters_from_string(text)
        except pyspiel.SpielError as error:
            reason = f"{error}"
            if "CHECK_TRUE" in reason:
                reason = "a number in it is too large; whole numbers go up to 2147483647."
            raise SpecError(f"{shown(text)} does not parse: {reason}") from None
        except (TypeError, UnicodeError):
            raise SpecError(f"{shown(text)} does not parse: it cannot be written in UTF-8.") from None
    return raw


def as_spec(spec: str | Spec) -> Spec:
    """A Spec as it is, a string parsed. Raises SpecError for anything else."""
    return spec if isinstance(spec, Spec) else parse_spec(spec)


def _from_raw(raw: dict[str, Any]) -> Spec:
    params = dict(raw)
    name = params.pop("name")
    for key, value in params.items():
        params[key] = _from_raw(value) if isinstance(value, dict) else _meant(value)
    return Spec(name, params)


def _meant(value: Any) -> Any:
    """A number that the grammar leaves a string, and a path with the home folder that `~` stands for."""
    return os.path.expanduser(value) if isinstance(value, str) and value[:1] == "~" else read_exponent(value)


def read_exponent(value: Any) -> Any:
    """The number that a text such as 1e-3 is, which OpenSpiel's grammar leaves a string; else the value."""
    return float(value) if isinstance(value, str) and _EXPONENT.fullmatch(value) else value


def call_with_params(
    factory: Callable[..., Any], spec: Spec, *given: Any, reserved: Iterable[str] = (), **keywords: Any
) -> Any:
    """`factory(*given, **spec.params, **keywords)`, where a parameter it does not take is a SpecError.

    `reserved` names keyword parameters of the factory that a spec cannot set. `keywords` that the factory
    does not take are left out.
    """
    signature = inspect.signature(factory)
    kinds = {name: p.kind for name, p in signature.parameters.items()}
    takes_any = inspect.Parameter.VAR_KEYWORD in kinds.values()
    positional = [name for name, kind in kinds.items() if kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    named = positional[len(given) :]
    named += [name for name, kind in kinds.items() if kind is inspect.Parameter.KEYWORD_ONLY]
    allowed = [name for name in named if name not in keywords and name not in set(reserved)]
    for key in spec.params:
        if key in keywords or (key not in allowed and not takes_any):
            hint = did_you_mean(key, allowed) if allowed else " It takes no parameters."
            raise SpecError(f"{spec.name} has no parameter {shown(key)}.{hint}")
    passed = {key: value for key, value in keywords.items() if key in named or takes_any}
    try:
        signature.bind(*given, **spec.params, **passed)
    except TypeError as error:
        offered = f" By name it is given {', '.join(keywords)}, and what the spec sets." if keywords else ""
        raise SpecError(f"{spec}: {error}.{offered}") from None
    return factory(*given, **spec.params, **passed)


def parameters_of(factory: Callable[..., Any], left_out: Iterable[str]) -> dict[str, Any]:
    """The named parameters of a factory and their defaults; `inspect.Parameter.empty` stands for none."""
    hidden = set(left_out)
    return {
        name: p.default
        for name, p in inspect.signature(factory).parameters.items()
        if name not in hidden and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    }
