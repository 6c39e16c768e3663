"""Evaluators through OpenSpiel's MCTS, in both directions."""

import math

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import mcts

from starspiel import (
    EvaluatorError,
    Limits,
    SpecError,
    StarspielError,
    UnsupportedGameError,
    as_mcts_evaluator,
    check_evaluator,
    load_game,
    make_bot,
    make_evaluator,
    search,
)
from starspiel.agents.evaluators.openspiel import OpenSpielEvaluator


class Decisions(mcts.Evaluator):
    """As AlphaZero's: it is lost at chance nodes."""

    def evaluate(self, state):
        assert not state.is_chance_node()
        value = float(np.sum(state.observation_tensor())) / 1000
        return np.array([value, -value])

    def prior(self, state):
        legal = state.legal_actions()
        return state.chance_outcomes() if state.is_chance_node() else [(a, 1 / len(legal)) for a in legal]


def first_decision(game):
    state = game.new_initial_state()
    while state.is_chance_node():
        state = state.child(state.chance_outcomes()[0][0])
    return state


@pytest.mark.parametrize(
    ("game", "evaluator"),
    [
        ("pig", "heuristic"),
        ("pig(players=3)", "heuristic"),
        ("maedn(players=4)", "rollout(n=2)"),
        ("backgammon", "net"),
        ("tic_tac_toe", "rollout(n=2)"),
        ("catch", "zero"),
        ("star_pig", "heuristic"),
    ],
)
@pytest.mark.parametrize("temperature", [None, 0.2])
def test_openspiels_mcts_plays_by_ours(game, evaluator, temperature):
    played = pyspiel.load_game(game)
    asked = as_mcts_evaluator(evaluator, played, temperature=temperature, seed=1)
    assert isinstance(asked, mcts.Evaluator)
    rng = np.random.RandomState(1)
    for select in (mcts.SearchNode.uct_value, mcts.SearchNode.puct_value):
        bot = mcts.MCTSBot(played, 1.4, 12, asked, random_state=rng, child_selection_fn=select)
        state = first_decision(played)
        assert bot.step(state) in state.legal_actions()
    values = asked.evaluate(state)
    assert values.shape == (played.num_players(),)
    assert played.num_players() == 1 or sum(values) == pytest.approx(0, abs=1e-12)
    prior = asked.prior(state)
    assert [action for action, _ in prior] == state.legal_actions()
    assert math.fsum(chance for _, chance in prior) == pytest.approx(1.0)


def test_values_are_every_players_and_ends_their_returns():
    game = load_game("pig(winscore=3)")
    heuristic = make_evaluator("heuristic", game)
    asked = as_mcts_evaluator("heuristic", game)
    state = game.new_initial_state()
    for action in (0, 2):
        state = state.child(action)
        assert asked.evaluate(state) == pytest.approx([heuristic(state), -heuristic(state)], abs=1e-6)
    assert (
        asked.prior(game.new_initial_state().child(0)) == game.new_initial_state().child(0).chance_outcomes()
    )
    assert list(asked.evaluate(state.child(1))) == [1.0, -1.0]


def test_the_prior_prefers_what_is_better_for_who_moves():
    def last_cell(state):
        return state.history()[-1] / 10

    asked = as_mcts_evaluator(last_cell, "tic_tac_toe", temperature=0.1)
    state = pyspiel.load_game("tic_tac_toe").new_initial_state()
    weights = [math.exp(cell) for cell in range(9)]
    assert [p for _, p in asked.prior(state)] == pytest.approx([w / sum(weights) for w in weights])
    state.apply_action(8)
    weights = [math.exp(-cell) for cell in range(8)]
    assert [p for _, p in asked.prior(state)] == pytest.approx([w / sum(weights) for w in weights])


def test_with_more_players_the_prior_goes_by_the_movers_own_component():
    def last_cell(state):
        return (0.0, state.history()[-1] / 10, 0.5)

    asked = as_mcts_evaluator(last_cell, "chinese_checkers(players=3)", temperature=0.1)
    state = pyspiel.load_game("chinese_checkers(players=3)").new_initial_state()
    assert len({p for _, p in asked.prior(state)}) == 1
    state.apply_action(state.legal_actions()[0])
    weights = np.array([math.exp(action - state.legal_actions()[0]) for action in state.legal_actions()])
    assert [p for _, p in asked.prior(state)] == pytest.approx(list(weights / weights.sum()))
    with pytest.raises(
        EvaluatorError, match=r"returned 0\.5; expected 3 finite numbers, one return a player"
    ):
        as_mcts_evaluator(lambda state: 0.5, "pig(players=3)").evaluate(state)


def test_what_is_no_temperature():
    for wrong in (0.0, -1, math.nan, "warm"):
        with pytest.raises(SpecError, match="temperature must be"):
            as_mcts_evaluator("zero", "pig", temperature=wrong)
    with pytest.raises(UnsupportedGameError, match="imperfect information"):
        as_mcts_evaluator("zero", "hearts")
    with pytest.raises(EvaluatorError, match="expected a finite number"):
        as_mcts_evaluator(lambda state: math.nan, "pig").evaluate(load_game("pig").new_initial_state())


@pytest.mark.parametrize(
    "game", ["pig(winscore=15)", "star_pig(goal=15)", "tic_tac_toe", "catch", "pig(players=3)"]
)
def test_theirs_value_the_leaves_of_our_searches(game):
    played = load_game(game)
    rollouts = mcts.RandomRolloutEvaluator(2, np.random.RandomState(1))
    for evaluator in (rollouts, OpenSpielEvaluator(played, rollouts)):
        result = search(first_decision(played), "star2", Limits(depth=2), evaluator)
        assert result.evaluator == "RandomRolloutEvaluator"
        assert result.best_action in first_decision(played).legal_actions()
        assert played.num_players == 1 or sum(result.returns) == pytest.approx(0, abs=1e-12)
    assert check_evaluator(rollouts, game, positions=100).ok


@pytest.mark.parametrize("game", ["pig(winscore=15)", "star_pig(goal=15)"])
def test_what_values_decisions_only_is_averaged_over_the_dice(game):
    played, theirs = load_game(game), Decisions()
    chance = played.new_initial_state().child(0)
    seen = pyspiel.load_game(game).new_initial_state()
    seen.apply_action(0)
    expected = sum(p * theirs.evaluate(seen.child(outcome))[0] for outcome, p in seen.chance_outcomes())
    assert OpenSpielEvaluator(played, theirs)(chance) == pytest.approx(expected)
    with pytest.raises(AssertionError):
        OpenSpielEvaluator(played, theirs, asks_at_chance=True)(chance)


def test_what_cannot_be_asked():
    game = load_game("pig")
    with pytest.raises(SpecError, match=r"from C\+\+ only"):
        search(game.new_initial_state(), evaluator=pyspiel.RandomRolloutEvaluator(1, 1))
    with pytest.raises(UnsupportedGameError, match="not a game of OpenSpiel"):
        OpenSpielEvaluator(load_game("FrozenLake-v1(horizon=20)"), Decisions())

    class Silent(Decisions):
        def evaluate(self, state):
            return None

    with pytest.raises(StarspielError, match="returned None; expected every player's value"):
        OpenSpielEvaluator(game, Silent())(game.new_initial_state())


def test_by_the_name_of_a_module(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = f"az_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(
        "import numpy as np\nfrom open_spiel.python.algorithms import mcts\n"
        "def rollouts(game): return mcts.RandomRolloutEvaluator(1, np.random.RandomState(1))\n"
    )
    made = make_evaluator(f"{name}:rollouts", "pig")
    assert made.name == f"{name}:rollouts"
    state = load_game("pig").new_initial_state()
    for spec in (
        f"star2(depth=1,evaluator={name}:rollouts)",
        f"uct(simulations=5,evaluator={name}:rollouts)",
    ):
        assert make_bot(spec, "pig", seed=1).step(state) in (0, 1)
