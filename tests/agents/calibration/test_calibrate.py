"""Calibration of whole evaluators: verdicts, positions, the truth by games and by exact values."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

import starspiel
from starspiel.agents.calibration import calibrate
from starspiel.agents.calibration.calibrate import _verdict
from starspiel.agents.calibration.fit import fit
from starspiel.agents.calibration.positions import sampled_position
from starspiel.agents.evaluators.base import FunctionEvaluator
from starspiel.agents.roster import bot_maker
from starspiel.agents.solve import solve
from starspiel.envs.errors import SpecError
from starspiel.envs.load import load_game

PIG = "pig(winscore=12)"


@pytest.fixture(scope="module")
def truth(tmp_path_factory):
    """The spec of the exact values of a small pig."""
    file = solve(load_game(PIG)).save(tmp_path_factory.mktemp("solved") / "pig.npz")
    return f"solution(file={file})"


def of(exact, change):
    """The exact values, changed."""
    true = starspiel.make_evaluator(exact, PIG)
    return FunctionEvaluator(lambda state: change(true(state)), "changed", (-2.0, 2.0))


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        (lambda value: value, "linear"),
        (lambda value: 0.1 * value + 0.5, "linear"),
        (lambda value: value**3, "bent"),
        (lambda value: -value, "inverted"),
        (lambda value: 0.25, "constant"),
    ],
)
def test_the_verdict_on_what_is_made_of_exact_values(truth, change, verdict):
    found = calibrate(of(truth, change), PIG, positions=80, truth=truth)
    assert found.verdict == verdict, str(found)
    assert found.linear == (verdict == "linear")
    assert (found.games, found.truth) == (0, truth)
    if verdict == "linear":
        assert found.fit is not None
        assert found.fit.scatter.value < 1e-6
    assert (found.fit is None) == (verdict == "constant")


@pytest.mark.parametrize(
    ("slope", "few", "many"), [(0.0, "undecided", "unrelated"), (-1.0, "inverted", "inverted")]
)
def test_unrelated_is_said_once_there_are_positions_enough(slope, few, many):
    for count, verdict in ((20, few), (2000, many)):
        draw = np.random.default_rng(2)
        said = draw.normal(size=count)
        true = slope * said + draw.normal(size=count)
        assert _verdict(fit(said, true, np.zeros(count), 1), 0.1) == verdict


def test_where_nothing_is_seen_or_known_a_note_says_so(truth):
    blind = calibrate("zero", PIG, positions=20, truth=truth)
    assert "zero values every position at 0: it knows nothing of pig(winscore=12)" in blind.notes[0]
    assert "note: zero values every position at 0" in str(blind)
    unknown = calibrate("rollout(n=2)", "tic_tac_toe", positions=20, games=1)
    assert "nothing is known of tic_tac_toe, so the games were played at random" in unknown.notes[0]
    named = calibrate("rollout(n=2)", "tic_tac_toe", positions=20, games=1, agent="random")
    assert not any("nothing is known" in note for note in named.notes)
    same = calibrate("heuristic", PIG, positions=20, truth="zero")
    assert same.verdict == "undecided"
    assert "all 20 positions are worth 0, so there is nothing to compare with" in same.notes[0]


def test_games_give_the_truth_that_exact_values_do(truth):
    agent = f"optimal({truth.replace('file', 'solution', 1).partition('(')[2]}"
    by_games = calibrate(truth, PIG, positions=40, games=3, agent=agent)
    by_values = calibrate(truth, PIG, positions=40, agent=agent, truth=truth)
    assert by_games.values == by_values.values
    assert (by_games.agent, by_games.truth) == (agent, f"3 games of {agent} from each")
    assert by_games.fit is not None
    assert by_games.fit.slope.low < 1.0 < by_games.fit.slope.high
    assert by_games.mean == pytest.approx(by_values.mean, abs=0.15)


def test_one_seed_gives_one_answer_and_positions_are_of_all_kinds(truth):
    first, again = (calibrate("heuristic", PIG, positions=30, games=1, seed=5) for _ in range(2))
    assert (first.values, first.truths, first.fit) == (again.values, again.truths, again.fit)
    assert calibrate("heuristic", PIG, positions=30, truth=truth, seed=6).values != first.values
    assert "one game" in first.notes[0]
    game = load_game(PIG)
    players = bot_maker("random", game)
    found = [sampled_position(game, players, 1, number) for number in range(60)]
    assert not any(state.is_terminal() for state in found)
    assert {state.current_player() for state in found} == {-1, 0, 1}
    assert len({len(state.history()) for state in found}) > 10


def test_the_picture_has_a_point_for_every_position_and_a_dot_for_every_bin(truth):
    found = calibrate("heuristic", PIG, positions=40, truth=truth)
    picture = ET.fromstring(found.picture())
    circles = [each.get("class") for each in picture.iter("{http://www.w3.org/2000/svg}circle")]
    assert found.fit is not None
    assert circles.count("c5 point") == 40
    assert circles.count("c0 bin") == len(found.fit.bins)
    for word in ("heuristic", PIG, found.verdict, "slope", "bend", "tolerance"):
        assert word in str(found)
    assert "constant" in str(calibrate("zero", PIG, positions=20, truth=truth))
    assert calibrate("zero", PIG, positions=20, truth=truth).picture().startswith("<svg")


def test_games_whose_chances_are_drawn_are_calibrated_by_games():
    found = calibrate("zero", "Blackjack-v1(hidden=seen)", positions=20, games=2)
    assert (found.agent, found.verdict) == ("random", "constant")
    said = zip(found.notes, ("every position", "at random", "drawn"), strict=True)
    assert all(word in note for note, word in said)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"positions": 19}, "positions must be a whole number of at least 20, got 19"),
        ({"games": 0}, "games must be a whole number of at least 1, got 0"),
        ({"tolerance": 0.0}, "tolerance must be above 0"),
        ({"agent": "star3"}, "Did you mean"),
        ({"truth": "solutoin"}, "Did you mean 'solution'"),
    ],
)
def test_what_cannot_be_is_refused_in_words(given, problem):
    with pytest.raises(SpecError) as caught:
        calibrate("zero", PIG, **given)
    assert problem in str(caught.value)
