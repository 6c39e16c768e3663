"""Answers the requests of a session's web page with what the page shows next."""

from threading import Lock
from typing import Any

from starspiel.cli.afterwards import Afterwards, can_review, look_back
from starspiel.cli.hints import on_moves, whose_values
from starspiel.cli.seating import PEOPLE
from starspiel.cli.session import Session
from starspiel.envs.boards import board_html, hands_of, last_moves, places_of, side_of, ways_of
from starspiel.envs.errors import StarspielError
from starspiel.envs.plays import direction
from starspiel.envs.text import plain

#: The number of latest events that are searched for the last move and the last throw of dice.
_TRAIL = 8


class WebTable:
    """A session for a web page. Several threads may call it."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._lock = Lock()
        self._afterwards: tuple[int, Afterwards] | None = None  # with the version of the session it reviews
        #: The view from before the thread that holds the lock started: the answer to "look" until it is done.
        self._before = self._view()

    def do(self, request: Any) -> dict[str, Any]:
        """Carries out a request and returns the view that the page shows next.

        Requests are {"do": "look" | "hint" | "go on" | "review"}, {"do": "undo" | "new game", "at": …} and
        {"do": "move", "at": …, "text": …}. "review" reviews a finished game: the view then has a `summary`,
        and `replay` is a page. If the view says `waiting`, "go on" lets the dice or the opponents act; "look"
        is answered meanwhile. `at` is that of the view on screen: another window may have moved since.

        Raises StarspielError if the request is invalid, the game has moved on, or the move is not legal.
        """
        wanted = request.get("do") if isinstance(request, dict) else None
        if not self._lock.acquire(blocking=wanted != "look"):
            return {**self._before, "frames": [], "hints": {}, "whose": ""}
        session, known, hints, whose = self.session, len(self.session.log), dict[int, str](), ""
        try:
            if wanted == "hint":
                _check(session.persons_turn, "it is not your turn.")
                result = session.hint()
                whose = whose_values(result, None if session.people == 1 else session.viewer(session.state))
                hints = on_moves(result)
            elif wanted == "review":
                _check(can_review(session), "there is nothing to look back at.")
                self._afterwards = session.version, look_back(session)
            elif wanted == "go on":
                while not session.over and not session.persons_turn:
                    session.event()
            elif wanted != "look":
                self._change(request)
            frames = [
                {**line, "board": self._board(at), "slides": self._slides(at)}
                for at, line in enumerate(self._log()[known:], start=known + 1)
            ]
        finally:
            view = self._before = self._view()
            self._lock.release()
        return {**view, "frames": frames, "hints": hints, "whose": whose}

    @property
    def replay(self) -> str | None:
        """The page that steps through the reviewed game; None if no game has been reviewed."""
        return None if self._afterwards is None else self._afterwards[1].page

    def about(self) -> dict[str, Any]:
        """Returns what never changes: the game, who plays each seat, and each seat's side."""
        session = self.session
        names = list(session.seats)
        if session.people == 1:
            names[session.seat] = "you"
        seats = [
            {"player": seat, "name": plain(name), "side": side_of(session.game, seat)}
            for seat, name in enumerate(names)
        ]
        return {
            "game": plain(session.game.name),
            "seats": seats,
            "note": plain(session.note),
            "hands": hands_of(session.game),
            "hinted": session.hinted,
        }

    def _change(self, request: Any) -> None:
        session, fields = self.session, request if isinstance(request, dict) else {}
        wanted, at, text = fields.get("do"), fields.get("at"), fields.get("text")
        _check(
            wanted in ("undo", "new game") or (wanted == "move" and isinstance(text, str)),
            'expected {"do": "look", "go on", "undo", "new game", "hint" or "move"}, with a text to move.',
        )
        _check(type(at) is int, 'expected the "at" of the position that was looked at.')
        _check(at == session.version, "the game has gone on in another window; this is where it is now.")
        if wanted == "move":
            _check(session.persons_turn, "it is not your turn.")
            session.move(str(text))
        elif wanted == "undo":
            session.undo()
        else:
            _check(session.over, "this game is not over.")
            session.restart()

    def _summary(self) -> str:
        version, afterwards = self._afterwards or (-1, None)
        return plain(afterwards.summary) if afterwards and version == self.session.version else ""

    def _log(self) -> list[dict[str, Any]]:
        return [{"player": player, "text": plain(name)} for player, name in self.session.log]

    def _board(self, at: int) -> str:
        states = self.session.states[: at + 1]
        trail = list(zip(states[:-1], self.session.history, strict=False))[-_TRAIL:]
        return board_html(states[-1], self.session.viewer(states[-1]), trail)

    def _slides(self, at: int) -> list[list[float]]:
        """Returns where pieces move on the board (x, y, x, y) in the event that led to state number `at`."""
        before, action = self.session.states[at - 1], self.session.history[at - 1]
        return [
            [*start, *end] for _, start, end in last_moves([(before, action)], self.session.viewer(before))
        ]

    def _view(self) -> dict[str, Any]:
        session = self.session
        state, turn = session.state, session.persons_turn
        offered = session.plays() if turn else ()
        places = places_of(state, session.viewer(state)) if offered else {}
        if session.over:
            status = session.verdict()
        elif not turn:
            others = [plain(spec) for spec in dict.fromkeys(session.seats) if spec != PEOPLE]
            thinking = f"{' and '.join(others)} think{'' if len(others) > 1 else 's'} …"
            status = thinking if others else "the dice are thrown …"
        elif session.people > 1:
            status = f"player {session.viewer(state)} to move"
        else:
            status = "your move"
        return {
            "at": session.version,
            "seed": session.seed,
            "board": self._board(len(session.log)),
            "status": status,
            "over": session.over,
            "reviewable": can_review(session),
            "summary": self._summary(),
            "waiting": not session.over and not turn,
            "player": session.viewer(state) if turn else state.current_player(),
            "plays": [plain(play.name) for play in offered],
            # The numbers of the moves that arrow keys make.
            "directions": {way: n for n, play in enumerate(offered, 1) if (way := direction(play.name))},
            # How to make each play by hand on the board: the steps of each of its actions.
            "places": {place: list(area) for place, area in places.items()},
            "ways": [
                [[list(step) for step in way] for action in play.actions for way in ways_of(state, action)]
                for play in (offered if places else ())
            ],
            "log": self._log(),
        }


def _check(ok: bool, message: str) -> None:
    if not ok:
        raise StarspielError(message)
