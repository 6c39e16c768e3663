"""`starspiel play --web`: the table as a page, served to this machine alone.

The server listens on the loopback address. Its pages are under a random token, which other programs and sites
do not know; requests that name another host (as after DNS rebinding) or come from another origin are refused.
"""

import json
import secrets
import sys
from collections.abc import Callable
from functools import cache
from hmac import compare_digest
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from threading import Lock
from typing import Any

from starspiel.agents.book import Searcher
from starspiel.cli.sitting import NOBODY, Sitting
from starspiel.envs.boards import board_html, places_of, side_of, steps_of
from starspiel.envs.errors import StarspielError
from starspiel.envs.plays import name_of
from starspiel.envs.text import plain

_LOOPBACK = "127.0.0.1"
#: A request is a few words; seconds that it may take to arrive.
_MOST_BYTES, _PATIENCE = 4096, 20.0
#: The pages under the token, and the methods that each answers.
_PAGES = {"": ("GET", "HEAD"), "do": ("POST",)}


class WebTable:
    """The person's side of a sitting, for a page. Safe to call from several threads.

    Args:
        sitting: the game, which `hinter` gives hints for.

    Attributes:
        sitting: the game that is played now.
    """

    def __init__(self, sitting: Sitting, hinter: Searcher) -> None:
        self.sitting = sitting
        self._hinter = hinter
        self._lock = Lock()
        self._at = len(sitting.history)
        self._log = [
            _line(state.current_player(), name_of(state, state.current_player(), action))
            for state, action in zip(sitting.states, sitting.history, strict=False)
        ]
        #: What was to be seen when the one who has the lock began: the answer to whoever looks meanwhile.
        self._before = self._view()

    def do(self, request: Any) -> dict[str, Any]:
        """Answers {"do": "look" | "hint" | "go on"}, {"do": "undo" | "new game", "at": …}, or to move
        {"do": "move", "at": …, "text": …}.

        `at` is that of the view which was looked at: in another window the game may have gone on since, and
        the numbers of its moves are others. The answer is what the page shows next. Where that says
        `waiting`, dice or opponent are to act, which "go on" lets them do; a look is answered meanwhile. Once
        a game is over a new one, with the next seed, can begin.

        Raises StarspielError where the request is none of these, the game has gone on, or the move is not
        legal.
        """
        wanted = request.get("do") if isinstance(request, dict) else None
        if not self._lock.acquire(blocking=wanted != "look"):
            return {**self._before, "frames": [], "hints": {}}
        frames: list[dict[str, Any]] = []
        hints: dict[int, str] = {}
        try:
            if wanted == "move" and isinstance(request.get("text"), str):
                self._check_at(request)
                self._move(request["text"], frames)
            elif wanted == "undo":
                self._check_at(request)
                if not self.sitting.undo():
                    raise StarspielError("nothing to undo.")
                del self._log[len(self.sitting.history) :]
                self._at += 1
            elif wanted == "new game":
                self._check_at(request)
                if not self.sitting.over:
                    raise StarspielError("this game is not over.")
                self.sitting, self._log = self.sitting.again(), []
                self._at += 1
            elif wanted == "hint":
                hints = self._hints()
            elif wanted == "go on":
                self._go_on(frames)
            elif wanted != "look":
                raise StarspielError(
                    'expected {"do": "look", "go on", "undo", "new game", "hint" or "move"}, with a text '
                    "to move."
                )
        finally:
            view = self._before = self._view()
            self._lock.release()
        return {**view, "frames": frames, "hints": hints}

    def _check_at(self, request: dict[str, Any]) -> None:
        at = request.get("at")
        if type(at) is not int:
            raise StarspielError('expected the "at" of the position that was looked at.')
        if at != self._at:
            raise StarspielError("the game has gone on in another window; this is where it is now.")

    def _move(self, text: str, frames: list[dict[str, Any]]) -> None:
        sitting = self.sitting
        if not sitting.persons_turn:
            raise StarspielError("it is not your turn.")
        for action in sitting.meant(text):
            player, name = sitting.state.current_player(), sitting.name_of(action)
            sitting.move(action)
            self._noted(player, name, frames)

    def _go_on(self, frames: list[dict[str, Any]]) -> None:
        """Lets dice and opponent act until it is the person's turn."""
        while not self.sitting.over and not self.sitting.persons_turn:
            self._noted(*self.sitting.event(), frames)

    def _noted(self, player: int, name: str, frames: list[dict[str, Any]]) -> None:
        line = _line(player, name)
        self._log.append(line)
        self._at += 1
        frames.append({**line, "board": self._board()})

    def _hints(self) -> dict[int, str]:
        """The value of every play, by its number, in the eyes of the hint's agent."""
        if not self.sitting.persons_turn:
            raise StarspielError("it is not your turn.")
        result = self.sitting.hint(self._hinter)
        return {
            number: f"{value:+.4f}{' best' if number in result.best_actions else ''}"
            for number, value in result.action_values.items()
        }

    def _board(self) -> str:
        return board_html(self.sitting.state, self.sitting.viewer)

    def _view(self) -> dict[str, Any]:
        sitting = self.sitting
        player = sitting.state.current_player()
        offered = sitting.plays() if sitting.persons_turn else ()
        places = places_of(sitting.state, sitting.viewer) if offered else {}
        return {
            "at": self._at,
            "seed": sitting.seed,
            "board": self._board(),
            "status": sitting.verdict() if sitting.over else self._turn(),
            "over": sitting.over,
            "waiting": not sitting.over and not sitting.persons_turn,
            "player": player,
            "plays": [plain(play.name) for play in offered],
            # What a hand does for them on the board: of each play, the steps of each of its actions.
            "places": {place: list(area) for place, area in places.items()},
            "ways": [
                [[list(step) for step in steps_of(sitting.state, action)] for action in play.actions]
                for play in (offered if places else ())
            ],
            "log": list(self._log),
        }

    def _turn(self) -> str:
        sitting = self.sitting
        if not sitting.persons_turn:
            return (
                "the dice are thrown …"
                if sitting.opponent == NOBODY
                else f"{plain(sitting.opponent)} thinks …"
            )
        if sitting.game.num_players == 1 or sitting.opponent != NOBODY:
            return "your move"
        return f"player {sitting.state.current_player()} to move"

    def about(self) -> dict[str, Any]:
        """What stays the same: the game, who plays, and who is who on the board."""
        sitting = self.sitting
        names = [sitting.opponent] * sitting.game.num_players
        if sitting.opponent != NOBODY or sitting.game.num_players == 1:
            names[sitting.seat] = "you"
        seats = [
            {"player": seat, "name": plain(name), "side": side_of(sitting.game, seat)}
            for seat, name in enumerate(names)
        ]
        return {"game": plain(sitting.game.name), "seats": seats}


def _line(player: int, name: str) -> dict[str, Any]:
    """An event in the list of all."""
    return {"player": player, "text": plain(name)}


class WebServer(ThreadingHTTPServer):
    """Serves one table on the loopback address.

    Args:
        table: what is played.
        port: 0 takes one that is free.

    Attributes:
        address: where to go with a browser; whoever knows it plays.

    Raises StarspielError where the port is taken.
    """

    daemon_threads = True

    def __init__(self, table: WebTable, port: int = 0) -> None:
        self.table = table
        self.token = secrets.token_urlsafe(24)
        try:
            super().__init__((_LOOPBACK, port), _Handler)
        except (OSError, OverflowError) as error:
            raise StarspielError(
                f"cannot listen on port {port}: {str(error).rstrip('.')}; leave --port out for a free one."
            ) from None
        here = self.server_address[1]
        self.hosts = (f"{_LOOPBACK}:{here}", f"localhost:{here}")
        self.address = f"http://{_LOOPBACK}:{here}/{self.token}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that goes away is no matter for the terminal; a fault of ours is."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: WebServer
    protocol_version = "HTTP/1.1"
    timeout = _PATIENCE

    def do_GET(self) -> None:
        if self._refused():
            return
        if self._sends_a_body():
            self.close_connection = True  # it is not read, and is no request of its own
        nonce = secrets.token_urlsafe(16)
        about = json.dumps(self.server.table.about()).replace("<", "\\u003c")
        page = _page().replace("{nonce}", nonce).replace("{about}", about)
        self._send(HTTPStatus.OK, "text/html; charset=utf-8", page.encode(), nonce)

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_POST(self) -> None:
        if self._refused():
            return
        if self.headers.get_content_type() != "application/json":
            self._refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "expected application/json.")
            return
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or "Transfer-Encoding" in self.headers:
            self._refuse(HTTPStatus.LENGTH_REQUIRED, "expected a Content-Length.")
            return
        if len(length) > len(str(_MOST_BYTES)) or int(length) > _MOST_BYTES:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"expected at most {_MOST_BYTES} bytes.")
            return
        try:
            request = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            self._refuse(HTTPStatus.BAD_REQUEST, "expected JSON.")
            return
        try:
            answer = self.server.table.do(request)
        except StarspielError as error:
            self._refuse(HTTPStatus.CONFLICT, plain(str(error)))
        else:
            self._send(HTTPStatus.OK, "application/json", json.dumps(answer).encode())

    def __getattr__(self, name: str) -> Callable[[], bool]:
        """The base class looks for do_PUT and whatever else it is asked for: all of that is refused."""
        if not name.startswith("do_"):
            raise AttributeError(name)
        return self._refused

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What is no request of HTTP at all is refused as the others are."""
        self._refuse(HTTPStatus(code), message or "")

    def _sends_a_body(self) -> bool:
        return "Transfer-Encoding" in self.headers or self.headers.get("Content-Length", "0") != "0"

    def _refused(self) -> bool:
        """Whether the request is not for this table; it is then answered.

        It comes from elsewhere, does not know the token, or is of a method that the page does not have.
        """
        hosts = self.server.hosts
        if self.headers.get("Host") not in hosts:
            self._refuse(HTTPStatus.FORBIDDEN, "this table is for this machine alone.")
            return True
        origin = self.headers.get("Origin")
        site = self.headers.get("Sec-Fetch-Site", "same-origin")
        foreign = origin is not None and origin not in [f"http://{host}" for host in hosts]
        if foreign or site not in ("same-origin", "none"):
            self._refuse(HTTPStatus.FORBIDDEN, "this table takes nothing from other sites.")
            return True
        token = self.path.split("/")[1] if self.path.startswith("/") and self.path.count("/") == 2 else ""
        if not compare_digest(token.encode("utf-8", "replace"), self.server.token.encode()):
            self._refuse(HTTPStatus.NOT_FOUND, "there is no such page.")
            return True
        allowed = _PAGES.get(self.path.split("/")[2])
        if allowed is None:
            self._refuse(HTTPStatus.NOT_FOUND, "there is no such page.")
        elif self.command not in allowed:
            self._refuse(HTTPStatus.METHOD_NOT_ALLOWED, f"expected {' or '.join(allowed)}.", allowed)
        return allowed is None or self.command not in allowed

    def _refuse(self, status: HTTPStatus, why: str, allowed: tuple[str, ...] = ()) -> None:
        self.close_connection = True  # what it may still send is not read
        self._send(status, "application/json", json.dumps({"error": why}).encode(), allowed=allowed)

    def _send(
        self, status: HTTPStatus, kind: str, body: bytes, nonce: str = "", allowed: tuple[str, ...] = ()
    ) -> None:
        self.send_response(status)
        if allowed:
            self.send_header("Allow", ", ".join(allowed))
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        script = f"script-src 'nonce-{nonce}'; " if nonce else ""
        self.send_header(
            "Content-Security-Policy",
            f"default-src 'none'; {script}style-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; "
            "form-action 'none'; frame-ancestors 'none'",
        )
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def version_string(self) -> str:
        return "starspiel"

    def log_message(self, format: str, *args: Any) -> None:
        """The terminal is the game's."""


@cache
def _page() -> str:
    return files("starspiel.cli").joinpath("web.html").read_text(encoding="utf-8")
