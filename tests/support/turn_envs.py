"""Environments that alternate, for two players and for one, and the ways to say whose turn it is."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

#: Changes an environment for one player: (reward, whether the episode is over).
Rules = Callable[[Any, int], tuple[float, bool]]
#: Says whose turn it is, 0 or 1, in its own way; what it returns goes into info.
Way = Callable[[Any, int], dict[str, Any] | None]


class Shared(gymnasium.Env[Any, Any]):
    """A game of two players; `way` says whose turn it is, and `paid` whose reward a step pays."""

    action_space: Any = spaces.Discrete(3)
    observation_space: Any = spaces.Discrete(1000)

    def __init__(self, way: Way, paid: str = "mover") -> None:
        self._way, self._paid = way, paid
        self._noise = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.begin()
        return self._look(0)

    def step(self, action: int) -> Any:
        mover = self.mover()
        over, won = self.play(int(action))
        reward = float(won) if self._paid == "mover" or mover == 0 else -float(won)
        observation, info = self._look(self.mover())
        return observation, reward, over, False, info

    def _look(self, turn: int) -> Any:
        self.said: Any = None
        info = self._way(self, turn) or {}
        shown = self.board_shown()
        return (shown if self.said is None else self.said(shown)), info

    def mover(self) -> int:
        raise NotImplementedError

    def begin(self) -> None: ...
    def play(self, action: int) -> tuple[bool, float]: ...
    def board_shown(self) -> Any: ...


class Heap(Shared):
    """Nim: one to three of 15 stones; whoever takes the last one wins. Nothing else says whose turn it is."""

    def begin(self) -> None:
        self._log: list[int] = []

    def mover(self) -> int:
        return len(self._log) % 2

    def play(self, action: int) -> tuple[bool, float]:
        self._log = [*self._log, action + 1]
        return sum(self._log) >= 15, sum(self._log) >= 15

    def board_shown(self) -> Any:
        return max(0, 15 - sum(self._log))


class Noughts(Shared):
    """Tic-tac-toe, with draws."""

    action_space = spaces.Discrete(9)

    def begin(self) -> None:
        self._cells = [0] * 9

    def mover(self) -> int:
        return sum(map(bool, self._cells)) % 2

    def play(self, action: int) -> tuple[bool, float]:
        mark = 1 + self.mover()
        self._cells = [*self._cells[:action], mark, *self._cells[action + 1 :]]
        lines = ("012", "345", "678", "036", "147", "258", "048", "246")
        won = any(all(self._cells[int(c)] == mark for c in line) for line in lines)
        return won or all(self._cells), won

    def board_shown(self) -> Any:
        return np.array(self._cells)

    def action_masks(self) -> Any:
        return [cell == 0 for cell in self._cells]


class Hogs(Shared):
    """Pig to 20: a turn goes on until its player holds or rolls a one."""

    action_space = spaces.Discrete(2)

    def begin(self) -> None:
        self._points, self._pot, self._turn_of = [0, 0], 0, 0

    def mover(self) -> int:
        return self._turn_of

    def play(self, action: int) -> tuple[bool, float]:
        face = int(self.np_random.integers(1, 7))
        if action == 0:
            self._points = list(self._points)
            self._points[self._turn_of] += self._pot
        if action and face > 1:
            self._pot += face
            return False, 0.0
        won = max(self._points) >= 20
        self._pot, self._turn_of = 0, 1 - self._turn_of
        return won, won

    def board_shown(self) -> Any:
        return np.array([*self._points, self._pot])


class Coins(Shared):
    """Coins are taken from either end of a row, and each pays at once: a game of ten moves."""

    action_space = spaces.Discrete(2)

    def begin(self) -> None:
        self._row = [int(coin) for coin in self.np_random.integers(1, 9, 10)]

    def mover(self) -> int:
        return len(self._row) % 2

    def play(self, action: int) -> tuple[bool, float]:
        coin = self._row[-action]
        self._row = self._row[1:] if action == 0 else self._row[:-1]
        return not self._row, coin

    def board_shown(self) -> Any:
        return sum(self._row)


class Turned(Noughts):
    """A board shown from the side of whoever is to move, which nothing says."""

    def board_shown(self) -> Any:
        signs = np.array([0, 1, -1])[self._cells]
        return signs if self.mover() == 0 else -signs


class Colour(Enum):
    WHITE = 1
    BLACK = 2


class Slotted:
    __slots__ = ("turn",)

    def __init__(self, turn: int) -> None:
        self.turn = turn


@dataclass
class Side:
    name: str


_SIDES = Side("a"), Side("b")


def attribute(name: str, first: Any, second: Any) -> Way:
    return lambda env, turn: setattr(env, name, (first, second)[turn])


def info(name: str, first: Any, second: Any) -> Way:
    return lambda env, turn: {name: (first, second)[turn]}


def held(make: Callable[[int], Any]) -> Way:
    return lambda env, turn: setattr(env, "held", make(turn))


def seen(make: Callable[[Any, int], Any]) -> Way:
    def way(env: Any, turn: int) -> None:
        env.said = lambda shown: make(shown, turn)

    return way


WAYS: dict[str, Way] = {
    "turn=True/False": attribute("turn", True, False),
    "mark": attribute("mark", "X", "O"),
    "colour Enum": attribute("colour", Colour.WHITE, Colour.BLACK),
    "agent_selection": attribute("agent_selection", "player_0", "player_1"),
    "object of a list": lambda env, turn: setattr(
        env, "actor", env.__dict__.setdefault("sides", _SIDES)[turn]
    ),
    "slots": held(Slotted),
    "dict in a dict": held(lambda turn: {"game": {"player": turn + 1}}),
    "one-hot array": held(lambda turn: np.eye(2)[turn]),
    "order of a list": held(lambda turn: ["x", "o"] if turn == 0 else ["o", "x"]),
    "info next_player": info("next_player", 0, 1),
    "info nested": lambda env, turn: {"state": {"current_player": turn}},
    "info after steps": lambda env, turn: {"next": turn} if getattr(env, "_log", None) else {},
    "observation dict": seen(lambda shown, turn: {"board": shown, "turn": turn}),
    "observation's last": seen(lambda shown, turn: np.append(shown, turn)),
    "observation's plane": seen(
        lambda shown, turn: np.stack([np.full((3, 3), np.sum(shown)), np.full((3, 3), turn)])
    ),
}


class Alone(gymnasium.Env[Any, Any]):
    """One player; `play(env, action)` returns (reward, over) and changes the attributes as it likes."""

    observation_space: Any = spaces.Box(-9, 999, (2,))

    def __init__(self, play: Rules, actions: int = 2, **begin: Any) -> None:
        self.action_space = spaces.Discrete(actions)
        self._play, self._begin = play, begin

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.time = 0
        for name, value in self._begin.items():
            setattr(self, name, value() if callable(value) else value)
        return self._look()

    def step(self, action: int) -> Any:
        self.time += 1
        reward, over = self._play(self, int(action))
        observation, info = self._look()
        return observation, float(reward), over, False, info

    def _look(self) -> Any:
        told = [getattr(self, name) for name in self._begin]
        plain = [float(value) for value in told if isinstance(value, int | float)]
        return np.array([self.time % 7, *plain], np.float32), {}

    def chance(self, share: float = 0.5) -> bool:
        return bool(self.np_random.random() < share)


def _guess(env: Any, action: int) -> tuple[float, bool]:
    right = env.side == action
    env.side = int(env.chance())
    return (1 if right else -1), env.time == 20


def _even(rewards: Rules) -> Rules:
    def play(env: Any, action: int) -> tuple[float, bool]:
        env.even = not env.even
        return rewards(env, action)

    return play


def _walk(env: Any, action: int) -> tuple[float, bool]:
    env.place += (-1, 1, 0)[action]
    return {-3: (-1.0, True), 3: (1.0, True)}.get(env.place, (0.0, env.time == 40))


def _phases(env: Any, action: int) -> tuple[float, bool]:
    if env.phase == "roll":
        env.phase, env.die = "choose", int(env.np_random.integers(1, 7))
        return 0.0, False
    env.phase = "roll"
    gain, env.die = env.die * action, 0
    return gain, env.time >= 12


def _noise(env: Any, action: int) -> tuple[float, bool]:
    env.bits = env.np_random.integers(0, 2, 60)
    return float(env.chance(0.1)), env.chance(0.1)


def _grid(env: Any, action: int) -> tuple[float, bool]:
    """One of 36 cells is the agent's, who must move each time: a chessboard's colours alternate."""
    row, column = divmod(int(np.flatnonzero(env.cells)[0]), 6)
    dr, dc = ((0, 1), (1, 0), (0, -1), (-1, 0))[action]
    row, column = (row + dr) % 6, (column + dc) % 6
    env.cells = np.eye(36)[row * 6 + column]
    return {20: (1.0, True), 9: (-1.0, True)}.get(row * 6 + column, (-0.01, env.time == 50))


def _answered(env: Any, action: int) -> tuple[float, bool]:
    """A step holds the opponent's answer as well, so that `turn` is the agent's each time."""
    env.turn = 1 - env.turn
    env.turn = 1 - env.turn
    won = env.chance(0.1)
    return (1.0 if won else 0.0), won or env.chance(0.1)


ALONE: dict[str, Callable[[], Any]] = {
    "a coin to guess": lambda: Alone(_guess, side=0),
    "even, walk": lambda: Alone(_even(_walk), 3, even=True, place=0),
    "phases": lambda: Alone(_phases, phase="roll", die=0),
    "noise": lambda: Alone(_noise, bits=lambda: np.zeros(60, int)),
    "a chessboard to walk on": lambda: Alone(_grid, 4, cells=lambda: np.eye(36)[0]),
    "an answer in the same step": lambda: Alone(_answered, turn=0),
    "CartPole": lambda: gymnasium.make("CartPole-v1"),
    "Taxi": lambda: gymnasium.make("Taxi-v4"),
}
