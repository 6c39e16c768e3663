"""Provides the evaluator `heuristic`: the one registered for the game, or the one of its kit."""

from collections.abc import Callable
from typing import Any

from starspiel.agents.evaluators.base import Evaluator
from starspiel.agents.evaluators.checks import checked
from starspiel.agents.factories import game_for_factory
from starspiel.agents.registry import HEURISTICS, Entry
from starspiel.envs.base import Game
from starspiel.envs.errors import SpecError, shown
from starspiel.envs.named import short_names


def register_heuristic(game: str, factory: Callable[[Any], Any]) -> None:
    """Makes `factory(game)` the evaluator `heuristic` of all games with this short name.

    `factory` gets a `pyspiel.Game` for OpenSpiel games, otherwise a Game, and returns an Evaluator or a
    function of a state. An attribute `plays(game)` may restrict it to some parameters of the game. Raises
    SpecError if the name is not a string or the factory is not callable.
    """
    if not isinstance(game, str) or not game:
        raise SpecError(f"expected the short name of a game such as pig, got {shown(game)}.")
    if not callable(factory):
        raise SpecError(
            f"expected a function or class that makes the heuristic of {shown(game)}, got {shown(factory)}."
        )
    HEURISTICS[game] = Entry(factory, is_foreign=True)


def heuristic_games() -> list[str]:
    """Returns the short names of games with a shipped or registered heuristic."""
    return sorted(HEURISTICS)


def has_heuristic(game: Game) -> bool:
    """Returns whether `heuristic` supports the game."""
    return _usable(game) is not None


def ships_heuristic(game: Game) -> bool:
    """Returns whether the game has a shipped heuristic that no registered one replaces."""
    entry = _usable(game)
    return entry is not None and not entry.is_foreign


def has_own_heuristic(game: Game) -> bool:
    """Returns whether a heuristic was registered for the game, with any parameters."""
    entry = _entry_of(game)
    return entry is not None and entry.is_foreign


def heuristic(game: Game) -> Evaluator:
    """Returns the game's heuristic. Raises SpecError if it has none."""
    entry = _usable(game)
    if entry is None:
        raise SpecError(
            f"there is no heuristic for {game.name}; there is one for {', '.join(heuristic_games())}. Use "
            "rollout or zero, or register_heuristic."
        )
    return checked(entry.factory(_handed(entry, game)), f"heuristic({short_names(game)[0]})", game)


def _entry_of(game: Game) -> Entry | None:
    """Returns the entry under one of the game's names, preferring a registered one; None if there is none."""
    found = [HEURISTICS[name] for name in short_names(game) if name in HEURISTICS]
    return max(found, key=lambda entry: entry.is_foreign, default=None)


def _usable(game: Game) -> Entry | None:
    """Returns the entry if it supports the game's parameters, else None."""
    entry = _entry_of(game)
    plays: Callable[[Any], bool] | None = getattr(entry and entry.factory, "plays", None)
    return entry if entry is None or plays is None or plays(_handed(entry, game)) else None


def _handed(entry: Entry, game: Game) -> Any:
    return game_for_factory(game) if entry.is_foreign else game
