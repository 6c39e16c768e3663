"""Luck by a native evaluator is luck by the Python one."""

import pytest

from starspiel.agents import luck as module
from starspiel.agents.evaluators import make_evaluator
from starspiel.agents.evaluators.native_values import native_luck
from starspiel.envs.load import load_game
from starspiel.evaluation.entrant import Entrant
from starspiel.evaluation.luck import game_luck
from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.referee import Referee

GAMES = [
    "2048(max_tile=64)",
    "backgammon",
    "backgammon(scoring_type=full_scoring)",
    "banqi",
    "cant_stop(shortest=2,sides=4)",
    "dice",
    "einstein_wurfelt_nicht",
    "knucklebones",
    "maedn(players=2)",
    "pig(players=2)",
    "royal_game_of_ur",
    "star_pig(goal=30)",
    "yacht",
    "yacht(players=2)",
]


@pytest.mark.parametrize(("name", "spec"), [*((name, "heuristic") for name in GAMES), ("backgammon", "net")])
def test_luck_is_the_same_in_both_engines(name, spec, core, monkeypatch):
    game = load_game(name)
    evaluator = make_evaluator(spec, game)
    seats = tuple(range(game.num_players))
    referee = Referee.of(game, tuple(Entrant(f"random {seat}", "random") for seat in seats), seed=3)
    calls = []
    monkeypatch.setattr(module, "native_luck", lambda *rest: calls.append(native_luck(*rest)) or calls[-1])
    for number in range(2):
        actions = referee.referee(Pair(seats, number)).games[0].actions
        # Python takes seconds for a whole game if there are many replies to many rolls.
        counted = {"yacht": 2, "backgammon": 4}.get(game.name.partition("(")[0], len(actions))
        tolerance = 1e-5 if spec == "net" else 1e-12
        for skip in (len(actions) - counted, len(actions) - counted // 2, len(actions)):
            native = game_luck(game, actions, evaluator, skip)
            with monkeypatch.context() as patch:
                patch.setattr(module, "native_luck", lambda *rest: None)
                assert native == pytest.approx(game_luck(game, actions, evaluator, skip), abs=tolerance)
    answers = [call for call in calls if call is not None]
    assert 2 <= len(answers) <= 4, "in one call a game, unless no dice are counted"
