"""The core's models of games written in Python play their rules: every successor in random games."""

import math

import pytest

from starspiel.agents.evaluators.roster import make_evaluator
from starspiel.agents.search import Limits, search
from starspiel.agents.search.models import MODELS, for_core
from starspiel.envs.errors import StarspielError
from starspiel.envs.games.pig import Pig, PigPosition
from starspiel.envs.load import load_game
from starspiel.envs.rules import RulesState

# Random games each; parameters that bring the rare rules about.
GAMES = {
    "star_2048": 2,
    "star_2048(columns=2,rows=2)": 30,
    "star_2048(rows=3)": 3,
    "star_2048(columns=2)": 6,
    "star_pig": 6,
    "star_pig(goal=12)": 20,
    "star_pig(goal=10,piglet=true)": 20,
    "star_pig(goal=40,piglet=true,sides=4)": 6,
    "star_pig(goal=10000,sides=1000)": 1,
    "star_pig(goal=1,sides=2)": 3,
}


def off(core):
    """The core's options of a full-width search without extras."""
    wide = (-math.inf, math.inf)
    return core.Options(
        prune=False, probes=0, bounds=wide, value_range=wide, merge=False, order=False, table_bytes=0
    )


def test_every_model_is_tested():
    assert {type(load_game(name)) for name in GAMES} == set(MODELS)


@pytest.mark.parametrize("name", GAMES)
def test_model_is_the_rules(core, walk, name):
    heuristic = make_evaluator("heuristic", load_game(name))
    engine, over = None, 0
    for seed in range(GAMES[name]):
        for state in walk(name, seed):
            _, player, value, following = core.describe(for_core(core, state))
            assert player == state.current_player(), state
            assert value == state.returns()[0], state
            over += state.is_terminal()
            if state.is_terminal():
                assert following == []
                continue
            expected = state.chance_outcomes() if player < 0 else [(a, 1.0) for a in state.legal_actions()]
            assert [(action, probability) for action, probability, _ in following] == list(expected), state
            for action, _, after in following:
                child = core.describe(for_core(core, state.child(action)))
                assert after == child[0], f"{action} from {state!r}"
            engine = engine or core.Engine(for_core(core, state), True, "heuristic", off(core))
            assert engine.evaluate(for_core(core, state)) == pytest.approx(heuristic(state), abs=1e-12), state
    assert over == GAMES[name]


@pytest.mark.parametrize(
    "position",
    [
        PigPosition((-1, 0), 0, 0, 0),
        PigPosition((0, 0), 1 << 40, 0, 0),
        PigPosition((0, 0), 0, 2, 0),
        PigPosition((0, 0, 0), 0, 0, 0),
    ],
)
def test_a_position_that_the_model_cannot_hold_is_left_to_python(core, position):
    state = RulesState(Pig(), position)
    with pytest.raises(ValueError, match=r"position of star_pig, number \d: expected"):
        for_core(core, state)
    with pytest.raises(StarspielError, match="position of star_pig"):
        search(state, limits=Limits(depth=1), engine="native")


def test_rules_that_inherit_have_no_model(core):
    class Double(Pig):
        def utility(self, position):
            return 0.5 * super().utility(position)

    state = Double().new_initial_state()
    assert search(state, limits=Limits(depth=1), evaluator="zero").engine == "python"
    with pytest.raises(StarspielError, match="no others"):
        search(state, limits=Limits(depth=1), evaluator="zero", engine="native")
    assert search(Pig().new_initial_state(), limits=Limits(depth=1), evaluator="zero").engine == "native"
