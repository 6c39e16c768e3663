"""What the site's home shows before any code: a game's board, and its replay as a page."""

from functools import cache
from tempfile import TemporaryDirectory

from starspiel.envs.boards import board_html
from starspiel.evaluation import Store, tournament
from starspiel.evaluation.review import Review, review
from starspiel.evaluation.review.page import page

#: The game, who plays it, its seed, and the event after which the board is shown.
_GAME, _AGENTS, _SEED, _EVENT = "backgammon", ("star2(depth=1)", "random"), 3, 8


@cache
def _reviewed() -> Review:
    with TemporaryDirectory() as folder:
        path = f"{folder}/games.db"
        tournament(_GAME, list(_AGENTS), pairs=1, seed=_SEED, store=path)
        with Store(path, read_only=True) as store:
            return review(next(iter(store.games())), reference="star2(depth=1)")


def replay() -> str:
    """The page that steps through the game."""
    return page(_reviewed())


def board() -> str:
    """The board early in the game, with its last move marked."""
    events = _reviewed().events[:_EVENT]
    trail = [(event.before, event.event.action) for event in events]
    return f'<div class="starspiel">{board_html(events[-1].event.after, trail=trail)}</div>'
