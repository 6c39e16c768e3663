"""Records and draws the tree of a search."""

from starspiel.agents.search.tree.node import TreeNode
from starspiel.agents.search.tree.tree import SearchTree

__all__ = ["SearchTree", "TreeNode"]
