"""Matches of a network: pairs with swapped seats, the same ones each time, more of those that tell more."""

import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from starspiel.agents.evaluators.rollout import after_chance
from starspiel.agents.learning.interrupt import Stop, Until
from starspiel.agents.learning.score import Score, standard_error
from starspiel.envs.base import CHANCE, TERMINAL, Game
from starspiel.envs.openspiel.game import OpenSpielGame

#: Makes a bot for a seat and a seed.
Maker = Callable[[int, int | None], Any]

#: A game that takes longer counts as drawn.
_MOST_EVENTS = 5000
#: At most so many moves at random begin a game without chance; all games would otherwise be one.
_OPENING = 4
_MOST_PAIRS = 200
#: Of how many random games, and how many moves of each, chance is looked for.
_WALKS, _WALKED = 20, 1000


@dataclass(frozen=True)
class Pairing:
    """A network at a depth, which `ours` makes a bot of, and an opponent, made by `theirs`."""

    opponent: str
    depth: int
    ours: Maker
    theirs: Maker


@dataclass
class _Tally:
    """The pairs of a pairing so far: the shares of each, and the processor time of all."""

    pairing: Pairing
    shares: list[float] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def promise(self) -> float:
        """By how much another pair makes the score surer, for the time it takes."""
        played = len(self.shares)
        if played >= _MOST_PAIRS:
            return -1.0
        return float(standard_error(self.shares) ** 2 / ((played + 1) * max(self.seconds / played, 1e-6)))

    def score(self) -> Score:
        played, error = len(self.shares), standard_error(self.shares)
        return Score(self.pairing.opponent, self.pairing.depth, sum(self.shares) / played, 2 * played, error)


def score_matches(
    game: Game, pairings: Sequence[Pairing], budget: int | float, stop: Stop, end: float = math.inf
) -> tuple[Score, ...] | None:
    """The scores of all pairings, each of a pair at least; None if `stop` was set.

    Args:
        budget: pairs of each (a whole number), or seconds of processor time of all together, which go where
            they make a score surer.
        end: when the match is over at the latest, in `time.perf_counter()`; pairings without a pair until
            then have no score.
    """
    tallies = [_Tally(pairing) for pairing in pairings]
    over = Until(stop, end)
    until = time.process_time() + budget
    for tally in tallies:
        for _ in range(budget if isinstance(budget, int) else 1):
            _play_pair(game, tally, over)
    while isinstance(budget, float) and time.process_time() < until and not over.is_set():
        tally = max(tallies, key=lambda each: each.promise)
        if tally.promise < 0.0:
            break
        _play_pair(game, tally, over)
    return None if stop.is_set() else tuple(tally.score() for tally in tallies if tally.shares)


def _play_pair(game: Game, tally: _Tally, stop: Stop) -> None:
    """Plays the next pair of a pairing, which counts if it is played to the end.

    One seed for the dice, each side once in each seat.
    """
    began, seed = time.process_time(), len(tally.shares)
    points = 0.0
    for seat in (0, 1):
        ours, theirs = tally.pairing.ours(seat, seed), tally.pairing.theirs(1 - seat, seed)
        bots = (ours, theirs) if seat == 0 else (theirs, ours)
        returns = play_game(game, bots, random.Random(seed), stop)
        if returns is None:
            return
        points += 0.5 if returns[0] == returns[1] else float(returns[seat] > returns[1 - seat])
    tally.shares.append(points / 2)
    tally.seconds += time.process_time() - began


def play_game(game: Game, bots: tuple[Any, Any], dice: random.Random, stop: Stop) -> Sequence[float] | None:
    """Each player's return at the end of a game; equal ones if it takes too long, None if `stop` is set."""
    state: Any = game.new_initial_state()
    if not has_chance(game):
        state = _opened(state, dice)
    for _ in range(_MOST_EVENTS):
        if stop.is_set():
            return None
        player = state.current_player()
        if player == TERMINAL:
            returns: Sequence[float] = state.returns()
            return returns
        state = after_chance(state, dice) if player == CHANCE else state.child(bots[player].step(state))
    return (0.0, 0.0)


def has_chance(game: Game) -> bool:
    """Whether chance has a part in the game: of rules in Python, in a few random games from its beginning."""
    if isinstance(game, OpenSpielGame):
        return bool(game.pyspiel_game.get_type().chance_mode.name != "DETERMINISTIC")
    draw = random.Random(1)
    for _ in range(_WALKS):
        state = game.new_initial_state()
        for _ in range(_WALKED):
            if state.current_player() < 0:
                break
            state = state.child(draw.choice(state.legal_actions()))
        if state.current_player() == CHANCE:
            return True
    return False


def _opened(state: Any, draw: random.Random) -> Any:
    """The state after some random moves, none of which ends the game."""
    for _ in range(draw.randint(1, _OPENING)):
        after = state.child(draw.choice(state.legal_actions()))
        if after.is_terminal():
            break
        state = after
    return state
