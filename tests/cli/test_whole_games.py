"""Whole games on the page, in a real browser: by the mouse, by a finger, and by the keyboard alone."""

import os
import random
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

#: Each game with a board, as short as it can be; then some that are played by lists alone.
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
    "catch": "catch(rows=4)",
    "goofspiel": "goofspiel(imp_info=False,num_cards=3)",
    "oware": "oware(num_houses_per_player=2,num_seeds_per_house=2)",
    "misere": "misere(game=tic_tac_toe())",
    "nim": "nim(pile_sizes=2;3)",
}
#: Places in their order, by both players: a random game of chess would take thousands of presses.
SCRIPTS = {"chess": "f2 f3 e7 e5 g2 g4 d8 h4"}
WAYS = ("mouse", "finger", "keys")
#: Games with pieces, buttons and directions. The others are played in one way each unless
#: STARSPIEL_WHOLE_GAMES=1.
IN_ALL_WAYS = {"star_2048", "star_pig", "connect_four", "chess"}
ALL = os.environ.get("STARSPIEL_WHOLE_GAMES") == "1"
READY = "last && !busy && !last.waiting"
#: Moves are made on the board if the game has them there, else in the list.
FIRST = "document.querySelector('.place.to') ? '.place.to' : '.place.from'"
#: Events before the end at which games begin, unless STARSPIEL_WHOLE_GAMES=1.
LATE = 12
#: Presses at most.
MOST = 2400
ANY = ".place.to:not(.held), .place.from, #plays button"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with browser(tmp_path_factory.mktemp("profile")) as shown:
        yield shown


def events_of(name: str) -> list[int]:
    """The actions and outcomes of a game played at random."""
    rng, state, done = random.Random(4), load_game(GAMES[name]).new_initial_state(), []
    while not state.is_terminal():
        outcomes = state.chance_outcomes() if state.is_chance_node() else ()
        done.append(rng.choice([outcome for outcome, _ in outcomes] or state.legal_actions()))
        state = state.child(done[-1])
    return done


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


def by_keys(page: Page, wanted: str = ANY) -> None:
    """A move by Tab and Enter, or by an arrow key."""
    if page.ask("Object.keys(last.directions).length > 0"):
        way = page.ask("Object.keys(last.directions)[0]")
        page.press({"up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight"}[way])
        return
    for number in range(200):
        if number or page.ask("document.activeElement === document.body"):
            page.press("Tab")
        if page.ask(f"document.activeElement.matches('{wanted}')"):
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
    script = [f'[data-place="{place}"]' for place in SCRIPTS.get(name, "").split()]
    opponent = "human" if script else "random" if load_game(GAMES[name]).num_players > 1 else None
    history = [] if ALL or script else events_of(name)[:-LATE]
    session = Session(GAMES[name], opponent, seed=4, history=history, hint="star2(depth=1)")
    with WebServer(WebTable(session)) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            page.open(server.address, 390 if way == "finger" else 1280, 844)
            for number in range(MOST):
                page.wait(READY)
                if number and way == "keys" and page.ask("!last.over && !directed()"):
                    assert page.ask("document.activeElement !== document.body"), "the focus is lost"
                if page.ask("last.over"):
                    break
                if way == "keys":
                    by_keys(page, script[number] if script else ANY)
                elif way == "finger" and page.ask("Object.keys(last.directions).length > 0"):
                    dx, dy = {"up": (0, -90), "down": (0, 90), "left": (-90, 0), "right": (90, 0)}[
                        page.ask("Object.keys(last.directions)[0]")
                    ]
                    page.swipe("#board", dx, dy)
                elif script:
                    (page.click if way == "mouse" else page.tap)(script[number])
                else:
                    by_pointer(page, page.click if way == "mouse" else page.tap)
            assert page.ask("document.documentElement.scrollWidth <= innerWidth")
            assert page.ask("document.querySelector('#error').textContent") == ""
            assert session.over
            assert page.ask("document.querySelector('form').offsetParent === null"), "no move can be made"
            assert page.ask("document.querySelector('#status').textContent") == session.verdict()
            if not script and page.ask("!document.querySelector('#review').hidden"):
                page.click("#review")
                page.wait(READY)
                assert "Your moves: " in page.ask("document.querySelector('#summary').textContent")
        finally:
            server.shutdown()
            thread.join()


def test_every_game_with_a_board_is_among_them() -> None:
    assert set(GAMES) >= {kit.name for kit in KITS if kit.board}
