"""The core's models of games written in Python play their rules: positions and successors of random games."""

from importlib import import_module

import pytest
from support.native import decisions, spread, walk

from starspiel.agents.evaluators.registry import make_evaluator
from starspiel.agents.native_positions import for_core
from starspiel.agents.search import Limits, search
from starspiel.envs.errors import StarspielError
from starspiel.envs.games.pig import Pig, PigPosition
from starspiel.envs.kits import BY_NAME, KITS
from starspiel.envs.load import load_game
from starspiel.envs.rules import RulesState

# Random games each; parameters that bring the rare rules about.
GAMES = {
    "cant_stop": 1,
    "cant_stop(columns_to_win=1,sides=2)": 10,
    "cant_stop(shortest=1,sides=4)": 6,
    "dice": 6,
    "dice(full=reroll)": 6,
    "dice(full=reroll,line=2,size=2)": 10,
    "dice(line=6,size=6)": 4,
    "dice(line=5,size=8)": 2,
    "knucklebones": 6,
    "knucklebones(columns=1,rows=1,sides=1)": 2,
    "knucklebones(columns=4,rows=8,sides=3)": 1,
    "knucklebones(columns=6,rows=2,sides=9)": 3,
    "knucklebones(columns=2,rows=12,sides=8)": 1,
    "royal_game_of_ur": 4,
    "royal_game_of_ur(dice=1,pieces=2)": 6,
    "royal_game_of_ur(dice=8,pieces=3)": 6,
    "royal_game_of_ur(rules=masters)": 3,
    "royal_game_of_ur(dice=8,pieces=3,rules=masters)": 6,
    "royal_game_of_ur(rules=blitz)": 3,
    "royal_game_of_ur(dice=2,pieces=2,rules=aseb)": 4,
    "star_2048": 1,
    "star_2048(columns=2,rows=2)": 15,
    "star_2048(rows=3)": 3,
    "star_2048(columns=2)": 6,
    "star_pig": 6,
    "star_pig(goal=12)": 10,
    "star_pig(goal=10,piglet=true)": 20,
    "star_pig(goal=40,piglet=true,sides=4)": 6,
    "star_pig(goal=10000,sides=1000)": 1,
    "star_pig(goal=1,sides=2)": 3,
}


def test_every_model_is_tested():
    assert {name.partition("(")[0] for name in GAMES} == {kit.name for kit in KITS if kit.numbers}


@pytest.mark.parametrize("name", GAMES)
def test_model_is_the_rules(core, probe, name):
    heuristic = make_evaluator("heuristic", load_game(name))
    over = 0
    for seed in range(GAMES[name]):
        for number, state in enumerate(walk(name, seed)):
            said = probe.describe(for_core(core, state))
            player, value, following = said["player"], said["value"], said["next"]
            assert player == state.current_player(), state
            assert value == state.returns()[0], state
            over += state.is_terminal()
            if state.is_terminal():
                assert following == []
                continue
            expected = state.chance_outcomes() if player < 0 else [(a, 1.0) for a in state.legal_actions()]
            assert [(action, probability) for action, probability, _ in following] == list(expected), state
            for action, _, after in spread(following, number):
                child = for_core(core, state.child(action))
                assert after == probe.describe(child)["bytes"], f"{action} from {state!r}"
            assert said["heuristic"] == pytest.approx(heuristic(state), abs=1e-12), state
    assert over == GAMES[name]


@pytest.mark.parametrize(
    "name", ["dice(line=5,size=9)", "knucklebones(columns=7)", "knucklebones(rows=8,sides=9)"]
)
def test_boards_that_are_too_large_for_a_model_are_left_to_python(core, name):
    state = load_game(name).new_initial_state()
    state = state.child(state.chance_outcomes()[0][0])
    assert search(state, limits=Limits(depth=1)).engine == "python"
    with pytest.raises(StarspielError, match=f"no model for this form of {name.partition('(')[0]}"):
        search(state, limits=Limits(depth=1), engine="native")


@pytest.mark.parametrize("name", ["cant_stop", "dice", "knucklebones", "royal_game_of_ur", "star_pig"])
def test_states_of_another_form_are_no_positions(core, name):
    """Numbers that are no position of the rules reach no model."""
    told = import_module(BY_NAME[name].numbers)
    state = load_game(name).new_initial_state()
    parameters, numbers = list(told.parameters(state.rules)), list(told.numbers(state.position))
    core.RulesPosition(name, parameters, numbers, state)
    for wrong in (numbers[:-1], [*numbers, 0], [99999999999, *numbers[1:]], [-5, *numbers[1:]]):
        with pytest.raises(ValueError, match=f"position of {name}"):
            core.RulesPosition(name, parameters, wrong, state)
    with pytest.raises(ValueError, match="no model"):
        core.RulesPosition(name, parameters[:-1], numbers, state)


@pytest.mark.parametrize("name", ["cant_stop(sides=4)", "dice", "royal_game_of_ur", "star_pig(goal=20)"])
def test_an_evaluator_in_python_gets_pythons_states(core, name):
    seen = []

    def value(state):
        seen.append(state)
        return 0.0 if state.is_terminal() else float(len(state.legal_actions())) / 1000

    state = decisions(name, 3)[0]
    native, python = (
        search(state, "star2", Limits(depth=1), value, engine=engine, explain=False)
        for engine in ("native", "python")
    )
    assert native.action_values == pytest.approx(python.action_values, abs=1e-12)
    assert {type(state) for state in seen} == {RulesState}


@pytest.mark.parametrize(
    "position",
    [
        PigPosition((-1, 0), 0, 0, 0),
        PigPosition((0, 0), 1 << 40, 0, 0),
        PigPosition((0, 0), 0, 2, 0),
        PigPosition((0, 0), 1 << 70, 0, 0),
        PigPosition((0, 0, 0), 0, 0, 0),
    ],
)
def test_a_position_that_the_model_cannot_hold_is_left_to_python(core, position):
    state = RulesState(Pig(), position)
    with pytest.raises(ValueError, match=r"position of star_pig, number \d: expected|whole numbers"):
        for_core(core, state)
    with pytest.raises(StarspielError, match=r"position of (star_pig|whole numbers)"):
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
