"""The site is built without a warning, links to nothing that is not there, and needs no other host."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.browser import BROWSER, browser
from support.contrast import FAINT

pytest.importorskip("mkdocs", reason='an extra: pip install "starspiel[docs]"')
pytest.importorskip("material", reason='an extra: pip install "starspiel[docs]"')
pytest.importorskip("mkdocstrings", reason='an extra: pip install "starspiel[docs]"')

pytestmark = pytest.mark.slow  # It is built once, in some seconds.

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", folder]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "WARNING" not in done.stdout + done.stderr
    return folder


def test_every_page_is_there_and_in_the_navigation(site):
    pages = {path.relative_to(ROOT / "docs").with_suffix("") for path in (ROOT / "docs").rglob("*.md")}
    made = {
        Path("changelog"),
        Path("cli"),
        Path("games/openspiel/backgammon"),
        Path("notebooks/1_quickstart"),
    }
    home = (site / "index.html").read_text(encoding="utf-8")
    for page in pages | made:
        assert (site / page).with_suffix(".html").is_file(), page
        if page.name != "index" and len(page.parts) == 1:
            assert f'href="{page.as_posix()}.html"' in home, page


def test_nothing_is_fetched_from_other_hosts(site):
    fetched = re.compile(
        r"<(?:script|link|img|iframe|source)\b[^>]*?\b(?:src|href)=[\"']?((?:https?:)?//[^\"' >]+)"
    )
    for page in site.rglob("*.html"):
        assert fetched.findall(page.read_text(encoding="utf-8")) == [], page
    for style in site.rglob("*.css"):
        assert not re.search(r"url\([\"']?(?:https?:)?//|@import", style.read_text(encoding="utf-8")), style


def test_links_lead_to_places_that_are_there(site):
    """mkdocs looks at links in Markdown; this, at those that pages were left with.

    They lead to files, not to folders: without a server a browser lists a folder's files.
    """
    anchors = {
        page: set(re.findall(r'\b(?:id|name)="?([^" >]+)', page.read_text(encoding="utf-8")))
        for page in site.rglob("*.html")
    }
    links = 0
    for page in anchors:
        if page.name == "404.html":
            continue
        for link in re.findall(r'<a [^>]*?href="([^"]+)"', page.read_text(encoding="utf-8")):
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            assert target.is_file(), f"{page.relative_to(site)}: {link}"
            if anchor and target in anchors:
                assert anchor in anchors[target], f"{page.relative_to(site)}: {link}"
            links += 1
    assert links > 200


def test_the_home_shows_a_board_and_a_replay_before_any_code(site):
    home = (site / "index.html").read_text(encoding="utf-8")
    before = home.partition("<code>")[0].partition("md-content")[2]
    assert 'class="board"' in before
    assert 'href="replay.html"' in before
    assert "chance to win" in (site / "replay.html").read_text(encoding="utf-8")


@pytest.mark.skipif(BROWSER is None, reason="no chromium on this machine; CI installs one")
@pytest.mark.parametrize("name", ["index", "benchmarks", "notebooks/1_quickstart"])
def test_text_can_be_read_in_the_light_in_the_dark_and_on_paper(site, tmp_path, name):
    grounds = set()
    with browser(tmp_path) as page:
        for dark in (False, True):
            page.open((site / f"{name}.html").as_uri(), 390, 844, dark=dark)
            page.ask("localStorage.clear()")  # what was switched on the page before
            page.open((site / f"{name}.html").as_uri(), 390, 844, dark=dark)
            said = page.ask(FAINT)
            assert said["found"] == []
            assert said["seen"] > 50
            assert page.ask("document.documentElement.scrollWidth <= innerWidth")
            grounds.add(page.ask("getComputedStyle(document.body).backgroundColor"))
        assert grounds == {"rgb(255, 255, 255)", "rgb(22, 25, 29)"}
        page.open((site / f"{name}.html").as_uri(), 720, 1000, dark=True, printed=True)
        assert page.ask(FAINT)["found"] == []
        assert page.ask("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        wide = "[...document.querySelectorAll('.md-typeset__table, pre > code')].filter("
        assert page.ask(f"{wide}(e) => e.getBoundingClientRect().right > innerWidth).length") == 0
