"""Widens a network without changing its values, so that training can continue with more units.

The idea is that of Net2Net (Chen, Goodfellow, Shlens 2016). Here the outputs of new units have weight 0 at
first, and their inputs have the weights of a new network, so that the units differ from the start.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from starspiel.envs.errors import StarspielError

Layer = tuple[NDArray[np.float32], NDArray[np.float32]]


def widened(layers: Sequence[Layer], fresh: Sequence[Layer], outputs: Sequence[int] = (0,)) -> list[Layer]:
    """Returns layers of the sizes of `fresh`, a wider network's first weights, that compute what `layers` do.

    A layer is (weights, bias), where weights have a row for each input. `outputs` are the places of the old
    outputs among the new ones. Raises StarspielError if a layer is missing or narrower than before.
    """
    had, wanted = ([len(bias) for _, bias in each[:-1]] for each in (layers, fresh))
    if len(had) != len(wanted) or any(more < less for less, more in zip(had, wanted, strict=True)):
        old, new = (",".join(map(str, units)) for units in (had, wanted))
        raise StarspielError(
            f"the network to start from has hidden layers of {old}: expected as many, of at least these "
            f"sizes, got hidden={new}."
        )
    result = []
    places = [*(list(range(len(bias))) for _, bias in layers[:-1]), list(outputs)]
    for (weights, bias), (new_weights, new_bias), columns in zip(layers, fresh, places, strict=True):
        rows = len(weights)
        new_weights, new_bias = new_weights.copy(), new_bias.copy()
        new_weights[rows:, columns] = 0
        new_weights[:rows, columns] = weights
        new_bias[columns] = bias
        result.append((new_weights, new_bias))
    return result
