"""The table as a page: it is played as at the terminal, and nobody from elsewhere gets to it."""

import http.client
import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread
from typing import Any
from xml.etree import ElementTree

import pytest

from starspiel.agents.roster import make_bot
from starspiel.cli.session import Session
from starspiel.cli.web import WebServer, WebTable
from starspiel.envs.errors import StarspielError

JSON = {"Content-Type": "application/json"}


def table(
    game: str = "star_pig(goal=20)",
    opponent: str = "star2(depth=1)",
    hint: str = "star2(depth=2)",
    **more: Any,
) -> WebTable:
    return WebTable(Session(game, opponent, hint=hint, **more))


def begun(played: WebTable) -> dict[str, Any]:
    """What the page shows first, once dice and opponent have acted."""
    return played.do({"do": "go on"})


@pytest.fixture(scope="module")
def server() -> Iterator[WebServer]:
    with WebServer(table()) as serving:
        thread = Thread(target=serving.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield serving
        serving.shutdown()
        thread.join()


def ask(server: WebServer, method: str, path: str, body: str = "", **headers: str) -> tuple[int, str, Any]:
    """(status, body, headers) of a request to the server."""
    connection = http.client.HTTPConnection(*server.server_address[:2], timeout=20)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, body or None, named)
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response.status, text, response.headers


def test_the_page_is_there_for_whoever_knows_the_token_and_lets_no_other_script_run(
    server: WebServer,
) -> None:
    status, text, headers = ask(server, "GET", f"/{server.token}/")
    assert status == 200
    assert "star_pig(goal=20)" in text
    policy = headers["Content-Security-Policy"]
    nonce = policy.partition("'nonce-")[2].partition("'")[0]
    assert f'<script nonce="{nonce}">' in text
    assert "default-src 'none'" in policy
    assert len(server.token) >= 32
    assert server.address == f"http://127.0.0.1:{server.server_address[1]}/{server.token}/"
    assert server.server_address[0] == "127.0.0.1"


def test_head_is_get_without_the_page(server: WebServer) -> None:
    got, headed = (ask(server, method, f"/{server.token}/") for method in ("GET", "HEAD"))
    assert headed[:2] == (200, "")
    assert headed[2]["Content-Length"] == got[2]["Content-Length"]
    assert headed[2]["Content-Type"] == got[2]["Content-Type"]
    assert ask(server, "HEAD", "/wrong/")[:2] == (404, "")
    assert ask(server, "HEAD", f"/{server.token}/", Host="evil.example")[:2] == (403, "")


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "FETCH"])
def test_other_methods_are_told_which_there_are(server: WebServer, method: str) -> None:
    for place, allowed in (("", "GET, HEAD"), ("do", "POST")):
        status, text, headers = ask(server, method, f"/{server.token}/{place}")
        assert (status, headers["Allow"]) == (405, allowed)
        assert json.loads(text)["error"] == f"expected {allowed.replace(', ', ' or ')}."
    assert ask(server, "GET", f"/{server.token}/do")[0] == 405
    assert ask(server, "POST", f"/{server.token}/")[0] == 405
    assert ask(server, method, "/wrong/")[0] == 404
    assert ask(server, method, f"/{server.token}/do", Origin="http://evil.example")[0] == 403


@pytest.mark.parametrize(
    "path", ["/", "//", "/wrong/", "/{token}", "/{token}x/", "/{token}/../", "/{token}/x"]
)
def test_without_the_token_there_is_nothing(server: WebServer, path: str) -> None:
    status, text, _ = ask(server, "GET", path.replace("{token}", server.token))
    assert status == 404
    assert "star_pig" not in text
    assert ask(server, "POST", "/wrong/do", '{"do":"look"}', Content_Type="application/json")[0] == 404


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1.evil.example:80"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "https://127.0.0.1"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ],
)
def test_other_hosts_and_origins_are_refused_even_with_the_token(
    server: WebServer, headers: dict[str, str]
) -> None:
    assert ask(server, "GET", f"/{server.token}/", **headers)[0] == 403
    body = '{"do":"move","at":0,"text":"roll"}'
    assert (
        ask(server, "POST", f"/{server.token}/do", body, **headers, Content_Type="application/json")[0] == 403
    )


def test_requests_that_a_form_or_a_flood_could_send_are_refused(server: WebServer) -> None:
    do = f"/{server.token}/do"
    assert ask(server, "POST", do, '{"do":"look"}', Content_Type="text/plain")[0] == 415
    assert ask(server, "POST", do, "x" * 5000, Content_Type="application/json")[0] == 413
    assert ask(server, "POST", do, "[" * 4000, Content_Type="application/json")[0] == 400
    for body in (
        "[]",
        '{"do":"quit"}',
        '{"do":"move"}',
        '{"do":"move","at":0,"text":3}',
        '{"do":"move","text":"roll"}',
        '{"do":"undo","at":true}',
        "null",
    ):
        status, text, _ = ask(server, "POST", do, body, Content_Type="application/json")
        assert status == 409
        assert "expected" in json.loads(text)["error"]


def raw(server: WebServer, sent: bytes) -> bytes:
    """What the server says to these bytes before it closes."""
    with socket.create_connection(server.server_address[:2], timeout=20) as connection:
        connection.sendall(sent)
        said = b""
        while more := connection.recv(65536):
            said += more
        return said


def test_what_is_no_sound_request_is_refused_at_once_and_the_rest_of_it_not_read(server: WebServer) -> None:
    host = f"Host: {server.hosts[0]}\r\n"
    post = f"POST /{server.token}/do HTTP/1.1\r\n{host}Content-Type: application/json\r\n"
    for head, status in (
        (f"{post}Content-Length: 9999999999999999\r\n\r\n", 413),
        (f"{post}\r\n", 411),
        (f"{post}Content-Length: -1\r\n\r\n", 411),
        (f"{post}Content-Length: 13\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
        (f"GET /{server.token}/ HTTP/1.1\r\n\r\n", 403),
        (f"GET /{'x' * 70000} HTTP/1.1\r\n", 414),
        ("GET / / HTTP/1.1\r\n\r\n", 400),
    ):
        said = raw(server, head.encode())
        assert f" {status} ".encode() in said.partition(b"\r\n")[0], (head[:60], said[:80])
        assert b"<" not in said
    hidden = f"GET /{server.token}/ HTTP/1.1\r\n{host}Content-Length: 30\r\n\r\n" + post
    assert raw(server, hidden.encode()).count(b"HTTP/1.1 200") == 1


def test_a_slow_client_is_dropped_and_keeps_nobody_waiting(
    server: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("starspiel.cli.web._Handler.timeout", 0.3)
    post = (
        f"POST /{server.token}/do HTTP/1.1\r\nHost: {server.hosts[0]}\r\nContent-Type: application/json\r\n"
    )
    slow = []
    for half in (b"GET /", post.encode(), f'{post}Content-Length: 13\r\n\r\n{{"do":'.encode()):
        slow.append(socket.create_connection(server.server_address[:2], timeout=20))
        slow[-1].sendall(half)
    assert ask(server, "GET", f"/{server.token}/")[0] == 200
    for connection in slow:
        assert connection.recv(1) == b""
        connection.close()


def test_in_two_windows_no_move_is_made_that_was_chosen_in_another_position() -> None:
    played = table("star_pig(goal=50)", "human")
    first = begun(played)
    second = played.do({"do": "look"})
    after = played.do({"do": "move", "at": first["at"], "text": "1"})
    assert after["at"] > first["at"]
    for stale in ({"do": "move", "text": "2"}, {"do": "undo"}):
        with pytest.raises(StarspielError, match="gone on in another window"):
            played.do({**stale, "at": second["at"]})
    assert played.do({"do": "look"})["log"] == after["log"]


def test_a_game_is_played_to_its_end(server: WebServer) -> None:
    do = f"/{server.token}/do"
    origin = server.address.rpartition("/")[0].rpartition("/")[0]
    answer: dict[str, Any] = json.loads(
        ask(server, "POST", do, '{"do":"look"}', Content_Type="application/json")[1]
    )
    assert answer["plays"] == ["roll", "stop"]
    for number in range(500):
        if answer["over"]:
            break
        wanted = {"do": "move", "at": answer["at"], "text": "roll" if number % 3 else "2"}
        body = json.dumps({"do": "go on"} if answer["waiting"] else wanted)
        status, text, _ = ask(server, "POST", do, body, Origin=origin, Content_Type="application/json")
        assert status == 200, text
        answer = json.loads(text)
        for frame in answer["frames"]:
            ElementTree.fromstring(frame["board"])
        assert answer["log"][-len(answer["frames"]) :] == [
            {"player": frame["player"], "text": frame["text"]} for frame in answer["frames"]
        ]
    assert answer["status"].startswith(("you win", "you lose"))
    assert answer["plays"] == []
    assert ask(server, "POST", do, '{"do":"hint"}', Content_Type="application/json")[0] == 409


def test_who_looks_while_the_opponent_thinks_is_told_so_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, may_answer = Event(), Event()

    class Slow:
        def step(self, state: Any) -> int:
            asked.set()
            assert may_answer.wait(20)
            return 1

    monkeypatch.setattr(
        "starspiel.cli.session.make_bot",
        lambda spec, *more: Slow() if spec == "slow" else make_bot(spec, *more),
    )
    played = WebTable(Session("star_pig", "slow"))
    moved = played.do({"do": "move", "at": 0, "text": "stop"})
    assert (moved["waiting"], moved["status"], moved["plays"]) == (True, "slow thinks …", [])
    assert [line["text"] for line in moved["log"]] == ["stop"]
    with pytest.raises(StarspielError, match="not your turn"):
        played.do({"do": "hint"})
    with ThreadPoolExecutor(2) as windows:
        both = [windows.submit(played.do, {"do": "go on"}) for _ in range(2)]
        assert asked.wait(20)
        assert played.do({"do": "look"}) == {**moved, "frames": []}
        may_answer.set()
        answers = [window.result() for window in both]
    assert sorted(len(answer["frames"]) for answer in answers) == [0, 1]  # one let it move
    assert all(not answer["waiting"] and answer["at"] == 2 for answer in answers)


def test_hints_undo_and_moves_that_are_none() -> None:
    played = table("backgammon", seed=3)
    first = begun(played)
    hints = played.do({"do": "hint"})["hints"]
    assert sorted(hints) == list(range(1, len(first["plays"]) + 1))
    assert sum(hint.endswith("best") for hint in hints.values()) >= 1
    with pytest.raises(StarspielError, match="no move 'foo'"):
        played.do({"do": "move", "at": first["at"], "text": "foo"})
    after = played.do({"do": "move", "at": first["at"], "text": first["plays"][0]})
    assert len(after["log"]) > len(first["log"])
    back = played.do({"do": "undo", "at": after["at"]})
    assert (back["plays"], back["log"], back["board"]) == (first["plays"], first["log"], first["board"])


def test_who_has_the_second_seat_sees_the_board_from_there() -> None:
    about = table("backgammon", seat=1).about()
    assert [seat["name"] for seat in about["seats"]] == ["star2(depth=1)", "you"]
    assert about["seats"][1]["side"].startswith("o, the blue checkers")


def test_after_the_end_a_new_game_begins_in_which_old_windows_make_no_move() -> None:
    played = table("star_pig(goal=2)", "human")
    view, seen = played.do({"do": "look"}), []
    with pytest.raises(StarspielError, match="is not over"):
        played.do({"do": "new game", "at": view["at"]})
    while not view["over"]:
        seen.append(view["at"])
        wanted = {"do": "move", "at": view["at"], "text": "1"}
        view = played.do({"do": "go on"} if view["waiting"] else wanted)
    fresh = played.do({"do": "new game", "at": view["at"]})
    assert (fresh["log"], fresh["over"], fresh["seed"]) == ([], False, 2)
    assert not played.session.unfinished
    for at in seen:
        with pytest.raises(StarspielError, match="gone on in another window"):
            played.do({"do": "move", "at": at, "text": "roll"})


def test_a_port_that_is_taken_is_said(server: WebServer) -> None:
    with pytest.raises(StarspielError, match="cannot listen on port"):
        WebServer(table(), server.server_address[1])
    with pytest.raises(StarspielError, match="cannot listen on port"):
        WebServer(table(), 99999)


def test_a_game_whose_chances_are_drawn_is_played_on_the_page() -> None:
    playing = table("CartPole-v1(horizon=3)", "human", hint="star2ss(depth=1)")
    view = playing.do({"do": "look"})
    assert view["plays"] == ["Push cart to the left", "Push cart to the right"]
    assert "Cart Position" in view["board"]
    assert set(playing.do({"do": "hint"})["hints"]) == {1, 2}
    first = playing.do({"do": "move", "at": view["at"], "text": "2"})
    assert first["log"] == [{"player": 0, "text": "Push cart to the right"}]
    last = playing.do({"do": "undo", "at": first["at"]})
    assert last["board"] == view["board"]
    for number in range(3):
        last = playing.do({"do": "move", "at": last["at"], "text": "2"})
        assert number or last["board"] == first["board"]
    assert last["over"]
    assert last["status"] == "over: return 3."
