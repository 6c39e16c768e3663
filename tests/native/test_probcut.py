"""ChanceProbCut in the native engine: node for node that of the Python engine."""

import pytest
from support.native import COUNTS, OFF, some_decisions

from starspiel.agents.evaluators import FunctionEvaluator, make_evaluator
from starspiel.agents.evaluators.depth_fit import DepthFit
from starspiel.agents.search import Limits, search
from starspiel.envs.load import game_of

#: The plies searched.
GAMES = {
    "cant_stop(sides=3)": 4,
    "einstein_wurfelt_nicht": 4,
    "maedn(players=2)": 4,
    "pig(winscore=20)": 6,
    "royal_game_of_ur(dice=2,pieces=2)": 5,
}
FITS = DepthFit(0.98, 0.01, 0.02), DepthFit(1.0, -0.01, 0.01), DepthFit(1.0, 0.0, 0.01)


class Fitted(FunctionEvaluator):
    """The values of `auto`, with fits that cut often."""

    depth_fits = FITS

    def __init__(self, state):
        known = make_evaluator("auto", game_of(state))
        super().__init__(known, "fitted", known.range, by_position=True)


@pytest.mark.parametrize("game", GAMES)
def test_both_engines_cut_the_same_nodes(core, game):
    cuts = 0
    for state in some_decisions(game, 3):
        given = {"evaluator": Fitted(state), "probcut": 1.0, "explain": False}
        limits = Limits(depth=GAMES[game])
        python = search(state, "star2", limits, engine="python", table_mb=None, **given)
        native = search(state, "star2", limits, engine="native", **OFF, **given)
        assert native.action_values == pytest.approx(python.action_values, abs=1e-9)
        for count in (*COUNTS, "probcuts"):
            assert getattr(native.statistics, count) == getattr(python.statistics, count), count
        cuts += native.statistics.probcuts
    assert cuts > 0
