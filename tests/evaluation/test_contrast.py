"""Text on every page can be read: its contrast is computed in a browser, light and dark."""

import json
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
from support.browser import BROWSER, Page, browser
from support.contrast import FAINT

from starspiel.agents.search import Limits, search
from starspiel.cli.session import Session
from starspiel.cli.web import WebServer
from starspiel.cli.web_table import WebTable
from starspiel.envs.load import load_game
from starspiel.evaluation import Store, tournament
from starspiel.evaluation.report import write_report
from starspiel.evaluation.review import review, write_review

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no chromium on this machine; CI installs one")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with browser(tmp_path_factory.mktemp("profile")) as shown:
        yield shown


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The addresses of a report, a replay and a tree."""
    folder = tmp_path_factory.mktemp("pages")
    agents = ["star2(depth=1)", "random", "greedy"]
    result = tournament("connect_four", agents, pairs=8, seed=5, store=folder / "games.db")
    write_report(result, folder / "report.html", store=folder / "games.db")
    with Store(folder / "games.db", read_only=True) as store:
        write_review(review(next(iter(store.games())), reference=agents[0]), folder / "replay.html")
    state = load_game("pig(players=2)").new_initial_state()
    search(state, "star2", Limits(depth=2)).tree().save(folder / "tree.html")
    return {name: (folder / f"{name}.html").as_uri() for name in ("report", "replay", "tree")}


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["report", "replay", "tree", "play"])
def test_text_can_be_read_and_nothing_is_wider_than_a_phone(
    page: Page, pages: dict[str, str], name: str, dark: bool
) -> None:
    with WebServer(WebTable(Session("connect_four", "human", hint="star2(depth=1)"))) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            address = server.address if name == "play" else pages[name]
            page.open(address, 390, 844, dark=dark)
            if name == "play":
                page.wait("last && !busy")
                page.ask("ask({ do: 'hint' })")
            if name == "replay":
                page.ask("show(5, false)")
            for summary in range(page.ask("document.querySelectorAll('details').length")):
                page.ask(f"document.querySelectorAll('details')[{summary}].open = true")
            said = page.ask(FAINT)
            assert said["found"] == [], json.dumps(said["found"])
            assert said["seen"] > 15
            assert page.ask("document.documentElement.scrollWidth <= innerWidth")
            ground = page.ask("getComputedStyle(document.body).backgroundColor")
            assert (ground == "rgb(255, 255, 255)") == (not dark)
        finally:
            server.shutdown()
            thread.join()


def test_both_players_dots_are_printed(page: Page, pages: dict[str, str], tmp_path: Path) -> None:
    page.open(pages["replay"], 720, 1000, printed=True)
    exact = "[...document.querySelectorAll('.seat')].map((dot) => { const s = getComputedStyle(dot);"
    dots = page.ask(exact + " return [s.printColorAdjust, s.backgroundColor]; })")
    assert {adjust for adjust, _ in dots} == {"exact"}
    assert len({colour for _, colour in dots}) == 2
