"""2048 as people write it for Gymnasium: no mask, and a move that moves nothing may be made."""

from typing import Any

import gymnasium
import numpy as np


def _slid(row: list[int]) -> tuple[list[int], int]:
    """A row pushed to its beginning, and the points of what merged."""
    tiles, points = [tile for tile in row if tile], 0
    done: list[int] = []
    while tiles:
        tile = tiles.pop(0)
        if tiles and tiles[0] == tile:
            tile += tiles.pop(0)
            points += tile
        done.append(tile)
    return done + [0] * (len(row) - len(done)), points


class Sliding(gymnasium.Env[Any, int]):
    """Actions: up, right, down, left. A step pays the points of what merged."""

    action_space = gymnasium.spaces.Discrete(4)
    observation_space = gymnasium.spaces.Box(0, 2**17, (4, 4), np.int64)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.board = np.zeros((4, 4), np.int64)
        self._add()
        self._add()
        return self.board.copy(), {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        board, points = self._moved(action)
        if not np.array_equal(board, self.board):
            self.board = board
            self._add()
        over = all(np.array_equal(self._moved(other)[0], self.board) for other in range(4))
        return self.board.copy(), float(points), over, False, {}

    def _moved(self, action: int) -> tuple[Any, int]:
        turned = np.rot90(self.board, action + 1)
        rows = [_slid(row) for row in turned.tolist()]
        return np.rot90(np.array([row for row, _ in rows]), -action - 1), sum(points for _, points in rows)

    def _add(self) -> None:
        free = np.argwhere(self.board == 0)
        self.board[tuple(free[self.np_random.integers(len(free))])] = (
            2 if self.np_random.random() < 0.9 else 4
        )
