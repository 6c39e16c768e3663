"""The dice games that ship, by name: `make_game("star_pig(goal=50)")`."""

from typing import Any

from starspiel.envs.errors import SpecError, did_you_mean
from starspiel.envs.kits import KITS
from starspiel.envs.modules import resolve
from starspiel.envs.rules import Rules
from starspiel.envs.spec import call_with_params, parse_spec

#: The classes of rules by their names.
GAMES: dict[str, type[Rules[Any]]] = {kit.name: resolve(kit.rules) for kit in KITS if kit.rules}


def make_game(spec: str) -> Rules[Any]:
    """The shipped game that `spec` names, `name` or `name(parameter=value,...)`. Raises `SpecError` for a
    name that does not ship, and for parameters the game does not have or accept."""
    parsed = parse_spec(spec)
    if parsed.name not in GAMES:
        raise SpecError(
            f"no game named {parsed.name!r} ships with starspiel.{did_you_mean(parsed.name, GAMES)}"
        )
    rules: Rules[Any] = call_with_params(GAMES[parsed.name], parsed)
    return rules


def is_shipped(spec: str) -> bool:
    """Whether `spec` starts with the name of a shipped game."""
    return spec.split("(", 1)[0].strip() in GAMES


__all__ = ["GAMES", "is_shipped", "make_game"]
