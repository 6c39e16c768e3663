"""Provides n-tuple networks, which value boards of 2048 by tables of the contents of a few cells.

Each pattern of cells is looked up in every symmetry of the board, and the weights found are added up to the
points still to come. Szubert & Jaskowski, "Temporal difference learning of n-tuple networks for the game
2048", IEEE CIG 2014. Tiles are downgraded as in Guei, Chen & Wu, "Optimistic temporal difference learning for
2048", IEEE Transactions on Games 14(3), 2022.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.evaluators.base import made_once
from starspiel.agents.evaluators.ntuple_file import NTupleFile, read_ntuples
from starspiel.agents.evaluators.shipped import shipped_ntuples
from starspiel.envs.base import CHANCE, TERMINAL, Game
from starspiel.envs.errors import SpecError, shown
from starspiel.envs.games.twenty_forty_eight import TwentyFortyEight
from starspiel.envs.kits import KITS

#: The logarithm of the greatest tile that the tables distinguish: 32768.
_GREATEST = 15
#: The tiles that few training games reach, as a bit for each logarithm: 16384 and 8192.
_RARE = 1 << 14 | 1 << 13


class NTupleEvaluator:
    """The points so far plus those to come, by an n-tuple network; before a move, after the best move."""

    by_position = True
    range = (-math.inf, math.inf)

    def __init__(self, network: NTupleFile, rules: TwentyFortyEight, name: str) -> None:
        self.network, self.rules, self.name = network, rules, name
        board = np.arange(network.rows * network.columns).reshape(network.rows, network.columns)
        ways = [board, board[:, ::-1], board[::-1], board[::-1, ::-1]]
        if network.rows == network.columns:
            ways += [way.T for way in ways]
        starts = np.cumsum([0, *(16 ** len(cells) for cells in network.patterns)])
        # A row for each pattern and each way to turn and mirror the board. Patterns are padded with cell 0,
        # which counts nothing there.
        shape = len(network.patterns) * len(ways), max(map(len, network.patterns))
        self._cells, self._places = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        self._tables = np.repeat(starts[:-1], len(ways))
        for row in range(shape[0]):
            cells, way = network.patterns[row // len(ways)], ways[row % len(ways)]
            self._cells[row, : len(cells)] = [way[divmod(cell, 4)] for cell in cells]
            self._places[row, : len(cells)] = 16 ** np.arange(len(cells))

    @made_once
    def for_core(self, core: Any, state: Any, game: Game) -> Any:
        held = self.network
        return core.NTuples(held.rows, held.columns, held.patterns, held.weights, held.base, held.unit)

    def __call__(self, state: Any, /) -> float:
        tiles, score, acting = state.position
        if acting == TERMINAL:
            return float(score)
        if acting == CHANCE:
            return float(score + self.to_come(tiles))
        moved = [self.rules.moved(tiles, move) for move in self.rules.actions(state.position)]
        return max(float(score + points + self.to_come(after)) for after, points in moved)

    def to_come(self, tiles: tuple[int, ...]) -> float:
        """Returns the points to come on a board after a move, given the logarithms of its tiles."""
        contents = downgraded(np.minimum(tiles, _GREATEST))[self._cells]
        places = self._tables + (contents * self._places).sum(axis=1)
        return self.network.base + self.network.unit * float(self.network.weights[places].sum(dtype=np.int64))


def downgraded(tiles: NDArray[np.int_]) -> NDArray[np.int_]:
    """Returns the tiles as they are looked up, by their logarithms.

    If both 16384 and 8192 or greater tiles are present, the tiles above the greatest missing one are halved.
    Until that one is made again, they are played in the same way, and their halves occurred more often in
    training.
    """
    present = sum(1 << int(tile) for tile in np.unique(tiles))
    if present < _RARE:
        return tiles
    missing = ~present & (1 << present.bit_length() - 1) - 2
    return tiles - (tiles >= missing.bit_length()) if missing else tiles


def ntuple_from_file(game: Game, file: str | None = None) -> NTupleEvaluator:
    """Returns the evaluator of `ntuple(file=…)`, or, without a file, of `ntuple`: the shipped network.

    Raises SpecError if the network is not for the game, and StarspielError if the file cannot be read.
    """
    if not isinstance(game, TwentyFortyEight):
        raise SpecError(f"n-tuple networks value boards of star_2048, not of {game.name}.")
    network = shipped_ntuples(game) if file is None else read_ntuples(file)
    if network is None:
        games = ", ".join(sorted(kit.name for kit in KITS if kit.ntuples))
        raise SpecError(
            f"no n-tuple network comes with starspiel for {game.name}; they come for {games or 'no game'}. "
            "Name one of your own: ntuple(file=…), made by starspiel train."
        )
    # Compared as text: loading the game that a file names would import modules that the file chose.
    if network.game != game.name or (network.rows, network.columns) != (game.rows, game.columns):
        raise SpecError(f"{file} is a network for {shown(network.game)}, not for {shown(game.name)}.")
    return NTupleEvaluator(network, game, "ntuple" if file is None else f"ntuple(file={file})")
