"""Every agent of the roster is a complete pyspiel.Bot, on every kind of game, and repeats from its seed."""

from time import process_time

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import evaluate_bots
from support.cases import AGENTS

from starspiel.agents.bots import MCTSBot
from starspiel.agents.roster import make_bot
from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.load import load_game

#: Those that play any game as they are; `optimal`, which needs a file, is in test_all_entries only.
SPECS = {
    name: spec
    for name, spec in AGENTS.items()
    if "FILE" not in spec and name not in ("gnubg", "pubeval")  # which play backgammon
}


def spec_of(name: str) -> str:
    return SPECS.get(name, name)


@pytest.mark.parametrize("name", sorted(SPECS))
def test_openspiels_own_match_loops_play_them(name):
    game = "pig(winscore=15)"
    played = pyspiel.load_game(game)
    # C++ plays the one, Python the other.
    bots = [make_bot(spec_of(name), game, player=player, seed=player) for player in (0, 1)]
    returns = pyspiel.evaluate_bots(played.new_initial_state(), bots, 4)
    assert sum(returns) == pytest.approx(0)
    returns = evaluate_bots.evaluate_bots(played.new_initial_state(), bots, np.random.RandomState(1))
    assert sum(returns) == pytest.approx(0)


def test_a_bot_moves_for_its_own_side_whichever_seat_it_has():
    """One roll from winning, the mover's best is the mover's win."""
    game = "pig(winscore=3)"
    for mover in (0, 1):
        state = pyspiel.load_game(game).new_initial_state()
        for action in [1] * mover + [0, 2]:
            state.apply_action(action)
        assert state.current_player() == mover
        for spec in ("greedy", "star1(depth=1)", "star2(depth=2)", "mcts(simulations=200)"):
            assert state.action_to_string(mover, make_bot(spec, game, mover, seed=1).step(state)) == "stop"


def test_random_ties_are_fair_and_first_ties_are_first():
    state = pyspiel.load_game("tic_tac_toe").new_initial_state()
    bot = make_bot("expectiminimax(depth=1,ties=random,evaluator=zero)", "tic_tac_toe", seed=1)
    policy, _ = bot.step_with_policy(state)
    assert [p for _, p in policy] == pytest.approx([1 / 9] * 9)
    played = [bot.step(state) for _ in range(450)]
    assert all(25 <= played.count(action) <= 80 for action in range(9))
    first = make_bot("expectiminimax(depth=1,ties=first,evaluator=zero)", "tic_tac_toe", seed=1)
    assert first.step_with_policy(state) == ([(a, float(a == 0)) for a in range(9)], 0)


def test_search_bots_tell_what_a_move_cost():
    state = pyspiel.load_game("pig").new_initial_state()
    bot = make_bot("star2(depth=3)", "pig")
    bot.step(state)
    assert bot.last_result.depth == 3
    assert bot.last_nodes == bot.last_result.nodes > 3
    mcts = make_bot("mcts(simulations=30)", "pig")
    mcts.step(state)
    assert mcts.last_nodes == 30


@pytest.mark.parametrize("name", ["einstein_wurfelt_nicht", "star_pig(goal=20)", "python_tic_tac_toe"])
def test_mcts_fits_its_simulations_into_the_time(name):
    """Of C++ and of Python, by processor time; what fits is the machine's, so much too much is an error."""
    state = load_game(name).new_initial_state()
    while state.is_chance_node():
        state = state.child(state.chance_outcomes()[0][0])
    counts = []
    for seconds in (0.02, 0.2):
        bot = make_bot(f"mcts(seconds={seconds})", name, seed=1)
        spent, fit = [], []
        for _ in range(3):  # The machine may be busy with others during some of them.
            began = process_time()
            assert bot.step(state) in state.legal_actions()
            spent.append(process_time() - began)
            fit.append(bot.last_nodes)
        assert min(spent) < 3 * seconds
        counts.append(max(fit))
    assert 1 <= counts[0] < counts[1]
    capped = make_bot("mcts(seconds=60.0,simulations=40)", name, seed=1)
    capped.step(state)
    assert capped.last_nodes in (40, 16 + 40)  # OpenSpiel's: a search of 16 simulations came first
    with pytest.raises(StarspielError, match="seconds must be a positive number"):
        make_bot("mcts(seconds=0.0)", name)


@pytest.mark.parametrize("limit", ["seconds=1e-9", "simulations=1", "seconds=1e-9,simulations=9"])
@pytest.mark.parametrize("name", ["chess", "pig(players=3)"])
def test_mcts_tries_a_move_within_the_smallest_limits(name, limit):
    """OpenSpiel's search, which tries none in its first simulation."""
    bot, state = make_bot(f"mcts({limit})", name, seed=1), load_game(name).new_initial_state()
    assert isinstance(bot, MCTSBot)
    for playing in (bot, bot.clone()):
        assert playing.step(state) in state.legal_actions()
        assert len(playing.analysis(state).action_values) == 1


def test_mcts_spends_no_time_where_there_is_nothing_to_find():
    state = pyspiel.load_game("tic_tac_toe").new_initial_state()
    for action in (0, 3, 1, 4, 8, 6, 5):  # two squares are left
        state.apply_action(action)
    bot = make_bot("mcts(seconds=60.0)", "tic_tac_toe", seed=1)
    assert bot.step(state) == 2
    assert bot.last_nodes < 1000


def test_mcts_refuses_what_would_crash_the_process():
    with pytest.raises(UnsupportedGameError, match="MCTS cannot play 2048: it pays rewards") as caught:
        MCTSBot(load_game("2048"))
    assert "Use uct" in str(caught.value)
    with pytest.raises(UnsupportedGameError, match="not one of OpenSpiel's written in C"):
        MCTSBot(load_game("python_tic_tac_toe"))
    game = pyspiel.load_game("pig(winscore=2)")
    state = game.new_initial_state()
    state.apply_action(0)
    bot = make_bot("mcts(simulations=10)", "pig(winscore=2)", seed=1)
    with pytest.raises(StarspielError, match="no player moves at a chance node"):
        bot.step(state)
    for action in (2, 1):
        state.apply_action(action)
    with pytest.raises(StarspielError, match="the game is over"):
        bot.step_with_policy(state)
