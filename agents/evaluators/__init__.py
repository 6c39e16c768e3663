"""agents/evaluators"""
