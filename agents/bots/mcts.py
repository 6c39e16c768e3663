"""Provides the agent `mcts`: OpenSpiel's C++ Monte-Carlo tree search if it supports the game, else `uct`."""

import math
import random
from time import perf_counter
from typing import Any

import pyspiel

from starspiel.agents.bot import Bot, check_turn
from starspiel.agents.bots.mcts_parameters import DEFAULT_SIMULATIONS, MCTSParameters
from starspiel.agents.bots.tree_result import tree_result
from starspiel.agents.bots.uct import UCTBot
from starspiel.agents.search import SearchResult
from starspiel.agents.search.options import takes
from starspiel.envs.arguments import seed_number
from starspiel.envs.base import Game, has_vector_values, is_simultaneous
from starspiel.envs.errors import UnsupportedGameError
from starspiel.envs.openspiel.game import OpenSpielGame
from starspiel.envs.spec import Spec

#: The share of a time limit for simulations; the rest is for freeing a large tree.
_SHARE = 0.98
#: With both limits: the simulations of the first search; the factor by which they may grow from one search to
#: the next; and the share of the remaining time that the next search is meant to take.
_FIRST, _GROWTH, _NEXT = 16, 16, 0.9
#: OpenSpiel's first simulation values the root itself; only the second one tries a move.
_LEAST = 2


def openspiel_refuses(game: Game) -> str:
    """Returns why OpenSpiel's C++ MCTS cannot play the game, as a clause; empty if it can."""
    # The game must not wrap one written in Python either: OpenSpiel's C++ bots crash on those.
    if not isinstance(game, OpenSpielGame) or game.contents.classes:
        return "it is not one of OpenSpiel's written in C++"
    if is_simultaneous(game):
        return "its players move at once"
    if game.step_rewards:
        return "it pays rewards on the way, and they must all come at the end"
    if game.utility_range is None or not all(map(math.isfinite, game.utility_range)):
        return "no bounds of its returns are known"
    return ""


@takes(MCTSParameters)
def mcts(
    game: Game,
    seed: int | None = None,
    *,
    player: int = 0,
    evaluator: str | Spec | None = None,
    **parameters: Any,
) -> "MCTSBot | UCTBot":
    """Returns OpenSpiel's C++ MCTS if it can play the game; otherwise, and with an evaluator, `uct`."""
    MCTSParameters(**parameters).checked("mcts")  # so that errors name the agent that was asked for
    if evaluator is not None or openspiel_refuses(game):
        return UCTBot(game, seed, player=player, evaluator=evaluator, **parameters)
    return MCTSBot(game, seed, **parameters)


def implementation(spec: Spec, game: Game) -> Spec:
    """Returns the spec with the name of its implementation: `uct` if `mcts` would return a UCTBot."""
    is_uct = spec.name == "mcts" and ("evaluator" in spec.params or openspiel_refuses(game))
    return Spec("uct", spec.params) if is_uct else spec


class MCTSBot(Bot):
    """OpenSpiel's C++ MCTS with random rollouts.

    Args:
        game: one of OpenSpiel's games written in C++, with terminal rewards and finite utilities.
        parameters: those of `MCTSParameters`, as keywords. OpenSpiel's bot supports only one limit. If both
            are given, quick searches find out how many simulations fit in the time; the last search, of that
            many but at most `simulations`, decides.
    """

    @takes(MCTSParameters)
    def __init__(self, game: Game, seed: int | None = None, **parameters: Any) -> None:
        super().__init__()
        told = MCTSParameters(**parameters).checked("mcts")
        if why := openspiel_refuses(game):
            raise UnsupportedGameError(f"OpenSpiel's C++ MCTS cannot play {game.name}: {why}. Use uct.")
        self._game, self._told, self._seconds = game, told, told.seconds
        self._simulations = max(_LEAST, told.simulations or DEFAULT_SIMULATIONS)
        self._has_both = told.simulations is not None and told.seconds is not None
        self._seed = random.Random(seed_number(seed)).randrange(2**31)
        self.restart()

    def __repr__(self) -> str:
        return f"<mcts bot for {self._game.name}>"

    def restart(self) -> None:
        self._rollout = pyspiel.RandomRolloutEvaluator(self._told.rollouts, self._seed)
        self._inner = self._bot(self._simulations, self._seed, _SHARE * (self._seconds or -1.0))
        self._searches = 0
        self._searched: list[Any] = []
        self._is_copy = False

    def _kept(self) -> dict[str, Any]:
        """Returns all attributes but the C++ parts, whose random state cannot be read. A copy repeats the
        searches so far, or starts anew if it has a time limit.
        """
        return {**vars(self), "_rollout": None, "_inner": None, "_is_copy": True}

    def _catch_up(self) -> None:
        """Brings a copy to the state of its original by repeating the searches."""
        searched, searches, nodes = self._searched, self._searches, self.last_nodes
        self.restart()
        for state in searched:
            self._inner.mcts_search(state)
        self._searched, self._searches, self.last_nodes = searched, searches, nodes

    def _bot(self, simulations: int, seed: int, seconds: float = -1.0) -> Any:
        return pyspiel.MCTSBot(
            self._game.pyspiel_game,  # type: ignore[attr-defined]  # one of OpenSpiel's
            self._rollout,
            self._told.uct_c,
            simulations,
            self._told.memory_mb,
            self._told.solve,
            seed,
            False,
            pyspiel.ChildSelectionPolicy.UCT,
            seconds,
        )

    def _root(self, bot: Any, state: Any) -> Any:
        """Returns the root of a search that has tried at least one move, however short its time."""
        root = bot.mcts_search(state)
        if not root.children:
            self._searches += 1
            root = self._bot(_LEAST, (self._seed + self._searches) % 2**31).mcts_search(state)
        return root

    def analysis(self, state: Any) -> SearchResult:
        """Returns the result of a search at `state`."""
        check_turn(state, self._game)
        started = perf_counter()
        root = self._root(self._bot(self._simulations, self._seed, _SHARE * (self._seconds or -1.0)), state)
        tried = {int(each.action): each for each in root.children if each.explore_count}
        own = state.current_player() == 0 or has_vector_values(self._game)
        values = {action: (1.0 if own else -1.0) * _mean(each) for action, each in tried.items()}
        return tree_result(
            self._game,
            state,
            values,
            {action: int(each.explore_count) for action, each in tried.items()},
            int(root.best_child().action),
            algorithm="mcts",
            evaluator="random games",
            engine="OpenSpiel's C++",
            seconds=perf_counter() - started,
        )

    def move_values(self, state: Any) -> dict[int, float]:
        return dict(self.analysis(state).action_values)

    def step(self, state: Any) -> int:
        # The C++ bot aborts the process at a chance node or a terminal state.
        check_turn(state, self._game)
        if self._is_copy:
            self._catch_up()
        if self._has_both:
            return self._step_in(self._seconds or 0.0, state)
        if self._seconds is None:
            self._searched.append(state.clone())
        root = self._root(self._inner, state)
        self.last_nodes = int(root.explore_count)
        return int(root.best_child().action)

    def _step_in(self, seconds: float, state: Any) -> int:
        deadline = perf_counter() + seconds
        simulations, self.last_nodes = min(_FIRST, self._simulations), 0
        while True:
            began = perf_counter()
            self._searches += 1
            root = self._bot(simulations, (self._seed + self._searches) % 2**31).mcts_search(state)
            action, done = int(root.best_child().action), int(root.explore_count)
            del root
            now = perf_counter()
            self.last_nodes += done
            fit = int(_NEXT * (deadline - now) / (now - began) * simulations)
            more = min(fit, _GROWTH * simulations, self._simulations)
            # Fewer simulations than asked for: there is only one move, or the game is solved from here.
            if more <= simulations or done < simulations:
                return action
            simulations = more


def _mean(node: Any) -> float:
    """Returns the value, proven or mean, of a child of the root for the player who moves at the root."""
    return float(node.outcome[node.player] if node.outcome else node.total_reward / node.explore_count)
