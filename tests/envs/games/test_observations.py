"""Observations put together from cached parts are what the rules' docstrings describe, entry for entry."""

from typing import Any

import numpy as np
import pytest

from starspiel.envs.base import CHANCE
from starspiel.envs.games import make_game


def knucklebones(rules: Any, position: Any, player: int) -> list[float]:
    faces = range(1, rules.sides + 1)
    seen = [
        column.count(face) / rules.rows
        for side in (player, 1 - player)
        for column in position.grids[side]
        for face in faces
    ]
    return [
        *seen,
        *(position.die == face for face in faces),
        position.mover == player,
        position.acting == CHANCE,
    ]


def royal_game_of_ur(rules: Any, position: Any, player: int) -> list[float]:
    seen: list[float] = []
    for side in (player, 1 - player):
        seen += [position.squares[side] >> square & 1 for square in range(1, rules.home)]
    for side in (player, 1 - player):
        home = position.home[side]
        hand = rules.pieces - position.squares[side].bit_count() - home
        seen += [home / rules.pieces, hand / rules.pieces]
    rolls = [position.roll == roll for roll, _ in rules.chances(position)]
    return [*seen, *rolls, position.mover == player, position.roll == -1]


def cant_stop(rules: Any, position: Any, player: int) -> list[float]:
    rows = position.heights[player], position.heights[1 - player], position.runners
    seen = [height / length for row in rows for height, length in zip(row, rules.lengths, strict=True)]
    allowed = [action in position.climbs for action in range(2, rules.num_distinct_actions)]
    return [*seen, *allowed, position.mover == player, position.acting == CHANCE]


def dice(rules: Any, position: Any, player: int) -> list[float]:
    size = rules.size
    cells = [(row, column) for row in range(size) for column in range(size)]
    if player == 1:
        cells = [(row, column) for column, row in cells]
    seen: list[float] = []
    for side in (player, 1 - player):
        seen += [position.stones[side] >> row * size + column & 1 for row, column in cells]
    named = position.acting in (0, 1)
    seen += [named and (row, column)[position.mover] == position.die for row, column in cells]
    return [*seen, position.mover == player, position.acting == CHANCE]


PLAIN = {
    "knucklebones": knucklebones,
    "royal_game_of_ur": royal_game_of_ur,
    "cant_stop": cant_stop,
    "dice": dice,
}


@pytest.mark.parametrize(
    "spec",
    [
        *PLAIN,
        *(
            "knucklebones(columns=2,rows=2,sides=3)",
            "royal_game_of_ur(dice=3,pieces=2)",
            "royal_game_of_ur(rules=masters)",
            "dice(line=3,size=3)",
        ),
        *("cant_stop(shortest=1,sides=2)", "dice(full=reroll)"),
    ],
)
def test_every_entry_of_random_games(spec: str, random_walk: Any) -> None:
    rules = make_game(spec)
    plain = PLAIN[spec.partition("(")[0]]
    for seed in range(4):
        for position, _ in random_walk(rules, seed):
            for player in (0, 1):
                seen = rules.observation(position, player)
                assert seen.dtype == np.float32
                assert seen.tolist() == np.array(plain(rules, position, player), np.float32).tolist()
                seen[:] = -1  # an array of its own, which spoils no cache
