"""Pig of three players to 10 points: searches find the equilibrium that value iteration finds."""

import functools
import random
import re

import numpy as np
import pytest
from support.three import Place, Race

from starspiel.agents.evaluators import FunctionEvaluator
from starspiel.agents.search import Limits, search
from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.load import load_game

GOAL = 10
WON = np.array([1.0, -0.5, -0.5])


@functools.cache
def equilibrium() -> np.ndarray:
    """[own score, next one's, third one's, turn total] -> (own return, next one's, third one's).

    Each player maximises their own return; rolling, the first action, is taken of two that are equally good.
    """
    values = np.zeros((GOAL, GOAL, GOAL, GOAL, 3))
    for _ in range(200):
        # The next player begins a turn; seen by the one who has ended theirs.
        passed = np.roll(np.transpose(values[:, :, :, 0], (2, 0, 1, 3)), 1, axis=-1)
        new = np.empty_like(values)
        for own in range(GOAL):
            for total in range(GOAL):
                if own + total >= GOAL:
                    new[own, :, :, total] = WON
                    continue
                reached = [own + total + pips for pips in range(2, 7)]
                rolled = [WON if at >= GOAL else values[own, :, :, at - own] for at in reached]
                roll = (passed[own] + sum(rolled)) / 6
                stop = passed[own + total]
                new[own, :, :, total] = np.where((stop[..., 0] > roll[..., 0] + 1e-9)[..., None], stop, roll)
        if np.abs(new - values).max() < 1e-13:
            return new
        values = new
    raise AssertionError("value iteration does not converge")


def exact(scores: tuple[int, ...], total: int, mover: int) -> tuple[float, float, float]:
    """The equilibrium's returns of players 0, 1 and 2 at a decision."""
    own, following, third = (scores[(mover + i) % 3] for i in range(3))
    seen = WON if own + total >= GOAL else equilibrium()[own, following, third, total]
    return tuple(float(seen[(player - mover) % 3]) for player in range(3))


def rolled(scores: tuple[int, ...], total: int, mover: int) -> tuple[float, ...]:
    """The same before the die falls."""
    ends = [exact(scores, 0, (mover + 1) % 3), *(exact(scores, total + pips, mover) for pips in range(2, 7))]
    return tuple(sum(own) / 6 for own in zip(*ends, strict=True))


def told(state) -> tuple[float, ...]:
    """The equilibrium's returns at a state of OpenSpiel's, as an evaluator."""
    *scores, total, mover = map(int, re.findall(r"\d+", str(state)))
    return (rolled if state.is_chance_node() else exact)(tuple(scores), total, mover)


@pytest.mark.parametrize(("algorithm", "depth"), [("expectiminimax", 2), ("star1", 3), ("star2", 1)])
def test_the_equilibrium_as_evaluator_is_what_a_search_finds(algorithm, depth):
    evaluator = FunctionEvaluator(told, "equilibrium", by_position=True)
    evaluator.constant_sum = True
    draw = random.Random(depth)
    game = load_game(f"pig(players=3,winscore={GOAL})")
    for _ in range(10):
        state = game.new_initial_state()
        for _ in range(draw.randrange(15)):
            following = state.child(draw.choice(state.legal_actions()))
            state = following if not following.is_terminal() else state
        if state.is_chance_node():
            state = state.child(state.legal_actions()[0])  # a 1: the next player's turn
        result = search(state, algorithm, Limits(depth=depth), evaluator)
        assert result.returns == pytest.approx(told(state), abs=1e-9)
        assert sum(result.returns) == pytest.approx(0.0, abs=1e-9)


class Pig(Race):
    """The game as rules, from a position near the end."""

    utility_range = (-0.5, 1.0)
    utility_sum = 0.0

    def __init__(self, scores: tuple[int, ...]) -> None:
        super().__init__(GOAL)
        self.name, self._scores = "pig_of_three", scores

    def initial(self):
        return Place((*self._scores, 0))

    def chances(self, position):
        return tuple((pips, 1 / 6) for pips in range(1, 7))

    def apply(self, position, action):
        (*scores, total), mover, acting = position
        if acting != CHANCE and action == 0:
            return Place(position.steps, mover, CHANCE)
        if acting == CHANCE and action > 1:
            return Place((*scores, total + action), mover, mover)
        if acting != CHANCE:
            scores[mover] += total
        following = (mover + 1) % 3
        return Place((*scores, 0), following, TERMINAL if max(scores) >= GOAL else following)

    def utility(self, position):
        return [1.0 if score >= GOAL else -0.5 for score in position.steps[:3]]


def test_a_deep_search_that_knows_nothing_comes_to_the_equilibrium():
    scores = (8, 8, 7)
    truth = exact(scores, 0, 0)
    errors = []
    for depth in (4, 40):
        result = search(Pig(scores).new_initial_state(), "star1", Limits(depth=depth), "zero")
        errors.append(max(abs(one - other) for one, other in zip(result.returns, truth, strict=True)))
    assert errors[0] > 1e-3
    assert errors[1] < 1e-9
