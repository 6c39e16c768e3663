"""`check_game`: every part of the contract, looked at by random play."""

import random
from typing import Any

from starspiel.envs.base import Game
from starspiel.envs.conformance.encoding import look_at_encoding
from starspiel.envs.conformance.ends import look_at_bounds, look_at_ends, look_at_results, notes_on
from starspiel.envs.conformance.keys import look_at_keys
from starspiel.envs.conformance.play import End, Walk
from starspiel.envs.conformance.positions import described
from starspiel.envs.conformance.report import Check, Report
from starspiel.envs.conformance.samples import look_at_foresight, look_at_hidden, look_at_table
from starspiel.envs.conformance.timer import PLAYING, WALKING, StuckError, Timer
from starspiel.envs.errors import RulesError
from starspiel.envs.gymnasium.sampled.game import SampledGame
from starspiel.envs.gymnasium.table import TableGame
from starspiel.envs.load import load_game


def check_game(
    game: Any, *, games: int = 1000, positions: int = 3000, seconds: float = 20.0, seed: int = 1
) -> Report:
    """Whether `game` keeps the contract of `envs/base.py`, by random play from `seed`.

    Plays up to `games` random games, and walks `positions` positions looking for ones that are reached in
    more than one way, to compare what equal keys promise to be equal. `game` is anything that `load_game`
    takes. All of it ends after about `seconds`, half of which are for the games; a call that has not returned
    long after that is given up.
    """
    game = load_game(game)
    timer = Timer(seconds)
    try:
        with timer.watch():
            return _looked_over(game, games, positions, timer, random.Random(seed))
    except StuckError as error:
        found = f"{error} had not returned long after the {seconds:g} s of the check"
        return Report(game.name, (Check("every call returns", False, "stopped there", (found,)),))
    except RulesError as error:
        # Rules notice by themselves what no search could go on from.
        stopped = Check(error.broken, False, "stopped at the first contradiction", (str(error),))
        return Report(game.name, (stopped,))
    except Exception as error:  # whatever a user's rules or environment raise is what the check has found
        return Report(
            game.name, (Check("play goes on", False, "stopped at the first error", (described(error),)),)
        )


def _looked_over(game: Game, games: int, positions: int, timer: Timer, rng: random.Random) -> Report:
    if game.new_initial_state().is_terminal():
        over = f"{game.name} is over at its start: expected a decision or a chance node, got a terminal state"
        return Report(game.name, (Check("there is something to play", False, "the start", (over,)),))
    walk = Walk(game, timer)
    ends: list[End] = []
    while len(ends) < games and not timer.over(PLAYING):
        end = walk.play(rng, closely=len(ends) < 50)
        if end is not None:
            ends.append(end)
    checks = [
        *_played(game, ends, timer),
        *walk.checks(),
        look_at_ends(game, ends),
        look_at_bounds(game, ends),
        look_at_results(game, ends),
    ]
    if game.explicit_chance:
        checks.append(look_at_keys(game, rng, positions, timer))
    if isinstance(game, TableGame):
        checks.append(look_at_table(game, max(timer.left(WALKING), 0.05 * timer.seconds)))
    if isinstance(game, SampledGame):
        checks.append(look_at_foresight(game, max(0.5 * timer.left(WALKING), 0.05 * timer.seconds)))
        checks.append(look_at_hidden(game, max(timer.left(WALKING), 0.05 * timer.seconds)))
    checks.append(look_at_encoding(game, rng, timer))
    notes = list(notes_on(game, ends))
    if len(ends) < games:
        notes.append(f"{len(ends):,} of {games:,} random games were played in the time there was")
    return Report(game.name, tuple(check for check in checks if check is not None), tuple(notes))


def _played(game: Game, ends: list[End], timer: Timer) -> list[Check]:
    """What stands for a verdict where time ran out before a single game was over."""
    if ends:
        return []
    found = f"{game.name}: no random game was over within {timer.seconds:g} s; give more seconds"
    return [Check("games are played", False, "0 random games", (found,))]
