"""Backgammon's bear-off, exactly: how many rolls a side needs, and who wins with few men left."""

from starspiel.agents.bearoff.tables import one_sided, two_sided

__all__ = ["one_sided", "two_sided"]
