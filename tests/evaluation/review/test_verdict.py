"""Whatever a page says of a game, its record bears out."""

import re

import pytest

from starspiel.envs.base import CHANCE
from starspiel.envs.outlook import GRADES
from starspiel.evaluation import Store, tournament
from starspiel.evaluation.review import Review, review
from starspiel.evaluation.review.page import page
from starspiel.evaluation.review.verdict import verdict

GAMES = {
    "pig(winscore=15)": "star2(depth=2)",
    "connect_four": "star2(depth=2)",
    "einstein_wurfelt_nicht": "star2(depth=2)",
    "yacht(players=2)": "star2(depth=1)",
}


@pytest.fixture(scope="module", params=GAMES)
def reviews(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Review]:
    path = tmp_path_factory.mktemp("games") / "games.db"
    agent = GAMES[request.param]
    tournament(request.param, [agent, "random"], pairs=1, seed=5, store=path)
    with Store(path, read_only=True) as store:
        return [review(game, reference=agent) for game in store.games()]


def numbers(text: str) -> list[float]:
    return [float(found.replace("−", "-")) for found in re.findall(r"[+−]\d+(?:\.\d+)?", text)]


def test_the_winner_luck_and_mistakes_are_those_of_the_record(reviews: list[Review]) -> None:
    for each in reviews:
        text, returns = verdict(each), each.game.record.returns
        winner = 0 if returns[0] >= returns[1] else 1
        if returns[0] == returns[1]:
            assert text.startswith("A draw.")
        else:
            assert text.startswith(f"Player {winner}, {each.game.names[winner]}, won.")
        luck = each.luck(winner)
        worth = [50 * -each.lost(winner), 50 * each.lost(1 - winner)]
        worth = worth if luck is None else [50 * luck, *worth]
        assert numbers(text.partition("To player")[2]) == pytest.approx(worth, abs=0.051)
        if "by luck" in text:
            assert luck is not None
            assert luck >= 2 * 0.02
        if "by play" in text:
            assert each.lost(1 - winner) - each.lost(winner) >= 2 * 0.02


def test_no_move_is_called_a_mistake_that_did_not_cost_chances(reviews: list[Review]) -> None:
    words = [word for _, word in GRADES]
    for each in reviews:
        mistake, text = each.biggest_mistake, page(each)
        losses = [event.loss or 0.0 for event in each.events]
        assert (mistake is None) == (max(losses) / 2 < 0.02)
        assert ("Biggest mistake:" in text) == (mistake is not None)
        listed = re.findall(r"<em>([^<]*)</em>", text)
        assert sum(mark in words for mark in listed) == sum(loss / 2 >= 0.02 for loss in losses)
        if mistake is not None:
            assert mistake.event.player != CHANCE
            assert mistake.loss == max(losses)


def test_the_chart_has_the_whole_range_of_chances(reviews: list[Review]) -> None:
    for each in reviews:
        chart = page(each).partition('class="chart"')[2]
        assert all(f">{tick} %<" in chart for tick in (0, 50, 100))
