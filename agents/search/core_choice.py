"""Chooses between the native core and Python, according to `engine`, for all searches of the core."""

from typing import Any

import pyspiel

from starspiel.agents.native_loader import native_status, say_if_missing
from starspiel.agents.native_positions import modelled, why_not_played
from starspiel.envs.base import Game
from starspiel.envs.errors import StarspielError


def chosen_core(engine: str, root: Any, game: Game) -> Any | None:
    """Returns the core's module for a search from `root`; None if the Python engine is to search.

    Args:
        engine: one of `ENGINES`. With "auto", a missing core is logged once.
        game: a game whose players move in turn.

    Raises StarspielError if the engine is "native" and the core cannot be used.
    """
    if engine == "python":
        return None
    required = engine == "native"
    status = native_status()
    if status.module is not None:
        reason = _why_not(status.module, root, game)
    else:
        reason = f"the native core is not available: {status.reason}"
        if not required and (isinstance(root, pyspiel.State) or modelled(game)):
            say_if_missing()
    if reason is not None and required:
        raise StarspielError(f'{reason} Use engine="auto" or "python".')
    return status.module if reason is None else None


def _why_not(core: Any, root: Any, game: Game) -> str | None:
    if (reason := why_not_played(core, root, game)) is not None:
        return reason
    most: int = core.most_players
    if game.num_players <= most:
        return None
    return f"{game.name} has {game.num_players} players; the native engine searches games of at most {most}."
