"""Pieces on the page are moved by mouse, finger and keyboard, in a real browser."""

import json
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from starspiel.cli.session import Session
from starspiel.cli.web import _template
from starspiel.cli.web_table import WebTable
from starspiel.envs.boards import board_of, places_of, steps_of
from starspiel.envs.boards.backgammon import dice as dice_of
from starspiel.envs.load import load_game
from starspiel.envs.plays import plays

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
BY_HAND = ["backgammon", "breakthrough", "connect_four", "einstein_wurfelt_nicht", "royal_game_of_ur"]

#: A server that keeps what it is asked, and hands that act on the board as a browser's user does.
FAKE = """
<script>
{
const asked = [], table = TABLE;
window.fetch = async (_, request) => {
  asked.push(JSON.parse(request.body));
  return { ok: true, json: async () => table };
};
const later = (ms) => new Promise((done) => setTimeout(done, ms));
const at = (place) => {
  const box = document.querySelector(`[data-place="${place}"]`).getBoundingClientRect();
  return { clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 };
};
const fire = (kind, place, type) => {
  const where = at(place), over = document.elementFromPoint(where.clientX, where.clientY);
  const button = kind === "pointermove" ? -1 : 0;
  const about = { bubbles: true, cancelable: true, pointerId: 1, isPrimary: true, pointerType: type, button };
  over.dispatchEvent(new PointerEvent(kind, { ...about, ...where }));
};
const drag = (from, to, type) => {
  fire("pointerdown", from, type);
  fire("pointermove", to, type);
  fire("pointerup", to, type);
};
const click = (place) => { fire("pointerdown", place, "mouse"); fire("pointerup", place, "mouse"); };
const press = (place, key) => document.querySelector(`[data-place="${place}"]`)
  .dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
const marked = (kind) =>
  [...document.querySelectorAll(".place." + kind)].map((area) => area.dataset.place).sort();
window.addEventListener("load", async () => {
  const said = {};
  try {
    await later(100);
    SCRIPT
  } catch (error) { said.error = String(error && error.stack || error); }
  const out = document.createElement("pre");
  out.id = "out";
  out.textContent = JSON.stringify({ ...said, asked });
  document.body.append(out);
});
}
</script>
"""


def shown(tmp_path: Path, session: Session, script: str) -> dict[str, Any]:
    """What the script finds out on the page of a session."""
    table = WebTable(session)
    fake = FAKE.replace("TABLE", json.dumps(table.do({"do": "look"}))).replace("SCRIPT", script)
    page = _template().replace("{nonce}", "n").replace("{about}", json.dumps(table.about()))
    file = tmp_path / "page.html"
    file.write_text(page.replace("</style>", "</style>" + fake, 1), encoding="utf-8")
    command = [str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}"]
    command += ["--window-size=1280,900", "--virtual-time-budget=6000", "--dump-dom", file.as_uri()]
    dom = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True).stdout
    found = re.search(r'<pre id="out">(.*?)</pre>', dom, re.DOTALL)
    assert found is not None, dom[-2000:]
    answer: dict[str, Any] = json.loads(
        found[1].replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")
    )
    assert "error" not in answer, answer["error"]
    return answer


def opening(dice: tuple[int, int]) -> Session:
    """Backgammon with player 0 to play these dice first."""
    game = load_game("backgammon")
    for action, _ in game.new_initial_state().chance_outcomes():
        session = Session("backgammon", "human", history=[action])
        if session.state.current_player() == 0 and sorted(dice_of(session.state)) == sorted(dice):
            return session
    raise AssertionError(dice)


@pytest.mark.skipif(BROWSER is None, reason="no chromium on this machine; CI installs one")
def test_checkers_go_where_mouse_finger_and_keys_put_them(tmp_path: Path) -> None:
    session = opening((2, 1))
    found = shown(
        tmp_path,
        session,
        """
    said.from = marked("from");
    fire("pointerdown", "13", "mouse"); said.to = marked("to"); fire("pointerup", "13", "mouse");
    said.held = marked("held");
    click("13"); said.back = marked("held");
    drag("13", "18", "mouse"); said.nowhere = asked.length;
    drag("13", "11", "mouse"); said.half = [asked.length, document.querySelector("#status").textContent];
    said.then = marked("from");
    document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    said.none = document.querySelectorAll(".made").length;
    drag("13", "11", "touch"); drag("6", "5", "touch"); await later(50);
    click("13"); click("11"); click("6"); click("5"); await later(50);
    press("13", "Enter"); press("11", " "); press("6", "Enter"); press("5", "Enter"); await later(50);
    drag("24", "21", "mouse"); said.which = document.querySelector("#error").textContent; await later(50);
    """,
    )
    names = [play.name for play in plays(session.game, session.state)]
    meant = str(1 + names.index("13/11 6/5"))
    (whole,) = [str(number) for number, name in enumerate(names, 1) if name in ("24/22/21", "24/23/21")]
    assert found["from"] == ["13", "24", "6", "8"]
    assert found["to"] == ["10", "11"]
    assert (found["held"], found["back"], found["nowhere"]) == (["13"], [], 1)
    assert found["half"] == [1, "13/11, and then?"]
    assert found["none"] == 0
    assert found["asked"] == [
        {"do": "look"},
        *[{"do": "move", "text": n, "at": 1} for n in [meant] * 3 + [whole]],
    ]
    assert found["which"] == ""


@pytest.mark.skipif(BROWSER is None, reason="no chromium on this machine; CI installs one")
def test_a_disc_falls_into_the_column_that_is_clicked(tmp_path: Path) -> None:
    found = shown(tmp_path, Session("connect_four", "human"), 'click("column 4"); await later(50);')
    assert found["asked"] == [{"do": "look"}, {"do": "move", "text": "4", "at": 0}]


@pytest.mark.parametrize("name", BY_HAND)
def test_every_move_on_a_board_is_steps_between_places_of_the_drawing(name: str) -> None:
    rng, game, moved = random.Random(5), load_game(name), 0
    state = game.new_initial_state()
    while not state.is_terminal() and moved < 40:
        if state.is_chance_node():
            state = state.child(rng.choice([outcome for outcome, _ in state.chance_outcomes()]))
            continue
        for viewer in (0, 1):
            board, places = board_of(state, viewer), places_of(state, viewer)
            assert board is not None
            for x, y, width, height in places.values():
                assert 0 <= x < x + width <= board.width
                assert 0 <= y < y + height <= board.height
            ways = {action: steps_of(state, action) for action in state.legal_actions()}
            for action, way in ways.items():
                assert way or "pass" in state.action_to_string(state.current_player(), action).lower()
                assert {place for step in way for place in step} - {""} <= set(places)
        # What a hand does means one position: two ways alike lead to one.
        met: dict[Any, Any] = {}
        for action, way in ways.items():
            if way:
                assert met.setdefault(tuple(sorted(way)), game.key(state.child(action))) == game.key(
                    state.child(action)
                )
        state = state.child(rng.choice(list(state.legal_actions())))
        moved += 1


@pytest.mark.skipif(BROWSER is None, reason="no chromium on this machine; CI installs one")
def test_arrow_keys_and_swipes_move_in_2048(tmp_path: Path) -> None:
    session = Session("2048", seed=3)
    while not session.persons_turn or len(session.plays()) < 4:
        session.event() if not session.persons_turn else session.move("1")
    found = shown(
        tmp_path,
        session,
        """
    const arrow = (key) => document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    const board = document.querySelector("#board");
    const swipe = (x, y) => {
      const touch = (clientX, clientY) => new Touch({ identifier: 1, target: board, clientX, clientY });
      const about = { bubbles: true, cancelable: true };
      const told = (kind, spot) => new TouchEvent(kind, { ...about, changedTouches: [spot] });
      board.dispatchEvent(told("touchstart", touch(200, 200)));
      board.dispatchEvent(told("touchend", touch(200 + x, 200 + y)));
    };
    for (const key of ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"]) { arrow(key); await later(50); }
    for (const [x, y] of [[5, -90], [5, 90], [-90, 5], [90, 5], [3, 3]]) { swipe(x, y); await later(50); }
    document.querySelector("#text").value = "1";
    arrow("ArrowUp"); await later(50);
    """,
    )
    numbers = {play.name.lower(): str(i) for i, play in enumerate(session.plays(), start=1)}
    wanted = [numbers[direction] for direction in ("up", "down", "left", "right")]
    assert [each["text"] for each in found["asked"][1:]] == wanted * 2
