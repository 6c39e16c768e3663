"""Exact tables of backgammon's bear-off: rolls needed by a side, and chances to win with few men left."""

from starspiel.agents.bearoff.tables import one_sided, two_sided

__all__ = ["one_sided", "two_sided"]
