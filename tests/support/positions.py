"""Positions of OpenSpiel games to search, and evaluators that tell every position from every other."""

import random
from collections.abc import Iterator
from typing import Any
from zlib import crc32

import numpy as np
import pyspiel

from starspiel.agents.evaluators import FunctionEvaluator
from starspiel.agents.roster import make_bot
from starspiel.envs.base import CHANCE, Game, State, possible_outcomes


def random_game(game: pyspiel.Game, rng: random.Random) -> list[pyspiel.State]:
    """Every state of one game between random players, the last one terminal."""
    state = game.new_initial_state()
    states = [state.clone()]
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(rng.choices(outcomes, chances)[0])
        else:
            state.apply_action(rng.choice(state.legal_actions()))
        states.append(state.clone())
    return states


def random_states(game: Game, seed: int, most: int = 10_000) -> Iterator[State]:
    """The states of one game between random players that are not terminal, `most` at most."""
    draw, state = random.Random(seed), game.new_initial_state()
    for _ in range(most):
        if state.is_terminal():
            return
        yield state
        if state.current_player() == CHANCE:
            outcomes, chances = zip(*possible_outcomes(state), strict=True)
            state = state.child(draw.choices(outcomes, chances)[0])
        else:
            state = state.child(draw.choice(list(state.legal_actions())))


def played_by_pips(game: Game, seed: int) -> list[State]:
    """Every state of one game between players who take what `heuristic` likes best, the last one terminal."""
    draw = np.random.default_rng(seed)
    bot = make_bot("greedy(evaluator=heuristic)", game, seed=seed)
    states = [game.new_initial_state()]
    while not (state := states[-1]).is_terminal():
        if state.current_player() == CHANCE:
            action = draw.choice([outcome for outcome, _ in possible_outcomes(state)])
        else:
            action = bot.step(state)
        states.append(state.child(int(action)))
    return states


def random_positions(game: pyspiel.Game, count: int, seed: int, per_game: int = 5) -> list[pyspiel.State]:
    """Decision nodes out of random games, from the first move to the last."""
    rng = random.Random(seed)
    found: list[pyspiel.State] = []
    while len(found) < count:
        choices = [state for state in random_game(game, rng) if state.current_player() >= 0]
        found += rng.sample(choices, min(per_game, len(choices)))
    return found[:count]


def _from_history(state: Any) -> float:
    return crc32(",".join(map(str, state.history())).encode()) / 2**31 - 1


#: A value in [-1, 1) without any pattern: no two moves tie, and hardly a bound is tight.
scrambled = FunctionEvaluator(_from_history, "scrambled", range=(-1.0, 1.0))
