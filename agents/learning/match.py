"""Plays matches of a network: pairs with swapped seats, always with the same dice, where they tell most."""

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

#: A game with more events than this counts as drawn.
_MOST_EVENTS = 5000
#: A game without chance begins with at most this many random moves; otherwise all games would be the same.
_OPENING = 4
_MOST_PAIRS = 200
#: The number of random games, and of moves in each, in which chance nodes are looked for.
_WALKS, _WALKED = 20, 1000


@dataclass(frozen=True)
class Pairing:
    """A network at a depth, played by bots that `ours` makes, and an opponent, played by bots of `theirs`."""

    opponent: str
    depth: int
    ours: Maker
    theirs: Maker


@dataclass
class _Tally:
    """The pairs of a pairing so far: the share of points in each, and the processor time of all."""

    pairing: Pairing
    shares: list[float] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def promise(self) -> float:
        """How much another pair would reduce the score's uncertainty, per second that it takes."""
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
    """Returns the scores of all pairings, each from at least one pair; None if `stop` was set.

    Args:
        budget: pairs per pairing (an int), or seconds of processor time for all of them (a float), which are
            spent where they reduce a score's uncertainty most.
        end: the time of `time.perf_counter()` at which the match ends at the latest; pairings without a
            finished pair by then have no score.
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
    """Plays the next pair of a pairing, which counts only if it is finished.

    Both games use the same seed for the dice, and each side plays once in each seat.
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
    """Returns each player's return at the end of a game; equal ones if it takes too long; None if `stop` is
    set.
    """
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
    """Returns whether the game has chance nodes: for rules in Python, in a few random games."""
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
    """Returns the state after some random moves, none of which ends the game."""
    for _ in range(draw.randint(1, _OPENING)):
        after = state.child(draw.choice(state.legal_actions()))
        if after.is_terminal():
            break
        state = after
    return state
