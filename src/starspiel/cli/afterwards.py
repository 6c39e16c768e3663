"""Reviews a session's finished game: how much luck and mistakes were worth."""

from array import array
from dataclasses import replace
from typing import Any, NamedTuple

from starspiel.cli.seating import PEOPLE
from starspiel.cli.session import Session
from starspiel.envs.base import is_simultaneous
from starspiel.envs.modules import is_installed, resolve
from starspiel.evaluation.play.record import GameRecord, Moves
from starspiel.evaluation.store.rows import StoredGame

#: The package that reviews games; an installation may lack it.
_REVIEW = "starspiel.evaluation.review"


class Afterwards(NamedTuple):
    """A review of a finished game: a few sentences, and a page that steps through it."""

    summary: str
    page: str


def can_review(session: Session) -> bool:
    """Returns whether the game is over and can be reviewed."""
    reviewable = not is_simultaneous(session.game) and session.repeatable
    return session.over and reviewable and is_installed(_REVIEW)


def look_back(session: Session) -> Afterwards:
    """Returns the usual search's review of a finished game. Takes about as long as one hint per move."""
    reviewed = resolve(f"{_REVIEW}:review")(_stored(session), session.game)
    # Leave out the notes that people give no values for their moves: that is obvious.
    notes = tuple(note for note in reviewed.notes if not note.startswith(f"{PEOPLE} "))
    reviewed = replace(reviewed, notes=notes)
    verdict, counted = (resolve(f"{_REVIEW}.verdict:{name}") for name in ("verdict", "counted"))
    people = [seat for seat, who in enumerate(session.seats) if who == PEOPLE]
    sentences = [verdict(reviewed, session.seat if len(people) == 1 else None)]
    for seat in people:
        whose = "Your moves" if len(people) == 1 else f"The moves of player {seat}"
        sentences.append(f"{whose}: {counted(reviewed, seat)}.")
    return Afterwards(" ".join(sentences), resolve(f"{_REVIEW}.page:page")(reviewed))


def _stored(session: Session) -> StoredGame:
    """Returns the game as a store would hold it."""
    actions: list[Any] = [*session.history]
    if not session.game.explicit_chance:
        actions.insert(0, session.seed)
    players = session.game.num_players
    nothing = Moves(array("d"), array("q"), array("d"))
    returns = tuple(map(float, session.state.returns()))
    record = GameRecord(tuple(range(players)), tuple(actions), returns, (nothing,) * players)
    return StoredGame("", session.game.name, session.seed, 0, (), session.seats, record)
