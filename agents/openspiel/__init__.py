"""Agents and evaluators through OpenSpiel's other doors, out and in.

Out: `policy.py` (a Policy), `rl_agent.py` (an RL agent), `mcts_evaluator.py` (an MCTS evaluator). In:
`incoming.py` says what somebody's object is, `bots.py` makes a bot of it; evaluators come in by
`agents/evaluators/openspiel.py`. `doors.py` has the functions that users call.
"""
