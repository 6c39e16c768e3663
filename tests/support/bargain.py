"""A game of two as rules whose returns sum to no constant."""

from typing import NamedTuple

import numpy as np

from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.rules import Rules


class Offer(NamedTuple):
    pot: int = 0
    offer: int = -1
    accepted: int = -1


class Bargain(Rules[Offer]):
    """A die says how much there is, player 0 offers 1 or 2 of it, and without a yes nobody has any."""

    name = "bargain"
    num_players = 2
    num_distinct_actions = 2
    utility_range = (0.0, 4.0)
    utility_sum = None
    max_chance_outcomes = 2

    def initial(self):
        return Offer()

    def player(self, position):
        if position.accepted >= 0:
            return TERMINAL
        return CHANCE if not position.pot else 0 if position.offer < 0 else 1

    def actions(self, position):
        return (0, 1)

    def chances(self, position):
        return ((3, 0.5), (5, 0.5))

    def apply(self, position, action):
        if not position.pot:
            return position._replace(pot=action)
        if position.offer < 0:
            return position._replace(offer=action + 1)
        return position._replace(accepted=action)

    def utility(self, position):
        if not position.accepted:
            return (0.0, 0.0)
        return (float(position.pot - position.offer), float(position.offer))

    def action_name(self, position, player, action):
        return f"{action} to share" if player == CHANCE else str(action)

    def draw(self, position):
        return str(tuple(position))

    def observation(self, position, player):
        return np.array([position.pot, position.offer, player], np.float32)
