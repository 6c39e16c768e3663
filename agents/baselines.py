"""The baselines that search agents are measured against: random, greedy and OpenSpiel's MCTS."""

import random
from types import SimpleNamespace
from typing import Any, TypeGuard

import numpy as np
import pyspiel
from open_spiel.python.algorithms import mcts

from starspiel.agents.bots import Bot, Policy, SearchBot
from starspiel.agents.search import Limits
from starspiel.agents.spec import Spec
from starspiel.envs.base import CHANCE, Game
from starspiel.envs.errors import SpecError, StarspielError, UnsupportedGameError
from starspiel.envs.openspiel import OpenSpielGame


class RandomBot(Bot):
    """Plays every legal action with equal probability."""

    def __init__(self, seed: int | None = None) -> None:
        super().__init__()
        self._seed = seed
        self.restart()

    def restart(self) -> None:
        self._random = random.Random(self._seed)

    def step(self, state: Any) -> int:
        return int(self._random.choice(state.legal_actions()))

    def step_with_policy(self, state: Any) -> tuple[Policy, int]:
        return self.get_policy(state), self.step(state)

    def get_policy(self, state: Any) -> Policy:
        actions = state.legal_actions()
        return [(action, 1 / len(actions)) for action in actions]


def greedy(
    game: Game, player: int = 0, seed: int | None = None, *, evaluator: str | Spec = "auto"
) -> SearchBot:
    """The move whose successor the evaluator likes best, ties broken at random from the seed."""
    return SearchBot(
        game, "expectiminimax", Limits(depth=1), evaluator, player=player, seed=seed, ties="random"
    )


class MCTSBot(Bot):
    """OpenSpiel's MCTS with random rollouts: its C++ bot, or its Python one for games not written in C++.

    Args:
        game: sequential, with terminal rewards and finite utilities.
        simulations: per move.
        uct_c: the exploration constant of UCT.
        rollouts: random games per evaluation of a leaf.
        solve: whether proven wins and losses are backed up (MCTS-Solver).
        memory_mb: the tree's greatest size; the C++ bot only.
    """

    def __init__(
        self,
        game: Game,
        seed: int | None = None,
        *,
        simulations: int = 1000,
        uct_c: float = 2.0,
        rollouts: int = 1,
        solve: bool = True,
        memory_mb: int = 1000,
    ) -> None:
        super().__init__()
        for name, value in (("simulations", simulations), ("rollouts", rollouts), ("memory_mb", memory_mb)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise SpecError(f"mcts: {name} must be a whole number of at least 1, got {value!r}.")
        if isinstance(uct_c, bool) or not isinstance(uct_c, int | float) or not 0 <= uct_c < float("inf"):
            raise SpecError(f"mcts: uct_c must be a number of at least 0, got {uct_c!r}.")
        if game.step_rewards:
            raise UnsupportedGameError(
                f"OpenSpiel's MCTS cannot play {game.name}, which pays rewards on the way: it wants them "
                "all at the end. Use random, greedy or a search agent."
            )
        if not game.explicit_chance or game.utility_range is None:
            raise UnsupportedGameError(
                f"OpenSpiel's MCTS cannot play {game.name}: it needs listed chance outcomes and bounded "
                "utilities. Use random, greedy or a search agent."
            )
        self._game = game
        self._settings = (float(uct_c), simulations)
        self._rollouts, self._solve, self._memory_mb = rollouts, bool(solve), memory_mb
        self._seed = random.Random(seed).randrange(2**31)
        self._simulations = simulations
        self.restart()

    def restart(self) -> None:
        uct_c, simulations = self._settings
        if _plays_in_cpp(self._game):
            self._inner = pyspiel.MCTSBot(
                self._game.pyspiel_game,
                pyspiel.RandomRolloutEvaluator(self._rollouts, self._seed),
                uct_c,
                simulations,
                self._memory_mb,
                self._solve,
                self._seed,
                False,
            )
            self._as_mcts_state = _same
        else:
            stream = np.random.RandomState(self._seed)
            self._inner = mcts.MCTSBot(
                _GameFacts(self._game),
                uct_c,
                simulations,
                mcts.RandomRolloutEvaluator(self._rollouts, stream),
                solve=self._solve,
                random_state=stream,
            )
            self._as_mcts_state = _same if isinstance(self._game, OpenSpielGame) else _MutableState

    def step_with_policy(self, state: Any) -> tuple[Policy, int]:
        legal = state.legal_actions()
        action = self.step(state)
        return [(a, float(a == action)) for a in legal], action

    def step(self, state: Any) -> int:
        # The C++ bot takes the whole process down where it is asked at a chance node or a terminal state.
        if state.current_player() < 0:
            raise StarspielError(f"mcts can only move at a decision node, not at the state\n{state}")
        self.last_nodes = self._simulations
        return int(self._inner.step(self._as_mcts_state(state)))


def _plays_in_cpp(game: Game) -> TypeGuard[OpenSpielGame]:
    """Whether the game is one of OpenSpiel's written in C++; its C++ bots crash on any other."""
    return isinstance(game, OpenSpielGame) and type(game.pyspiel_game).__module__ == "pyspiel"


def _same(state: Any) -> Any:
    return state


class _GameFacts:
    """The few facts that OpenSpiel's Python MCTS asks of a game."""

    def __init__(self, game: Game) -> None:
        self._game = game

    def get_type(self) -> SimpleNamespace:
        kind = pyspiel.GameType
        return SimpleNamespace(reward_model=kind.RewardModel.TERMINAL, dynamics=kind.Dynamics.SEQUENTIAL)

    def max_utility(self) -> float:
        assert self._game.utility_range is not None
        return max(map(abs, self._game.utility_range))

    def num_players(self) -> int:
        return self._game.num_players


class _MutableState:
    """A State that OpenSpiel's Python MCTS can play on in place."""

    def __init__(self, state: Any) -> None:
        self._state = state

    def __getattr__(self, name: str) -> Any:
        return getattr(self._state, name)

    def clone(self) -> "_MutableState":
        return _MutableState(self._state)

    def apply_action(self, action: int) -> None:
        self._state = self._state.child(int(action))  # it draws numpy integers

    # New lists: the bot shuffles what it is given.

    def legal_actions(self, player: int | None = None) -> list[int]:
        return list(self._state.legal_actions())

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return list(self._state.chance_outcomes())

    def is_simultaneous_node(self) -> bool:
        return False

    def is_chance_node(self) -> bool:
        return bool(self._state.current_player() == CHANCE)
