"""Provides `SearchBot`, which plays the best action of a search, and the agents of all search algorithms."""

import random
import warnings
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any

from starspiel.agents.bot import Bot, Policy, check_turn
from starspiel.agents.evaluators.base import Evaluator, by_position, chances_after, outlook_of
from starspiel.agents.evaluators.registry import as_evaluator
from starspiel.agents.evaluators.zero import ZeroEvaluator
from starspiel.agents.opponents import as_opponent
from starspiel.agents.search import DEFAULT_DEPTH, Limits, Options, SearchResult
from starspiel.agents.search.deepening import Tell
from starspiel.agents.search.driver import check_algorithm, search_with
from starspiel.agents.search.joint_deepening import check_joint_moves
from starspiel.agents.search.move_filters import check_filters
from starspiel.agents.search.options import FOR_READERS, takes, takes_options
from starspiel.agents.search.probcut import check_probcut
from starspiel.envs.arguments import seed_number
from starspiel.envs.base import SIMULTANEOUS, Game, actions_of
from starspiel.envs.errors import UnknownGameWarning
from starspiel.envs.outlook import Outlook
from starspiel.envs.spec import Spec


class SearchBot(Bot):
    """Plays the best action of a search.

    Args:
        game: the game that it plays.
        algorithm, limits: as for `search`.
        evaluator: a spec, an Evaluator or a function of a state, as for `search`.
        player: the seat; it matters only if all players move at once. Otherwise the bot moves for the player
            to move.
        seed: seed of rollouts, of drawn outcomes (new ones at every move) and of random ties.
        options: any other of a search's `Options` that affects the move, as keywords.

    With `ties="soonest"`, the default, several actions may remain equal. In one-player games, and with the
    zero evaluator, the bot draws one of them, since always playing the first may go round in circles for
    ever. In other games it plays the first. If all players move at once, it draws from its mixed strategy. A
    forced move is played without a search. Raises UnsupportedGameError if the algorithm needs listed chance
    outcomes and the game has none.

    Attributes:
        last_result: the SearchResult of the last move; None before the first move and after a forced one.
    """

    last_result: SearchResult | None = None
    #: The agent's name, if it differs from that of its algorithm.
    called: str | None = None

    @takes_options
    def __init__(
        self,
        game: Game,
        algorithm: str,
        limits: Limits,
        evaluator: Evaluator | Callable[[Any], float] | str | Spec | None = "auto",
        *,
        player: int = 0,
        seed: int | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        self._options = Options(algorithm=algorithm, exact_action_values=False, explain=False, **options)
        check_algorithm(self._options, game)
        check_joint_moves(game, self._options)
        check_filters(self._options, game)
        opponent = as_opponent(self._options.opponent, game, seed_number(seed))
        self._options = replace(self._options, opponent=opponent)
        self.player = player
        self._game = game
        self._limits = limits
        self._evaluator_spec = evaluator
        self._seed = seed_number(seed)
        self._evaluator = as_evaluator(evaluator, game, self._seed)
        check_probcut(self._options, self._evaluator, game)
        self._is_told = False
        self.restart()

    def __repr__(self) -> str:
        return f"<{self._options.algorithm} bot, {self._limits}, for {self._game.name}>"

    @property
    def game(self) -> Game:
        """The game that it plays."""
        return self._game

    @property
    def outlook(self) -> Outlook:
        """How to print its values for people."""
        return outlook_of(self._evaluator, self._game)

    def chances_after(self, state: Any, action: int) -> dict[float, float] | None:
        """Returns {return of player 0: probability} after an action, without a search; None if the evaluator
        does not tell.
        """
        return chances_after(self._evaluator, state, action)

    @property
    def algorithm(self) -> str:
        """The name of its algorithm."""
        return self._options.algorithm

    def restart(self) -> None:
        self._random = random.Random(self._seed)
        self._draws = random.Random(self._seed)
        self._draw_seed = self._draws.getrandbits(63)
        if not by_position(self._evaluator):  # evaluators by position have no state to reset
            self._evaluator = as_evaluator(self._evaluator_spec, self._game, self._seed)
        self.last_result = self.last_nodes = None

    def search(
        self, state: Any, *, limits: Limits | None = None, tell: Tell | None = None, **options: bool
    ) -> SearchResult:
        """Returns the result of the search that the bot makes at `state`.

        Args:
            limits: replaces the bot's own limits.
            tell: called with the result of each depth, from 1 on; Ctrl-C then ends the search.
            options: `explain` and `exact_action_values`, both False by default.
        """
        asked = replace(self._options, **options) if options else self._options  # type: ignore[arg-type]
        return search_with(asked, state, limits or self._limits, self._evaluator, self._draw_seed, tell)

    def move_values(self, state: Any) -> dict[int, float]:
        result = self.search(state, exact_action_values=True)
        return dict((result.strategies[self.player] if result.strategies else result).action_values)

    def step(self, state: Any) -> int:
        if self._is_joint(state):
            return self.step_with_policy(state)[1]
        best = self._best(state)
        return self._random.choice(best) if len(best) > 1 else best[0]

    def step_with_policy(self, state: Any) -> tuple[Policy, int]:
        if self._is_joint(state):
            policy = self._mixed(state)
            return policy, self._random.choices(*zip(*policy, strict=True))[0]
        best = self._best(state)
        action = self._random.choice(best) if len(best) > 1 else best[0]
        return _uniform(best, state.legal_actions()), action

    def get_policy(self, state: Any) -> Policy:
        """Returns the probabilities of all legal actions at the next `step`, without affecting it."""
        kept = self._draws.getstate()
        if self._is_joint(state):
            policy = self._mixed(state)
        else:
            policy = _uniform(self._best(state), state.legal_actions())
        self._draws.setstate(kept)
        return policy

    def _is_joint(self, state: Any) -> bool:
        """Returns whether all players move at once. Raises StarspielError if the state is not a decision node
        of the game.
        """
        check_turn(state, self._game)
        return bool(state.current_player() == SIMULTANEOUS)

    def _mixed(self, state: Any) -> Policy:
        """Returns the bot's mixed strategy if all players move at once."""
        actions = actions_of(state, self.player)
        if len(actions) == 1:
            self.last_result, self.last_nodes = None, 0
            return [(actions[0], 1.0)]
        self._draw_seed = self._draws.getrandbits(63)
        self.last_result = self.search(state)
        self.last_nodes = self.last_result.nodes
        policy = self.last_result.policies[self.player]
        if not self.last_result.exact and self.last_result.value_to_go == 0 and max(policy.values()) == 1:
            self._tell_that_all_are_alike()
        return list(policy.items())

    def _best(self, state: Any) -> tuple[int, ...]:
        """Returns the actions from which the bot draws its move."""
        legal = state.legal_actions()
        if len(legal) == 1:
            self.last_result, self.last_nodes = None, 0
            return (legal[0],)
        self._draw_seed = self._draws.getrandbits(63)
        self.last_result = self.search(state)
        self.last_nodes = self.last_result.nodes
        ties, found = self._options.ties, self.last_result.soonest_actions
        drawn = ties == "random" or (ties == "soonest" and self._game.num_players == 1)
        if isinstance(self._evaluator, ZeroEvaluator) and not self.last_result.exact:
            drawn = drawn or ties == "soonest"
            if len(self.last_result.best_actions) == len(legal):
                self._tell_that_all_are_alike()
        return found if drawn else found[:1]

    def _tell_that_all_are_alike(self) -> None:
        """Warns, once, that the agent sees all moves alike, unless the user chose the evaluator."""
        if self._is_told or str(self._evaluator_spec) != "auto":
            return
        if isinstance(self._evaluator, ZeroEvaluator):
            self._is_told = True
            agent = self.called or self.algorithm
            warnings.warn(
                f"{self._game.name}: to {agent} all moves look alike, because the game has no heuristic or "
                "network. It plays at random until it sees the end of the game. Use the agent auto or mcts, "
                f"or an evaluator: {agent}(evaluator=rollout(n=10))",
                UnknownGameWarning,
                stacklevel=5,
            )


def _uniform(chosen: Sequence[int], legal: Sequence[int]) -> Policy:
    return [(action, 1 / len(chosen) if action in chosen else 0.0) for action in legal]


@takes(Limits, Options, left_out=FOR_READERS)
def search_agent(
    game: Game,
    player: int = 0,
    seed: int | None = None,
    *,
    algorithm: str = "star2",
    evaluator: str | Spec = "auto",
    **options: Any,
) -> SearchBot:
    """Makes the bot of a search algorithm's spec; without a limit, the depth is `DEFAULT_DEPTH`.

    `table_mb=none` means a search without a table.
    """
    given = {limit.name: options.pop(limit.name, None) for limit in fields(Limits)}
    if all(value is None for value in given.values()):
        given["depth"] = DEFAULT_DEPTH
    if options.get("table_mb") == "none":
        options["table_mb"] = None
    return SearchBot(game, algorithm, Limits(**given), evaluator, player=player, seed=seed, **options)
