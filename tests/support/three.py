"""Games of three as rules: a race by steps or tosses, and one that pays on the way."""

from typing import NamedTuple

import numpy as np

from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.rules import Rules


class Place(NamedTuple):
    steps: tuple[int, ...] = (0, 0, 0)
    mover: int = 0
    acting: int = 0


class Race(Rules[Place]):
    """Walk two steps, or toss for one or four; who first gets to the goal takes the pot of 1."""

    name = "race_of_three"
    num_players = 3
    num_distinct_actions = 2
    utility_range = (0.0, 1.0)
    utility_sum = 1.0
    max_chance_outcomes = 5

    def __init__(self, goal: int = 8) -> None:
        self.goal = goal
        self.name = f"race_of_three(goal={goal})"

    def initial(self):
        return Place()

    def player(self, position):
        return position.acting

    def actions(self, position):
        return (0, 1)

    def chances(self, position):
        return ((1, 0.5), (4, 0.5))

    def apply(self, position, action):
        steps, mover, acting = position
        if acting != CHANCE and action == 1:
            return Place(steps, mover, CHANCE)
        walked = action if acting == CHANCE else 2
        steps = tuple(s + walked * (i == mover) for i, s in enumerate(steps))
        following = (mover + 1) % 3
        return Place(steps, following, TERMINAL if max(steps) >= self.goal else following)

    def utility(self, position):
        return [float(steps >= self.goal) for steps in position.steps]

    def action_name(self, position, player, action):
        return f"came {action}" if player == CHANCE else ("walk", "toss")[action]

    def draw(self, position):
        return "steps " + " ".join(map(str, position.steps))

    def observation(self, position, player):
        own = [position.steps[(player + i) % 3] / (self.goal + 3) for i in range(3)]
        return np.array([*own, position.mover == player, position.acting == CHANCE], np.float32)


class Walks(Race):
    """The same, but every step is paid to its walker, and nothing at the end besides."""

    name = "paid_walks"
    utility_range = None
    utility_sum = None
    step_rewards = True

    def __init__(self) -> None:
        super().__init__(3)
        self.name = "paid_walks"

    def collected(self, position):
        return tuple(map(float, position.steps))

    utility = collected
