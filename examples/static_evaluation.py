"""What a static evaluation says beside the truth, and why chance asks more of it than its order.

Run from this folder: python static_evaluation.py FOLDER
"""

import sys
from pathlib import Path

import numpy as np
from charts import Line, line_chart, save_chart
from numpy.typing import NDArray

from starspiel import Limits, search
from starspiel.agents.evaluators.registry import make_evaluator
from starspiel.agents.evaluators.solution import SolutionEvaluator
from starspiel.agents.solve import solve
from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.games.pig import PigPosition
from starspiel.envs.load import load_game
from starspiel.envs.rules import Rules, RulesState

#: The score that wins in the picture.
GOAL = 40


class TwoThrows(Rules[tuple[int, ...]]):
    """Player 0 takes one of two throws: 2 or seldom 3, or 1 or seldom 4. `stretched` gives these ends other
    values in the same order."""

    num_players = 1
    num_distinct_actions = 2
    max_chance_outcomes = 2
    _ENDS = ((2, 3), (1, 4))

    def __init__(self, stretched: bool = False) -> None:
        self.name = f"static_evaluation:TwoThrows(stretched={str(stretched).lower()})"
        self._values = (
            {1: 1.0, 2: 20.0, 3: 30.0, 4: 400.0} if stretched else {n: float(n) for n in range(1, 5)}
        )
        self.utility_range = (1.0, self._values[4])

    def initial(self) -> tuple[int, ...]:
        return ()

    def player(self, position: tuple[int, ...]) -> int:
        return (0, CHANCE, TERMINAL)[len(position)]

    def actions(self, position: tuple[int, ...]) -> tuple[int, ...]:
        return 0, 1

    def chances(self, position: tuple[int, ...]) -> tuple[tuple[int, float], ...]:
        return (0, 0.9), (1, 0.1)

    def apply(self, position: tuple[int, ...], action: int) -> tuple[int, ...]:
        return (*position, action)

    def utility(self, position: tuple[int, ...]) -> float:
        return self._values[self._ENDS[position[0]][position[1]]]

    def action_name(self, position: tuple[int, ...], player: int, action: int) -> str:
        return f"end {self._ENDS[position[0]][action]}" if position else ("safe", "bold")[action]

    def draw(self, position: tuple[int, ...]) -> str:
        return " ".join(map(str, position)) or "choose a throw"

    def observation(self, position: tuple[int, ...], player: int) -> NDArray[np.float32]:
        return np.array([len(position) / 2], np.float32)


def lines_of_pig(goal: int = GOAL) -> tuple[list[Line], float, float]:
    """The exact value and the heuristic's along player 0's score, and over all scores the mean difference
    and its correlation."""
    game = load_game(f"star_pig(goal={goal})")
    exact, guess = SolutionEvaluator(game, solve(game)), make_evaluator("heuristic", game, 1)

    def values(own: int, other: int) -> tuple[float, float]:
        state = RulesState(game, PigPosition((own, other), 0, 0, 0))  # type: ignore[arg-type]
        return exact(state), guess(state)

    scores = [0, *range(2, goal)]  # a 1 is no throw that scores
    lines = []
    for pair, other in enumerate((0, goal // 2, goal - 5)):
        both = [(own, *values(own, other)) for own in scores]
        lines.append(
            Line(f"exact, opponent at {other}", [(own, value) for own, value, _ in both], colour=pair)
        )
        guesses = [(own, value) for own, _, value in both]
        lines.append(Line(f"heuristic, opponent at {other}", guesses, dashed=True, colour=pair))
    table = np.array([values(own, other) for own in scores for other in scores])
    difference = float(np.abs(table[:, 0] - table[:, 1]).mean())
    return lines, difference, float(np.corrcoef(table.T)[0, 1])


def draw_all(folder: Path) -> None:
    """Prints the figures of docs/static_evaluation.md, and writes its pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    lines, difference, correlation = lines_of_pig()
    print(f"mean difference {difference:.4f}, correlation {correlation:.4f}")
    save_chart(
        line_chart(
            lines,
            title=f"What a turn's start is worth in pig to {GOAL}",
            across="own score",
            up="player 0's return",
        ),
        folder / "static_evaluation.svg",
    )
    for stretched in (False, True):
        start = TwoThrows(stretched).new_initial_state()
        result = search(start, "expectiminimax", Limits(depth=2), evaluator="zero")
        print(
            f"{'stretched' if stretched else 'as it is'}: {result.names[result.best_action]}",
            dict(result.action_values),
        )
        result.tree().save(folder / f"stretched_{'after' if stretched else 'before'}.svg")


if __name__ == "__main__":
    draw_all(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
