"""Environments that alternate, for two players and for one, and the ways to say whose turn it is."""

from collections.abc import Callable
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
        info = self._way(self, turn) or {}
        return self.board_shown(), info

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


class Colour(Enum):
    WHITE = 1
    BLACK = 2


def attribute(name: str, first: Any, second: Any) -> Way:
    return lambda env, turn: setattr(env, name, (first, second)[turn])


def info(name: str, first: Any, second: Any) -> Way:
    return lambda env, turn: {name: (first, second)[turn]}


WAYS: dict[str, Way] = {
    "turn=True/False": attribute("turn", True, False),
    "mark": attribute("mark", "X", "O"),
    "turn Enum": attribute("turn", Colour.WHITE, Colour.BLACK),
    "agent_selection": attribute("agent_selection", "player_0", "player_1"),
    "current_player": attribute("current_player", 0, 1),
    "private": attribute("_player_to_move", 1, -1),
    "white_to_move": attribute("white_to_move", True, False),
    "active side": attribute("active_side", "light", "dark"),
    "is_red_turn": attribute("is_red_turn", True, False),
    "current_color": attribute("current_color", 1, -1),
    "camel case": attribute("currentPlayer", 0, 1),
    "is_player1_turn": attribute("is_player1_turn", True, False),
    "isPlayerOne": attribute("isPlayerOne", True, False),
    "current_agent": attribute("current_agent", 0, 1),
    "info next_player": info("next_player", 0, 1),
    "info": info("to_play", 1, 2),
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


def _walked(env: Any, action: int) -> tuple[float, bool]:
    env.player = min(max(env.player + (-1, 1, 0)[action], 0), 3)
    return float(env.player == 3), env.time == 40


def _stepped_aside(env: Any, action: int) -> tuple[float, bool]:
    env.player_1 = action
    return float(action), env.time == 20


def _counted(env: Any, action: int) -> tuple[float, bool]:
    env.turn += action
    return 0.0, env.turn == 3


def _drawn_card(env: Any, action: int) -> tuple[float, bool]:
    right = env.card_to_play == action
    env.card_to_play = int(env.np_random.integers(4))
    return float(right), env.time == 12


def _pig(env: Any, action: int) -> tuple[float, bool]:
    """Many values, of which no episode has all."""
    if action:
        env.score, env.turn = env.score + env.turn, 0
    else:
        die = int(env.np_random.integers(1, 7))
        env.turn = 0 if die == 1 else env.turn + die
    return float(env.score), env.score >= 30 or env.time == 30


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


def _answered(env: Any, action: int) -> tuple[float, bool]:
    """A step holds the opponent's answer as well, so that `turn` is the agent's each time."""
    env.turn = 1 - env.turn
    env.turn = 1 - env.turn
    won = env.chance(0.1)
    return (1.0 if won else 0.0), won or env.chance(0.1)


ALONE: dict[str, Callable[[], Any]] = {
    "a coin to guess": lambda: Alone(_guess, side=0),
    "even, walk": lambda: Alone(_even(_walk), 3, even=True, place=0),
    "a walk by the player's place": lambda: Alone(_walked, 3, player=0),
    "the place of player 1": lambda: Alone(_stepped_aside, player_1=0),
    "a turn that counts": lambda: Alone(_counted, turn=0),
    "a card to play": lambda: Alone(_drawn_card, 4, card_to_play=0),
    "a turn's total": lambda: Alone(_pig, turn=0, score=0),
    "phases": lambda: Alone(_phases, phase="roll", die=0),
    "noise": lambda: Alone(_noise, bits=lambda: np.zeros(60, int)),
    "an answer in the same step": lambda: Alone(_answered, turn=0),
    "CartPole": lambda: gymnasium.make("CartPole-v1"),
    "Taxi": lambda: gymnasium.make("Taxi-v4"),
}
