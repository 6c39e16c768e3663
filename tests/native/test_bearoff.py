"""Backgammon's bear-off in the core: the values of the Python evaluator, by themselves and in searches."""

import numpy as np
import pytest
from support.positions import played_by_pips

from starspiel.agents.bearoff.men import sides
from starspiel.agents.bearoff.positions import COUNTS, rank
from starspiel.agents.bearoff.tables import (
    ALL_ON,
    MOST_ROLLS,
    TWO_SIDED_MEN,
    make_one_sided,
    make_two_sided,
    one_sided,
)
from starspiel.agents.evaluators import make_evaluator
from starspiel.agents.evaluators.bearoff import _turns
from starspiel.agents.evaluators.native_values import native_values
from starspiel.agents.reference.placed import placed
from starspiel.agents.search import Limits, search
from starspiel.envs.base import CHANCE, possible_outcomes
from starspiel.envs.gnubg.position import Position
from starspiel.envs.gnubg.xgid import xgid
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


def bearing_off(form, sides, player, dice):
    """(game that counts gammons, state) with the men on the points 1 to 6 of each side."""
    game = load_game(f"{GAME}(scoring_type={form})")
    both = tuple((*men, *[0] * 19) for men in sides)
    return game, placed(game, xgid(Position(sides=both, player=player, dice=dice)))


def exact(game, state, winner, held):
    """Player 0's value by OpenSpiel's rules, if the other side cannot win."""
    if state.is_terminal():
        return state.returns()[0]
    if sides(state, 1 - winner)[0][0]:
        return 1 - 2 * winner
    key = game.key(state)
    if key not in held:
        children = [(child, exact(game, state.child(child), winner, held)) for child in state.legal_actions()]
        if state.current_player() == CHANCE:
            chances = dict(possible_outcomes(state))
            held[key] = sum(chances[child] * value for child, value in children)
        else:
            held[key] = (max, min)[state.current_player()](value for _, value in children)
    return held[key]


@pytest.mark.parametrize(("winner", "form"), [(0, "enable_gammons"), (1, "full_scoring")])
@pytest.mark.parametrize(
    ("few", "many", "dice"),
    [
        ([0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 15], (1, 2)),
        ([0, 1, 0, 0, 1, 0], [0, 0, 0, 0, 9, 6], (5, 1)),
        ([2, 0, 0, 0, 1, 0], [0, 0, 0, 0, 1, 14], (4, 1)),
    ],
)
def test_last_gammons_are_what_openspiels_rules_say(core, few, many, dice, winner, form):
    for player in (0, 1):
        both = (few, many) if winner == 0 else (many, few)
        game, state = bearing_off(form, both, player, dice)
        ours = make_evaluator("bearoff(evaluator=zero)", game)
        value = exact(game, state, winner, {})
        assert ours(state) == pytest.approx(value, abs=1e-9)
        assert native_values(ours, game, state)(state) == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize(
    "both",
    [
        ([0, 0, 0, 0, 0, 3], [0, 0, 0, 0, 0, 15]),
        ([0, 0, 1, 2, 1, 1], [0, 0, 0, 0, 8, 7]),
        ([0, 0, 0, 0, 14, 1], [2, 2, 1, 0, 0, 1]),
        ([0, 0, 0, 0, 3, 12], [0, 0, 0, 1, 4, 10]),
    ],
)
def test_earlier_gammons_are_worth_what_a_search_finds(core, both, player):
    """Nearly: tables need few rolls on average, a search looks for the most points."""
    game, state = bearing_off("full_scoring", both, player, (2, 1))
    ours = make_evaluator("bearoff(evaluator=zero)", game)
    found = search(state, "star2", Limits(depth=2), ours)
    assert ours(state) == pytest.approx(found.value, abs=2e-3)


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
    for done in (1, ALL_ON):
        assert (core.bearoff_one_sided(done) == make_one_sided(done)).all()
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
