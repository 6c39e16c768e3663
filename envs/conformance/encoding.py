"""States survive the encoding that their kind has, and observations keep their shape and range."""

import copy
import pickle
import random
from typing import Any

import pyspiel

from starspiel.envs.base import Game
from starspiel.envs.conformance.positions import draw, picture, successors, where
from starspiel.envs.conformance.report import Check, Tally
from starspiel.envs.conformance.timer import Timer
from starspiel.envs.rules import Rules, RulesState


def look_at_encoding(game: Game, rng: random.Random, timer: Timer) -> Check | None:
    """Whether a state survives the encoding its kind has, and the game its name."""
    tally = Tally("encoding", "round trips")
    for _ in range(20):
        if timer.over():
            break
        state = game.new_initial_state()
        for _ in range(rng.randrange(40)):
            outcomes = successors(game, state, rng)
            if not outcomes or timer.over():
                break
            state = state.child(draw(outcomes, rng))
        try:
            again = _decoded(game, state)
        except Exception as error:
            if not tally.check(False):
                tally.found(f"decoding raised {error!r}, {where(state)}")
            continue
        if not tally.check(picture(game, again) == picture(game, state)):
            tally.found(f"decoding the encoded state gives another one, {where(state)}")
        if isinstance(game, Rules):
            _look_at_observation(game, state, tally)
    return tally.done()


def _look_at_observation(game: Rules[Any], state: Any, tally: Tally) -> None:
    for player in range(game.num_players):
        vector = game.observation(state.position, player)
        if not tally.check(
            vector.shape == game.observation(game.initial(), player).shape
            and bool(((vector >= 0) & (vector <= 1)).all())
        ):
            tally.found(
                f"observation() has shape {vector.shape} and values from {vector.min():g} to "
                f"{vector.max():g}, expected the first one's shape and values in [0, 1], {where(state)}"
            )


def _decoded(game: Game, state: Any) -> Any:
    if isinstance(state, pyspiel.State):
        return state.get_game().deserialize_state(state.serialize())
    if isinstance(state, RulesState):
        return RulesState(state.rules, pickle.loads(pickle.dumps(state.position)))
    return copy.deepcopy(state)
