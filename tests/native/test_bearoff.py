"""Backgammon's bear-off in the core: the values of the Python evaluator, by themselves and in searches."""

import numpy as np
import pytest
from support.positions import played_by_pips

from starspiel.agents.bearoff.positions import COUNTS, rank
from starspiel.agents.bearoff.tables import (
    MOST_ROLLS,
    TWO_SIDED_MEN,
    make_one_sided,
    make_two_sided,
    one_sided,
)
from starspiel.agents.evaluators import make_evaluator
from starspiel.agents.evaluators.bearoff import _turns
from starspiel.agents.evaluators.native_values import native_values
from starspiel.agents.search import Limits, search
from starspiel.envs.load import load_game

GAME = "backgammon"


@pytest.fixture(scope="module")
def line():
    """The states of a game played by pips that is open late, from the first to the last."""
    return played_by_pips(load_game(GAME), seed=12)


@pytest.fixture(scope="module")
def known(line):
    """Those of them that are in a table."""
    tables = make_evaluator("bearoff(evaluator=zero)", GAME)
    return [state for state in line if not state.is_terminal() and tables.known(state) is not None]


def in_another(game, state):
    """The same moves in a game with other parameters."""
    other = game.new_initial_state()
    for action in state.history():
        other = other.child(action)
    return other


@pytest.mark.parametrize(
    ("form", "inner"),
    [("", "net"), ("", "zero"), ("(scoring_type=full_scoring)", "heuristic"), ("turns", "heuristic")],
)
def test_the_core_values_every_position_as_python_does(core, line, known, form, inner):
    turns = _turns(known[len(known) // 2])
    given = f"(max_player_turns={turns + 2 * MOST_ROLLS})" if form == "turns" else form
    game = load_game(f"{GAME}{given}")
    ours = make_evaluator(f"bearoff(evaluator={inner})", game)
    states = [in_another(game, state) for state in [*line[line.index(known[0]) - 4 : -1], *line[1::40]]]
    native = native_values(ours, game, states[0])
    assert native is not None
    for state in states:
        assert native(state) == pytest.approx(ours(state), abs=1e-6 if inner == "net" else 1e-12), str(state)
    tabled = [ours.known(state) is not None for state in states]
    assert any(tabled)
    assert not all(tabled)
    if form == "turns":
        assert sum(tabled) < len(known)


def test_the_core_makes_the_same_tables_bit_for_bit(core):
    assert (core.bearoff_two_sided(3) == make_two_sided(3)).all()
    assert core.bearoff_two_sided(3).shape == (COUNTS[3], COUNTS[3])
    rolls = core.bearoff_one_sided()
    assert (rolls == one_sided()).all()  # what the cache holds is either's
    moved = rolls[rank(np.array([15, 0, 0, 0, 0, 0]))]
    assert moved @ np.arange(MOST_ROLLS) == pytest.approx(6.979591764, abs=1e-9)
    with pytest.raises(ValueError, match="1 to 15 men"):
        core.bearoff_two_sided(16)


@pytest.mark.slow
def test_the_core_makes_the_whole_tables_bit_for_bit(core):
    assert (core.bearoff_one_sided() == make_one_sided()).all()
    assert (core.bearoff_two_sided(TWO_SIDED_MEN) == make_two_sided()).all()


@pytest.mark.parametrize("inner", ["heuristic", "net"])
@pytest.mark.parametrize("algorithm", ["expectiminimax", "star2"])
def test_searches_of_both_engines_find_the_same(core, line, known, inner, algorithm):
    game = load_game(GAME)
    ours = make_evaluator(f"bearoff(evaluator={inner})", game)
    before = [state for state in line[: line.index(known[0])] if state.current_player() >= 0][-1]
    decisions = [state for state in known if state.current_player() >= 0]
    late = next(state for state in reversed(decisions) if abs(ours(state)) < 0.9)
    for state, depth in ((before, 1), (late, 2)):
        how = {"evaluator": ours, "explain": False}
        native = search(state, algorithm, Limits(depth=depth), engine="native", **how)
        python = search(state, algorithm, Limits(depth=depth), engine="python", **how)
        assert native.action_values == pytest.approx(python.action_values, abs=1e-6)
        assert not native.notes
        assert native.action_values != search(state, algorithm, Limits(depth=depth), inner).action_values
