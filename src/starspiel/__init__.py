"""Search agents for games with dice, for OpenSpiel and Gymnasium, and tournaments whose verdicts hold up."""

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from starspiel.agents.evaluators.base import Evaluator
from starspiel.agents.evaluators.heuristic import register_heuristic
from starspiel.agents.evaluators.registry import make_evaluator, register_evaluator
from starspiel.agents.roster import make_bot, register_bot, registered_agents
from starspiel.agents.search import Limits, SearchResult, Statistics, search
from starspiel.agents.solve import solve
from starspiel.envs.environments.register import register_environments
from starspiel.envs.errors import EvaluatorError, SpecError, StarspielError, UnsupportedGameError
from starspiel.envs.load import load_game
from starspiel.envs.modules import resolve
from starspiel.envs.openspiel.register import register_openspiel, register_shipped_games

if TYPE_CHECKING:
    from starspiel.agents.calibration import Calibration, calibrate
    from starspiel.agents.conformance import check_bot, check_evaluator
    from starspiel.agents.env_agent import EnvAgent
    from starspiel.agents.learning.settings import NTupleSettings, TrainingSettings
    from starspiel.agents.learning.training import train
    from starspiel.agents.openspiel.adapters import as_bot, as_mcts_evaluator, as_policy, as_rl_agent
    from starspiel.envs.conformance import check_game
    from starspiel.envs.pettingzoo.make import pettingzoo_env

#: What the extras have to offer, imported when somebody asks for it: an extra can be taken out.
_OF_EXTRAS = {
    name: f"starspiel.{module}"
    for module, names in {
        "agents.calibration": "Calibration calibrate",
        "agents.conformance": "check_bot check_evaluator",
        "agents.env_agent": "EnvAgent",
        "agents.learning.settings": "NTupleSettings TrainingSettings",
        "agents.learning.training": "train",
        "agents.openspiel.adapters": "as_bot as_mcts_evaluator as_policy as_rl_agent",
        "envs.conformance": "check_game",
        "envs.pettingzoo.make": "pettingzoo_env",
    }.items()
    for name in names.split()
}

__version__ = version("starspiel")

# So that `gymnasium.make("starspiel/Pig-v0")` works after `import starspiel`, as
# `gymnasium.make("starspiel:starspiel/Pig-v0")` does with nothing imported.
register_environments()
# So that `pyspiel.load_game("cant_stop")` works after `import starspiel`.
register_shipped_games()


def __getattr__(name: str) -> Any:
    if name not in _OF_EXTRAS:
        raise AttributeError(f"module 'starspiel' has no attribute {name!r}")
    found = globals()[name] = resolve(f"{_OF_EXTRAS[name]}:{name}")
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


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
