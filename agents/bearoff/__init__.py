"""Provides exact tables of backgammon's bear-off: rolls needed by a side, and winning chances with few men
left.
"""

from starspiel.agents.bearoff.tables import one_sided, two_sided

__all__ = ["one_sided", "two_sided"]
