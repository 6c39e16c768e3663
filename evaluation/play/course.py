"""Follows a game in progress, or replays its actions.

If a game's chance outcomes are sampled, its first action is a seed that determines all of them, and the
others are moves. For a Gymnasium environment, `env.reset(seed=actions[0])` and a step for each other action
replay the game.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from starspiel.envs.base import CHANCE, Game, SampledState, conforms, possible_outcomes
from starspiel.envs.gymnasium.sampled.episode import Episode
from starspiel.envs.gymnasium.sampled.game import SampledGame
from starspiel.envs.gymnasium.table import TableGame
from starspiel.envs.joint_move import one_by_one

#: Seeds are below this limit, which every generator accepts.
SEEDS = 2**31


class Course:
    """A game in progress. With a `seed`, chance outcomes are sampled; otherwise they are moved like actions.

    Attributes:
        state: the current state, which callers may change without effect on the game. If all players move at
            once, their moves are made one by one: see `JointMove`.
    """

    def __init__(self, game: Game, seed: int | None = None) -> None:
        self._episode: Episode | None = None
        self._rng = None if seed is None else np.random.default_rng(seed)
        if seed is not None and isinstance(game, SampledGame):
            self._episode = Episode.begin(game, seed)
            self.state: Any = self._episode.shown()
        else:
            self.state = self._settled(game.new_initial_state())

    def move(self, action: int) -> None:
        """Makes a move at `state`; with a seed, also samples the chance events that follow."""
        if self._episode is None:
            self.state = self._settled(self.state.child(action))
            return
        with self._episode.dice():
            self._episode.step(action)
        self.state = self._episode.shown()

    def _settled(self, state: Any) -> Any:
        while self._rng is not None and state.current_player() == CHANCE:
            if conforms(state, SampledState):
                state = state.sample(self._rng)
            else:
                outcomes, chances = zip(*possible_outcomes(state), strict=True)
                state = state.child(int(self._rng.choice(outcomes, p=chances)))
        return one_by_one(state)

    def possible(self) -> Sequence[int]:
        """Returns the actions that are possible at `state`: legal moves, or chance outcomes."""
        if self.state.current_player() == CHANCE:
            return [outcome for outcome, _ in possible_outcomes(self.state)]
        legal: Sequence[int] = self.state.legal_actions()
        return legal


def time_limit(game: Game) -> int | None:
    """Returns the number of decisions after which a game ends, as `env.step` truncates episodes, or None."""
    return game.time_limit if isinstance(game, TableGame) else None


def retraced(game: Game, actions: Sequence[int]) -> Iterator[tuple[Any, int, Any]]:
    """Yields (state before, action, state after) for each action of a game, up to the first illegal one."""
    before: Any = one_by_one(game.new_initial_state())
    course = Course(game) if game.explicit_chance else None
    for action in actions:
        if course is None:
            if not 0 <= action < SEEDS:
                return
            course = Course(game, action)
        elif action in course.possible():
            course.move(action)
        else:
            return
        yield before, action, course.state
        before = course.state
