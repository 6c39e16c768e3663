"""Provides the agent `uct` (Kocsis & Szepesvári 2006), for every game that search supports.

If a game lists its chance outcomes, chance nodes are nodes of the tree (closed loop). If outcomes can only be
drawn, a node stands for the moves that lead to it, and its values are means over the outcomes drawn on the
way (open loop: Perez, Dieskau, Hünermund, Mostaghim & Lucas 2015). An action's visits are compared with how
often it was available (Cowling, Powley & Whitehouse 2012), since the legal actions may depend on the
outcomes.
"""

import random
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any

from starspiel.agents.bot import Bot, Policy, check_turn
from starspiel.agents.bots.mcts_parameters import DEFAULT_SIMULATIONS, MOST_SIMULATIONS, MCTSParameters
from starspiel.agents.bots.tree_result import joint_tree_result, tree_result
from starspiel.agents.bots.uct_joint import JointUCTSearch, check_joint_uct
from starspiel.agents.bots.uct_native import NativeUCTSearch
from starspiel.agents.bots.uct_search import UCTSearch, UCTSettings
from starspiel.agents.bots.uct_tree import Tried, best_tried
from starspiel.agents.bots.uct_vectors import VectorUCTSearch
from starspiel.agents.evaluators.base import Evaluator
from starspiel.agents.evaluators.native_values import native_values
from starspiel.agents.evaluators.registry import as_evaluator
from starspiel.agents.search import SearchResult
from starspiel.agents.search.core_choice import chosen_core
from starspiel.agents.search.options import ENGINES, check_choice, takes
from starspiel.envs.arguments import seed_number, whole_number
from starspiel.envs.base import (
    SIMULTANEOUS,
    Game,
    actions_of,
    collected_by,
    has_vector_values,
    is_simultaneous,
)
from starspiel.envs.errors import SpecError
from starspiel.envs.load import searchable
from starspiel.envs.spec import Spec

#: Bytes of a node, measured on CPython; `memory_mb` limits the tree by this estimate.
_NODE_BYTES = 500


class UCTBot(Bot):
    """UCT with random rollouts or an evaluator; plays the most visited action, or one proven to be better.

    Unlike OpenSpiel's MCTS, it supports rewards on the way, discounts, sampled chances and unknown bounds.

    Args:
        game: a game for any number of players, each of whom maximises their own return. If all players move
            at once, it must be a zero-sum game for two; the bot then draws from the average strategy of
            regret matching.
        parameters: those of `MCTSParameters`, as keywords.
        uct_c: the exploration constant: the score of an action is its mean return plus
            `uct_c * unit * sqrt(log(available) / visits)`. The unit is 1, as in OpenSpiel's MCTS, in games
            that pay at the end and have known bounds. In others it is half the difference between the least
            and the greatest return from the root on that the search has seen so far.
        solve: whether to back up proven values; a chance node is proven once all its outcomes are.
        memory_mb: approximate limit on the tree's size, in MB; a tree of that size grows no further.
        rollout_moves: decisions after which a rollout is cut off; its value is what it has collected by then.
        evaluator: values leaves instead of rollouts: a spec, an Evaluator or a function of a state. Its
            native counterpart is used if it has one. `rollouts` and `rollout_moves` must then be left out.
        engine: "native" for the C++ core, "python", or "auto": native if it supports the game. Both make the
            same searches, visit for visit, unless a time limit ends them. The core does not support games in
            which all players move at once.
        player: the seat; it matters only if all players move at once.

    Every search draws its random numbers from its own seed, which depends on `seed` and on the number of
    earlier searches.

    Attributes:
        last_engine: the engine of the last move; None before the first move and after a forced one.
    """

    last_engine: str | None = None

    @takes(MCTSParameters)
    def __init__(
        self,
        game: Game,
        seed: int | None = None,
        *,
        rollout_moves: int = 1000,
        evaluator: Evaluator | Callable[[Any], float] | str | Spec | None = None,
        engine: str = "auto",
        player: int = 0,
        **parameters: Any,
    ) -> None:
        super().__init__()
        told = MCTSParameters(**parameters).checked("uct")
        moves = whole_number("uct: rollout_moves", rollout_moves, 1, MOST_SIMULATIONS)
        if evaluator is not None and (told.rollouts, moves) != (1, 1000):
            raise SpecError(
                "uct: an evaluator takes the place of rollouts; leave rollouts and rollout_moves out."
            )
        check_joint_uct(game, engine)
        self._game, self.player = game, player
        self._evaluator_spec = evaluator
        check_choice("engine", engine, ENGINES)
        self._engine = engine
        unlimited = DEFAULT_SIMULATIONS if told.seconds is None else MOST_SIMULATIONS
        self._simulations, self._seconds = told.simulations or unlimited, told.seconds
        most_nodes = told.memory_mb * 2**20 // _NODE_BYTES
        self._settings = UCTSettings(told.uct_c, told.rollouts, moves, told.solve, most_nodes)
        self._seed = seed_number(seed)
        self.restart()

    def __repr__(self) -> str:
        return f"<uct bot for {self._game.name}>"

    def restart(self) -> None:
        self._random = random.Random(self._seed)
        given = self._evaluator_spec
        self._evaluator = None if given is None else as_evaluator(given, self._game, self._seed)
        self.last_nodes = self.last_engine = None

    def step(self, state: Any) -> int:
        check_turn(state, self._game)
        if state.current_player() == SIMULTANEOUS:
            return self.step_with_policy(state)[1]
        state = searchable(state)
        legal = state.legal_actions()
        if len(legal) == 1:
            self.last_nodes, self.last_engine = 0, None
            return int(legal[0])
        search = self._begun(state)
        self.last_nodes, self.last_engine = search.run(self._simulations, self._seconds), search.engine
        return search.best_action()

    def step_with_policy(self, state: Any) -> tuple[Policy, int]:
        if state.current_player() != SIMULTANEOUS:
            return super().step_with_policy(state)
        policy = self._mixed(state)
        return policy, self._random.choices(*zip(*policy, strict=True))[0]

    def _mixed(self, state: Any) -> Policy:
        """Returns the bot's mixed strategy at a state in which all players move at once."""
        check_turn(state, self._game)
        actions = actions_of(state, self.player)
        if len(actions) == 1:
            self.last_nodes, self.last_engine = 0, None
            return [(actions[0], 1.0)]
        search = self._begun(state)
        assert isinstance(search, JointUCTSearch)
        self.last_nodes, self.last_engine = search.run(self._simulations, self._seconds), search.engine
        return list(search.policy(self.player).items())

    def _begun(self, state: Any) -> UCTSearch | NativeUCTSearch:
        game, settings, evaluator = self._game, self._settings, self._evaluator
        seed = self._random.getrandbits(64)
        if is_simultaneous(game):
            return JointUCTSearch(game, state, settings, evaluator, random.Random(seed))
        if (core := chosen_core(self._engine, state, game)) is not None:
            return NativeUCTSearch(core, game, state, settings, evaluator, seed)
        values: Callable[[Any], Any] | None = evaluator
        if evaluator is not None:
            values = native_values(evaluator, game, state) or evaluator
        search = VectorUCTSearch if has_vector_values(game) else UCTSearch
        return search(game, state, settings, values, random.Random(seed))

    def search(self, state: Any) -> dict[int, Tried]:
        """Returns the statistics of each action in the search that the next `step` would make at `state`. The
        next `step` is not affected.
        """
        search = self._searched(state)
        return search.tried_by(self.player) if isinstance(search, JointUCTSearch) else search.tried()

    def _searched(self, state: Any) -> UCTSearch | NativeUCTSearch:
        check_turn(state, self._game)
        kept = self._random.getstate()
        search = self._begun(searchable(state))
        search.run(self._simulations, self._seconds)
        self._random.setstate(kept)
        return search

    def analysis(self, state: Any) -> SearchResult:
        """Returns what `search` finds as a search result; its values are those of `move_values`.

        If all players move at once, it has each player's strategy, and values against the other's.
        """
        started, in_vectors = perf_counter(), has_vector_values(self._game)
        evaluator = "random games" if self._evaluator is None else self._evaluator.name
        search = self._searched(state)
        seconds = perf_counter() - started
        if state.current_player() == SIMULTANEOUS:
            assert isinstance(search, JointUCTSearch)
            collected, scale = self._game.frame(state)
            players = range(self._game.num_players)
            return joint_tree_result(
                self._game,
                state,
                [search.policy(player) for player in players],
                [
                    {action: collected + scale * worth for action, worth in search.values_of(player).items()}
                    for player in players
                ],
                {action: tried.visits for action, tried in search.tried_by(0).items()},
                algorithm="uct",
                evaluator=evaluator,
                seconds=seconds,
            )
        found = search.tried()
        sign = -1.0 if state.current_player() == 1 and not in_vectors else 1.0
        return tree_result(
            self._game,
            state,
            self._values(state, found),
            {action: tried.visits for action, tried in found.items()},
            best_tried(found, sign),
            algorithm="uct",
            evaluator=evaluator,
            engine="native" if chosen_core(self._engine, searchable(state), self._game) else "python",
            seconds=seconds,
        )

    def move_values(self, state: Any) -> dict[int, float]:
        return self._values(state, self.search(state))

    def _values(self, state: Any, found: Mapping[int, Tried]) -> dict[int, float]:
        collected, scale = self._game.frame(state)
        if has_vector_values(self._game):
            collected, scale = collected_by(state.current_player(), self._game, state), 1.0
        values = {action: each.mean if each.proven is None else each.proven for action, each in found.items()}
        return {action: collected + scale * value for action, value in values.items()}

    def get_policy(self, state: Any) -> Policy:
        """Returns the probabilities of all legal actions at the next `step`, without affecting it."""
        kept = self._random.getstate()
        policy = self.step_with_policy(state)[0]
        self._random.setstate(kept)
        return policy
