"""Provides opening books: moves found by deep search, stored in a small file, and played without a search."""

from starspiel.agents.book.book import Book
from starspiel.agents.book.bot import BookBot, BookSearchBot, Searcher

__all__ = ["Book", "BookBot", "BookSearchBot", "Searcher"]
