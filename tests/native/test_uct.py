"""UCT in the core: the Python engine's visits, means and proven values, bit for bit."""

import _thread
import math
import random
import threading
import time
from dataclasses import replace

import pytest
from support.native import some_decisions
from support.three import Walks

from starspiel.agents.bots import UCTBot
from starspiel.agents.bots.natural_log import natural_log
from starspiel.agents.evaluators.heuristic import has_heuristic
from starspiel.agents.evaluators.registry import make_evaluator
from starspiel.envs.errors import EvaluatorError, SpecError, StarspielError
from starspiel.envs.kits import KITS
from starspiel.envs.load import load_game

#: Every model of the core, and games that it plays over OpenSpiel's own states: of one, two and more players.
GAMES = (
    "2048",
    "2048(max_tile=16)",
    "backgammon",
    "banqi",
    "banqi(max_no_progress=6)",
    "cant_stop",
    "connect_four",
    "dice",
    "dice(full=reroll,line=2,size=2)",
    "einstein_wurfelt_nicht",
    "knucklebones",
    "maedn(players=2)",
    "maedn(players=4)",
    "pig(winscore=20,horizon=30)",
    "pig(players=3)",
    "royal_game_of_ur",
    "star_2048",
    "star_pig(goal=20)",
    "star_pig(goal=10,piglet=true)",
    "yacht(players=2,num_dice=2)",
    "yacht(players=3,num_dice=2)",
    # States.
    "breakthrough(rows=5,columns=5)",
    "catch",
    "chinese_checkers(players=3)",
    "cliff_walking",
    "go(board_size=5)",
    "hex(board_size=4)",
    "mancala",
    "othello",
    "tic_tac_toe",
    "yacht(players=1,num_dice=2)",
)
#: Long games, whose random play is cut off so that the Python engine is done soon.
CUT = {"rollout_moves": 25}


def both(game, state, seed=1, most_nodes=None, **parameters):
    """What both engines find of each action, and after how many simulations."""
    found = []
    for engine in ("python", "native"):
        bot = UCTBot(game, seed, engine=engine, **parameters)
        if most_nodes is not None:
            bot._settings = replace(bot._settings, most_nodes=most_nodes)
        tried = bot.search(state)
        bot.step(state)
        found.append((tried, bot.last_nodes, bot.last_engine))
    assert [engine for *_, engine in found] in (["python", "native"], [None, None])
    return found[0][:2], found[1][:2]


def test_every_model_of_rules_is_compared():
    assert {kit.name for kit in KITS if kit.numbers} <= {name.partition("(")[0] for name in GAMES}


@pytest.mark.parametrize("name", GAMES)
def test_visit_for_visit(core, name):
    game = load_game(name)
    for state in some_decisions(name, 3):
        for parameters in (
            {"simulations": 60},
            {"simulations": 20, "rollouts": 2, "rollout_moves": 3, "uct_c": 0.4},
            {"simulations": 30, "solve": False},
            {"simulations": 30, "most_nodes": 7},
        ):
            python, native = both(game, state, **CUT | parameters)
            assert native == python, (state, parameters)


@pytest.mark.parametrize("name", GAMES)
def test_visit_for_visit_by_an_evaluator(core, name):
    game = load_game(name)
    evaluators = {"zero": 40, "rollout(n=2)": 4} | ({"heuristic": 60} if has_heuristic(game) else {})
    for state in some_decisions(name, 2):
        for evaluator, simulations in evaluators.items():
            python, native = both(game, state, simulations=simulations, evaluator=evaluator)
            assert native == python, (state, evaluator)


@pytest.mark.parametrize(
    ("name", "evaluator"),
    [
        ("backgammon", "net"),
        ("backgammon", "bearoff"),
        ("star_2048", "ntuple"),
        ("einstein_wurfelt_nicht", "net"),
        ("yacht", "solo"),
    ],
)
def test_visit_for_visit_by_a_network_or_a_table(core, name, evaluator):
    game = load_game(name)
    for state in some_decisions(name, 2):
        python, native = both(game, state, simulations=60, evaluator=evaluator)
        assert native == python


@pytest.mark.parametrize("name", ["connect_four", "dice", "2048", "pig(players=3)", "tic_tac_toe"])
def test_visit_for_visit_by_a_function_of_states(core, name):
    game = load_game(name)

    def arbitrary(state):
        draw = random.Random(str(state))
        values = [draw.uniform(-1, 1) for _ in range(game.num_players)]
        return values if game.num_players > 2 else values[0]

    for state in some_decisions(name, 2):
        python, native = both(game, state, simulations=120, evaluator=arbitrary)
        assert native == python


def test_a_long_search_agrees(core):
    """Enough visits for logarithms beyond the core's list of them."""
    game = load_game("tic_tac_toe")
    state = game.new_initial_state()
    python, native = both(game, state, simulations=3000, solve=False, uct_c=0.7)
    assert native == python


def test_a_whole_game_is_the_same(core):
    """One bot's searches follow one another: each has a seed of its own."""
    game = load_game("star_pig(goal=30)")
    python, native = (UCTBot(game, 5, engine=e, simulations=30) for e in ("python", "native"))
    for state in some_decisions("star_pig(goal=30)", 12):
        assert native.step(state) == python.step(state)
        assert native.get_policy(state) == python.get_policy(state)


def test_logarithms_are_pythons_own(core):
    numbers = [*range(1, 300), 2**14 - 1, 2**14, 2**31 - 1, *(random.Random(1).sample(range(2**31), 300))]
    for number in numbers:
        assert natural_log(number) == pytest.approx(math.log(number), rel=1e-15, abs=1e-15)


def test_time_limits_hold(core):
    game = load_game("backgammon")
    state = next(each for each in some_decisions("backgammon", 9) if len(each.legal_actions()) > 5)
    for seconds in (0.02, 0.2):
        bot = UCTBot(game, 1, seconds=seconds, engine="native")
        spans = []
        for _ in range(5):
            began, used = time.perf_counter(), time.thread_time()
            assert bot.step(state) in state.legal_actions()
            assert time.perf_counter() - began > 0.9 * seconds
            spans.append(time.thread_time() - used)  # which others on the machine do not lengthen
        assert min(spans) < seconds + 0.02
    # One simulation is made in any case, and ends by itself.
    bot = UCTBot(game, 1, seconds=1e-9, rollouts=20)
    assert bot.step(state) in state.legal_actions()
    assert bot.last_nodes == 1


def test_another_thread_runs_and_may_end_a_search(core):
    """The core holds no GIL, and looks for signals."""
    game = load_game("backgammon")
    state = next(each for each in some_decisions("backgammon", 9) if len(each.legal_actions()) > 5)
    counted = 0

    def count_and_interrupt():
        nonlocal counted
        until = time.perf_counter() + 0.2
        while time.perf_counter() < until:
            counted += 1
        _thread.interrupt_main()

    bot = UCTBot(game, 1, seconds=30, engine="native")
    thread = threading.Thread(target=count_and_interrupt)
    thread.start()
    began = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        bot.step(state)
    thread.join()
    assert time.perf_counter() - began < 10
    assert counted > 1000


def test_a_search_ends_when_its_root_is_proven(core):
    game = load_game("tic_tac_toe")
    state = game.new_initial_state()
    for action in (0, 3, 1, 4):
        state = state.child(action)
    bot = UCTBot(game, 1, seconds=60, engine="native")
    assert bot.step(state) == 2
    assert bot.last_nodes < 1000


def test_what_the_core_does_not_play_is_declined(core):
    game = Walks()
    state = game.new_initial_state()
    bot = UCTBot(game, 1, simulations=5)
    bot.step(state)
    assert bot.last_engine == "python"
    with pytest.raises(StarspielError, match=r'no others and no samples\. Use engine="auto" or "python"'):
        UCTBot(game, 1, simulations=5, engine="native").step(state)
    with pytest.raises(SpecError, match=r"unknown engine 'nativ'\. Did you mean 'native'"):
        UCTBot(game, 1, engine="nativ")


def test_an_evaluators_errors_are_told(core):
    game = load_game("pig")
    state = some_decisions("pig", 1)[0]
    with pytest.raises(EvaluatorError, match="returned nan; expected a finite number"):
        UCTBot(game, 1, simulations=5, engine="native", evaluator=lambda state: math.nan).step(state)
    heuristic = make_evaluator("heuristic", game)

    def broken(state):
        raise KeyError("broken")

    with pytest.raises(KeyError, match="broken"):
        UCTBot(game, 1, simulations=5, engine="native", evaluator=broken).step(state)
    assert UCTBot(game, 1, simulations=5, engine="native", evaluator=heuristic).step(state) in (0, 1)
