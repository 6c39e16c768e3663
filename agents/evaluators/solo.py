"""Provides the evaluator `solo`: exact values of yacht for players who maximise points."""

import math
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.solve.cache import cached_table
from starspiel.agents.solve.categories import Stages, Turn
from starspiel.agents.solve.yacht import YachtView, category_game, turn_of, view
from starspiel.envs.base import TERMINAL, Game
from starspiel.envs.errors import SpecError
from starspiel.envs.openspiel.game import OpenSpielGame
from starspiel.envs.scoring import points_of

#: Must be increased when the meaning of the tables changes.
_VERSION = 1
#: The most sets of filled categories whose stages are cached, enough for a few games.
_MOST_STAGES = 512


class SoloEvaluator:
    """Values yacht for players who maximise their own expected points.

    For one player, this is the exact value under perfect play, as a share of the most points. For two
    players, it is the probability that player 0 has more points minus the probability that player 1 has more.
    The difference in points is taken to be normally distributed with the exact mean and variance. Raises
    SpecError if there are no such tables for the game.
    """

    name = "solo"
    by_position = True

    def __init__(self, game: Game) -> None:
        turn = _turn_of(game)
        if turn is None:
            raise SpecError(
                f"solo values yacht with up to five dice and eight sides, not {game.name}; use auto."
            )
        self.turn = turn
        self.range = (-1.0, 1.0) if game.num_players == 2 else game.utility_range
        self._players = game.num_players
        self.most = points_of(game.name)

    def for_core(self, core: Any, state: Any, game: Game) -> Any:
        return _core_tables(core, self.turn)

    def __call__(self, state: Any, /) -> float:
        if state.current_player() == TERMINAL:
            return float(state.returns()[0])
        seen = view(state)
        mean = variance = 0.0
        for player in range(self._players):
            in_turn = player == seen.turn
            points, square = self._in_turn(seen) if in_turn else _table(self.turn)[:, seen.filled[player]]
            total = seen.totals[player] + points
            mean += total if player == 0 else -total
            variance += square - points**2
        return float(mean / self.most if self.most else _lead_value(mean, variance))

    def _in_turn(self, seen: YachtView) -> NDArray[np.float64]:
        """Returns the mean and mean square of the points to come for the player to move."""
        stages = _stages(self.turn, seen.filled[seen.turn])
        number = self.turn.index[seen.dice]
        if seen.throwing:
            return stages.thrown[seen.thrown][:, 0, number]
        return stages.rolled[seen.thrown - 1][:, 0, number - self.turn.first_roll]


def plays_solo(game: Game) -> bool:
    """Returns whether SoloEvaluator supports the game."""
    return _turn_of(game) is not None


def _turn_of(game: Game) -> Turn | None:
    if not isinstance(game, OpenSpielGame) or game.pyspiel_game.get_type().short_name != "yacht":
        return None
    return turn_of(game.pyspiel_game.get_parameters()) if game.num_players <= 2 else None


@cache
def _table(turn: Turn) -> NDArray[np.float64]:
    """Returns the mean and mean square of the points to come, of shape (2, sets of filled categories)."""
    name = f"yacht-{turn.dice}-{turn.sides}-{turn.throws}-v{_VERSION}"
    return cached_table(name, lambda: category_game(turn).solve())


@lru_cache(maxsize=_MOST_STAGES)
def _stages(turn: Turn, filled: int) -> Stages:
    return category_game(turn).stages(np.array([filled]), _table(turn))


@cache
def _core_tables(core: Any, turn: Turn) -> Any:
    index = np.full((turn.dice + 1) ** turn.sides, -1, dtype=np.int32)
    for kept, number in turn.index.items():
        index[sum(turn.codes[die - 1] for die in kept)] = number
    means, squares = _table(turn).tolist()
    return core.Solo(
        dice=turn.dice,
        throws=turn.throws,
        first_roll=turn.first_roll,
        codes=turn.codes,
        index=index.tolist(),
        scores=category_game(turn).scores.tolist(),
        chances=turn.chances.tolist(),
        choices=turn.choices.tolist(),
        means=means,
        squares=squares,
    )


def _lead_value(mean: float, variance: float) -> float:
    """Returns the chance of a positive lead minus that of a negative one, for normally distributed leads."""
    if variance < 1e-9:
        return float(mean > 1e-9) - float(mean < -1e-9)
    return math.erf(mean / math.sqrt(2 * variance))
