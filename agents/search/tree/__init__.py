"""The tree of a search, recorded and drawn."""

from starspiel.agents.search.tree.node import TreeNode
from starspiel.agents.search.tree.tree import SearchTree

__all__ = ["SearchTree", "TreeNode"]
