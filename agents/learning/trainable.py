"""Chooses the trainer of a game's network: the native core, or NumPy for games written in Python."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from starspiel.agents.encoders import Encoder, encoder_of
from starspiel.agents.evaluators.heuristic import ships_heuristic
from starspiel.agents.learning.python_trainer import PythonTrainer
from starspiel.agents.native_loader import native_status
from starspiel.agents.native_positions import for_core, why_not_played
from starspiel.envs.base import Game, check_opposed
from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.openspiel.game import OpenSpielGame
from starspiel.envs.rules import Rules
from starspiel.envs.scoring import returns_of


def trainable(game: Game) -> tuple[Callable[..., Any], Encoder, tuple[float, ...]]:
    """Returns a function that makes the trainer, the game's encoder, and the returns that its network
    distinguishes.

    Raises UnsupportedGameError if networks do not support such games, and StarspielError if the core is
    missing.
    """
    check_opposed(game, "train takes star_2048, a 2048 with networks of its own, and")
    encoder = encoder_of(game)
    if encoder is None:
        rules = isinstance(game, Rules)
        missing = "features(position) in its rules" if rules else "encoder and no observation tensor"
        raise UnsupportedGameError(f"{game.name} has no {missing}, so no network sees it.")
    returns = returns_of(game)
    if returns is None:
        raise UnsupportedGameError(f"{game.name} has no known bounds of its returns, which a network needs.")
    low, high = returns[0], returns[-1]
    if not 0 < high == -low < math.inf:
        raise UnsupportedGameError(
            f"{game.name} has returns from {low:g} to {high:g}; networks are trained for zero-sum games, "
            "whose returns are from -x to x. In rules of your own, pay -1, 0 and 1, say, with "
            "utility_range = (-1, 1)."
        )
    core = native_status().module
    if core is None and isinstance(game, OpenSpielGame):
        raise StarspielError(f"train needs the native core, which is missing: {native_status().reason}")
    if core is not None and why_not_played(core, game.new_initial_state(), game) is None:
        return partial(native_trainer, core), encoder, returns
    return partial(PythonTrainer, encoder), encoder, (low, high)


def native_trainer(core: Any, state: Any, *settings: Any) -> Any:
    return core.Trainer(for_core(core, state), *settings)


def check_heuristic(game: Game, trainer: Any) -> None:
    """Raises UnsupportedGameError if the trainer has no heuristic of the game to begin with."""
    if isinstance(trainer, PythonTrainer):
        raise UnsupportedGameError(
            f"{game.name} is trained in NumPy, which cannot begin with a heuristic; train it without one."
        )
    if not ships_heuristic(game):
        raise UnsupportedGameError(
            f"no heuristic comes with starspiel for {game.name}, so that its training cannot begin with one; "
            "train it without."
        )
