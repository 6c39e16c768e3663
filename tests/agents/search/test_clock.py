"""Time limits over whole games, and what keeps them.

Judged by processor time, of which a search that overlooks its deadline takes too much on the busiest machine.
benchmarks/clock.py measures the wall clock, on a quiet one.
"""

import random
import time

import pytest

from starspiel.agents.bots.search_bot import SearchBot
from starspiel.agents.search import Limits
from starspiel.envs.base import CHANCE
from starspiel.envs.games import GAMES
from starspiel.envs.load import load_game
from starspiel.envs.openspiel.game import qualifying_games

#: Seconds that a time limit may be overrun by.
PROMISED = 0.005
#: Games with dice; those without show the same with a third of the limit.
DICE = [
    "2048(max_tile=64)",
    "backgammon",
    "banqi",
    "catch",
    "einstein_wurfelt_nicht",
    "maedn",
    "pig",
    "yacht",
]
#: A whole game of 2048 has thousands of moves.
SHIPPED = [f"{name}(columns=2,rows=2)" if name == "star_2048" else name for name in GAMES]
OTHERS = sorted(set(qualifying_games()) - {"2048", *DICE})[::5]
#: What makes one attempt late by chance is the machine (its caches); what makes so many late is the search.
ATTEMPTS = 10


@pytest.mark.slow
@pytest.mark.parametrize("name", [*SHIPPED, *DICE, *OTHERS])
def test_no_move_of_a_whole_game_is_late(name):
    game = load_game(name)
    seconds = 0.005 if name in OTHERS else 0.015
    bot = SearchBot(game, "star2", Limits(seconds=seconds))
    rng = random.Random(1)
    state = game.new_initial_state()
    while not state.is_terminal():
        player = state.current_player()
        if player == CHANCE:
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            action = rng.choices(outcomes, chances)[0]
        elif player == 0:
            late = []
            while len(late) < ATTEMPTS and (not late or late[-1] > PROMISED):
                before = time.thread_time()
                action = bot.step(state)
                late.append(time.thread_time() - before - seconds)
            assert min(late) <= PROMISED, f"late by {late} at\n{state}"
        else:
            action = rng.choice(state.legal_actions())
        state = state.child(action)
