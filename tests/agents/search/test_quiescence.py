"""Positions that are not quiet are searched on, to a bound, and every algorithm finds that value."""

import pytest
from support.trees import Guess, Node, TreeGame, bottom, chance, leaf, top

from starspiel.agents.roster import make_bot
from starspiel.agents.search import Limits, search
from starspiel.envs.errors import SpecError, StarspielError, UnsupportedGameError
from starspiel.envs.load import load_game

CLOSE = 1e-9


def test_the_tree_says_how_far_it_went_on():
    node = top(bottom(chance((0.5, top(leaf(1.0), guess=-0.2)), (0.5, leaf(-1.0)), guess=-0.3), guess=-0.1))
    state = TreeGame(node).new_initial_state()
    tree = search(state, "star1", Limits(depth=1), Guess(), quiescence=2).tree()
    deepest = tree.root.children[0].children[0].children[0]
    assert (tree.root.value, deepest.depth) == (0.0, -1)
    assert "1 ply beyond the depth, not being quiet" in tree.to_html()


def test_the_game_says_what_is_quiet_where_the_evaluator_does_not():
    """In banqi and the Royal Game of Ur not if a piece may be taken."""
    banqi = load_game("banqi")
    state = banqi.new_initial_state()
    captures = lambda state: [a for a in state.legal_actions() if "x" in state.action_to_string(a)]  # noqa: E731
    seen = set()
    for seed in range(400):
        if state.is_terminal():
            break
        moves = state.legal_actions()
        if not state.is_chance_node():
            assert banqi.quiet(state) == (not captures(state)), state
            seen.add(banqi.quiet(state))
        state = state.child(moves[seed * 7919 % len(moves)])
    assert seen == {True, False}
    ur = load_game("royal_game_of_ur(pieces=3)")
    state, seen = ur.new_initial_state(), set()
    for seed in range(300):
        if state.is_terminal():
            break
        rolls = (
            [state]
            if not state.is_chance_node()
            else [state.child(roll) for roll, _ in state.chance_outcomes()]
        )
        names = [
            rolled.action_to_string(rolled.current_player(), action)
            for rolled in rolls
            for action in rolled.legal_actions()
        ]
        assert ur.quiet(state) == (not any("takes" in name for name in names)), str(state)
        seen.add(ur.quiet(state))
        moves = state.legal_actions()
        state = state.child(moves[seed * 7919 % len(moves)])
    assert seen == {True, False}


def test_refused_where_nobody_says_what_is_quiet():
    game = load_game("pig")
    with pytest.raises(UnsupportedGameError, match="neither pig nor the evaluator zero says which"):
        search(game.new_initial_state(), "star2", Limits(depth=1), "zero", quiescence=1)
    with pytest.raises(UnsupportedGameError, match="quiescence=2 has no meaning"):
        make_bot("star2(quiescence=2)", game)
    with pytest.raises(StarspielError, match="quiescence must be a whole number"):
        make_bot("star2(quiescence=-1)", load_game("banqi"))
    assert issubclass(SpecError, StarspielError)


def test_sampled_searches_ask_the_state_inside():
    game = load_game("royal_game_of_ur(pieces=2)")
    state = game.new_initial_state().child(2).child(0).child(1)
    values = {
        (name, more): search(state, name, Limits(depth=2), seed=3, width=2, quiescence=more).value
        for name in ("expss", "star2ss")
        for more in (0, 2)
    }
    for more in (0, 2):
        assert values["star2ss", more] == pytest.approx(values["expss", more], abs=CLOSE)


def test_quiet_says_nothing_of_the_end():
    node = top(leaf(-1.0), Node(1, -0.5, (leaf(-0.25),)))
    assert search(TreeGame(node).new_initial_state(), "star2", Limits(depth=1), Guess(), quiescence=5).exact
