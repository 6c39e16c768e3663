"""Merging, ordering and tables change no value, even if an evaluator sees all that a state's text shows."""

import random
from zlib import crc32

import pyspiel
import pytest
from support.native import decisions

from starspiel.agents.evaluators.base import FunctionEvaluator
from starspiel.agents.search import Limits, search
from starspiel.envs.load import load_game

#: Games with a model: the plies searched, and how many games positions come from.
GAMES = {
    "backgammon": (2, 3),
    "banqi": (2, 2),
    "cant_stop(sides=2)": (3, 8),
    "connect_four(rows=4,columns=5,x_in_row=3)": (4, 8),
    "dice(full=reroll,line=3,size=3)": (3, 8),
    "einstein_wurfelt_nicht": (2, 8),
    "knucklebones(columns=2,rows=2,sides=3)": (3, 8),
    "maedn(players=2)": (2, 24),
    "maedn(players=2,twoPlayersOpposite=false)": (2, 24),
    "pig(winscore=15)": (4, 8),
    "royal_game_of_ur(dice=2,pieces=2)": (3, 8),
    "star_2048(rows=2,columns=2)": (3, 8),
    "2048(max_tile=64)": (2, 4),
    "star_pig(goal=12)": (3, 8),
    "yacht(players=2,num_dice=2)": (2, 6),
}
EXTRAS = [
    {"table_mb": 16, "merge": True, "order": True},
    {"table_mb": 16, "merge": None, "order": False},
    {"table_mb": None, "merge": True, "order": False},
    {"table_mb": 16, "merge": False, "order": True},
]


def hashed(state):
    told = [str(state), state.current_player(), state.returns()]
    if isinstance(state, pyspiel.State) and state.get_game().get_type().provides_observation_tensor:
        told.append(state.observation_tensor(0))
    return crc32(repr(told).encode()) / 2**31 - 1


SEES_ALL = FunctionEvaluator(hashed, "sees all", (-1.0, 1.0), by_position=True)


def checked(game, seed, algorithm, opponent):
    depth = GAMES[game][0]
    states = decisions(game, seed)
    state = random.Random(seed).choice(states)
    asked = {"opponent": opponent, "explain": False}
    limits = Limits(depth=depth)
    plain = search(state, "expectiminimax", limits, SEES_ALL, engine="python", table_mb=None, **asked)
    for extras in EXTRAS:
        result = search(state, algorithm, limits, SEES_ALL, engine="native", **extras, **asked)
        told = seed, algorithm, extras, asked
        assert result.action_values == pytest.approx(plain.action_values, abs=1e-9), told


def opponents(game):
    return ["optimal", "uniform"] if load_game(game).num_players == 2 else ["optimal"]


@pytest.mark.parametrize("game", GAMES)
def test_extras_change_no_value_of_an_evaluator_that_sees_all(core, game):
    models = opponents(game)
    for seed in range(GAMES[game][1]):
        algorithm = ("star2", "expectiminimax", "star1")[seed // len(models) % 3]
        checked(game, seed, algorithm, models[seed % len(models)])


def test_merging_goes_on_where_nobody_sees_the_die(core):
    """At the start of maedn five of six throws only let the player pass."""
    state = load_game("maedn(players=2)").new_initial_state().child(0)

    def merged(evaluator):
        result = search(state, "expectiminimax", Limits(depth=2), evaluator, merge=True)
        return result.statistics.merged_outcomes

    assert merged("heuristic") == merged(SEES_ALL) == 4
