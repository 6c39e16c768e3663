"""`check_game`: tests each part of the contract for games by random play."""

import copy
import pickle
import random
from collections.abc import Iterator
from typing import Any

import pyspiel

from starspiel.envs.base import Game, check_in_turn
from starspiel.envs.conformance.keys import look_at_keys
from starspiel.envs.conformance.positions import described, draw, picture, successors, where
from starspiel.envs.conformance.report import Check, Report, Tally
from starspiel.envs.conformance.samples import look_at_samples, look_at_table
from starspiel.envs.conformance.timer import PLAYING, StuckError, Timer
from starspiel.envs.conformance.walk import End, Walk, look_at_ends, notes_on
from starspiel.envs.errors import RulesError
from starspiel.envs.gymnasium.sampled.game import SampledGame
from starspiel.envs.gymnasium.table import TableGame
from starspiel.envs.load import load_game
from starspiel.envs.rules import Rules, RulesState


def check_game(
    game: Any, *, games: int = 1000, positions: int = 3000, seconds: float = 20.0, seed: int = 1
) -> Report:
    """Checks whether `game` meets the contract of `envs/base.py`, by random play from `seed`.

    Plays up to `games` random games, then visits up to `positions` positions to find some that are reached in
    more than one way, and compares what equal keys promise to be equal. `game` is anything that `load_game`
    takes. The check ends after about `seconds`, half of which are for the games. A call that has not returned
    long after that is interrupted.
    """
    game = load_game(game)
    check_in_turn(game, "check_game")
    timer = Timer(seconds)
    try:
        with timer.watch():
            if game.new_initial_state().is_terminal():
                name, looked_at = "there is something to play", "the start"
                found = "is over at its start: expected a decision or a chance node, got a terminal state"
                found = f"{game.name} {found}"
            else:
                return _looked_over(game, games, positions, timer, random.Random(seed))
    except StuckError as error:
        name, looked_at = "every call returns", "stopped there"
        found = f"{error} had not returned long after the {seconds:g} s of the check"
    except RulesError as error:  # Rules detect contradictions themselves
        name, looked_at, found = error.broken, "stopped at the first contradiction", str(error)
    except Exception as error:  # an error that a user's rules or environment raise is a finding
        name, looked_at, found = "play goes on", "stopped at the first error", described(error)
    return Report(game.name, (Check(name, False, looked_at, (found,)),))


def _looked_over(game: Game, games: int, positions: int, timer: Timer, rng: random.Random) -> Report:
    walk = Walk(game, timer)
    ends: list[End] = []
    while len(ends) < games and not timer.over(PLAYING):
        end = walk.play(rng, closely=len(ends) < 50)
        if end is not None:
            ends.append(end)
    checks: list[Check | None] = []
    if not ends:
        found = f"{game.name}: no random game was over within {timer.seconds:g} s; give more seconds"
        checks.append(Check("games are played", False, "0 random games", (found,)))
    checks += [*walk.checks(), *look_at_ends(game, ends)]
    if game.explicit_chance:
        checks.append(look_at_keys(game, rng, positions, timer))
    if isinstance(game, TableGame):
        checks.append(look_at_table(game, timer))
    if isinstance(game, SampledGame):
        checks += look_at_samples(game, timer)
    checks.append(_look_at_encoding(game, rng, timer))
    notes = list(notes_on(game, ends))
    if len(ends) < games:
        notes.append(f"{len(ends):,} of {games:,} random games were played in the time there was")
    return Report(game.name, tuple(check for check in checks if check is not None), tuple(notes))


def _look_at_encoding(game: Game, rng: random.Random, timer: Timer) -> Check:
    """Checks that states survive encoding and decoding, and that observations keep their shape and range."""
    tally = Tally("encoding", "round trips")
    for state in _somewhere(game, rng, timer):
        try:
            again = picture(game, _decoded(state))
        except Exception as error:
            tally.check(False)
            tally.found(f"decoding raised {error!r}, {where(state)}")
            continue
        if not tally.check(again == picture(game, state)):
            tally.found(f"decoding the encoded state gives another one, {where(state)}")
        for player in range(game.num_players if isinstance(game, Rules) else 0):
            vector = state.rules.observation(state.position, player)
            shape = state.rules.observation(state.rules.initial(), player).shape
            if not tally.check(vector.shape == shape and bool(((vector >= 0) & (vector <= 1)).all())):
                tally.found(
                    f"observation() has shape {vector.shape} and values from {vector.min():g} to "
                    f"{vector.max():g}, expected the first one's shape and values in [0, 1], {where(state)}"
                )
    return tally.done()


def _somewhere(game: Game, rng: random.Random, timer: Timer) -> Iterator[Any]:
    """Yields up to twenty positions of random games, while there is time."""
    for _ in range(20):
        if timer.over():
            return
        state = game.new_initial_state()
        for _ in range(rng.randrange(40)):
            outcomes = successors(game, state, rng)
            if not outcomes or timer.over():
                break
            state = state.child(draw(outcomes, rng))
        yield state


def _decoded(state: Any) -> Any:
    if isinstance(state, pyspiel.State):
        return state.get_game().deserialize_state(state.serialize())
    if isinstance(state, RulesState):
        return RulesState(state.rules, pickle.loads(pickle.dumps(state.position)))
    return copy.deepcopy(state)
