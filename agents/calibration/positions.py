"""Samples positions, only one per game, so that they are independent."""

import random
from typing import Any

from starspiel.agents.evaluators.rollout import after_chance
from starspiel.agents.rollouts.continuation import Maker
from starspiel.envs.base import CHANCE, TERMINAL, Game
from starspiel.envs.errors import StarspielError

#: The probability of a random move instead of the player's, so that positions of all kinds occur.
_RANDOM = 0.3
#: The number of decisions after which a game is abandoned, in case agents go in circles.
_LONGEST = 2000


def sampled_position(game: Game, players: Maker, seed: int, number: int) -> Any:
    """Returns a position of game `number`: the first decision node or the position after any move, with equal
    probability; never a terminal one.

    The players choose the moves, except for three in ten, which are random. Raises StarspielError if the game
    is over before anybody moves.
    """
    rng = random.Random(f"{seed} {number} position")
    bots = [players(player, rng.getrandbits(31)) for player in range(game.num_players)]
    state: Any = game.new_initial_state()
    found: Any = None
    moves = 0
    while (player := state.current_player()) != TERMINAL and moves < _LONGEST:
        if player == CHANCE:
            state = after_chance(state, rng)
            continue
        if found is None:
            found = state
        legal = state.legal_actions()
        careless = rng.random() < _RANDOM or len(legal) == 1
        state = state.child(rng.choice(legal) if careless else bots[player].step(state))
        if not state.is_terminal():
            moves += 1
            if rng.random() < 1.0 / (moves + 1):
                found = state
    if found is None:
        raise StarspielError(f"{game.name} is over before anybody moves: there is no position to value.")
    return found
