"""Registers starspiel's environments with Gymnasium."""

from typing import Any

import gymnasium

from starspiel.envs.base import Game
from starspiel.envs.errors import StarspielError
from starspiel.envs.gymnasium.sampled.game import SampledGame
from starspiel.envs.gymnasium.table import TableGame
from starspiel.envs.openspiel.game import OpenSpielGame
from starspiel.envs.rules import Rules

_DICE_GAME = "starspiel.envs.environments.dice_game:DiceGameEnv"

#: Id -> (entry point, default arguments). Entry points are imported when an environment is made.
ENVIRONMENTS: dict[str, tuple[str, dict[str, Any]]] = {
    "starspiel/CantStop-v0": (_DICE_GAME, {"game": "cant_stop"}),
    "starspiel/Dice-v0": (_DICE_GAME, {"game": "dice"}),
    "starspiel/Knucklebones-v0": (_DICE_GAME, {"game": "knucklebones"}),
    "starspiel/OpenSpiel-v0": ("starspiel.envs.environments.openspiel_game:OpenSpielEnv", {}),
    "starspiel/Pig-v0": (_DICE_GAME, {"game": "star_pig"}),
    "starspiel/RoyalGameOfUr-v0": (_DICE_GAME, {"game": "royal_game_of_ur"}),
    "starspiel/TwentyFortyEight-v0": (_DICE_GAME, {"game": "star_2048"}),
}


def register_environments() -> None:
    """Registers the ids with Gymnasium; called by `import starspiel`. Existing ids stay unchanged."""
    for env_id, (entry_point, arguments) in ENVIRONMENTS.items():
        if env_id not in gymnasium.registry:
            gymnasium.register(env_id, entry_point, kwargs=dict(arguments))


def not_ours(plays: str, game: Game) -> StarspielError:
    """Returns the error for a game that an environment does not support, with what to use instead."""
    if isinstance(game, Rules):
        instead = f"DiceGameEnv({game.name!r}) plays it"
    elif isinstance(game, OpenSpielGame):
        instead = f'gymnasium.make("starspiel:starspiel/OpenSpiel-v0", game={game.name!r}) plays it'
    elif isinstance(game, TableGame | SampledGame):
        instead = "it is a Gymnasium environment already, so make that"
    else:
        instead = "write it as Rules"
    return StarspielError(f"{plays}, and {game.name} is not one; {instead}.")
