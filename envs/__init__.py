"""Games that can be searched, and games as Gymnasium environments."""

from starspiel.envs.base import Game, State
from starspiel.envs.environments.dice_game import DiceGameEnv
from starspiel.envs.environments.openspiel_game import OpenSpielEnv
from starspiel.envs.load import load_game
from starspiel.envs.rules import Rules, RulesState

__all__ = ["DiceGameEnv", "Game", "OpenSpielEnv", "Rules", "RulesState", "State", "load_game"]
