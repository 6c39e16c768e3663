"""Provides evaluators, which value states without search; one file each."""

from starspiel.agents.evaluators.base import Evaluator, FunctionEvaluator
from starspiel.agents.evaluators.batch import BatchEvaluator
from starspiel.agents.evaluators.heuristic import has_heuristic, register_heuristic
from starspiel.agents.evaluators.registry import evaluator_names, make_evaluator, register_evaluator
from starspiel.agents.evaluators.rollout import RolloutEvaluator
from starspiel.agents.evaluators.solution import SolutionEvaluator
from starspiel.agents.evaluators.zero import ZeroEvaluator

__all__ = [
    "BatchEvaluator",
    "Evaluator",
    "FunctionEvaluator",
    "RolloutEvaluator",
    "SolutionEvaluator",
    "ZeroEvaluator",
    "evaluator_names",
    "has_heuristic",
    "make_evaluator",
    "register_evaluator",
    "register_heuristic",
]
