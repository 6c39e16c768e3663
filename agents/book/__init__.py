"""Opening books: moves found by deep search from the start, kept in a small file, played without a search."""

from starspiel.agents.book.book import Book
from starspiel.agents.book.bot import BookBot, BookSearchBot, Searcher

__all__ = ["Book", "BookBot", "BookSearchBot", "Searcher"]
