"""Fits the weights of the shipped games' heuristics to games they play against themselves.

    python benchmarks/fit_heuristics.py royal_game_of_ur --games 2000 --rounds 3

Both players play star2 by the heuristic to `--depth` plies, and one move in five at random. Each round fits
the weights to all positions of its games by logistic regression on the results (a draw counts half) and plays
the next round with them; the printed deviance is that of results never seen in the fit (every fifth game),
beside that of always saying "even". Copy the last round's weights to `agents/evaluators/`.
"""

import argparse
import random
from typing import Any

import numpy as np
from scipy.optimize import minimize

from starspiel.agents.evaluators import make_evaluator
from starspiel.agents.search import Limits, search
from starspiel.envs.base import CHANCE
from starspiel.envs.games.fitted import FittedHeuristic
from starspiel.envs.load import load_game


def play(
    game: Any, heuristic: FittedHeuristic, limits: Limits, rng: random.Random
) -> tuple[list[Any], float]:
    """The features of a game's positions, and player 0's result."""
    state, seen = game.new_initial_state(), []
    while not state.is_terminal():
        seen.append(heuristic.features(state.position))
        player = state.current_player()
        if player == CHANCE:
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state = state.child(rng.choices(outcomes, chances)[0])
        elif rng.random() < 0.2:
            state = state.child(rng.choice(list(state.legal_actions())))
        else:
            result = search(state, "star2", limits, heuristic, exact_action_values=False, explain=False)
            state = state.child(result.best_action)
    return seen, state.returns()[0]


def deviance(weights: Any, features: Any, results: Any) -> float:
    """Mean cross-entropy of results in [0, 1] under the chance (1 + tanh(w . f)) / 2."""
    margin = 2 * features @ weights
    return float(np.mean(np.logaddexp(0, margin) - results * margin))


def penalised(weights: Any, features: Any, results: Any) -> float:
    return deviance(weights, features, results) + 1e-4 * float(weights @ weights)


def main() -> None:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("game")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--depth", type=int, default=1)
    options = parser.parse_args()
    game = load_game(options.game)
    heuristic: Any = make_evaluator("heuristic", game)
    rng = random.Random(1)
    for round_ in range(options.rounds):
        rows, results, held_out = [], [], []
        for number in range(options.games):
            seen, result = play(game, heuristic, Limits(depth=options.depth), rng)
            rows += seen
            results += [(1 + result) / 2] * len(seen)
            held_out += [number % 5 == 0] * len(seen)
        features, targets, test = np.array(rows), np.array(results), np.array(held_out)
        start = np.array(type(heuristic).weights)
        fitted = minimize(penalised, start, (features[~test], targets[~test]), method="BFGS").x
        heuristic.weights = tuple(round(float(weight), 3) for weight in fitted)
        unseen = (features[test], targets[test])
        print(
            f"round {round_ + 1}: weights {heuristic.weights}, deviance {deviance(fitted, *unseen):.4f}, "
            f"saying even {deviance(np.zeros_like(fitted), *unseen):.4f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
