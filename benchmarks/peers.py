"""Backgammon programs that everybody knows, as opponents: gnubg at 0, 1 or 2 plies, and pubeval.

They come with gnubg-nn (pip install gnubg-nn), which is under the GPL and no part of this package.
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from starspiel.agents.bearoff.men import Men, sides
from starspiel.envs.base import Game

#: Positions whose values an opponent remembers.
_REMEMBERED = 5000


def peers(game: Game, plies: int = 2) -> dict[str, Callable[[Any, int, int], Any]]:
    """Name -> factory (game, seat, seed) of the programs that play the game, gnubg at 0 to so many plies.

    None without gnubg-nn.
    """
    if game.name != "backgammon" or find_spec("gnubg_nn") is None:
        return {}
    gnubg = {f"gnubg{each}": partial(_gnubg, each) for each in range(plies + 1)}
    return {"pubeval": lambda game, seat, seed: Pubeval(seat), **gnubg}


def _gnubg(plies: int, game: Any, seat: int, seed: int) -> "Gnubg":
    return Gnubg(seat, plies)


def gnubg_board(other: Men, roller: Men) -> list[Men]:
    """gnubg's two lists of 25, men by distance - 1, the bar last: who is about to roll comes second."""
    return [list(other[1:26]), list(roller[1:26])]


class Peer:
    """Plays every turn by the value of the position after it."""

    def __init__(self, player: int) -> None:
        self.player = player
        self.plan: dict[Any, float] = {}
        self.program: Any = import_module("gnubg_nn")

    def restart(self) -> None:
        self.plan = {}

    def step(self, state: Any) -> int:
        actions: list[int] = state.legal_actions()
        return max(actions, key=lambda action: self.best_after(state.child(action)))

    def best_after(self, state: Any) -> float:
        if state.is_terminal():
            return 10.0 if state.returns()[self.player] > 0 else -10.0
        if state.current_player() == self.player:  # the second half of a double
            return max(self.best_after(state.child(action)) for action in state.legal_actions())
        own, other = sides(state, self.player)
        key = (tuple(own), tuple(other))
        if key not in self.plan:
            if len(self.plan) > _REMEMBERED:
                self.plan.clear()
            self.plan[key] = self.value(own, other)
        return self.plan[key]

    def value(self, own: Men, other: Men) -> float:
        """What the position is worth to the player whose men `own` are, the other about to roll."""
        raise NotImplementedError


class Gnubg(Peer):
    """gnubg's network at so many plies, by its probability to win."""

    def __init__(self, player: int, plies: int = 0) -> None:
        super().__init__(player)
        self.plies = plies

    def value(self, own: Men, other: Men) -> float:
        return 1.0 - float(self.program.probabilities(gnubg_board(own, other), self.plies)[0])


class Pubeval(Peer):
    """Tesauro's public evaluation function (1993), which chooses among the moves of a roll."""

    def __init__(self, player: int) -> None:
        super().__init__(player)
        self.goal: tuple[Men, Men] | None = None

    def restart(self) -> None:
        super().restart()
        self.goal = None

    def step(self, state: Any) -> int:
        if self.goal is None or "Extra turn: 1" not in str(state):
            own, other = sides(state, self.player)
            low, high = sorted(int(die) for die in state.observation_tensor(self.player)[-2:])
            self.goal = played(own, other, self.program.pub_best_move(gnubg_board(other, own), high, low))
        return super().step(state)

    def value(self, own: Men, other: Men) -> float:
        return 1.0 if (own, other) == self.goal else 0.0


def played(own: Men, other: Men, walks: list[int]) -> tuple[Men, Men]:
    """The board after walks [from, to, from, to, ...], points counted from 0, below 0 for off."""
    own, other = list(own), list(other)
    for start, to in zip(walks[::2], walks[1::2], strict=True):
        own[start + 1] -= 1
        to = max(to + 1, 0)
        own[to] += 1
        if to > 0 and other[25 - to] == 1:
            other[25 - to] = 0
            other[25] += 1
    return own, other
