"""How well moves are chosen, measured from outside: paired games against fixed opponents."""

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from starspiel.agents.evaluators.roster import has_heuristic
from starspiel.agents.roster import make_bot
from starspiel.envs.base import CHANCE, TERMINAL, Game

#: A game that takes longer counts as drawn.
_MOST_EVENTS = 5000


@dataclass(frozen=True)
class Score:
    """Points against one opponent.

    Attributes:
        opponent: its spec.
        share: points a game, 0 to 1; a draw is half a point.
        games: in pairs of the same dice seed and swapped seats.
    """

    opponent: str
    share: float
    games: int

    def __str__(self) -> str:
        return f"{self.opponent} {100 * self.share:.0f} %"


def references(game: Game) -> tuple[str, ...]:
    """The opponents: random, the heuristic at one ply where there is one, and MCTS."""
    heuristic = ("star2(depth=1,evaluator=heuristic)",) if has_heuristic(game) else ()
    return ("random", *heuristic, "mcts(simulations=100)")


def score_against(
    game: Game,
    best: Callable[[Any], int],
    opponents: tuple[str, ...],
    pairs: int,
    until: float | None,
    stop: threading.Event,
) -> tuple[Score, ...] | None:
    """The score of the moves `best(state)` against each opponent; the same games each time.

    Args:
        until: when no further pair begins, by `time.perf_counter`; the first of each opponent does.

    None where `stop` was set.
    """
    points, played = [0.0] * len(opponents), 0
    for seed in range(pairs):
        if seed > 0 and until is not None and time.perf_counter() > until:
            break
        for number, opponent in enumerate(opponents):
            for seat in (0, 1):
                if stop.is_set():
                    return None
                points[number] += _points(game, best, opponent, seat, seed)
        played += 2
    return tuple(
        Score(opponent, won / played, played) for opponent, won in zip(opponents, points, strict=True)
    )


def _points(game: Game, best: Callable[[Any], int], opponent: str, seat: int, seed: int) -> float:
    """1, a half or 0 for the moves' game in `seat`."""
    dice = random.Random(seed)
    bot = make_bot(opponent, game, 1 - seat, seed)
    state = game.new_initial_state()
    for _ in range(_MOST_EVENTS):
        player = state.current_player()
        if player == TERMINAL:
            own = state.returns()[seat]
            other = state.returns()[1 - seat]
            return 1.0 if own > other else 0.5 if own == other else 0.0
        if player == CHANCE:
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(dice.choices(outcomes, chances)[0])
        else:
            state.apply_action(best(state) if player == seat else bot.step(state))
    return 0.5
