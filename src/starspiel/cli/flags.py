"""Flags made of settings that are declared elsewhere."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, make_dataclass
from typing import Annotated, Any

from cyclopts import Parameter
from msgspec import Meta


def flags_of(
    name: str,
    settings: Mapping[str, Any],
    *,
    kinds: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Parameter] | None = None,
) -> type:
    """A class with a field for each setting, None where its flag is not given; for `Parameter(name="*")`.

    Args:
        settings: name -> its type, annotated with a Meta whose description is the flag's help.
        kinds: the types of flags that take less than their settings do.
        parameters: what else a flag is to be, such as an environment variable.
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
    """The flags that are given, by name."""
    values = {field.name: getattr(flags, field.name) for field in fields(flags)}
    return {name: value for name, value in values.items() if value is not None}


def with_implied(arguments: Sequence[str], implied: Mapping[str, str]) -> list[str]:
    """The arguments, where a flag of `implied` that stands alone is followed by its value there.

    A flag stands alone at the end and before another flag.
    """
    filled: list[str] = []
    for place, argument in enumerate(arguments):
        filled.append(argument)
        if argument in implied and (place + 1 == len(arguments) or arguments[place + 1].startswith("-")):
            filled.append(implied[argument])
    return filled


#: What is done with a ladder: `starspiel ladder DIR add …`, or `starspiel ladder add DIR …`.
LADDER_ACTIONS = ("add", "play", "table", "retire")


def with_action_first(arguments: Sequence[str]) -> list[str]:
    """`ladder DIR add …` as `ladder add DIR …`, which parsers know better; what is so already stays."""
    command, *rest = arguments
    if len(rest) > 1 and rest[0] not in LADDER_ACTIONS and rest[1] in LADDER_ACTIONS:
        rest[0], rest[1] = rest[1], rest[0]
    return [command, *rest]
