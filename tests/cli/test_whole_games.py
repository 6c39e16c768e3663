"""Whole games on the page, in a real browser: by the mouse, by a finger, and by the keyboard alone."""

import os
from collections.abc import Callable, Iterator
from threading import Thread

import pytest
from support.browser import BROWSER, Page, browser

from starspiel.cli.session import Session
from starspiel.cli.web import WebServer
from starspiel.cli.web_table import WebTable
from starspiel.envs.kits import KITS
from starspiel.envs.load import load_game

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no chromium on this machine; CI installs one")

#: Each game with a board, as short as it can be.
GAMES = {
    "cant_stop": "cant_stop(sides=2)",
    "dice": "dice(size=3,line=3)",
    "knucklebones": "knucklebones(rows=2)",
    "royal_game_of_ur": "royal_game_of_ur(pieces=1)",
    "star_2048": "star_2048(rows=2,columns=2)",
    "star_pig": "star_pig(goal=12)",
    "2048": "2048(max_tile=16)",
    "backgammon": "backgammon",
    "breakthrough": "breakthrough(rows=5,columns=4)",
    "chess": "chess",
    "connect_four": "connect_four(rows=4,columns=4,x_in_row=3)",
    "einstein_wurfelt_nicht": "einstein_wurfelt_nicht",
    "go": "go(board_size=5,max_game_length=14)",
    "pig": "pig(winscore=12)",
    "yacht": "yacht",
}
WAYS = ("mouse", "finger", "keys")
#: Games with pieces, buttons and directions. The others are played in one way each unless
#: STARSPIEL_WHOLE_GAMES=1.
IN_ALL_WAYS = {"star_2048", "star_pig", "connect_four"}
ALL = os.environ.get("STARSPIEL_WHOLE_GAMES") == "1"
READY = "last && !busy && !last.waiting"
#: Moves are made on the board if the game has them there, else in the list.
FIRST = "document.querySelector('.place.to') ? '.place.to' : '.place.from'"
#: Decisions of the person at most: chess among them is not played to its end.
MOST, LONG = 120, {"chess": 12}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with browser(tmp_path_factory.mktemp("profile")) as shown:
        yield shown


def by_pointer(page: Page, touch: Callable[[str], None]) -> None:
    """One press on the board or in the list; there, too, if what was done on the board may mean two moves."""
    if page.ask("document.querySelector('#error').textContent"):
        touch("#plays button")
    elif page.ask(
        "Object.keys(last.places).length > 0 && last.ways.some((way) => way.some((w) => w.length))"
    ):
        touch(f".place.{page.ask(FIRST)[7:]}" if not page.ask("made.length") else _next(page))
    else:
        touch("#plays button")


def _next(page: Page) -> str:
    """What is not held yet; the last of it, such as the button that rolls."""
    return str(
        page.ask("document.querySelector('.place.to:not(.held)') ? '.place.to:not(.held)' : '.place.from'")
    )


def by_keys(page: Page) -> None:
    """A move by Tab and Enter, or by an arrow key."""
    if page.ask("Object.keys(last.directions).length > 0"):
        way = page.ask("Object.keys(last.directions)[0]")
        page.press({"up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight"}[way])
        return
    for number in range(200):
        if number or page.ask("document.activeElement === document.body"):
            page.press("Tab")
        if page.ask("document.activeElement.matches('.place.to:not(.held), .place.from, #plays button')"):
            break
    page.press("Enter")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "way"),
    [
        (name, way)
        for at, name in enumerate(GAMES)
        for way in WAYS
        if ALL or name in IN_ALL_WAYS or way == WAYS[at % len(WAYS)]
    ],
)
def test_a_whole_game_is_played(page: Page, name: str, way: str) -> None:
    players = load_game(GAMES[name]).num_players
    session = Session(GAMES[name], "random" if players > 1 else None, seed=4, hint="star2(depth=1)")
    with WebServer(WebTable(session)) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            page.open(server.address, 390 if way == "finger" else 1280, 844)
            for number in range(20 * MOST):
                page.wait(READY)
                if number and way == "keys" and page.ask("!last.over && !directed()"):
                    assert page.ask("document.activeElement !== document.body"), "the focus is lost"
                if page.ask("last.over") or session.version > LONG.get(name, 10**6):
                    break
                if way == "keys":
                    by_keys(page)
                elif way == "finger" and page.ask("Object.keys(last.directions).length > 0"):
                    dx, dy = {"up": (0, -90), "down": (0, 90), "left": (-90, 0), "right": (90, 0)}[
                        page.ask("Object.keys(last.directions)[0]")
                    ]
                    page.swipe("#board", dx, dy)
                else:
                    by_pointer(page, page.click if way == "mouse" else page.tap)
            assert page.ask("document.documentElement.scrollWidth <= innerWidth")
            assert page.ask("document.querySelector('#error').textContent") == ""
            if name in LONG:
                return
            assert session.over
            assert page.ask("document.querySelector('#status').textContent") == session.verdict()
            if page.ask("!document.querySelector('#review').hidden"):
                page.click("#review")
                page.wait(READY)
                assert "Your moves: " in page.ask("document.querySelector('#summary').textContent")
        finally:
            server.shutdown()
            thread.join()


def test_every_game_with_a_board_is_among_them() -> None:
    assert set(GAMES) == {kit.name for kit in KITS if kit.board}
