"""What the shipped games share: names that make a game again, and parameters checked with one clear error."""

from starspiel.envs.errors import SpecError


def spec_of(name: str, **parameters: tuple[object, object]) -> str:
    """The spec `name(key=value,...)` of the (value, default) pairs that differ, sorted as OpenSpiel does."""
    given = {key: value for key, (value, default) in sorted(parameters.items()) if value != default}
    listed = ",".join(f"{key}={_spelled(value)}" for key, value in given.items())
    return f"{name}({listed})" if listed else name


def true_or_false(game: str, parameter: str, value: object) -> bool:
    """`value`, where it is a bool; SpecError otherwise."""
    if not isinstance(value, bool):
        raise SpecError(f"{game}: {parameter} must be true or false, got {value!r}.")
    return value


def _spelled(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def one_of(game: str, parameter: str, value: object, known: tuple[str, ...]) -> str:
    """`value`, where it is one of `known`; SpecError otherwise."""
    if value not in known:
        raise SpecError(f"{game}: {parameter} must be one of {', '.join(known)}, got {value!r}.")
    return str(value)
