"""Exact values of playing alone for points, as an evaluator of yacht."""

import math
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.evaluators.heuristics.yacht import CATEGORIES
from starspiel.agents.solve.cache import cached_table
from starspiel.agents.solve.categories import CategoryGame, Stages, Turn
from starspiel.agents.solve.yacht import YachtView, category_game, view
from starspiel.envs.base import TERMINAL, Game
from starspiel.envs.errors import SpecError
from starspiel.envs.openspiel.game import OpenSpielGame

#: A change of what tables mean raises it.
_VERSION = 1
_YACHT_POINTS = 50.0

#: The native core's tables: the same for all games of such turns.
_CORE_TABLES: dict[Turn, Any] = {}


class SoloEvaluator:
    """What each player expects to have at the end of yacht, if all go for their own points alone.

    Alone, that is the exact value under perfect play, as a share of the most points. Of two players, it is
    the chance that player 0 has more less that of player 1, as if the difference were normal, with its exact
    mean and variance. Raises SpecError if the game has no such tables.
    """

    name = "solo"
    by_position = True

    def __init__(self, game: Game) -> None:
        found = _category_game_of(game)
        if found is None:
            raise SpecError(
                f"solo values yacht with up to five dice and eight sides, not {game.name}; use auto."
            )
        self.rules = found
        self.range = (-1.0, 1.0) if game.num_players == 2 else game.utility_range
        self._players = game.num_players
        self._stages: dict[int, Stages] = {}

    @cached_property
    def table(self) -> NDArray[np.float64]:
        """The mean and mean square of what is still to be scored, by the filled categories: (2, sets)."""
        return _table(self.rules.turn.dice, self.rules.turn.sides, self.rules.turn.throws)

    @property
    def most(self) -> float:
        """What OpenSpiel divides the points of a player alone by: the most that each category scores.

        It counts a yacht among them that fewer than five dice do not score.
        """
        most = dict(zip(CATEGORIES, self.rules.scores.max(axis=0), strict=True)) | {"Yacht": _YACHT_POINTS}
        return float(sum(most.values()))

    def for_core(self, core: Any, state: Any, game: Game) -> Any:
        turn = self.rules.turn
        if turn not in _CORE_TABLES:
            index = np.full((turn.dice + 1) ** turn.sides, -1, dtype=np.int32)
            for kept, number in turn.index.items():
                index[sum(turn.codes[die - 1] for die in kept)] = number
            _CORE_TABLES[turn] = core.Solo(
                dice=turn.dice,
                throws=turn.throws,
                first_roll=turn.first_roll,
                codes=turn.codes,
                index=index.tolist(),
                scores=self.rules.scores.tolist(),
                chances=turn.chances.tolist(),
                choices=turn.choices.tolist(),
                means=self.table[0].tolist(),
                squares=self.table[1].tolist(),
            )
        return _CORE_TABLES[turn]

    def __call__(self, state: Any, /) -> float:
        if state.current_player() == TERMINAL:
            return float(state.returns()[0])
        seen = view(state)
        mean = variance = 0.0
        for player in range(self._players):
            in_turn = player == seen.turn
            points, square = self._in_turn(seen) if in_turn else self.table[:, seen.filled[player]]
            total = seen.totals[player] + points
            mean += total if player == 0 else -total
            variance += square - points**2
        return float(mean / self.most if self._players == 1 else _lead_value(mean, variance))

    def _in_turn(self, seen: YachtView) -> NDArray[np.float64]:
        """The moments of the player whose turn it is."""
        filled = seen.filled[seen.turn]
        if filled not in self._stages:
            self._stages[filled] = self.rules.stages(np.array([filled]), self.table)
        stages, turn = self._stages[filled], self.rules.turn
        number = turn.index[seen.dice]
        if seen.throwing:
            return stages.thrown[seen.thrown][:, 0, number]
        return stages.rolled[seen.thrown - 1][:, 0, number - turn.first_roll]


def plays_solo(game: Game) -> bool:
    """Whether SoloEvaluator values the game."""
    return _category_game_of(game) is not None


def _category_game_of(game: Game) -> CategoryGame | None:
    if not isinstance(game, OpenSpielGame) or game.pyspiel_game.get_type().short_name != "yacht":
        return None
    return category_game(game.pyspiel_game.get_parameters()) if game.num_players <= 2 else None


@cache
def _table(dice: int, sides: int, throws: int) -> NDArray[np.float64]:
    parameters = {"num_dice": dice, "dice_sides": sides, "rolls_per_turn": throws}
    found = category_game(parameters)
    assert found is not None
    return cached_table(f"yacht-{dice}-{sides}-{throws}-v{_VERSION}", found.solve)


def _lead_value(mean: float, variance: float) -> float:
    """The chance of more points less that of fewer, for a normal difference."""
    if variance < 1e-9:
        return float(mean > 1e-9) - float(mean < -1e-9)
    return math.erf(mean / math.sqrt(2 * variance))
