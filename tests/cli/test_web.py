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
from starspiel.cli.web import WebServer
from starspiel.cli.web_table import WebTable
from starspiel.envs.errors import StarspielError


def table(
    game: str = "star_pig(goal=20)",
    opponent: str | list[str] = "star2(depth=1)",
    hint: str = "star2(depth=2)",
    **more: Any,
) -> WebTable:
    return WebTable(Session(game, opponent, hint=hint, **more))


def begun(played: WebTable) -> dict[str, Any]:
    """What the page shows first, once dice and opponent have acted."""
    return played.do({"do": "go on"})


def test_moves_made_at_once_appear_together_and_hints_are_per_cents() -> None:
    played = table("goofspiel(imp_info=False,num_cards=4)", seat=1)
    view = begun(played)
    assert (view["player"], view["plays"][0], view["waiting"]) == (1, "[P1]Bid: 1", False)
    hints = played.do({"do": "hint"})["hints"]
    assert sum(float(hint.partition(" %")[0]) for hint in hints.values()) == pytest.approx(100.0, abs=0.3)
    assert any(hint.endswith(" best") for hint in hints.values())
    chosen = played.do({"do": "move", "at": view["at"], "text": "2"})
    assert chosen["waiting"]
    assert chosen["log"] == view["log"], "nothing is seen before the agent has moved"
    after = played.do({"do": "go on"})
    new = after["log"][len(view["log"]) :]
    assert [(line["player"], line["text"][:7]) for line in new[:2]] == [(0, "[P0]Bid"), (1, "[P1]Bid")]
    assert new[1]["text"] == "[P1]Bid: 2"


@pytest.fixture(scope="module")
def server() -> Iterator[WebServer]:
    with WebServer(table()) as serving:
        thread = Thread(target=serving.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield serving
        serving.shutdown()
        thread.join()


def ask(
    server: WebServer, method: str, path: str, body: str = "", headers: dict[str, str] | None = None
) -> tuple[int, str, Any]:
    """(status, body, headers) of a request to the server."""
    connection = http.client.HTTPConnection(*server.server_address[:2], timeout=20)
    connection.request(method, "/" + path.replace("{token}", server.token), body or None, headers or {})
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response.status, text, response.headers


def test_the_page_is_there_for_whoever_knows_the_token_and_lets_no_other_script_run(
    server: WebServer,
) -> None:
    status, text, headers = ask(server, "GET", "{token}/")
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
    got, headed = (ask(server, method, "{token}/") for method in ("GET", "HEAD"))
    assert headed[:2] == (200, "")
    for name in ("Content-Length", "Content-Type"):
        assert headed[2][name] == got[2][name]
    assert ask(server, "HEAD", "wrong/")[:2] == (404, "")


DO, LOOK = "{token}/do", '{"do":"look"}'
JSON = {"Content-Type": "application/json"}
REFUSED = [
    # Other methods are told which there are, once the token is known.
    *(
        (method, "{token}/", "", {}, 405, "expected GET or HEAD.")
        for method in ("PUT", "TRACE", "FETCH", "POST")
    ),
    *((method, DO, "", {}, 405, "expected POST.") for method in ("DELETE", "OPTIONS", "PATCH", "GET")),
    ("PUT", "wrong/", "", {}, 404, "no such page"),
    # Without the token there is nothing.
    *(("GET", path, "", {}, 404, "no such page") for path in ("", "/", "wrong/", "{token}", "{token}x/")),
    *(("GET", path, "", {}, 404, "no such page") for path in ("{token}/../", "{token}/x")),
    ("POST", "wrong/do", LOOK, JSON, 404, "no such page"),
    # Other hosts and sites are refused even with it.
    *(
        (method, path, body, headers, 403, "this table")
        for method, path, body in (("GET", "{token}/", ""), ("POST", DO, LOOK))
        for headers in (
            {"Host": "evil.example"},
            {"Host": "127.0.0.1.evil.example:80"},
            {"Origin": "http://evil.example"},
            {"Origin": "null"},
            {"Origin": "https://127.0.0.1"},
            {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "same-site"},
        )
    ),
    # So is what a form or a flood could send, and what is no request of the page.
    ("POST", DO, LOOK, {"Content-Type": "text/plain"}, 415, "expected application/json"),
    ("POST", DO, "x" * 5000, JSON, 413, "expected at most 4096 bytes"),
    ("POST", DO, "[" * 4000, JSON, 400, "expected JSON"),
    *(
        ("POST", DO, body, JSON, 409, "expected")
        for body in (
            "[]",
            "null",
            '{"do":"quit"}',
            '{"do":"move"}',
            '{"do":"move","at":0,"text":3}',
            '{"do":"move","text":"roll"}',
            '{"do":"undo","at":true}',
        )
    ),
]


@pytest.mark.parametrize(("method", "path", "body", "headers", "status", "says"), REFUSED)
def test_what_is_refused(
    server: WebServer, method: str, path: str, body: str, headers: dict[str, str], status: int, says: str
) -> None:
    found, text, answered = ask(server, method, path, body, headers)
    assert (found, answered.get("Connection")) == (status, "close")
    assert says in json.loads(text)["error"]
    assert (answered["Allow"] is not None) == (status == 405)
    assert "star_pig" not in text


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
    assert ask(server, "GET", "{token}/")[0] == 200
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
    headers = JSON | {"Origin": server.address.removesuffix(f"/{server.token}/")}
    answer: dict[str, Any] = json.loads(ask(server, "POST", DO, LOOK, headers)[1])
    assert answer["plays"] == ["roll", "stop"]
    for number in range(500):
        if answer["over"]:
            break
        wanted = {"do": "move", "at": answer["at"], "text": "roll" if number % 3 else "2"}
        wanted = {"do": "go on"} if answer["waiting"] else wanted
        status, text, _ = ask(server, "POST", DO, json.dumps(wanted), headers)
        assert status == 200, text
        answer = json.loads(text)
        for frame in answer["frames"]:
            ElementTree.fromstring(frame["board"])
        assert answer["log"][-len(answer["frames"]) :] == [
            {"player": frame["player"], "text": frame["text"]} for frame in answer["frames"]
        ]
    assert answer["status"].startswith(("you win", "you lose"))
    assert answer["plays"] == []
    assert ask(server, "POST", DO, '{"do":"hint"}', JSON)[0] == 409


def test_who_looks_while_the_opponent_thinks_is_told_so_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, may_answer = Event(), Event()

    class Slow:
        def step(self, state: Any) -> int:
            asked.set()
            assert may_answer.wait(20)
            return 1

    monkeypatch.setattr(
        "starspiel.cli.opponents.make_bot",
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
    assert last["status"] == "the game is over, with a return of 3."


def test_you_against_two_agents() -> None:
    """Each of them has a name and a colour, and a hint's values are those of whoever is to move."""
    played = table("pig(players=3,winscore=12)", ["random", "star1(depth=1)"], "star1(depth=2)", seat=2)
    view = begun(played)
    assert [seat["name"] for seat in played.about()["seats"]] == ["random", "star1(depth=1)", "you"]
    assert {line["player"] for line in view["log"]} >= {0, 1}
    hint = played.do({"do": "hint"})
    assert hint["whose"] == "your estimated chance to win"
    assert set(hint["hints"]) == set(range(1, len(view["plays"]) + 1))
    assert view["status"] == "your move"
    while not view["over"]:
        view = played.do({"do": "move", "at": view["at"], "text": view["plays"][-1]})
        if view["waiting"]:
            assert view["status"] == "random and star1(depth=1) think …"
            view = played.do({"do": "go on"})
    assert view["status"] in ("you win.", "you lose (return -0.5).")


def test_two_people_and_an_agent_share_a_page() -> None:
    played = table("pig(players=3)", ["human", "random"])
    view = begun(played)
    assert [seat["name"] for seat in played.about()["seats"]] == ["human", "human", "random"]
    assert view["status"] == "player 0 to move"
    view = played.do({"do": "move", "at": view["at"], "text": "stop"})
    assert view["status"] == "player 1 to move"


def test_a_game_that_is_over_is_looked_back_at() -> None:
    with WebServer(table("connect_four", "random")) as serving:
        thread = Thread(target=serving.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            assert ask(serving, "GET", "{token}/replay")[0] == 404
            played = serving.table
            view = begun(played)
            with pytest.raises(StarspielError, match="nothing to look back at"):
                played.do({"do": "review"})
            while not view["over"]:
                view = played.do({"do": "move", "text": "1", "at": view["at"]})
                view = view if view["over"] else played.do({"do": "go on"})
            assert (view["reviewable"], view["summary"]) == (True, "")
            summary = played.do({"do": "review"})["summary"]
            winner = max(range(2), key=played.session.state.returns().__getitem__)
            won = ("You won. Your own mistakes ", "You lost to player 1, random. Your own mistakes ")
            assert summary.startswith(won[winner])
            assert "Your moves: " in summary
            status, text, headers = ask(serving, "GET", "{token}/replay")
            nonce = headers["Content-Security-Policy"].partition("'nonce-")[2].partition("'")[0]
            assert status == 200
            assert f'<script nonce="{nonce}">' in text
            assert "human cannot be made" not in text
            assert "<h1>connect_four</h1>" in text, "a table's game has no id"
            assert "Seed 1" in text
            again = played.do({"do": "new game", "at": view["at"]})
            assert (again["summary"], again["reviewable"]) == ("", False)
        finally:
            serving.shutdown()
            thread.join()


@pytest.mark.parametrize("game", ["star_pig(goal=6)", "2048(max_tile=16)", "pig(players=3,winscore=6)"])
def test_any_game_in_turn_is_looked_back_at(game: str) -> None:
    played = WebTable(Session(game))
    view = begun(played)
    for turn in range(400):
        move = "1" if turn % 3 else str(len(view["plays"]))
        view = played.do({"do": "move", "text": move, "at": view["at"]})
        if view["over"]:
            break
        view = played.do({"do": "go on"})
        if view["over"]:
            break
    assert view["over"]
    assert "Your moves: " in played.do({"do": "review"})["summary"]


def test_the_page_says_that_nothing_is_known_of_a_game() -> None:
    assert (
        "no heuristic or network of tic_tac_toe is known" in WebTable(Session("tic_tac_toe")).about()["note"]
    )
    assert WebTable(Session("pig")).about()["note"] == ""
