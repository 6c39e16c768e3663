"""Luck adjustment: unbiased whatever the evaluator, and most of the variance gone with an exact one."""

import os
import random
import re

import numpy as np
import pytest
from support.simple_bots import HoldAt, broken

from starspiel import solve
from starspiel.agents.evaluators.rollout import RolloutEvaluator
from starspiel.agents.solve.solution import Solution
from starspiel.envs.base import CHANCE
from starspiel.envs.errors import StarspielError
from starspiel.envs.load import load_game
from starspiel.evaluation.luck import game_luck, luck_evaluator
from starspiel.evaluation.report import write_report
from starspiel.evaluation.report.luck import luck_note
from starspiel.evaluation.statistics.adjusted import adjusted_mean
from starspiel.evaluation.statistics.means import with_margin
from starspiel.evaluation.store.store import Store
from starspiel.evaluation.tournament import tournament

GOAL = 20
PIG = f"pig(players=2,winscore={GOAL})"


@pytest.fixture(scope="module")
def exact(tmp_path_factory):
    """The file of the exact solution."""
    file = tmp_path_factory.mktemp("solved") / "pig.npz"
    solve(PIG).save(file)
    return file


@pytest.fixture(scope="module")
def match(exact):
    agents = {"optimal": f"optimal(solution={exact})", "hold at 10": lambda g, p, s: HoldAt(10)}
    return tournament(PIG, agents, pairs=60, seed=3, luck=f"solution(file={exact})")


def test_between_optimal_players_luck_is_all_there_is(exact):
    agents = dict.fromkeys(("one", "two"), f"optimal(solution={exact})")
    result = tournament(PIG, agents, pairs=5, luck=f"solution(file={exact})")
    ends = [game.returns[0] - game.luck for record in result.pairs for game in record.games]
    assert ends == pytest.approx([Solution.load(exact).value] * 10, abs=1e-6)


def test_the_exact_table_takes_most_of_the_luck_out(match):
    line = match.adjusted[0]
    assert line.pairs == 60
    assert line.variance_factor > 10
    assert abs(line.adjusted - line.raw) < 3 * line.raw_error
    assert 0 < line.adjusted < 0.5  # optimal play wins more than half, with certainty
    assert line.adjusted > 3 * line.adjusted_error


SMALL_2048 = "star_2048(columns=2,rows=2)"


@pytest.mark.parametrize(
    ("game", "agents", "luck", "advice"),
    [
        (
            SMALL_2048,
            ["star2(depth=1)"],
            "heuristic",
            r"ntuple\(file=…\) made by starspiel train, or solution",
        ),
        ("catch", ["random"], "zero", r"knows the game better: solution\(file=…\)"),
        (PIG, ["random", "star2(depth=1)"], "zero", r"net\(file=…\) made by starspiel train, or solution"),
    ],
)
def test_what_is_advised_can_be_made_for_the_game(game, agents, luck, advice):
    result = tournament(game, agents, pairs=5, luck=luck)
    assert re.search(advice, luck_note(result))


def test_luck_by_hand():
    """One roll of 4 in pig: luck is its value less the mean over the faces."""
    game = load_game("pig(players=2,winscore=20)")

    class Total:
        name = "total"
        range = (0.0, 10.0)

        def __call__(self, state):
            return float(str(state).partition("Turn total: ")[2].split()[0].strip(","))

    assert game_luck(game, [0, 3], Total()) == pytest.approx(4 - 20 / 6)
    assert game_luck(game, [0, 0], Total()) == pytest.approx(0 - 20 / 6)
    assert game_luck(game, [0, 3, 0, 1], Total()) == pytest.approx(4 - 20 / 6 + 6 - (5 * 4 + 20) / 6)
    assert game_luck(game, [0, 3, 0, 1], Total(), skip=2) == pytest.approx(6 - (5 * 4 + 20) / 6)


def test_raw_stands_beside_adjusted(match):
    assert "raw ± 95 %" in str(match)
    assert "adjusted ± 95 %" in str(match)
    assert "variance factor" in str(match)
    luck = match.to_dict()["luck"]
    assert luck["evaluator"].startswith("solution(file=")
    assert luck["meetings"][0]["agents"] == ["optimal", "hold at 10"]
    meeting = luck["meetings"][0]
    assert meeting["variance_factor"] > 10
    # 2.001: Student's t with 59 degrees of freedom; a little more for values that are skewed.
    assert 2.0 < meeting["adjusted_margin"] / meeting["adjusted_standard_error"] < 2.3
    assert f"± {meeting['adjusted_margin']:.3f}" in str(match)
    assert 1 < meeting["variance_factor_low"] < meeting["variance_factor"] < meeting["variance_factor_high"]
    shown = (meeting[f"variance_factor{part}"] for part in ("", "_low", "_high"))
    assert "{:.2f} ({:.2f} … {:.2f})".format(*shown) in str(match)
    assert luck["note"] == ""


@pytest.mark.parametrize("pairs", [2, 5, 40])
def test_margins_hold_the_truth_as_often_as_they_say(pairs):
    """Of 600 trials with normal data; few pairs may be skewed, and have wider margins."""
    rng = np.random.default_rng(pairs)
    raw_hits = adjusted_hits = 0
    for _ in range(600):
        line = adjusted_mean((0, 1), rng.normal((0.3, -0.2), (2.0, 0.1), size=(pairs, 2)))
        raw_hits += abs(line.raw - 0.3) < line.raw_margin
        adjusted_hits += abs(line.adjusted + 0.2) < line.adjusted_margin
    assert 0.93 < raw_hits / 600 < 0.995
    assert 0.93 < adjusted_hits / 600 < 0.995


@pytest.mark.parametrize("pairs", [3, 4, 5, 6, 10, 30, 200])
def test_the_interval_of_the_factor_holds_the_truth(pairs):
    """On normal data, of which raw and adjusted share a part."""
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(800):
        left, dice = rng.normal(0, 1, pairs), rng.normal(0, 3, pairs)
        low, high = adjusted_mean((0, 1), np.stack([left + dice, left], axis=1)).variance_factor_interval
        hits += low < 10 < high
    assert 0.89 < hits / 800 < 0.995


def test_two_pairs_give_the_factor_no_interval():
    assert np.isnan(adjusted_mean((0, 1), [(1.0, 0.5), (-1.0, 0.2)]).variance_factor_interval).all()


@pytest.mark.parametrize("returns", [[(1.0, 0.5)], [(1.0, 0.5)] * 7, []])
def test_no_margin_where_nothing_varies(returns):
    line = adjusted_mean((0, 1), returns)
    assert np.isnan([line.raw_error, line.adjusted_error, line.variance_factor]).all()
    assert np.isnan(line.variance_factor_interval).all()
    assert with_margin(line.raw, line.raw_margin) == ("+1.000 ± –" if returns else "–")
    assert with_margin(-0.25, 0.05) == "-0.250 ± 0.050"


def test_pairs_with_a_forfeit_are_counted_and_left_out(tmp_path):
    class Late(HoldAt):
        def step(self, state):
            if len(state.history()) > 24:
                raise ValueError("too late for me")
            return super().step(state)

    agents = {"late": lambda g, p, s: Late(3), "hold at 10": lambda g, p, s: HoldAt(10)}
    agents["broken"] = broken
    result = tournament(PIG, agents, pairs=15, luck="heuristic")
    spoilt = {(0, 1): 0, (0, 2): 0, (1, 2): 0}
    for record in result.pairs:
        spoilt[record.pair.agents] += bool(record.faults)
    assert 0 < spoilt[0, 1] < 15
    assert spoilt[0, 2] == spoilt[1, 2] == 15
    assert {line.agents: (line.pairs, line.left_out) for line in result.adjusted} == {
        agents: (15 - count, count) for agents, count in spoilt.items()
    }
    assert "Left out: pairs with a forfeit" in str(result)
    assert "nan" not in str(result)
    assert [line["left_out"] for line in result.to_dict()["luck"]["meetings"]] == list(spoilt.values())
    write_report(result, tmp_path / "report.html")
    page = re.sub("<td [^>]*>", "<td>", (tmp_path / "report.html").read_text())
    assert f"<td>{15 - spoilt[0, 1]}</td><td>{spoilt[0, 1]}</td>" in page
    assert "<td>0</td><td>15</td><td>–</td><td>–</td><td>–</td>" in page
    assert "nan" not in page


class Spoilt:
    """Values everything 0, and does something else when player 0 has 10 points or more."""

    name = "spoilt"
    range = (-1.0, 1.0)

    def __init__(self, trick):
        self.trick = trick

    def __call__(self, state):
        return self.trick() if int(str(state).replace(",", "").split()[1]) >= 10 else 0.0


@pytest.mark.parametrize(
    ("workers", "trick", "says"),
    [
        (1, lambda: 1 / 0, "raised ZeroDivisionError: division by zero"),
        (2, lambda: float("nan"), "returned nan"),
    ],
)
def test_an_evaluator_that_fails_is_named_and_finished_pairs_stay(tmp_path, workers, trick, says):
    game = "pig(players=2,winscore=20)"
    path = tmp_path / "l.db"

    def play(**more):
        return tournament(game, ["random", "greedy"], pairs=20, workers=workers, store=path, **more)

    started = []
    with pytest.raises(StarspielError, match=f"the evaluator spoilt {says}") as error:
        play(luck=Spoilt(lambda: trick() if workers > 1 or len(started) > 2 else 0.0), on_pair=started.append)
    if workers == 1:
        assert f"in {game} after the actions" in str(error.value)
        with Store(path, read_only=True) as store:
            assert len(list(store.games())) == 2 * len(started) == 6
    assert play().games == 40


def test_luck_that_ends_its_worker_is_not_held_against_an_agent():
    with pytest.raises(StarspielError, match=r"exit code 7 twice .* evaluator of luck"):
        tournament(
            "pig(players=2,winscore=20)",
            ["random", "greedy"],
            pairs=1,
            luck=Spoilt(lambda: os._exit(7)),
            workers=2,
        )


def test_luck_by_rollouts_is_the_same_for_any_workers_and_after_a_resume(tmp_path):
    agents, path = ["random", "greedy"], tmp_path / "games.db"

    def lines(**settings):
        result = tournament("pig(players=2,winscore=15)", agents, pairs=6, luck="rollout(n=2)", **settings)
        return [(line.adjusted, line.raw) for line in result.adjusted]

    tournament("pig(players=2,winscore=15)", agents, pairs=3, luck="rollout(n=2)", store=path)
    one = lines()
    assert lines(workers=2) == lines(store=path) == one
    tournament("pig(players=2,winscore=15)", agents, pairs=6, store=tmp_path / "late.db")
    assert lines(store=tmp_path / "late.db") == one


@pytest.mark.parametrize(
    ("game", "by"),
    [
        ("pig", "heuristic(pig)"),
        ("backgammon", "bearoff(evaluator=net)"),
        ("tic_tac_toe", "rollout(depth=100,n=10)"),
    ],
)
def test_auto_is_the_best_that_there_is(game, by):
    assert luck_evaluator(load_game(game), "auto", 1).name == by


class Noise:
    """Another number for every position, whatever it is worth."""

    name = "noise"
    range = (-1.0, 1.0)

    def __call__(self, state):
        return random.Random(str(state)).uniform(-1, 1)


def test_a_wrong_evaluator_is_unbiased_too():
    agents = {"a": lambda g, p, s: HoldAt(4), "b": lambda g, p, s: HoldAt(8)}
    result = tournament("pig(players=2,winscore=10)", agents, pairs=200, luck=Noise())
    lucks = np.array([game.luck for record in result.pairs for game in record.games])
    assert lucks.std() > 0.3
    assert abs(lucks.mean()) < 4 * lucks.std() / np.sqrt(len(lucks))


def test_an_evaluator_that_draws_random_numbers_is_unbiased_in_every_game():
    """Seeded by whole games, the noise would be a function of the outcomes: here there are only a few."""
    game, evaluator = load_game("dice(line=2,size=2)"), RolloutEvaluator(n=1, seed=1)

    def expected(state, actions):
        """The expected luck of a line, if the first action is taken at every decision."""
        if state.is_terminal():
            return game_luck(game, actions, evaluator)
        if state.current_player() != CHANCE:
            action = state.legal_actions()[0]
            return expected(state.child(action), [*actions, action])
        return sum(p * expected(state.child(o), [*actions, o]) for o, p in state.chance_outcomes())

    assert expected(game.new_initial_state(), []) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    ("evaluator", "says"), [(Noise(), "adds noise of its own"), ("zero", "little of the luck comes out")]
)
def test_a_poor_factor_is_called_out_with_what_to_do(tmp_path, evaluator, says):
    result = tournament(PIG, ["random", "star2(depth=1)"], pairs=20, luck=evaluator)
    (line,) = result.adjusted
    assert line.variance_factor < 1.1
    note = result.to_dict()["luck"]["note"]
    page = tmp_path / "page.html"
    write_report(result, page)
    for text in (" ".join(str(result).split()), page.read_text(encoding="utf-8"), note):
        assert says in text
        assert f"variance factor {line.variance_factor:.2f}, below 1.1" in text
        assert "starspiel train" in text


def test_a_game_without_dice_has_no_luck():
    result = tournament("tic_tac_toe", ["random", "star2(depth=1)"], pairs=5, luck="zero")
    assert "nothing was luck" in result.to_dict()["luck"]["note"]
