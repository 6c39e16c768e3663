"""Provides the sampling searches expSS, Star1SS and Star2SS (Lanctot, Saffidine, Veness, Archibald & Winands
2013).

A chance node is replaced by `width` outcomes drawn with replacement, each with weight 1/width. An outcome
drawn twice is searched once and counted twice. On the resulting tree, expectiminimax is expSS, Star1 is
Star1SS and Star2 is Star2SS. So a `DrawnState` is a State, and those searches run on it unchanged.

The outcomes drawn at a node depend only on the seed and on the moves and outcomes that lead there, not on the
order of visits or on pruning. So the three searches, and the iterations of one search, see the same tree, and
with the same seed they find the same value.
"""

import secrets
from bisect import bisect_right
from itertools import accumulate
from typing import Any

import numpy as np

from starspiel.envs.arguments import seed_number, whole_number
from starspiel.envs.base import Game, merge_key, possible_outcomes

#: The searches of this module, and the search that each runs on the drawn tree.
SAMPLING = {"expss": "expectiminimax", "star1ss": "star1", "star2ss": "star2"}

#: The most outcomes that can be drawn at a chance node.
MAX_WIDTH = 1_000_000

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15


class DrawnState:
    """A State whose chance nodes have a few drawn outcomes; in all else it behaves like `state`.

    Outcomes keep their numbers if the game lists them; otherwise they have the numbers of their draws.
    """

    __slots__ = ("_children", "_game", "_outcomes", "_path", "_width", "state")

    def __init__(self, state: Any, game: Game, width: int, path: int) -> None:
        self.state = state
        self._game = game
        self._width = width
        self._path = path
        self._outcomes: list[tuple[int, float]] | None = None
        self._children: dict[int, Any] = {}

    def current_player(self) -> int:
        return int(self.state.current_player())

    def is_terminal(self) -> bool:
        return bool(self.state.is_terminal())

    def is_chance_node(self) -> bool:
        return bool(self.state.is_chance_node())

    def legal_actions(self) -> Any:
        return self.state.legal_actions()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Returns the distinct outcomes drawn, in ascending order, each with its share of the draws."""
        if self._outcomes is None:
            draw = self._draw_listed if self._game.explicit_chance else self._draw_sampled
            counts = draw()
            self._outcomes = [(outcome, counts[outcome] / self._width) for outcome in sorted(counts)]
        return self._outcomes

    def _draw_listed(self) -> dict[int, int]:
        outcomes, chances = zip(*possible_outcomes(self.state), strict=True)
        ends = list(accumulate(chances))
        counts: dict[int, int] = {}
        for i in range(self._width):
            point = _mix(self._path + i * _GOLDEN) / 2**64 * ends[-1]
            outcome = outcomes[min(bisect_right(ends, point), len(ends) - 1)]
            counts[outcome] = counts.get(outcome, 0) + 1
        return counts

    def _draw_sampled(self) -> dict[int, int]:
        rng = np.random.Generator(np.random.PCG64(self._path))
        counts: dict[int, int] = {}
        first: dict[Any, int] = {}
        for i in range(self._width):
            state = self.state.sample(rng)
            key = merge_key(self._game, state)
            draw = i if key is None else first.setdefault(key, i)
            counts[draw] = counts.get(draw, 0) + 1
            self._children.setdefault(draw, state)
        return counts

    def child(self, action: int) -> "DrawnState":
        if self._game.explicit_chance or not self.is_chance_node():
            state = self.state.child(action)
        else:
            self.chance_outcomes()
            state = self._children[action]
        return DrawnState(state, self._game, self._width, _mix(self._path ^ _mix(action + 1)))

    def returns(self) -> Any:
        return self.state.returns()

    def action_to_string(self, player: int, action: int) -> str:
        return str(self.state.action_to_string(player, action))

    def get_game(self) -> Game:
        return self._game

    def __str__(self) -> str:
        return str(self.state)


def drawn(state: Any, game: Game, width: int, seed: int | None) -> DrawnState:
    """Returns `state` as the root of a tree with `width` draws at every chance node.

    Without a seed, the tree is different each time.

    Raises `StarspielError` if `width` is not a whole number from 1 to `MAX_WIDTH`.
    """
    width, seed = whole_number("width", width, 1, MAX_WIDTH), seed_number(seed)
    return DrawnState(state, game, width, _mix(secrets.randbits(63) if seed is None else seed))


def undrawn(state: Any) -> Any:
    """Returns the game's own state: the one that a `DrawnState` wraps, or the state itself."""
    return state.state if isinstance(state, DrawnState) else state


def _mix(number: int) -> int:
    """Returns 64 well-mixed bits (the finaliser of SplitMix64, Steele, Lea & Flood 2014)."""
    number = (number + _GOLDEN) & _MASK
    number = ((number ^ (number >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    number = ((number ^ (number >> 27)) * 0x94D049BB133111EB) & _MASK
    return number ^ (number >> 31)
