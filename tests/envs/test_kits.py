"""Kits of games: what they name is there, and one entry with a folder is all that a new game takes."""

from dataclasses import fields
from importlib import import_module

import pytest
from support.installation import copy_to, run_with

from starspiel.envs.kits import KITS
from starspiel.envs.load import load_game
from starspiel.envs.modules import path_of, resolve

RULES = '''
from typing import NamedTuple

import numpy as np

from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.rules import Rules


class RacePosition(NamedTuple):
    steps: tuple[int, int]
    mover: int
    acting: int


class Race(Rules[RacePosition]):
    """Walk one step, or roll a coin for two steps or none; the first to walk five wins."""

    name = "race"
    num_distinct_actions = 2
    max_chance_outcomes = 2

    def initial(self):
        return RacePosition((0, 0), 0, 0)

    def player(self, position):
        return position.acting

    def actions(self, position):
        return (0, 1)

    def chances(self, position):
        return ((0, 0.5), (2, 0.5))

    def apply(self, position, action):
        steps, mover, acting = position
        if acting != CHANCE and action == 1:
            return RacePosition(steps, mover, CHANCE)
        walked = action if acting == CHANCE else 1
        steps = (steps[0] + walked, steps[1]) if mover == 0 else (steps[0], steps[1] + walked)
        return RacePosition(steps, 1 - mover, TERMINAL if max(steps) >= 5 else 1 - mover)

    def utility(self, position):
        return 1.0 if position.steps[0] >= 5 else -1.0

    def action_name(self, position, player, action):
        return f"came {action}" if player == CHANCE else ("walk", "roll")[action]

    def draw(self, position):
        return f"{position.steps} {position.mover}"

    def observation(self, position, player):
        own, other = position.steps[player], position.steps[1 - player]
        return np.array([own / 6, other / 6, position.mover == player, position.acting == CHANCE], np.float32)
'''
HEURISTIC = """
from starspiel.envs.games.fitted import FittedHeuristic


class RaceHeuristic(FittedHeuristic):
    name = "heuristic(race)"
    weights = (0.5,)

    def features(self, position):
        return (float(position.steps[0] - position.steps[1]),)
"""
ENCODER = """
import numpy as np

from starspiel.envs.games.encoding import PositionEncoder


class RaceEncoder(PositionEncoder):
    name = "race"
    units = np.ones(2, dtype=np.float32)

    def __init__(self, game):
        pass

    def sees(self, state):
        return state.current_player() >= 0

    def inputs(self, position, turn):
        return [(0, position.steps[turn]), (1, position.steps[1 - turn])]
"""
KIT = """    GameKit(
        "race",
        rules=f"{_GAMES}.race.rules:Race",
        heuristic=f"{_GAMES}.race.heuristic:RaceHeuristic",
        encoder=f"{_GAMES}.race.encoder:RaceEncoder",
    ),
"""
USE = """
game = starspiel.load_game("race")
result = starspiel.search(game.new_initial_state(), limits=starspiel.Limits(depth=3))
assert result.evaluator == "heuristic(race)", result
command("check race --seconds 5")
command("train race --games 200 --hidden 4 --threads 1 --output race.npz")
trained = starspiel.search(game.new_initial_state(), evaluator="net(file=race.npz)")
assert set(trained.action_values) == {0, 1}
"""


@pytest.mark.parametrize("kit", KITS, ids=lambda kit: kit.name)
def test_all_that_a_kit_names_is_there(kit):
    game = load_game(kit.name)
    assert game.name.partition("(")[0] == kit.name
    for field in fields(kit):
        named = getattr(kit, field.name)
        if not named or field.name == "name":
            continue
        if field.name in ("network", "ntuples"):
            assert path_of(named).is_file()
        elif field.name == "numbers":
            position = game.new_initial_state().position
            told = import_module(named)
            assert all(
                isinstance(number, int) for number in (*told.parameters(game), *told.numbers(position))
            )
        elif field.name == "board":
            assert callable(import_module(named).drawing)
        else:
            assert callable(resolve(named))


def test_a_game_that_ships_takes_its_folder_and_one_entry(tmp_path):
    copy_to(tmp_path)
    folder = tmp_path / "starspiel" / "envs" / "games" / "race"
    folder.mkdir()
    for file, text in {"__init__": "", "rules": RULES, "heuristic": HEURISTIC, "encoder": ENCODER}.items():
        (folder / f"{file}.py").write_text(text)
    kits = tmp_path / "starspiel" / "envs" / "kits.py"
    before, begin, after = kits.read_text().partition("KITS: tuple[GameKit, ...] = (\n")
    kits.write_text(before + begin + KIT + after)
    run_with(tmp_path, USE, tmp_path)
