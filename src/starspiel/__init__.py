"""Search agents for games with dice, for OpenSpiel and Gymnasium, and tournaments whose verdicts hold up."""

from importlib.metadata import version

from starspiel.agents import EnvAgent, make_bot, register_bot, registered_agents
from starspiel.agents.calibration import Calibration, calibrate
from starspiel.agents.conformance import check_bot, check_evaluator
from starspiel.agents.evaluators import Evaluator, make_evaluator, register_evaluator, register_heuristic
from starspiel.agents.learning.settings import NTupleSettings, TrainingSettings
from starspiel.agents.learning.training import train
from starspiel.agents.openspiel.doors import as_bot, as_mcts_evaluator, as_policy, as_rl_agent
from starspiel.agents.search import Limits, SearchResult, Statistics, search
from starspiel.agents.solve import solve
from starspiel.envs.conformance import check_game
from starspiel.envs.errors import EvaluatorError, SpecError, StarspielError, UnsupportedGameError
from starspiel.envs.gymnasium.register import register_environments
from starspiel.envs.load import load_game
from starspiel.envs.openspiel.register import register_openspiel, register_shipped_games
from starspiel.envs.pettingzoo.make import pettingzoo_env

__version__ = version("starspiel")

# So that `gymnasium.make("starspiel/Pig-v0")` works after `import starspiel`, as
# `gymnasium.make("starspiel:starspiel/Pig-v0")` does with nothing imported.
register_environments()
# So that `pyspiel.load_game("cant_stop")` works after `import starspiel`.
register_shipped_games()

__all__ = [
    "Calibration",
    "EnvAgent",
    "Evaluator",
    "EvaluatorError",
    "Limits",
    "NTupleSettings",
    "SearchResult",
    "SpecError",
    "StarspielError",
    "Statistics",
    "TrainingSettings",
    "UnsupportedGameError",
    "as_bot",
    "as_mcts_evaluator",
    "as_policy",
    "as_rl_agent",
    "calibrate",
    "check_bot",
    "check_evaluator",
    "check_game",
    "load_game",
    "make_bot",
    "make_evaluator",
    "pettingzoo_env",
    "register_bot",
    "register_evaluator",
    "register_heuristic",
    "register_openspiel",
    "registered_agents",
    "search",
    "solve",
    "train",
]
