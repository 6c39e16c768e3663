"""Serves a session as a web page, to this machine only.

The server listens on the loopback address, under a random token. It refuses requests that name another host
(as after DNS rebinding) or come from another origin.
"""

import json
import secrets
import sys
from collections.abc import Callable
from functools import cache
from hmac import compare_digest
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from starspiel.cli.web_table import WebTable
from starspiel.envs.errors import StarspielError
from starspiel.envs.stylesheet import stylesheet
from starspiel.envs.text import plain

#: The address; the maximum size of a request in bytes; and the timeout for its arrival in seconds.
_LOOPBACK, _MOST_BYTES, _PATIENCE = "127.0.0.1", 4096, 20.0
#: The pages under the token, and the methods that each answers.
_PAGES = {"": ("GET", "HEAD"), "do": ("POST",), "replay": ("GET", "HEAD")}


class WebServer(ThreadingHTTPServer):
    """Serves a table at its `address`; port 0 picks a free one. Raises StarspielError if it cannot listen."""

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
        """Reports an error, unless the browser has closed the connection."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _RefusedError(Exception):
    """Raised to refuse a request: its status, the reason, and the methods that are allowed instead."""


class _Handler(BaseHTTPRequestHandler):
    server: WebServer
    protocol_version = "HTTP/1.1"
    timeout = _PATIENCE

    def __getattr__(self, name: str) -> Callable[[], None]:
        """Returns `_respond` for do_GET, do_POST and any other method that the base class looks up."""
        if not name.startswith("do_"):
            raise AttributeError(name)
        return self._respond

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuses what is not an HTTP request."""
        self._refuse(HTTPStatus(code), message or "")

    def _respond(self) -> None:
        try:
            asked = self._page()
            if asked == "do":
                request = self._request()
                try:
                    answer = self.server.table.do(request)
                except StarspielError as error:
                    raise _RefusedError(HTTPStatus.CONFLICT, plain(str(error))) from None
                self._send(HTTPStatus.OK, "application/json", json.dumps(answer))
                return
            if "Transfer-Encoding" in self.headers or self.headers.get("Content-Length", "0") != "0":
                self.close_connection = True  # the unread body must not be taken for the next request
            nonce = secrets.token_urlsafe(16)
            if asked == "replay":
                replay = self.server.table.replay
                if replay is None:
                    raise _RefusedError(HTTPStatus.NOT_FOUND, "no game has been reviewed yet.")
                scripted = replay.replace("<script", f'<script nonce="{nonce}"')
                self._send(HTTPStatus.OK, "text/html; charset=utf-8", scripted, nonce)
                return
            about = json.dumps(self.server.table.about()).replace("<", "\\u003c")
            page = _template().replace("{nonce}", nonce).replace("{about}", about)
            self._send(HTTPStatus.OK, "text/html; charset=utf-8", page, nonce)
        except _RefusedError as refused:
            self._refuse(*refused.args)

    def _page(self) -> str:
        """Returns the requested page. Raises _RefusedError if another site asks, or there is no such page."""
        hosts, headers = self.server.hosts, self.headers
        if headers.get("Host") not in hosts:
            raise _RefusedError(HTTPStatus.FORBIDDEN, "this table is served to this machine only.")
        origins, site = [None, *(f"http://{host}" for host in hosts)], headers.get("Sec-Fetch-Site", "none")
        if headers.get("Origin") not in origins or site not in ("same-origin", "none"):
            raise _RefusedError(HTTPStatus.FORBIDDEN, "this table refuses requests from other sites.")
        start, token, page = self.path.split("/") if self.path.count("/") == 2 else ("", "", "")
        known = compare_digest(token.encode("utf-8", "replace"), self.server.token.encode())
        if start or not known or page not in _PAGES:
            raise _RefusedError(HTTPStatus.NOT_FOUND, "there is no such page.")
        if self.command not in _PAGES[page]:
            allowed = _PAGES[page]
            raise _RefusedError(HTTPStatus.METHOD_NOT_ALLOWED, f"expected {' or '.join(allowed)}.", allowed)
        return page

    def _request(self) -> Any:
        """Returns the JSON of the request. Raises _RefusedError if it is not JSON, or too long."""
        if self.headers.get_content_type() != "application/json":
            raise _RefusedError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "expected application/json.")
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or "Transfer-Encoding" in self.headers:
            raise _RefusedError(HTTPStatus.LENGTH_REQUIRED, "expected a Content-Length.")
        if len(length) > len(str(_MOST_BYTES)) or int(length) > _MOST_BYTES:
            raise _RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"expected at most {_MOST_BYTES} bytes.")
        try:
            return json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            raise _RefusedError(HTTPStatus.BAD_REQUEST, "expected JSON.") from None

    def _refuse(self, status: HTTPStatus, why: str, allowed: tuple[str, ...] = ()) -> None:
        self.close_connection = True  # the rest of the request is not read
        self._send(status, "application/json", json.dumps({"error": why}), allowed=allowed)

    def _send(
        self, status: HTTPStatus, kind: str, text: str, nonce: str = "", allowed: tuple[str, ...] = ()
    ) -> None:
        body = text.encode()
        script = f"script-src 'nonce-{nonce}'; " if nonce else ""
        headers = {
            "Allow": ", ".join(allowed),
            "Content-Type": kind,
            "Content-Length": str(len(body)),
            "Cache-Control": "no-store",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Content-Security-Policy": f"default-src 'none'; {script}style-src 'unsafe-inline'; "
            "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "Connection": "close" if self.close_connection else "",
        }
        self.send_response(status)
        for name, value in headers.items():
            if value:
                self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def version_string(self) -> str:
        return "starspiel"

    def log_message(self, format: str, *args: Any) -> None:
        """Logs nothing: the terminal is used by the game."""


@cache
def _template() -> str:
    page = Path(__file__).with_name("web.html").read_text(encoding="utf-8")
    return page.replace("{style}", stylesheet())
