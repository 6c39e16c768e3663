"""Bots are pickled, copied and cloned in the middle of a game, and play on as they would have."""

import copy
import pickle
import random

import pyspiel
import pytest
from support.cases import AGENTS, REFUSED, UNSOLVED, case

from starspiel import as_bot, load_game, make_bot
from starspiel.agents.factories import make_uniform_random_bot

GAMES = ["pig(winscore=15)", "einstein_wurfelt_nicht", "catch", "star_pig(goal=15)"]
COPIES = {
    "clone": lambda bot: bot.clone(),
    "clone of a clone": lambda bot: bot.clone().clone(),
    "deepcopy": copy.deepcopy,
    "pickle": lambda bot: pickle.loads(pickle.dumps(bot)),
}


def decisions(game, count, seed):
    """Decision nodes of random games with a choice, in order."""
    draw, found = random.Random(seed), []
    while len(found) < count:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                actions = [outcome for outcome, chance in state.chance_outcomes() if chance > 0]
            else:
                actions = state.legal_actions()
                found += [state] * (len(actions) > 1)
            state = state.child(draw.choice(actions))
    return found[:count]


@pytest.mark.parametrize(
    ("name", "game"),
    [
        (name, game)
        for number, name in enumerate(sorted(AGENTS))
        for game in GAMES[number % 2 :: 2]
        if (name, game) not in REFUSED | UNSOLVED
    ],
)
def test_a_copy_plays_on_as_the_original(name, game):
    played = load_game(game)
    before, after = decisions(played, 3, seed=1), decisions(played, 5, seed=2)
    bot, undisturbed = (make_bot(case(name, game), played, seed=4) for _ in range(2))
    assert bot.is_clonable()
    for each in (bot, undisturbed):
        for state in before:
            each.step(state)
    copies = {how: copied(bot) for how, copied in COPIES.items()}
    moves = [undisturbed.step(state) for state in after]
    for how, duplicate in copies.items():
        assert type(duplicate) is type(bot)
        assert [duplicate.step(state) for state in after] == moves, how
    assert [bot.step(state) for state in after] == moves
    copies["clone"].restart()
    fresh = make_bot(case(name, game), played, seed=4)
    assert [copies["clone"].step(state) for state in before] == [fresh.step(state) for state in before]


def test_random_numbers_are_part_of_it():
    """So that the tests above would see a copy that had lost them."""
    game = load_game("einstein_wurfelt_nicht")
    states = decisions(game, 12, seed=3)
    bot = make_bot("random", game, seed=1)
    first = [bot.step(state) for state in states]
    assert [bot.clone().step(state) for state in states] != first
    assert [bot.step(state) for state in states] != first


def test_seeded_is_the_bot_of_another_seed():
    game = load_game("einstein_wurfelt_nicht")
    states = decisions(game, 8, seed=3)
    for spec in ("random", "star2(depth=1,ties=random,evaluator=rollout)", "mcts(simulations=9)"):
        bot = make_bot(spec, game, seed=1)
        other, made = bot.seeded(7), make_bot(spec, game, seed=7)
        if not spec.startswith("mcts"):  # whose seed is drawn from the one given
            assert [other.step(state) for state in states] == [made.step(state) for state in states]
        assert [bot.seeded(7).step(state) for state in states] == [
            bot.seeded(7).step(state) for state in states
        ]


def test_bots_of_policies_agents_and_evaluators_too():
    from open_spiel.python import policy
    from open_spiel.python.algorithms import mcts, random_agent

    game = pyspiel.load_game("tic_tac_toe")
    states = decisions(load_game(game), 6, seed=5)
    state = pyspiel.load_game("pig").new_initial_state()
    compiled = make_uniform_random_bot(0, 3)
    compiled.step(state)
    duplicate = compiled.clone()
    assert duplicate.is_clonable()
    assert [duplicate.step(state) for _ in range(20)] == [compiled.step(state) for _ in range(20)]
    for thing in (
        policy.UniformRandomPolicy(game),
        random_agent.RandomAgent(0, 9),
        mcts.RandomRolloutEvaluator(1),
    ):
        bot = as_bot(thing, game, seed=2)
        bot.step(states[0])
        duplicates = [copied(bot) for copied in COPIES.values()]
        moves = [bot.step(state) for state in states[1:]]
        for duplicate in duplicates:
            assert [duplicate.step(state) for state in states[1:]] == moves
