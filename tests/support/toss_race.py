"""A game with a coin that ends after four turns, so that OpenSpiel's recursions can walk all of it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.rules import Rules

SAFE, TOSS = 0, 1


class Race(NamedTuple):
    scores: tuple[int, int] = (0, 0)
    turn: int = 0
    tossing: bool = False


class TossRace(Rules[Race]):
    """Each turn scores a point, or two by heads and none by tails. Who has more after two turns each wins."""

    name = "toss_race"
    num_distinct_actions = 2
    max_game_length = 4
    max_chance_outcomes = 2

    def initial(self) -> Race:
        return Race()

    def player(self, position: Race) -> int:
        if position.tossing:
            return CHANCE
        return TERMINAL if position.turn == 4 else position.turn % 2

    def actions(self, position: Race) -> tuple[int, ...]:
        return SAFE, TOSS

    def chances(self, position: Race) -> tuple[tuple[int, float], ...]:
        return ((0, 0.5), (1, 0.5))

    def apply(self, position: Race, action: int) -> Race:
        if not position.tossing and action == TOSS:
            return position._replace(tossing=True)
        scores = list(position.scores)
        scores[position.turn % 2] += 2 * action if position.tossing else 1
        return Race((scores[0], scores[1]), position.turn + 1)

    def utility(self, position: Race) -> float:
        one, other = position.scores
        return float((one > other) - (one < other))

    def action_name(self, position: Race, player: int, action: int) -> str:
        return ("tails", "heads")[action] if player == CHANCE else ("safe", "toss")[action]

    def draw(self, position: Race) -> str:
        return (
            f"{position.scores[0]} : {position.scores[1]}, turn {position.turn}, tossing {position.tossing}"
        )

    def observation(self, position: Race, player: int) -> NDArray[np.float32]:
        return np.array([*position.scores, position.turn, position.tossing], np.float32)
