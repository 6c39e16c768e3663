"""Luck by the native heuristic is luck by the Python one."""

import pytest

from starspiel.agents.evaluators import make_evaluator
from starspiel.envs.load import load_game
from starspiel.evaluation.job import Entrant, Job
from starspiel.evaluation.play import luck as module
from starspiel.evaluation.play.luck import game_luck
from starspiel.evaluation.play.pairing import Pair

GAMES = [
    "2048(max_tile=64)",
    "backgammon",
    "backgammon(scoring_type=full_scoring)",
    "banqi",
    "einstein_wurfelt_nicht",
    "maedn(players=2)",
    "pig(players=2)",
    "yacht",
    "yacht(players=2)",
]


@pytest.mark.parametrize("name", GAMES)
def test_luck_is_the_same_in_both_engines(name, core, monkeypatch):
    game = load_game(name)
    heuristic = make_evaluator("heuristic", game)
    seats = tuple(range(game.num_players))
    job = Job(game, tuple(Entrant(f"random {seat}", "random") for seat in seats), seed=3)
    calls = []
    monkeypatch.setattr(core, "luck", lambda *rest, luck=core.luck: calls.append(luck(*rest)) or calls[-1])
    for number in range(3):
        actions = job.play(Pair(seats, number)).games[0].actions
        # Of yacht, whose rolls have 252 outcomes and more, Python's heuristic takes seconds for a whole game.
        counted = 20 if game.name.startswith("yacht") else len(actions)
        for skip in (len(actions) - counted, len(actions) - counted + 7, len(actions)):
            native = game_luck(game, actions, heuristic, skip)
            with monkeypatch.context() as patch:
                patch.setattr(module, "heuristic_core", lambda evaluator, state: None)
                assert native == pytest.approx(game_luck(game, actions, heuristic, skip), abs=1e-12)
    assert sum(call is not None for call in calls) == 6, "in one call a game, but where nothing is counted"
