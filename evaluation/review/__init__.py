"""Reviews a stored game: how agents value every move, and what luck and mistakes were worth."""

from starspiel.evaluation.review.page import write_review
from starspiel.evaluation.review.review import Review, ReviewedEvent, review

__all__ = ["Review", "ReviewedEvent", "review", "write_review"]
