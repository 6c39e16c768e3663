"""Draws the pictures of the games' pages: `python docs/games/pictures/make.py`."""

import random
from pathlib import Path

from starspiel.envs.base import CHANCE
from starspiel.envs.boards import board_pixels
from starspiel.envs.games import make_game
from starspiel.envs.raster import png
from starspiel.envs.rules import RulesState

#: A position worth looking at: the seed and the number of events of a random game.
POSITIONS = {
    "cant_stop": (1, 92),
    "dice": (1, 25),
    "knucklebones": (1, 21),
    "royal_game_of_ur": (1, 70),
    "star_2048": (1, 150),
    "star_pig": (1, 60),
}

for name, (seed, events) in POSITIONS.items():
    rules, rng = make_game(name), random.Random(seed)
    position = rules.initial()
    for _ in range(events):
        if rules.player(position) == CHANCE:
            outcomes, chances = zip(*rules.chances(position), strict=True)
            position = rules.apply(position, rng.choices(outcomes, chances)[0])
        else:
            position = rules.apply(position, rng.choice(list(rules.actions(position))))
    (Path(__file__).parent / f"{name}.png").write_bytes(png(board_pixels(RulesState(rules, position))))
