"""Games whose chances can only be drawn, as they are really played: from a seed, with their own dice.

The record of such a game begins with its seed, which stands for all its chances; then come the moves. So
`env.reset(seed=actions[0])` and a step for each other action play a Gymnasium environment's game again.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from starspiel.envs.base import CHANCE, Game, SampledState, possible_outcomes
from starspiel.envs.gymnasium.sampled.episode import Episode
from starspiel.envs.gymnasium.sampled.game import SampledGame
from starspiel.envs.gymnasium.table import TableGame

#: Seeds are below this: what every generator takes.
SEEDS = 2**31


class Course(Protocol):
    """A game under way.

    Attributes:
        state: where it is, for whoever moves: what is done with it changes nothing in the game.
    """

    @property
    def state(self) -> Any: ...

    def move(self, action: int) -> None:
        """A move at `state`, and what chance makes of it."""


def course(game: Game, seed: int) -> Course:
    """The game that begins with this seed. Environments are stepped; other games draw from one generator."""
    return _OfEnvironment(game, seed) if isinstance(game, SampledGame) else _OfSamples(game, seed)


def time_limit(game: Game) -> int | None:
    """The decisions after which a game ends though its rules go on, as `env.step` truncates episodes."""
    return game.time_limit if isinstance(game, TableGame) else None


def retraced(game: Game, actions: Sequence[int]) -> Iterator[tuple[Any, int, Any]]:
    """(state before, action, state after) of each action of a game, up to the first that is not legal.

    Of a game whose chances are drawn, the first action is its seed.
    """
    before: Any = game.new_initial_state()
    if game.explicit_chance:
        for action in actions:
            if action not in _possible(before):
                return
            after = before.child(action)
            yield before, action, after
            before = after
        return
    under_way: Course | None = None
    for action in actions:
        if under_way is None:
            if not 0 <= action < SEEDS:
                return
            under_way = course(game, action)
        else:
            if action not in before.legal_actions():
                return
            under_way.move(action)
        yield before, action, under_way.state
        before = under_way.state


def _possible(state: Any) -> Sequence[int]:
    if state.current_player() == CHANCE:
        return [outcome for outcome, _ in state.chance_outcomes()]
    legal: Sequence[int] = state.legal_actions()
    return legal


class _OfEnvironment:
    """Of an environment, which is stepped; its states hold clones."""

    def __init__(self, game: SampledGame, seed: int) -> None:
        self._episode = Episode.begin(game, seed)
        self.state: Any = self._episode.shown()

    def move(self, action: int) -> None:
        with self._episode.dice():
            self._episode.step(action)
        self.state = self._episode.shown()


class _OfSamples:
    """Of a game of `SampledState`s, and of listed chances between them."""

    def __init__(self, game: Game, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self.state: Any = self._settled(game.new_initial_state())

    def move(self, action: int) -> None:
        self.state = self._settled(self.state.child(action))

    def _settled(self, state: Any) -> Any:
        while state.current_player() == CHANCE:
            if isinstance(state, SampledState):
                state = state.sample(self._rng)
            else:
                outcomes, chances = zip(*possible_outcomes(state), strict=True)
                state = state.child(int(self._rng.choice(outcomes, p=chances)))
        return state
