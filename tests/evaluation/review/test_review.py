"""A review says what the agents think, what the dice gave, and which move lost most."""

import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from starspiel.agents.roster import make_bot
from starspiel.envs.base import CHANCE
from starspiel.envs.errors import StarspielError
from starspiel.envs.load import load_game
from starspiel.evaluation import Store, tournament
from starspiel.evaluation.luck import game_luck, luck_evaluator
from starspiel.evaluation.review import Review, review, write_review
from starspiel.evaluation.review.chart import value_chart
from starspiel.evaluation.review.page import number, page
from starspiel.evaluation.review.verdict import verdict
from starspiel.evaluation.store.rows import StoredGame

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), "")


def stored(tmp_path: Path, game: str, agents: list[str]) -> StoredGame:
    path = tmp_path / "games.db"
    tournament(game, agents, pairs=3, seed=3, store=path)
    with Store(path, read_only=True) as store:
        return max(store.games(), key=lambda game: game.record.length)


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Review:
    game = stored(tmp_path_factory.mktemp("pig"), "pig(winscore=20)", ["star2(depth=2)", "random"])
    return review(game, reference="star2(depth=3)")


def test_every_move_has_the_value_that_its_agent_gives_it(reviewed: Review) -> None:
    rules = load_game(reviewed.game.game)
    seat = reviewed.game.names.index("star2(depth=2)")
    bot = make_bot("star2(depth=2)", rules, seat)
    decisions = [event for event in reviewed.events if event.values]
    assert decisions
    for event in decisions:
        assert event.values[seat] == pytest.approx(bot.move_values(event.before))
        assert event.values[1 - seat] is None
    assert any("random" in note for note in reviewed.notes)
    assert any("a heuristic's estimates" in note for note in reviewed.notes)


def test_the_biggest_mistake_is_the_move_that_loses_most(reviewed: Review) -> None:
    losses = {}
    reference = make_bot("star2(depth=3)", load_game(reviewed.game.game), 0)
    for event in reviewed.events:
        if event.event.player == CHANCE or len(event.plays) < 2:
            assert event.loss is None
            continue
        values = reference.move_values(event.before)
        best = max(values.values()) if event.event.player == 0 else min(values.values())
        losses[event.event.number] = abs(best - values[event.event.action])
        assert event.loss == pytest.approx(losses[event.event.number], abs=1e-12)
    assert reviewed.biggest_mistake is not None
    assert losses[reviewed.biggest_mistake.event.number] == max(losses.values()) > 0


@pytest.mark.parametrize(
    "name", ["pig(winscore=20)", "backgammon", "einstein_wurfelt_nicht", "yacht(players=2)"]
)
def test_luck_and_mistakes_lead_from_the_first_decision_to_the_result(name: str, tmp_path: Path) -> None:
    seen = review(stored(tmp_path, name, ["star2(depth=1)", "random"]), reference="star2(depth=1)")
    assert all(event.luck is None for event in seen.events if event.event.player != CHANCE)
    first = next(event.event.number for event in seen.events if event.best is not None)
    luck = sum(event.luck or 0.0 for event in seen.events[first:])
    after = seen.events[first].best + luck - seen.lost(0) + seen.lost(1) + seen.seen_later
    assert after == pytest.approx(seen.game.record.returns[0], abs=1e-9)
    assert luck != 0.0


def test_moves_of_the_start_position_are_nobodys_mistakes_or_luck(tmp_path: Path) -> None:
    path = tmp_path / "begun.db"
    tournament("pig(winscore=20)", ["star2(depth=1)", "random"], pairs=1, store=path, starts=[[0, 2]])
    with Store(path, read_only=True) as store:
        seen = review(next(iter(store.games())), reference="star2(depth=1)")
    begun = len(seen.game.start)
    assert begun
    assert all(event.luck is event.loss is None for event in seen.events[:begun])
    first = seen.events[begun]
    assert first.best is not None
    luck = sum(event.luck or 0.0 for event in seen.events)
    after = first.best + luck - seen.lost(0) + seen.lost(1) + seen.seen_later
    assert after == pytest.approx(seen.game.record.returns[0], abs=1e-9)
    text = page(seen)
    step = json.loads(text.partition('id="steps">')[2].partition("</script>")[0])["steps"][1]
    assert step["notes"] == ["Part of the start position: nobody chose it."]
    assert step["title"].startswith("1. the start position: ")
    assert text.count("<em>start position</em>") == begun


def test_the_page_has_a_board_for_every_event_and_needs_nothing_else(
    reviewed: Review, tmp_path: Path
) -> None:
    path = tmp_path / "game.html"
    write_review(reviewed, path)
    text = path.read_text(encoding="utf-8")
    data = re.search(r'<script type="application/json" id="steps">(.*?)</script>', text, re.DOTALL)
    assert data is not None
    pieces, steps = json.loads(data[1]).values()
    assert len(steps) == len(reviewed.events) + 1
    boards = ["".join(pieces[piece] for piece in step["board"]) for step in steps]
    assert all(board.startswith("<svg") and board.endswith("</svg>") for board in boards)
    assert reviewed.biggest_mistake is not None
    assert f'data-step="{reviewed.biggest_mistake.event.number + 1}"' in text
    assert not re.search(r"""(?:src=|href=(?!"#")|url\(|@import)""", text)
    assert ". Luck is what a throw " in text
    assert text.count('<em class="luck">greatest luck</em>') == 1
    assert f"game {reviewed.game.id}</h1>" in text


@pytest.mark.slow
@pytest.mark.skipif(not BROWSER, reason="no chromium on this machine; CI installs one")
def test_at_a_decision_the_board_before_it_can_be_seen(reviewed: Review, tmp_path: Path) -> None:
    """A script that is added for the test alone presses the key."""
    path = tmp_path / "game.html"
    write_review(reviewed, path)
    assert reviewed.biggest_mistake is not None
    step = reviewed.biggest_mistake.event.number + 1
    pressed = (
        f"<script>show({step}); const board = $('#board'), after = board.innerHTML; show({step - 1});"
        f"const earlier = board.innerHTML; show({step}); const press = () => document.dispatchEvent("
        "new KeyboardEvent('keydown', {key: 'b'})); press(); const switched = board.innerHTML; press();"
        "document.body.append('switched ' + (after !== earlier && switched === earlier && "
        "board.innerHTML === after));</script>"
    )
    path.write_text(
        path.read_text(encoding="utf-8").replace("</body>", pressed + "</body>"), encoding="utf-8"
    )
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}"]
    command += ["--virtual-time-budget=3000", "--dump-dom", path.as_uri()]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    assert "switched true" in shown


def test_no_value_is_shown_as_less_than_nothing_by_a_rounding_error() -> None:
    assert [number(value) for value in (-0.0, -0.00001, -0.0001)] == ["+0.0000", "+0.0000", "−0.0001"]


def test_the_names_of_the_moments_are_drawn_over_their_lines(reviewed: Review) -> None:
    chart = value_chart(reviewed)
    names = [chart.index(f">{name}</text>") for name in ("mistake", "luck")]
    assert min(names) > max(place.start() for place in re.finditer("<(?:line|polyline|circle)", chart))


def test_moves_that_are_equally_good_are_all_shown_as_best(reviewed: Review, tmp_path: Path) -> None:
    event = next(event for event in reviewed.events if event.values)
    level = dict.fromkeys((play.action for play in event.plays), 0.3)
    values = tuple(level | {event.plays[0].action: 0.1 + 0.2} for _ in reviewed.judges)
    write_review(replace(reviewed, events=(replace(event, values=values),)), tmp_path / "game.html")
    text = (tmp_path / "game.html").read_text(encoding="utf-8")
    step = json.loads(text.partition('id="steps">')[2].partition("</script>")[0])["steps"][1]
    assert all(best for _, _, cells in step["rows"] for _, best, _ in cells)


def test_names_in_a_store_are_no_markup(reviewed: Review, tmp_path: Path) -> None:
    hostile = "</script><script>alert(1)</script>"
    game = replace(reviewed.game, names=(hostile, "random"))
    path = tmp_path / "game.html"
    write_review(replace(reviewed, game=game, judges=(hostile, "random", "reference")), path)
    text = path.read_text(encoding="utf-8")
    assert "<script>alert" not in text


@pytest.mark.parametrize("reference", ["uct(simulations=40)", "mcts(simulations=40)"])
def test_tree_searches_say_their_values_too(reviewed: Review, reference: str) -> None:
    found = review(reviewed.game, reference=reference)
    valued = [event.values[-1] for event in found.events if event.values]
    assert all(values and set(values) <= {0, 1} for values in valued)
    assert all(-1 <= value <= 1 for values in valued for value in values.values())


def test_games_whose_chances_are_drawn_are_reviewed_without_luck(tmp_path: Path) -> None:
    game = stored(tmp_path, "Blackjack-v1(hidden=seen)", ["random"])
    seen = review(game)
    assert all(event.luck is None for event in seen.events)
    assert any("luck" in note for note in seen.notes)
    write_review(seen, tmp_path / "game.html")


def test_what_cannot_be_reviewed_is_refused_in_words(reviewed: Review) -> None:
    with pytest.raises(StarspielError, match="values moves"):
        review(reviewed.game, reference="random")
    with pytest.raises(StarspielError, match="--trust"):
        review(replace(reviewed.game, names=("antigravity:Bot", "random")))
    with pytest.raises(StarspielError, match=r"rules must be a game.*reference="):
        review(reviewed.game, "star2(depth=1)")  # type: ignore[arg-type]
    with pytest.raises(StarspielError, match="takes a stored game"):
        review("pig")  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def of_three(tmp_path_factory: pytest.TempPathFactory) -> Review:
    agents = ["star1(depth=1)", "mcts(simulations=20)", "star1(depth=2)"]
    game = stored(tmp_path_factory.mktemp("three"), "pig(players=3,winscore=15)", agents)
    return review(game)


def test_of_three_players_every_move_is_valued_for_its_mover(of_three: Review) -> None:
    reference = make_bot("star1(depth=2)", load_game(of_three.game.game), 0)
    assert of_three.judges[-1] == "reference star1(depth=2)"
    decisions = [event for event in of_three.events if event.values]
    assert {event.event.player for event in decisions} == {0, 1, 2}
    for event in decisions:
        values = reference.move_values(event.before)
        assert event.values[-1] == pytest.approx(values)
        assert event.best == pytest.approx(max(values.values()))
        assert event.loss == pytest.approx(max(values.values()) - values[event.event.action])


def test_of_three_players_luck_is_that_of_whom_it_changed_most_for(of_three: Review) -> None:
    rules = load_game(of_three.game.game)
    evaluator = luck_evaluator(rules, "auto", of_three.game.seed)
    throws = [event for event in of_three.events if event.event.player == CHANCE]
    whole = [0.0] * 3
    for event in throws:
        history = of_three.game.record.actions[: event.event.number + 1]
        before = game_luck(rules, history[:-1], evaluator)
        each = [own - less for own, less in zip(game_luck(rules, history, evaluator), before, strict=True)]
        assert abs(event.luck) == pytest.approx(max(map(abs, each)), abs=1e-9)
        assert event.luck == pytest.approx(each[event.lucky], abs=1e-9)
        whole = [own + more for own, more in zip(whole, each, strict=True)]
    assert whole == pytest.approx(game_luck(rules, of_three.game.record.actions, evaluator))
    for player, own in enumerate(whole):
        assert of_three.luck(player) == pytest.approx(own)
        said, told = verdict(of_three, player), of_three.outlook
        assert f" Luck was worth {told.change(own)}, your own mistakes " in said
        assert f" (luck by the evaluator {evaluator.name}): " in said
    [winner] = [seat for seat, paid in enumerate(of_three.game.record.returns) if paid > 0]
    assert f"For player {winner}, luck was worth {told.change(whole[winner])}" in verdict(of_three)


def test_of_three_players_the_chart_has_a_line_each(of_three: Review, tmp_path: Path) -> None:
    assert value_chart(of_three).count("<polyline") == 3
    write_review(of_three, tmp_path / "game.html")
    text = (tmp_path / "game.html").read_text(encoding="utf-8")
    assert "Each line is a player's chance to win at its own moves" in text
    assert 'class="seat p2"' in text
    assert f"for player {of_three.luckiest.lucky}." in text


def test_gammons_are_told_after_each_move(tmp_path: Path) -> None:
    game = stored(tmp_path, "backgammon(scoring_type=full_scoring)", ["star2(depth=1)", "random"])
    looked = review(game, reference="star2(depth=1)")
    reference = make_bot("star2(depth=1)", load_game(game.game))
    told = [event for event in looked.events if event.chances]
    for event in told:
        chances = reference.chances_after(event.before, event.event.action)
        assert event.chances == chances
        assert sum(chances.values()) == pytest.approx(1)
        winning = sum(chance for value, chance in chances.items() if (value > 0) == (event.event.player == 0))
        assert f"win {100 * winning:.1f} %, gammon" in page(replace(looked, events=(event,)))
    assert {event.event.player for event in told} == {0, 1}
