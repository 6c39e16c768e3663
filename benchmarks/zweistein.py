"""A table of races as the evaluator of einstein_wurfelt_nicht: an opponent that owes nothing to this project.

    starspiel tournament einstein_wurfelt_nicht --luck net --pairs 1000 \\
        --agents "star2(depth=3)" "star2(depth=3,evaluator=benchmarks.zweistein:Races)"

Zweistein, a program of this game, values a side by the state of its race: how far each of the six stones has
to go, 1 to 4, or that it is captured, which makes 5^6 = 15,625 states. The table here holds for each of them
the chances that the side needs so many turns, if nothing is in its way and nothing is captured. Run as a
script, it prints what a side needs at the start.
"""

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.evaluators import BatchEvaluator

STONES, SIDE = 6, 5
SQUARES = SIDE * SIDE
#: The distance of a captured stone, and the base by which distances are digits of a state's number.
CAPTURED, BASE = 5, 6
#: In so many turns all stones have come home.
MOST_TURNS = STONES * (SIDE - 1)


class Races(BatchEvaluator):
    """Values a position before a roll by the chance of the player about to roll to win the race."""

    def __init__(self, game: Any) -> None:
        self._turns = race_turns()
        # [state, k]: the chance to need k turns or more; a side without stones needs them for ever.
        self._or_more = 1 - np.cumsum(self._turns, axis=1) + self._turns
        ahead = [SIDE - 1 - min(divmod(square, SIDE)) for square in range(SQUARES)]
        # Who is about to roll walks to the last square, the other to the first.
        self._to_go = np.array([[*ahead, CAPTURED], [*reversed(ahead), CAPTURED]])
        super().__init__(self._own_values, game, name="races", range=(-1.0, 1.0))

    def _own_values(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        squares = rows.reshape(len(rows), 2, STONES, SQUARES + 1).argmax(axis=3)
        own, other = (self._to_go[side][squares[:, side]] @ BASE ** np.arange(STONES) for side in range(2))
        return np.asarray(2 * (self._turns[own] * self._or_more[other]).sum(axis=1) - 1)


def race_turns() -> NDArray[np.float64]:
    """[state, k]: the chance that a side gets home in k turns, each played for the fewest on average.

    The digits of a state are the distances of the stones, that of stone 1 the lowest. Of states that do not
    occur, and if all are captured, the chances are 0.
    """
    turns = np.zeros((BASE**STONES, MOST_TURNS + 1))
    means = np.full(BASE**STONES, np.inf)
    states = product(range(1, BASE), repeat=STONES)
    for state in sorted(states, key=lambda state: sum(each for each in state if each != CAPTURED)):
        number = sum(each * BASE**stone for stone, each in enumerate(state))
        left = [stone for stone in range(STONES) if state[stone] != CAPTURED]
        means[number] = 0 if left else np.inf
        for roll in range(STONES) if left else ():
            # The stone that was rolled, or the nearest one left below or above it.
            movable = {*[s for s in left if s <= roll][-1:], *[s for s in left if s >= roll][:1]}
            movable = {roll} if roll in left else movable
            if any(state[stone] == 1 for stone in movable):
                turns[number, 1] += 1 / STONES
                means[number] += 1 / STONES
                continue
            best = min((number - BASE**stone for stone in movable), key=means.__getitem__)
            turns[number, 1:] += turns[best, :-1] / STONES
            means[number] += (1 + means[best]) / STONES
    return turns


def main() -> None:
    start = sum(each * BASE**stone for stone, each in enumerate((4, 4, 4, 3, 3, 2)))
    print(f"{race_turns()[start] @ np.arange(MOST_TURNS + 1):.3f} turns on average")


if __name__ == "__main__":
    main()
