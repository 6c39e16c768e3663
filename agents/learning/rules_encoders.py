"""What a network sees of the games that ship with rules in Python; see encoders.py.

Of games with dice that are thrown before each move a network sees the positions before a throw.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starspiel.envs.base import CHANCE
from starspiel.envs.games.cant_stop import RUNNERS, CantStop, CantStopPosition
from starspiel.envs.games.dice import Dice, DicePosition
from starspiel.envs.games.knucklebones import Knucklebones, KnucklebonesPosition, score
from starspiel.envs.games.pig import Pig, PigPosition
from starspiel.envs.games.royal_game_of_ur import RoyalGameOfUr, UrPosition
from starspiel.envs.rules import Rules, RulesState

_Features = list[tuple[int, int]]


class RulesEncoder(ABC):
    """An `Encoder` of positions of rules, whose mover stands in them."""

    name: str
    version = 1
    units: NDArray[np.float32]

    def turn(self, state: RulesState[Any]) -> int:
        mover: int = state.position.mover
        return mover

    def placed(self, state: RulesState[Any]) -> bool:
        return True

    def sees(self, state: RulesState[Any]) -> bool:
        return state.current_player() == CHANCE

    def encode(self, state: RulesState[Any]) -> _Features:
        listed = self.inputs(state.position, self.turn(state))
        return [(at, count) for at, count in listed if count]

    @abstractmethod
    def inputs(self, position: Any, turn: int) -> _Features:
        """The inputs, ascending, and some that are zero; seen by the side of player `turn`."""


class CantStopEncoder(RulesEncoder):
    """Own heights, other heights and runners by column, columns won, runners left, the chance to climb."""

    name = "cant_stop"
    _CHANCES = 256

    def __init__(self, game: CantStop) -> None:
        self._rules = game
        self._board = sum(game.lengths)
        self.units = np.ones(3 * self._board + 2 + RUNNERS + 2, dtype=np.float32)
        self.units[-1] = 1 / self._CHANCES

    def inputs(self, position: CantStopPosition, turn: int) -> _Features:
        lengths = self._rules.lengths
        features, base, won = [], 0, []
        for heights in (position.heights[turn], position.heights[1 - turn], position.runners):
            won.append(sum(height == length for height, length in zip(heights, lengths, strict=True)))
            for height, length in zip(heights, lengths, strict=True):
                if height:
                    features.append((base + height - 1, 1))
                base += length
        running = len(lengths) - position.runners.count(0)
        features += [(base, won[0]), (base + 1, won[1]), (base + 2 + max(0, RUNNERS - running), 1)]
        return [*features, (len(self.units) - 1, self._chance(position, turn))]

    def _chance(self, position: CantStopPosition, turn: int) -> int:
        """The chance that a throw allows a climb, in 256ths, rounded down."""
        own, other, runners = position.heights[turn], position.heights[1 - turn], position.runners
        free = len(runners) - runners.count(0) < RUNNERS
        usable = frozenset(
            column
            for column, (length, runner) in enumerate(zip(self._rules.lengths, runners, strict=True))
            if other[column] < length and (runner or own[column]) < length and (runner or free)
        )
        every = self._rules.sides**4
        return round(self._rules.chance_to_climb(usable) * every) * self._CHANCES // every


class DiceEncoder(RulesEncoder):
    """Each side's stones; rows and columns change places for player 1, so that the die names a row."""

    name = "dice"

    def __init__(self, game: Dice) -> None:
        self._size = game.size
        self.units = np.ones(2 * game.size**2, dtype=np.float32)

    def inputs(self, position: DicePosition, turn: int) -> _Features:
        size = self._size
        cells = [row * size + column for row in range(size) for column in range(size)]
        if turn == 1:
            cells = [column * size + row for row in range(size) for column in range(size)]
        own, other = position.stones[turn], position.stones[1 - turn]
        return list(enumerate(stones >> cell & 1 for stones in (own, other) for cell in cells))


class KnucklebonesEncoder(RulesEncoder):
    """How often each face lies in each column, how many dice do, and the scores."""

    name = "knucklebones"

    def __init__(self, game: Knucklebones) -> None:
        self._rows, self._sides = game.rows, game.sides
        side = game.columns * (game.sides + 1) * game.rows + 1
        self.units = np.ones(2 * side, dtype=np.float32)
        self.units[side - 1 :: side] = 1 / 32

    def inputs(self, position: KnucklebonesPosition, turn: int) -> _Features:
        features, base = [], 0
        for grid in (position.grids[turn], position.grids[1 - turn]):
            for column in grid:
                for count in (*map(column.count, range(1, self._sides + 1)), len(column)):
                    if count:
                        features.append((base + count - 1, 1))
                    base += self._rows
            features.append((base, score(grid)))
            base += 1
        return features


class RoyalGameOfUrEncoder(RulesEncoder):
    """Each side's pieces by square, how many are home, and how many in hand."""

    name = "royal_game_of_ur"
    _SQUARES, _MOST = 14, 7
    _SIDE = _SQUARES + 2 * (_MOST + 1)
    units = np.ones(2 * _SIDE, dtype=np.float32)

    def __init__(self, game: RoyalGameOfUr) -> None:
        self._pieces = game.pieces

    def inputs(self, position: UrPosition, turn: int) -> _Features:
        features: _Features = []
        for side, player in enumerate((turn, 1 - turn)):
            squares, home = position.squares[player], position.home[player]
            base = side * self._SIDE
            features += [(base + place, squares >> place + 1 & 1) for place in range(self._SQUARES)]
            base += self._SQUARES
            hand = self._pieces - home - squares.bit_count()
            features += [(base + home, 1), (base + self._MOST + 1 + hand, 1)]
        return features


class StarPigEncoder(RulesEncoder):
    """Own score, other score, own score with the turn's points, and whether the die rolls.

    Each score as one of twenty parts of the goal, and by points.
    """

    name = "star_pig"
    _PARTS = 20

    def __init__(self, game: Pig) -> None:
        self._goal = game.goal
        one = [1.0] * (self._PARTS + 1) + [1 / game.goal]
        self.units = np.array(3 * one + [1], dtype=np.float32)

    def turn(self, state: RulesState[Any]) -> int:
        player: int = state.position.turn_player
        return player

    def sees(self, state: RulesState[Any]) -> bool:
        return True

    def inputs(self, position: PigPosition, turn: int) -> _Features:
        own, other = position.scores[turn], position.scores[1 - turn]
        features: _Features = []
        for place, points in enumerate((own, other, own + position.turn_total)):
            base, points = place * (self._PARTS + 2), min(points, self._goal)
            features += [(base + points * self._PARTS // self._goal, 1), (base + self._PARTS + 1, points)]
        return [*features, (len(self.units) - 1, int(position.acting == CHANCE))]


#: The encoders of rules; what inherits from these rules may play by others, and has none.
RULES_ENCODERS: dict[type[Rules[Any]], Callable[[Any], RulesEncoder]] = {
    CantStop: CantStopEncoder,
    Dice: DiceEncoder,
    Knucklebones: KnucklebonesEncoder,
    Pig: StarPigEncoder,
    RoyalGameOfUr: RoyalGameOfUrEncoder,
}
