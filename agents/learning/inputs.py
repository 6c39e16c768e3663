"""Scales a network's first weights by how much it sees at once, which is a lot in the planes of a board."""

import random

import numpy as np

from starspiel.agents.encoders import Encoder
from starspiel.agents.evaluators.positions import rows_of
from starspiel.envs.base import CHANCE, TERMINAL, Game, possible_outcomes

#: The squared length of inputs for which the first weights are drawn (native/network/trainer.cpp).
_DRAWN_FOR = 32.0
#: The most games and moves per game, and the number of positions after which no further game begins: some
#: games take long to list their outcomes.
_GAMES, _LONGEST, _ENOUGH = 20, 200, 300


def _squared_length(game: Game, encoder: Encoder) -> float:
    """Returns the mean squared length of the inputs over the positions of random games, which are always the
    same.

    Returns 0 if the network sees none of them.
    """
    dice = random.Random(0)
    lengths: list[float] = []
    for _ in range(_GAMES):
        if len(lengths) >= _ENOUGH:
            break
        state = game.new_initial_state()
        for _ in range(_LONGEST):
            if (player := state.current_player()) == TERMINAL:
                break
            if player == CHANCE:
                draw = dice.random()
                for outcome, probability in possible_outcomes(state):  # noqa: B007
                    draw -= probability
                    if draw < 0:
                        break
                state = state.child(outcome)
            else:
                state = state.child(dice.choice(state.legal_actions()))
            if state.current_player() != TERMINAL and encoder.placed(state) and encoder.sees(state):
                lengths.append(float(np.square(rows_of(encoder, [state])[0]).sum()))
    return float(np.mean(lengths)) if lengths else 0.0


def weight_factor(game: Game, encoder: Encoder) -> float:
    """Returns the factor for the first layer's weights that gives its sums their usual size."""
    return float((_DRAWN_FOR / max(_squared_length(game, encoder), _DRAWN_FOR)) ** 0.5)
