"""Values of games in which a player can wait for ever, against all ways to play."""

import itertools
import random

import numpy as np
import pytest

from starspiel.agents.solve import solve
from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.rules import Rules


class Walk(Rules):
    """A walk over numbered positions, from 0: `nodes` has (who acts, successors).

    The outcomes of a chance node have equal chances; an end has its return in place of successors.
    """

    name = "walk"
    num_distinct_actions = 3
    utility_range = None

    def __init__(self, nodes, num_players=2):
        self.nodes, self.num_players = nodes, num_players

    def initial(self):
        return 0

    def player(self, position):
        return self.nodes[position][0]

    def actions(self, position):
        return range(len(self.nodes[position][1]))

    def chances(self, position):
        count = len(self.nodes[position][1])
        return [(n, 1 / count) for n in range(count)]

    def apply(self, position, action):
        return self.nodes[position][1][action]

    def utility(self, position):
        return self.nodes[position][1]

    def action_name(self, position, player, action):
        return str(action)

    def draw(self, position):
        return str(position)

    def observation(self, position, player):
        return np.zeros(1, np.float32)


def collected(nodes, chosen):
    """The value of position 0 if every decision takes the chosen successor; play for ever pays nothing."""
    count = len(nodes)
    follows, pays = np.zeros((count, count)), np.zeros(count)
    for n, (player, after) in enumerate(nodes):
        if player == TERMINAL:
            pays[n] = after
        else:
            for target in after if player == CHANCE else (chosen[n],):
                follows[n, target] += 1 / len(after) if player == CHANCE else 1.0
    ends = np.array([player == TERMINAL for player, _ in nodes])
    while True:
        more = ends | (follows @ ends > 0)
        if (more == ends).all():
            break
        ends = more
    follows[~ends] = 0.0
    return np.linalg.solve(np.eye(count) - follows, pays)[0]


def value_of(nodes):
    """The best that player 0 can be sure of, over all ways to choose by position."""
    own, other = ([n for n, (player, _) in enumerate(nodes) if player == mover] for mover in (0, 1))

    def ways(places):
        return [
            dict(zip(places, found, strict=True))
            for found in itertools.product(*(nodes[n][1] for n in places))
        ]

    answers = ways(other)
    return max(min(collected(nodes, mine | theirs) for theirs in answers) for mine in ways(own))


def walk_of(seed, num_players):
    rng = random.Random(seed)
    count = rng.randrange(4, 8)
    nodes = [
        (player, [rng.randrange(count + 2) for _ in range(2)])
        for player in rng.choices([CHANCE, *range(num_players)], k=count)
    ]
    nodes[0] = (0, [0, 1])
    return [*nodes, (TERMINAL, -1.0), (TERMINAL, rng.choice([0.25, 1.0]))]


@pytest.mark.parametrize("num_players", [1, 2])
def test_values_are_those_of_the_best_of_all_ways_to_play(num_players):
    for seed in range(90, 98):
        nodes = walk_of(seed, num_players)
        assert solve(Walk(nodes, num_players)).value == pytest.approx(value_of(nodes), abs=1e-9), nodes


def test_waiting_collects_nothing():
    """In the first sweep going on promises 0.25, which the other player then takes away."""
    nodes = [(0, [0, 1]), (CHANCE, [2, 4]), (1, [0, 3]), (TERMINAL, -1.0), (TERMINAL, 0.5)]
    assert solve(Walk(nodes)).value == 0.0
