"""OpenSpiel's Monte-Carlo tree search as an agent."""

import math
import random
from time import perf_counter
from types import SimpleNamespace
from typing import Any, TypeGuard

import numpy as np
import pyspiel
from open_spiel.python.algorithms import mcts as openspiel_mcts

from starspiel.agents.baselines.uct import DEFAULT_SIMULATIONS, MOST_SIMULATIONS, UCTBot, check_parameters
from starspiel.agents.bots import Bot, Policy, check_turn
from starspiel.envs.arguments import seed_number
from starspiel.envs.base import CHANCE, Game, possible_outcomes
from starspiel.envs.errors import UnsupportedGameError
from starspiel.envs.openspiel.game import OpenSpielGame
from starspiel.envs.spec import Spec

#: With a time limit: how many simulations the first search has, how many times more each further one may
#: have, and the share of the time left that the next search is meant to take.
_FIRST, _GROWTH, _SHARE = 16, 16, 0.9


def openspiel_refuses(game: Game) -> str:
    """Why OpenSpiel's MCTS cannot play the game; empty where it can."""
    if game.step_rewards:
        return "it pays rewards on the way, and they must all come at the end"
    if not game.explicit_chance:
        return "its chances are drawn, and they must be listed"
    if game.utility_range is None or not all(map(math.isfinite, game.utility_range)):
        return "no bounds of its returns are known"
    return ""


def mcts(
    game: Game,
    seed: int | None = None,
    *,
    simulations: int | None = None,
    seconds: float | None = None,
    uct_c: float = 2.0,
    rollouts: int = 1,
    solve: bool = True,
    memory_mb: int = 1000,
) -> "MCTSBot | UCTBot":
    """OpenSpiel's MCTS where it can play the game, and elsewhere our own UCT; parameters as of both."""
    bot: type[MCTSBot | UCTBot] = UCTBot if openspiel_refuses(game) else MCTSBot
    return bot(
        game,
        seed,
        simulations=simulations,
        seconds=seconds,
        uct_c=uct_c,
        rollouts=rollouts,
        solve=solve,
        memory_mb=memory_mb,
    )


def implementation(spec: Spec, game: Game) -> Spec:
    """The spec by the name of what plays it: an `mcts` that is our own UCT is a `uct`."""
    return Spec("uct", spec.params) if spec.name == "mcts" and openspiel_refuses(game) else spec


class MCTSBot(Bot):
    """OpenSpiel's MCTS with random rollouts: its C++ bot, or its Python one for games not written in C++.

    Args:
        game: sequential, with terminal rewards and finite utilities.
        simulations: per move; without it and without `seconds`, `DEFAULT_SIMULATIONS`.
        seconds: wall-clock seconds a move. OpenSpiel's bots have no clock, so quick searches find out how
            many simulations fit, and the last one, of that many and at most `simulations`, decides.
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
        simulations: int | None = None,
        seconds: float | None = None,
        uct_c: float = 2.0,
        rollouts: int = 1,
        solve: bool = True,
        memory_mb: int = 1000,
    ) -> None:
        super().__init__()
        if simulations is None:
            simulations = DEFAULT_SIMULATIONS if seconds is None else MOST_SIMULATIONS
        check_parameters("mcts", simulations, seconds, uct_c, rollouts, solve, memory_mb)
        if why := openspiel_refuses(game):
            raise UnsupportedGameError(f"OpenSpiel's MCTS cannot play {game.name}: {why}. Use uct.")
        self._game = game
        self._uct_c = float(uct_c)
        self._rollouts, self._solve, self._memory_mb = int(rollouts), solve, int(memory_mb)
        self._seed = random.Random(seed_number(seed)).randrange(2**31)
        self._simulations, self._seconds = int(simulations), seconds
        self.restart()

    def restart(self) -> None:
        if _plays_in_cpp(self._game):
            self._rollout = pyspiel.RandomRolloutEvaluator(self._rollouts, self._seed)
            self._inner = self._cpp_bot(self._simulations, self._seed)
            self._as_mcts_state = _same
        else:
            stream = np.random.RandomState(self._seed)
            self._inner = openspiel_mcts.MCTSBot(
                _GameFacts(self._game),
                self._uct_c,
                self._simulations,
                openspiel_mcts.RandomRolloutEvaluator(self._rollouts, stream),
                solve=self._solve,
                random_state=stream,
            )
            self._as_mcts_state = _same if isinstance(self._game, OpenSpielGame) else _MutableState
        self._searches = 0

    def _cpp_bot(self, simulations: int, seed: int) -> Any:
        return pyspiel.MCTSBot(
            self._game.pyspiel_game,  # type: ignore[attr-defined]  # asked only where it is one of OpenSpiel's
            self._rollout,
            self._uct_c,
            simulations,
            self._memory_mb,
            self._solve,
            seed,
            False,
        )

    def step_with_policy(self, state: Any) -> tuple[Policy, int]:
        action = self.step(state)
        legal = state.legal_actions()
        return [(a, float(a == action)) for a in legal], action

    def step(self, state: Any) -> int:
        # The C++ bot takes the whole process down at a chance node or a terminal state.
        check_turn(state, self._game)
        if self._seconds is not None:
            return self._step_in(self._seconds, self._as_mcts_state(state))
        self.last_nodes = self._simulations
        return int(self._inner.step(self._as_mcts_state(state)))

    def _step_in(self, seconds: float, state: Any) -> int:
        deadline = perf_counter() + seconds
        simulations, self.last_nodes = min(_FIRST, self._simulations), 0
        while True:
            began = perf_counter()
            root = self._sized(simulations).mcts_search(state)
            action, done = int(root.best_child().action), int(root.explore_count)
            del root  # a large tree takes its time to go
            now = perf_counter()
            self.last_nodes += done
            fit = int(_SHARE * (deadline - now) / (now - began) * simulations)
            more = min(fit, _GROWTH * simulations, self._simulations)
            # Fewer than asked for: there is but one move, or the game is solved from here.
            if more <= simulations or done < simulations:
                return action
            simulations = more

    def _sized(self, simulations: int) -> Any:
        """OpenSpiel's bot for a search of so many simulations."""
        self._searches += 1
        if _plays_in_cpp(self._game):
            return self._cpp_bot(simulations, (self._seed + self._searches) % 2**31)
        self._inner.max_simulations = simulations
        return self._inner


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
        return possible_outcomes(self._state)

    def is_simultaneous_node(self) -> bool:
        return False

    def is_chance_node(self) -> bool:
        return bool(self._state.current_player() == CHANCE)
