"""Whatever a page says of a game, its record bears out."""

import re
from pathlib import Path

import pytest

from starspiel.envs.base import CHANCE
from starspiel.envs.load import load_game
from starspiel.envs.outlook import GRADES
from starspiel.evaluation import Store, tournament
from starspiel.evaluation.luck import game_luck, luck_evaluator
from starspiel.evaluation.review import Review, review
from starspiel.evaluation.review.error_rate import error_rate
from starspiel.evaluation.review.page import page
from starspiel.evaluation.review.verdict import counted, verdict

GAMES = {
    "pig(winscore=15)": "star2(depth=2)",
    "connect_four": "star2(depth=2)",
    "einstein_wurfelt_nicht": "star2(depth=2)",
}


@pytest.fixture(scope="module", params=GAMES)
def reviews(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Review]:
    path = tmp_path_factory.mktemp("games") / "games.db"
    agent = GAMES[request.param]
    tournament(request.param, [agent, "random"], pairs=1, seed=5, store=path)
    with Store(path, read_only=True) as store:
        return [review(game, reference=agent) for game in store.games()]


def numbers(text: str) -> list[float]:
    return [float(found.replace("−", "-")) for found in re.findall(r"[+−]?\d+\.\d+", text)]


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
        assert ("saw only later" in text) == bool(each.outlook.grade(each.seen_later))
        if "saw only later" in text:
            worth.append(50 * each.seen_later * (1 if winner == 0 else -1))
        assert numbers(text.partition("For player")[2]) == pytest.approx(worth, abs=0.051)
        if "by luck" in text:
            assert luck is not None
            assert luck >= 2 * 0.02
        if "by play" in text:
            assert each.lost(1 - winner) - each.lost(winner) >= 2 * 0.02
        if "more by" in text:
            play = each.lost(1 - winner) - each.lost(winner)
            assert (luck > play) == ("more by luck than" in text)


def test_who_loses_is_told_the_same_from_the_other_side(reviews: list[Review]) -> None:
    lost = 0
    for each in reviews:
        returns = each.game.record.returns
        if returns[0] == returns[1]:
            continue
        winner = int(returns[1] > returns[0])
        won, mine = verdict(each, winner), verdict(each, 1 - winner)
        assert won.startswith("You won. ")
        assert mine.startswith(f"You lost to player {winner}, {each.game.names[winner]}. ")
        own, other = (numbers(said.partition(". ")[2]) for said in (won, mine))
        if each.luck(0) is not None:
            assert other[0] == -own[0]
        play = [-50 * each.lost(1 - winner), 50 * each.lost(winner)]
        assert other[-2 - ("saw only" in mine) :][:2] == pytest.approx(play, abs=0.051)
        assert mine.partition(": ")[2] == won.partition(": ")[2].replace("won", "lost")
        lost += 1
    assert lost


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
        chart = page(each).partition('class="chart wide"')[2]
        assert all(f">{tick} %<" in chart for tick in (0, 50, 100))


def test_moves_are_counted_by_their_grades(reviews: list[Review]) -> None:
    for each in reviews:
        for player in (0, 1):
            said, told = counted(each, player), each.outlook
            losses = [event.loss or 0.0 for event in each.events if event.event.player == player]
            for word, plural in (("blunder", "blunders"), ("mistake", "mistakes")):
                count = int((re.findall(rf"(\d+) (?:{word}|{plural})\b", said) or ["0"])[0])
                assert count == sum(told.grade(loss) == word for loss in losses)
            assert numbers(said) == pytest.approx([-50 * sum(losses)], abs=0.051)
            assert said in page(each)


def test_no_throw_is_called_a_mistake_and_the_greatest_luck_is_the_greatest(reviews: list[Review]) -> None:
    for each in reviews:
        text = page(each)
        listed = re.findall(r'<li data-step="(\d+)"[^>]*>(.*?)</li>', text, re.DOTALL)[1:]
        swings = [abs(event.luck or 0.0) for event in each.events]
        for event, (step, line) in zip(each.events, listed, strict=True):
            assert int(step) == event.event.number + 1
            marks = re.findall(r"<em[^>]*>([^<]*)</em>", line)
            if event.event.player == CHANCE:
                assert set(marks) <= {"greatest luck"}
                assert "size" not in line
                assert ("greatest luck" in marks) == (event is each.luckiest)
            else:
                assert "luck" not in line
        if max(swings) > 1e-9:
            assert each.luckiest is each.events[swings.index(max(swings))]


def test_backgammons_error_rates_are_per_throw_with_a_choice_and_per_throw_of_both(tmp_path) -> None:
    start = [14, load_game("backgammon").new_initial_state().child(14).legal_actions()[0]]
    tournament("backgammon", ["greedy", "random"], pairs=1, store=tmp_path / "games.db", starts=[start])
    with Store(tmp_path / "games.db", read_only=True) as store:
        each = review(next(iter(store.games())), reference="star1(depth=1)")
    throws: list[list] = []
    for event in each.events[len(start) :]:
        if event.event.player == CHANCE:
            throws.append([])
        else:
            throws[-1].append(event)
    throws = [throw for throw in throws if throw]
    for player in (0, 1):
        rate, own = error_rate(each, player), [t for t in throws if t[0].event.player == player]
        lost = sum(event.loss or 0.0 for throw in own for event in throw)
        choices = sum(any(len(event.plays) > 1 for event in throw) for throw in own)
        assert rate is not None
        assert rate.a_decision == pytest.approx(1000 * lost / choices)
        assert rate.a_move == pytest.approx(1000 * lost / len(throws))
        assert f"error rate {rate.a_decision:.1f} mEMG" in page(each)
    assert any(len(throw) > 1 for throw in throws), "no double was thrown"
    by_name = {name: error_rate(each, seat) for seat, name in enumerate(each.game.names)}
    assert by_name["random"].a_decision > by_name["greedy"].a_decision


def test_other_games_have_no_error_rate(reviews: list[Review]) -> None:
    assert {error_rate(each, 0) for each in reviews} == {None}


def test_alone_luck_and_mistakes_lead_from_what_was_expected_to_the_score(tmp_path: Path) -> None:
    tournament("yacht(players=1)", ["random"], pairs=1, seed=3, store=tmp_path / "games.db")
    with Store(tmp_path / "games.db", read_only=True) as store:
        each = review(next(iter(store.games())), reference="star2(depth=1)")
    first = next(event.best for event in each.events if event.best is not None)
    points, luck, lost, expected = map(float, re.findall(r"[-−+]?[\d.]*\d", verdict(each).replace("−", "-")))
    assert expected == pytest.approx(each.outlook.points * first, abs=0.06), "the first throw is left out"
    assert points == pytest.approx(expected + luck + lost + each.outlook.points * each.seen_later, abs=0.2)


def test_of_several_players_it_is_told_whether_luck_was_with_them(tmp_path: Path) -> None:
    game, agents = "pig(players=3,winscore=15)", {"one": "star1(depth=1)", "two": "random", "three": "random"}
    tournament(game, agents, blocks=2, seed=3, store=tmp_path / "games.db")
    with Store(tmp_path / "games.db", read_only=True) as store:
        for each in (review(stored, load_game(game), reference="star1(depth=1)") for stored in store.games()):
            for seat, paid in enumerate(each.game.record.returns):
                luck, text = each.luck(seat), verdict(each, seat)
                lucky = "luck" if paid > 0 else "bad luck"
                assert (f"with {lucky}." in text) == (luck * paid > 0 and each.outlook.grade(luck) != "")


def test_luck_in_a_game_that_pays_on_the_way_is_beyond_the_mean_of_its_outcomes(tmp_path: Path) -> None:
    tournament("star_2048", ["random"], pairs=1, seed=3, store=tmp_path / "games.db")
    with Store(tmp_path / "games.db", read_only=True) as store:
        stored = next(iter(store.games()))
    each, rules = review(stored, reference="greedy"), load_game(stored.game)
    evaluator = luck_evaluator(rules, "auto", stored.seed)
    assert each.luck(0) == pytest.approx(game_luck(rules, stored.record.actions, evaluator))
    assert verdict(each).endswith(f"(luck by the evaluator {evaluator.name}).")


def test_values_that_only_rank_moves_are_told_as_no_points(tmp_path: Path) -> None:
    tournament("2048(max_tile=32)", ["greedy"], pairs=1, seed=3, store=tmp_path / "games.db")
    with Store(tmp_path / "games.db", read_only=True) as store:
        stored = next(iter(store.games()))
    ranked, text = (each := review(stored)), page(each)
    assert verdict(ranked) == f"The game ended with {stored.record.returns[0]:g} points."
    agreed, _, decisions, *_ = counted(ranked, 0).split()
    assert 0 < int(agreed) <= int(decisions) == sum(bool(event.values) for event in ranked.events)
    assert not [event for event in ranked.events if event.loss is not None or event.luck is not None]
    assert "rank moves and are not expected scores" in text
    assert not any(
        word in text for word in ("Biggest mistake", "that cost", "Greatest luck", "inaccuracy from")
    )
    by_games = review(stored, reference="uct(simulations=20)")
    assert any(event.loss is not None for event in by_games.events)
    assert (by_games.luck(0), by_games.luck_by) == (None, "")
    assert "luck" not in verdict(by_games)
    assert "Luck is not shown: the values of heuristic(2048) only rank positions." in by_games.notes
