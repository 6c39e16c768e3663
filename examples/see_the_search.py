"""The search that docs/algorithms.md cuts by hand, drawn by each algorithm.

Run from this folder: python see_the_search.py FOLDER
"""

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from starspiel import search
from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.rules import Rules

REPLIES = ((1, 3, 2), (0, 6, 5), (7, 4, 9))
ALGORITHMS = ("expectiminimax", "star1", "star2")

Line = tuple[int, ...]


class TakeOrRoll(Rules[Line]):
    """Player 0 takes 4 or rolls; after a roll of A, B or C player 1 picks what player 0 gets."""

    name = "see_the_search:TakeOrRoll"
    num_distinct_actions = 3
    utility_range = (0.0, 10.0)
    max_chance_outcomes = 3

    def initial(self) -> Line:
        return ()

    def player(self, position: Line) -> int:
        if position == (0,) or len(position) == 3:
            return TERMINAL
        return (0, CHANCE, 1)[len(position)]

    def actions(self, position: Line) -> tuple[int, ...]:
        return (0, 1, 2) if position else (0, 1)

    def chances(self, position: Line) -> tuple[tuple[int, float], ...]:
        return tuple((outcome, 1 / 3) for outcome in range(3))

    def apply(self, position: Line, action: int) -> Line:
        return (*position, action)

    def utility(self, position: Line) -> float:
        return 4.0 if position == (0,) else float(REPLIES[position[1]][position[2]])

    def action_name(self, position: Line, player: int, action: int) -> str:
        if player == CHANCE:
            return "ABC"[action]
        return f"leave {REPLIES[position[1]][action]}" if position else ("take 4", "roll")[action]

    def draw(self, position: Line) -> str:
        if not position:
            return "4 to take, or a roll"
        if len(position) == 1:
            return "about to roll" if position[0] else "4 taken"
        left = "  ".join(map(str, REPLIES[position[1]]))
        return f"{'ABC'[position[1]]}: {left}"

    def observation(self, position: Line, player: int) -> NDArray[np.float32]:
        steps = [*(step + 1 for step in position), 0, 0, 0][:3]
        return np.array(steps, dtype=np.float32) / 3


def draw_all(folder: Path) -> None:
    """Writes a picture for each algorithm: what player 0's first move settled is used in the second."""
    folder.mkdir(parents=True, exist_ok=True)
    start = TakeOrRoll().new_initial_state()
    for algorithm in ALGORITHMS:
        result = search(start, algorithm, evaluator="zero", exact_action_values=False)
        result.tree().save(folder / f"{algorithm}.svg")
        print(f"{algorithm}: value {result.value:g}, {result.nodes} nodes")


if __name__ == "__main__":
    draw_all(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
