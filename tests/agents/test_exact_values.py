"""Published exact values of a game written here as a table of one's own."""

from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from starspiel.agents.solve import solve
from starspiel.envs.load import load_game

# 2048 on a board of two by two, its spawns part of the transitions.

Board = tuple[int, int, int, int]
_LINES = {0: ((0, 1), (2, 3)), 1: ((1, 0), (3, 2)), 2: ((0, 2), (1, 3)), 3: ((2, 0), (3, 1))}


def slid(board: Board, direction: int) -> tuple[Board, int]:
    """The board after a move, and what it scores."""
    cells, score = list(board), 0
    for near, far in _LINES[direction]:
        if cells[near] == cells[far] != 0:
            cells[near], cells[far] = 2 * cells[far], 0
            score += cells[near]
        elif cells[near] == 0:
            cells[near], cells[far] = cells[far], 0
    return (cells[0], cells[1], cells[2], cells[3]), score


def spawned(board: Board) -> Iterator[tuple[float, Board]]:
    empty = [i for i, tile in enumerate(board) if not tile]
    for i in empty:
        for tile, chance in ((2, 0.9), (4, 0.1)):
            yield chance / len(empty), (*board[:i], tile, *board[i + 1 :])  # type: ignore[misc]


class Small2048(gymnasium.Env[int, int]):
    """Pays the score of every merge; or 1 for the first tile of size `aim`, and that is the end."""

    def __init__(self, aim: int | None = None) -> None:
        self.action_space = spaces.Discrete(4)
        number: dict[Board, int] = {}
        begun = [(p * q, board) for p, one in spawned((0, 0, 0, 0)) for q, board in spawned(one)]
        ahead = list(dict.fromkeys(board for _, board in begun))
        number.update({board: i for i, board in enumerate(ahead)})
        self.P: dict[int, dict[int, Any]] = {}
        for board in ahead:  # grows on the way
            rows: dict[int, Any] = {}
            for direction in range(4):
                after, score = slid(board, direction)
                if after == board:
                    continue
                reached = aim is not None and aim in after
                paid = float(score if aim is None else reached)
                rows[direction] = []
                for chance, following in spawned(after):
                    over = reached or all(slid(following, d)[0] == following for d in range(4))
                    if not over and following not in number:
                        number[following] = len(number)
                        ahead.append(following)
                    rows[direction].append((chance, number.get(following, 10**6), paid, over))
            self.P[number[board]] = rows
        self.initial_state_distrib = np.zeros(len(number))
        for chance, board in begun:
            self.initial_state_distrib[number[board]] += chance


@pytest.mark.parametrize(
    ("aim", "value"), [(16, 0.962511253750), (32, 0.082887289072), (None, 66.964149457101)]
)
def test_2048_on_two_by_two(aim: int | None, value: float) -> None:
    solution = solve(load_game(Small2048(aim)))
    assert solution.value == pytest.approx(value, abs=1e-9)
    assert solution.residual < 1e-12
