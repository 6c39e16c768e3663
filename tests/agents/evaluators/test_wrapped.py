"""Games in OpenSpiel's wrappers are valued by what is known of the game inside."""

import pickle

import pytest

from starspiel import Limits, load_game, make_bot, search
from starspiel.agents.bots.auto import usual_search
from starspiel.agents.evaluators.auto import knows, shipped_checksum
from starspiel.envs.spec import parse_spec


@pytest.mark.parametrize(
    ("name", "inner", "history"),
    [
        ("start_at(game=pig(),history=0;3)", "pig", [0, 3]),
        ("start_at(game=backgammon(),history=14)", "backgammon", [14]),
        ("start_at(game=connect_four(),history=3)", "connect_four", [3]),
        ("zerosum(game=pig())", "pig", []),
        ("start_at(game=zerosum(game=pig()),history=0)", "pig", [0]),
    ],
)
def test_a_game_begun_elsewhere_is_searched_as_from_there(name, inner, history):
    state = load_game(inner).new_initial_state()
    for action in history:
        state.apply_action(action)
    wrapped = load_game(name)
    assert usual_search(wrapped) == usual_search(load_game(inner))
    begun = wrapped.new_initial_state()
    while begun.is_chance_node():
        outcome = begun.chance_outcomes()[0][0]
        begun.apply_action(outcome)
        state.apply_action(outcome)
    found, expected = (search(each, "star2", Limits(depth=2)) for each in (begun, state))
    assert found.value == pytest.approx(expected.value, abs=1e-12)
    assert (found.nodes, found.engine) == (expected.nodes, expected.engine), "the core knows the game inside"
    assert found.action_values == pytest.approx(dict(expected.action_values), abs=1e-12)


def test_a_modelled_opponent_is_asked_about_the_wrapped_game():
    game = load_game("start_at(game=pig(winscore=20),history=0;2)")
    state = game.new_initial_state()
    assert make_bot("star2(depth=2,opponent=greedy)", game).step(state) in state.legal_actions()


def test_copies_play_alike_and_stores_know_the_network():
    game = load_game("start_at(game=connect_four(),history=3)")
    state = game.new_initial_state()
    bot = make_bot("star2(depth=2)", game, seed=1)
    copies = bot.clone(), pickle.loads(pickle.dumps(bot))
    assert {each.step(state) for each in copies} == {bot.step(state)}
    shipped, expected = (
        shipped_checksum(parse_spec("auto"), load_game(name)) for name in (game.name, "connect_four")
    )
    assert shipped == expected
    assert shipped is not None


@pytest.mark.parametrize(
    "name", ["misere(game=pig())", "zerosum(game=matrix_pd())", "zerosum(game=yacht(players=1))"]
)
def test_of_other_games_nothing_is_known(name):
    assert not knows(load_game(name))


def test_a_bot_searches_the_game_inside_as_a_search_does():
    game = load_game("start_at(game=backgammon(),history=14)")
    state = game.new_initial_state()
    while state.is_chance_node():
        state = state.child(state.legal_actions()[0])
    bot = make_bot("star2(depth=2)", game, state.current_player())
    asked = search(state, "star2", Limits(depth=2), exact_action_values=False)
    assert bot.search(state).statistics.nodes == asked.statistics.nodes
