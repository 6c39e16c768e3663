"""Flags that several commands share, flags made from settings, and corrections of typed arguments."""

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, make_dataclass
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

import pyspiel
from cyclopts import App, ArgumentCollection, Parameter
from msgspec import Meta

from starspiel.agents.roster import registered_agents
from starspiel.envs.errors import StarspielError, shown
from starspiel.envs.games import is_shipped

Json = Annotated[bool, Parameter(name="--json", help="Print one JSON object and nothing else.")]
Output = Annotated[Path | None, Parameter(alias="-o")]
Stored = Annotated[Path, Parameter(help="A file that `starspiel tournament --store` wrote.")]
Trust = Annotated[
    bool,
    Parameter(
        help="Import the modules and run the programs that the file names, such as bots:Rules. Without this "
        "flag, you are asked at a terminal; elsewhere, such a file is refused."
    ),
]
#: A text that may begin with a hyphen.
AnyText = Annotated[str | None, Parameter(allow_leading_hyphen=True)]

#: The flag of each command after which its agents are named.
_AGENTS_FOLLOW = {"tournament": "--agents", "play": "--opponent"}
_AGENTS_FOLLOW |= dict.fromkeys(("analyze", "book", "check"), "--agent")

#: The subcommands of `starspiel ladder`, before or after the folder: `ladder add DIR …`, `ladder DIR add …`.
LADDER_ACTIONS = ("add", "play", "table", "retire")


def flags_of(
    name: str,
    settings: Mapping[str, Any],
    *,
    kinds: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Parameter] | None = None,
) -> type:
    """Returns a class with a field per setting, None unless its flag is given; for `Parameter(name="*")`.

    Args:
        settings: name -> its type, annotated with a Meta whose description is the flag's help.
        kinds: the types of flags that accept fewer types than their settings do.
        parameters: further properties of a flag, such as an environment variable.
    """
    made = []
    for setting, hint in settings.items():
        notes = [note.description for note in hint.__metadata__ if isinstance(note, Meta)]
        help = next(note for note in notes if note is not None)
        kind = (kinds or {}).get(setting, hint.__origin__)
        own = Parameter.combine(Parameter(help=help), (parameters or {}).get(setting))
        made.append((setting, Annotated[kind | None, own], None))
    return make_dataclass(name, made, kw_only=True, frozen=True, namespace={"__module__": __name__})


def given(flags: Any) -> dict[str, Any]:
    """Returns the flags that were given, by name."""
    values = {field.name: getattr(flags, field.name) for field in fields(flags)}
    return {name: value for name, value in values.items() if value is not None}


def completed(arguments: Sequence[str]) -> list[str]:
    """Returns the arguments with short forms written out, as the parser expects them.

    `--luck` without a value (last, or before another flag) becomes `--luck auto`, `ladder DIR add` becomes
    `ladder add DIR`, `help play` becomes `play --help`, and `-V` becomes `--version`.
    """
    done = list(arguments)
    if done[:1] == ["help"]:
        done = [*done[1:2], "--help"]
    if done == ["-V"]:
        done = ["--version"]
    if done[:1] == ["tournament"]:
        for place in reversed(range(len(done))):
            if done[place] == "--luck" and (place + 1 == len(done) or done[place + 1].startswith("-")):
                done.insert(place + 1, "auto")
    if done[:1] == ["ladder"] and set(done[2:3]) & {*LADDER_ACTIONS} and done[1] not in LADDER_ACTIONS:
        done[1], done[2] = done[2], done[1]
    return done


def as_meant(app: App, commands: tuple[str, ...], arguments: ArgumentCollection) -> None:
    """Expands `~` in paths. Raises StarspielError for a fraction where a whole number is expected.

    Cyclopts itself rounds fractions and does not expand `~`. Use it as a `config` of an App.
    """
    for argument in arguments:
        kinds = set(_kinds(argument.hint))
        for place, token in enumerate(argument.tokens):
            if int in kinds and not _is_whole(token.value):
                name = token.keyword or argument.name
                raise StarspielError(f"{name} must be a whole number, got {shown(token.value)}.")
            if argument.name == "GAME":
                _check_is_no_agent(token.value, commands)
            if Path in kinds:
                argument.tokens[place] = token.evolve(value=os.path.expanduser(token.value))


def _check_is_no_agent(name: str, commands: tuple[str, ...]) -> None:
    """Raises StarspielError if an agent is named instead of a game."""
    short = name.partition("(")[0].strip()
    if short not in registered_agents() or is_shipped(short) or short in pyspiel.registered_names():
        return
    flag = _AGENTS_FOLLOW.get(commands[0] if commands else "")
    hint = f"; agents follow {flag}" if flag else ""
    raise StarspielError(f"{short} is an agent, and a game is expected here{hint}.")


def _kinds(hint: Any) -> Iterator[Any]:
    """Yields the types that values of a hint may have: int and None for `Annotated[list[int], …] | None`."""
    if get_origin(hint) is None:
        yield hint
    elif get_origin(hint) is Annotated:
        yield from _kinds(hint.__origin__)
    else:
        for inner in get_args(hint):
            yield from _kinds(inner)


def _is_whole(text: str) -> bool:
    """Returns False for a fraction. Text that is no number at all counts as whole: Cyclopts reports it."""
    try:
        number = float(text)
    except ValueError:
        return True
    return math.isfinite(number) and number.is_integer()
