"""Agents and evaluators as OpenSpiel's policies, RL agents and MCTS evaluators, and its own as bots."""
