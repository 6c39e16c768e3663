"""Values of games in which a player can wait for ever, against all ways to play."""

import itertools
import random

import numpy as np
import pytest

from starspiel.agents.bots.optimal import OptimalBot
from starspiel.agents.solve import solve
from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.errors import StarspielError
from starspiel.envs.load import load_game
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
    follows, pays = np.zeros((count, count)), np.zeros((count, np.size(nodes[-1][1])))
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
    return np.linalg.solve(np.eye(count) - follows, pays)[0].squeeze()


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


class Shares(Walk):
    """A walk at whose ends every player has a return of their own."""

    utility_sum = None


def shared_walk_of(seed, unit):
    rng = random.Random(seed)
    num_players, count = 2 + seed % 2, rng.randrange(4, 8)
    nodes = [
        (player, [rng.randrange(count + 3) for _ in range(2)])
        for player in rng.choices([CHANCE, *range(num_players)], k=count)
    ]
    nodes[0] = (0, [0, 1])
    ends = [
        (TERMINAL, [unit * rng.choice([-1.0, 0.0, 0.25, 0.5, 1.0]) for _ in range(num_players)])
        for _ in range(3)
    ]
    return Shares([*nodes, *ends], num_players)


@pytest.mark.parametrize("unit", [1.0, 1e-6, 1e6])
def test_optimal_play_gives_every_player_what_the_solution_says(unit):
    """Also where an action that comes back to the same position is as good as one that goes on."""
    went_on = 0
    for seed in (3, 5, 8, 12, 13, 14, 17, 18, 24, 27, 108):
        rules = shared_walk_of(seed, unit)
        game = load_game(rules)
        solution = solve(game)
        bot = OptimalBot(game, solution, player=None, seed=1, ties="soonest")
        states, waiting = {0: game.new_initial_state()}, [0]
        chosen = {}
        while waiting:
            at = waiting.pop()
            player, after = rules.nodes[at]
            if player == TERMINAL:
                continue
            for action, target in enumerate(after):
                if target not in states:
                    states[target] = states[at].child(action)
                    waiting.append(target)
            if player >= 0:
                chosen[at] = after[bot.step(states[at])]
        everywhere = {at: after[0] for at, (player, after) in enumerate(rules.nodes) if player >= 0} | chosen
        assert collected(rules.nodes, everywhere) == pytest.approx(solution.value, abs=1e-7 * unit), seed
        went_on += any(solution.value) and 0 in rules.nodes[0][1]
    assert went_on > 8


def test_large_returns_elsewhere_make_no_ties():
    nodes = [(0, [1, 2]), (0, [3, 4]), (0, [5, 5])]
    ends = [(TERMINAL, each) for each in ([0.5, 1.0], [0.5005, 0.0], [0.0, 1e6])]
    game = load_game(Shares([*nodes, *ends]))
    assert solve(game).value == (0.5005, 0.0)


def test_chance_events_without_end_are_told():
    """In positions between decisions the solution has no values."""
    rules = Shares([(0, [1, 3]), (CHANCE, [1, 2]), (TERMINAL, [0.5, 0.0]), (TERMINAL, [0.0, 1.0])])
    game = load_game(rules)
    solution = solve(game)
    assert solution.value == pytest.approx((0.5, 0.0))
    with pytest.raises(StarspielError, match="chance events follow each other without end"):
        solution(game, game.new_initial_state().child(0))
