"""Provides the search algorithms as pure functions over States."""

from starspiel.agents.search.driver import search
from starspiel.agents.search.limits import DEFAULT_DEPTH, MAX_DEPTH, Limits
from starspiel.agents.search.options import ALGORITHMS, Options
from starspiel.agents.search.result import TIE_TOLERANCE, SearchResult, Statistics

__all__ = [
    "ALGORITHMS",
    "DEFAULT_DEPTH",
    "MAX_DEPTH",
    "TIE_TOLERANCE",
    "Limits",
    "Options",
    "SearchResult",
    "Statistics",
    "search",
]
