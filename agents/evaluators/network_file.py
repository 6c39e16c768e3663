"""Defines `NetworkFile`: a network's weights, game and origin, and its file format. It holds only data.

The file is a NumPy .npz archive with one JSON text, `about`, and the arrays w0, b0, w1, b1, ... in single
precision, where w has a row for each input of its layer. Pickled objects are refused.
"""

import hashlib
import math
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.archive import opened_archive, save_archive
from starspiel.agents.evaluators.depth_fit import DepthFit
from starspiel.envs.base import Game
from starspiel.envs.errors import StarspielError, shown
from starspiel.envs.named import goes_by
from starspiel.envs.scoring import differs_in_scoring, returns_of

FORMAT = 1
Weights = NDArray[np.float32]


@dataclass(frozen=True)
class NetworkFile:
    """The contents of a network's file.

    Attributes:
        game: the name of the game whose positions it values, as in `Game.name`.
        encoder: the name and version of the encoder of its inputs.
        returns: the possible returns that the outputs distinguish, ascending: output k is the probability of
            a return of at least returns[k + 1]. If there are only -x and x, it is the expected share of the
            range.
        layers: a (weights, bias) pair per layer; weights have a row for each input.
        made: how it was made.
        depth_fits: how its values change with depth, from depth 2 on; () if that was not measured.
    """

    game: str
    encoder: tuple[str, int]
    returns: tuple[float, ...]
    layers: tuple[tuple[Weights, Weights], ...]
    made: dict[str, Any] = field(default_factory=dict)
    depth_fits: tuple[DepthFit, ...] = ()

    @property
    def range(self) -> tuple[float, float]:
        """The least and the greatest return of a player."""
        return self.returns[0], self.returns[-1]

    def is_for(self, game: Game) -> bool:
        """Returns whether it supports the game, which may have fewer returns than the network."""
        if goes_by(game, self.game):
            return True
        counting = returns_of(game)
        told = counting is not None and set(self.returns) >= set(counting)
        return told and differs_in_scoring(game, self.game)

    def counting(self, game: Game) -> "NetworkFile":
        """Returns the network without outputs for returns that do not occur in the game."""
        returns = returns_of(game) or self.returns
        kept = [self.returns.index(each) - 1 for each in returns[1:]]
        *layers, (weights, bias) = self.layers
        return replace(self, returns=returns, layers=(*layers, (weights[:, kept], bias[kept])), depth_fits=())

    @property
    def sizes(self) -> tuple[int, ...]:
        """The numbers of inputs, of units of each hidden layer, and of outputs."""
        return (len(self.layers[0][0]), *(len(bias) for _, bias in self.layers))

    @property
    def inputs(self) -> str:
        """A description of its inputs."""
        return f"{self.encoder[0]} version {self.encoder[1]} with {self.sizes[0]} inputs"

    @property
    def checksum(self) -> str:
        """SHA-256 checksum of the weights, and of the depth fits if there are any."""
        digest = hashlib.sha256()
        for layer in self.layers:
            for part in layer:
                digest.update(np.ascontiguousarray(part, "<f4").tobytes())
        for fit in self.depth_fits:
            digest.update(np.array(fit, "<f8").tobytes())
        return digest.hexdigest()

    def save(self, path: str | Path) -> None:
        """Writes the file atomically. Raises StarspielError if it cannot be written."""
        about = {
            "format": FORMAT,
            "game": self.game,
            "encoder": list(self.encoder),
            "sizes": list(self.sizes),
            "range": list(self.returns),
            "made": self.made,
            "depth_fits": self.depth_fits,
            "checksum": self.checksum,
        }
        arrays: dict[str, Any] = {}
        for number, (weights, bias) in enumerate(self.layers):
            arrays[f"w{number}"], arrays[f"b{number}"] = weights.astype("<f4"), bias.astype("<f4")
        save_archive(Path(path), about, arrays, what="the network")


def read_network(path: str | Path) -> NetworkFile:
    """Reads a network file. Raises StarspielError if it is missing or damaged."""
    otherwise = "holds no network ({error}); `starspiel train` writes one."
    with opened_archive(path, "the network", otherwise) as (about, held):
        if "patterns" in about:
            raise StarspielError(f"{path} holds an n-tuple network, which ntuple(file=…) reads, not net.")
        if about["format"] != FORMAT and "sizes" in about:  # without sizes it is no network of any format
            raise StarspielError(
                f"{path} holds a network of format {about['format']}; this version reads format {FORMAT}."
            )
        sizes = about["sizes"]
        layers = tuple(
            (held[f"w{number}"].astype(np.float32), held[f"b{number}"].astype(np.float32))
            for number in range(len(sizes) - 1)
        )
        changes = tuple(map(DepthFit.of, about.get("depth_fits", ())))
        (encoder, version), returns = about["encoder"], tuple(map(float, about["range"]))
        network = NetworkFile(
            str(about["game"]), (str(encoder), int(version)), returns, layers, dict(about["made"]), changes
        )
        shapes = [((inputs, outputs), (outputs,)) for inputs, outputs in pairwise(sizes)]
        fits = [(weights.shape, bias.shape) for weights, bias in layers] == shapes
        if not fits or len(layers) < 2 or min(sizes) < 1 or sizes[-1] != len(returns) - 1:
            raise StarspielError(f"{path}: the layers are not of the sizes that the file names.")
        if not all(np.isfinite(part).all() for layer in layers for part in layer):
            raise StarspielError(f"{path}: expected finite weights.")
        ascending = all(less < more for less, more in pairwise(returns))
        if not (ascending and math.isfinite(returns[-1]) and all(-each in returns for each in returns)):
            raise StarspielError(
                f"{path}: expected a range from -x to x, for the two sides of a zero-sum game, "
                f"or more returns, ascending, each with its negative, got {shown(returns)}."
            )
        check_sum(path, network.checksum, about)
    return network


def check_sum(path: str | Path, found: str, about: dict[str, Any]) -> None:
    """Raises StarspielError if the checksum of the weights does not match."""
    if found != about["checksum"]:
        raise StarspielError(
            f"{path} is damaged: the weights do not have the checksum that it names. Take another copy."
        )
