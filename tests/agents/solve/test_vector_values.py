"""Solved games of more than two players: max^n by the definition, and by value iteration of another kind."""

from itertools import product

import pyspiel
import pytest
from support.trees import TreeGame, leaf

from starspiel import UnsupportedGameError, load_game, solve
from starspiel.agents.solve.solution import Solution
from starspiel.agents.solve.vector_solution import VectorSolution


def maxn(state):
    """Every player's return if each maximises their own, the first of equally good actions for all."""
    if state.is_terminal():
        return state.returns()
    if state.is_chance_node():
        means = [0.0] * state.num_players()
        for outcome, p in state.chance_outcomes():
            means = [mean + p * each for mean, each in zip(means, maxn(state.child(outcome)), strict=True)]
        return means
    player, best = state.current_player(), None
    for action in state.legal_actions():
        found = maxn(state.child(action))
        if best is None or found[player] > best[player] + 1e-9:
            best = found
    return best


@pytest.mark.parametrize("players", [3, 4])
def test_a_game_without_cycles_has_the_values_of_the_definition(players, tmp_path):
    game = load_game(f"pig(players={players},winscore=4,horizon={players + 2})")
    solution = Solution.load(solve(game).save(tmp_path / "pig.npz"))
    assert isinstance(solution, VectorSolution)
    assert solution.value == pytest.approx(maxn(game.new_initial_state()), abs=1e-12)
    state = game.new_initial_state().child(0).child(2)
    assert solution(game, state) == pytest.approx(maxn(state), abs=1e-12)
    assert f"values ({solution.value[0]:.12g}, " in str(solution)


def pig_of_three(goal):
    """The win chances of the three players of pig, whoever is to move first, by sweeps over all scores.

    They are of (the one who moves, the next, the last), by (own score, the next's, the last's, turn total).
    """
    scores = product(range(goal), repeat=3)
    places = [(a, b, c, t) for a, b, c in scores for t in range(goal - a)]
    values = dict.fromkeys(places, (0.0, 0.0, 0.0))

    def passed(a, b, c):
        first, second, third = values[b, c, a, 0]
        return third, first, second

    def value(a, b, c, t):
        if a + t >= goal:
            return 1.0, 0.0, 0.0
        ways = [passed(a, b, c), *(value_of(a, b, c, t + die) for die in range(2, 7))]
        rolled = tuple(sum(way[i] for way in ways) / 6 for i in range(3))
        return rolled if t == 0 else max(rolled, passed(a + t, b, c), key=lambda way: way[0])

    def value_of(a, b, c, t):
        return (1.0, 0.0, 0.0) if a + t >= goal else values[a, b, c, t]

    change = 1.0
    while change > 1e-13:
        change = 0.0
        for place in reversed(places):
            found = value(*place)
            change = max(change, max(abs(x - y) for x, y in zip(found, values[place], strict=True)))
            values[place] = found
    return values[0, 0, 0, 0]


@pytest.mark.parametrize("goal", [5, pytest.param(10, marks=pytest.mark.slow)])
def test_pig_of_three_in_cycles(goal):
    solution = solve(f"pig(players=3,winscore={goal})")
    chances = [(each + 0.5) / 1.5 for each in solution.value]  # a win is worth 1, a loss -1/2
    assert chances == pytest.approx(pig_of_three(goal), abs=1e-9)
    assert solution.residual < 1e-12


def test_rewards_on_the_way_are_refused():
    game = TreeGame(leaf(0.0))
    game.num_players, game.step_rewards = 3, True
    with pytest.raises(UnsupportedGameError, match="pays rewards on the way"):
        solve(game)


def test_two_players_stay_as_they_were():
    assert type(solve(pyspiel.load_game("pig(players=2,winscore=6)"))) is Solution
