"""The table as a page: it is played as at the terminal, and nobody from elsewhere gets to it."""

import http.client
import json
from collections.abc import Iterator
from threading import Thread
from typing import Any
from xml.etree import ElementTree

import pytest

from starspiel.agents.roster import make_bot
from starspiel.cli.sitting import Sitting
from starspiel.cli.web import WebServer, WebTable
from starspiel.envs.errors import StarspielError

JSON = {"Content-Type": "application/json"}


def table(game: str = "star_pig(goal=20)", opponent: str = "star2(depth=1)", **more: Any) -> WebTable:
    sitting = Sitting(game, opponent, **more)
    hinter = make_bot("star2(depth=2)", sitting.game, sitting.seat, 1)
    return WebTable(sitting, hinter)


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
    body = '{"do":"move","text":"roll"}'
    assert (
        ask(server, "POST", f"/{server.token}/do", body, **headers, Content_Type="application/json")[0] == 403
    )


def test_requests_that_a_form_or_a_flood_could_send_are_refused(server: WebServer) -> None:
    do = f"/{server.token}/do"
    assert ask(server, "POST", do, '{"do":"look"}', Content_Type="text/plain")[0] == 415
    assert ask(server, "POST", do, "x" * 5000, Content_Type="application/json")[0] == 413
    assert ask(server, "POST", do, "[" * 4000, Content_Type="application/json")[0] == 400
    for body in ("[]", '{"do":"quit"}', '{"do":"move"}', '{"do":"move","text":3}', "null"):
        status, text, _ = ask(server, "POST", do, body, Content_Type="application/json")
        assert status == 409
        assert "expected" in json.loads(text)["error"]


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
        body = json.dumps({"do": "move", "text": "roll" if number % 3 else "2"})
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


def test_hints_undo_and_moves_that_are_none() -> None:
    played = table("backgammon", seed=3)
    first = played.do({"do": "look"})
    hints = played.do({"do": "hint"})["hints"]
    assert sorted(hints) == list(range(1, len(first["plays"]) + 1))
    assert sum(hint.endswith("best") for hint in hints.values()) >= 1
    with pytest.raises(StarspielError, match="no move 'foo'"):
        played.do({"do": "move", "text": "foo"})
    after = played.do({"do": "move", "text": first["plays"][0]})
    assert len(after["log"]) > len(first["log"])
    back = played.do({"do": "undo"})
    assert (back["plays"], back["log"], back["board"]) == (first["plays"], first["log"], first["board"])


def test_who_has_the_second_seat_sees_the_board_from_there() -> None:
    about = table("backgammon", seat=1).about()
    assert [seat["name"] for seat in about["seats"]] == ["star2(depth=1)", "you"]
    assert about["seats"][1]["side"].startswith("o, the blue checkers")


def test_a_port_that_is_taken_is_said(server: WebServer) -> None:
    with pytest.raises(StarspielError, match="cannot listen on port"):
        WebServer(table(), server.server_address[1])
    with pytest.raises(StarspielError, match="cannot listen on port"):
        WebServer(table(), 99999)
