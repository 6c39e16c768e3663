"""The shipped dice games, by name: `make_game("star_pig(goal=50)")`."""

from typing import Any

from starspiel.envs.errors import SpecError, did_you_mean
from starspiel.envs.kits import KITS
from starspiel.envs.modules import resolve
from starspiel.envs.rules import Rules
from starspiel.envs.spec import call_with_params, parse_spec

#: The `Rules` classes, by the names of their games.
GAMES: dict[str, type[Rules[Any]]] = {kit.name: resolve(kit.rules) for kit in KITS if kit.rules}


def make_game(spec: str) -> Rules[Any]:
    """Returns the shipped game that `spec` names: `name` or `name(parameter=value,...)`.

    Raises `SpecError` if no shipped game has that name, or if a parameter or its value is invalid.
    """
    parsed = parse_spec(spec)
    if parsed.name not in GAMES:
        raise SpecError(
            f"no game named {parsed.name!r} ships with starspiel.{did_you_mean(parsed.name, GAMES)}"
        )
    rules: Rules[Any] = call_with_params(GAMES[parsed.name], parsed)
    return rules


def is_shipped(spec: str) -> bool:
    """Returns whether `spec` starts with the name of a shipped game."""
    return spec.split("(", 1)[0].strip() in GAMES


__all__ = ["GAMES", "is_shipped", "make_game"]
