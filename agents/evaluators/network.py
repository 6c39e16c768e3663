"""Provides the evaluator `net`: a multilayer perceptron over the inputs of an encoder.

The hidden layers use leaky ReLU, and a sigmoid squashes the outputs: the probabilities that the player about
to act gets at least each return (`NetworkFile.returns`). The arithmetic is that of
native/network/network.cpp: first-layer weights are multiples of 2^-18.
"""

import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.encoders import Encoder, Features
from starspiel.agents.encoders.base import next_to_act
from starspiel.agents.evaluators.base import made_once
from starspiel.agents.evaluators.network_file import NetworkFile, read_network
from starspiel.agents.evaluators.positions import needed_encoder, values_of
from starspiel.agents.evaluators.shipped import shipped_games, shipped_network, shipped_small_network
from starspiel.envs.base import Game, has_vector_values
from starspiel.envs.errors import SpecError, StarspielError, shown
from starspiel.envs.named import goes_by

_SCALE = 2.0**18
#: The greatest first-layer weight per count that 32 bits can hold in the native core.
_MOST = 1000.0
_LEAK = np.float32(0.01)


class NetworkEvaluator:
    """Values positions by a network: player 0's expected return.

    After a throw that the inputs omit, the value is that of the best move; before the throw, it is the mean.
    Before chance has placed the pieces, it is 0. Raises StarspielError if a first-layer weight is too large
    for its fixed-point format.

    `small`: an evaluator of the same game by which move filters choose the moves that this one values (see
    `Evaluator`).
    """

    by_position = True

    def __init__(
        self, network: NetworkFile, encoder: Encoder, name: str, small: "NetworkEvaluator | None" = None
    ) -> None:
        self.small = small
        self.network, self.encoder, self.name, self.range = network, encoder, name, network.range
        self.depth_fits = network.depth_fits
        self._steps = [more - less for less, more in pairwise(network.returns)]
        (first, bias), *self._rest = network.layers
        counted = first * encoder.units.astype(np.float64)[:, None]
        self._first, self._bias = (_whole(part, name) for part in (counted, bias.astype(np.float64)))

    @made_once
    def for_core(self, core: Any, state: Any, game: Game) -> Any:
        small = None if self.small is None else self.small.for_core(core, state, game)
        return core.Network(self.network.layers, self.encoder.units, self.network.returns, small)

    def sees(self, state: Any) -> bool:
        """Returns whether the network values the state itself, and not its successors instead."""
        return self.encoder.sees(state)

    def __call__(self, state: Any, /) -> float:
        # One by one, since the rounding of a matrix product depends on the number of rows.
        (value,) = values_of([state], self.encoder, lambda seen: list(map(self._own, seen)))
        return float(value)

    def _own(self, state: Any) -> float:
        value = self.range[0]
        for step, share in zip(self._steps, self.shares([self.encoder.encode(state)])[0], strict=True):
            value += step * float(share)
        return value

    def chances(self, state: Any) -> dict[float, float] | None:
        """Returns the probability of each return of player 0, after the best move of a state that the network
        values by its moves, such as the second half of a double.

        Returns None if one output stands for all returns, including draws, and for states that are over or
        valued by the mean of dice.
        """
        if len(self.network.returns) == 2 or state.is_terminal():
            return None
        if not self.sees(state):
            if (player := state.current_player()) < 0:
                return None
            best = max if player == 0 else min
            return self.chances(best(map(state.child, state.legal_actions()), key=self))
        shares = np.minimum.accumulate(self.shares([self.encoder.encode(state)])[0])
        mover = 1.0 if next_to_act(state) == 0 else -1.0
        each = -np.diff([1.0, *map(float, shares), 0.0])
        returns = self.network.returns
        return {mover * value: float(chance) for value, chance in zip(returns, each, strict=True)}

    def shares(self, positions: list[Features]) -> NDArray[np.float32]:
        """Returns the outputs, in (0, 1), as an array of shape (positions, outputs)."""
        sums = np.tile(self._bias, (len(positions), 1))
        for row, features in zip(sums, positions, strict=True):
            for at, count in features:
                row += count * self._first[at]
        values = sums.astype(np.float32) * np.float32(1 / _SCALE)
        for weights, bias in self._rest:
            values = np.where(values > 0, values, _LEAK * values) @ weights + bias
        with np.errstate(over="ignore"):  # the exponential of a certain loss overflows, to a share of 0
            shares: NDArray[np.float32] = np.float32(1) / (np.float32(1) + np.exp(-values))
        return shares


def _whole(weights: NDArray[np.float64], name: str) -> NDArray[np.int64]:
    if len(weights) and (greatest := float(np.abs(weights).max())) > _MOST:
        raise StarspielError(
            f"{name}: expected weights of the first layer within {_MOST:g} of 0 by count, got "
            f"{greatest:g}. Train it with a lower rate."
        )
    whole: NDArray[np.int64] = np.rint(weights * _SCALE).astype(np.int64)
    return whole


def network_from_file(game: Game, file: str | None = None, small: str | None = None) -> NetworkEvaluator:
    """Returns the evaluator of `net(file=…)`, or of `net`: the shipped network.

    `small` is the file of the network by which move filters choose; by default the shipped one. Raises
    SpecError if a network is not for the game, and StarspielError if a file cannot be read.
    """
    if file is None:
        network = shipped_network(game)
        if network is None:
            raise SpecError(
                f"no network comes with starspiel for {game.name}; networks come for "
                f"{', '.join(shipped_games())}, with their usual parameters. Name one of your own: "
                "net(file=…), made by starspiel train."
            )
        name, default = "net", shipped_small_network(game)
    else:
        network, name, default = _read(game, file), f"net(file={file})", None
    chosen = default if small is None else _read(game, small)
    return of_game(game, network, name, None if chosen is None else of_game(game, chosen, f"{name}.small"))


def _read(game: Game, file: Any) -> NetworkFile:
    if not isinstance(file, str | os.PathLike):
        raise SpecError(f"net: file must name a file that starspiel train wrote, got {shown(file)}.")
    network = read_network(Path(file))
    if not network.is_for(game):
        raise SpecError(f"{file} is a network for {shown(network.game)}, not for {shown(game.name)}.")
    return network


def of_game(
    game: Game, network: NetworkFile, name: str, small: NetworkEvaluator | None = None
) -> NetworkEvaluator:
    """Makes the evaluator of a network and its small network.

    Raises SpecError if the game is not a zero-sum game for two or has no encoder, or if its encoder or range
    does not match the network's.
    """
    if game.num_players != 2 or has_vector_values(game):
        kind = {1: "is a game of one player", 2: "is not zero-sum"}.get(
            game.num_players, f"has {game.num_players} players"
        )
        raise SpecError(
            f"{game.name} {kind}; networks on file value zero-sum games of two. Use heuristic, rollout, zero "
            "or a BatchEvaluator."
        )
    encoder = needed_encoder(game)
    if (encoder.name, encoder.version) != network.encoder or len(encoder.units) != network.sizes[0]:
        raise SpecError(
            f"{name}: the network was trained on {network.inputs}; {game.name} has {encoder.name} version "
            f"{encoder.version} with {len(encoder.units)}. Train it again: starspiel train."
        )
    if not goes_by(game, network.game):
        network = network.counting(game)
    outer = game.utility_range
    if outer is not None and not outer[0] <= network.range[0] <= network.range[1] <= outer[1]:
        raise SpecError(
            f"{name}: the network's outputs go from {network.range[0]:g} to {network.range[1]:g}; returns of "
            f"{game.name} lie from {outer[0]:g} to {outer[1]:g}."
        )
    return NetworkEvaluator(network, encoder, name, small)
