"""Agents as OpenSpiel bots: complete `pyspiel.Bot`s that OpenSpiel's own `evaluate_bots` can run."""

import copy
import random
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import pyspiel

from starspiel.agents.evaluators import Evaluator
from starspiel.agents.evaluators.base import by_position
from starspiel.agents.evaluators.roster import as_evaluator
from starspiel.agents.evaluators.zero import ZeroEvaluator
from starspiel.agents.opponents import as_opponent
from starspiel.agents.search import Limits, Options, SearchResult
from starspiel.agents.search.context import check_quiescence
from starspiel.agents.search.driver import check_algorithm, search_with
from starspiel.agents.search.options import takes_options
from starspiel.envs.arguments import seed_number
from starspiel.envs.base import CHANCE, TERMINAL, Game
from starspiel.envs.errors import StarspielError, UnknownGameWarning
from starspiel.envs.identity import same_game
from starspiel.envs.load import game_of
from starspiel.envs.spec import Spec

Policy = list[tuple[int, float]]


class Bot(pyspiel.Bot):  # type: ignore[misc]  # pyspiel has no type hints
    """A `pyspiel.Bot` that answers every call of the interface; a subclass writes `step_with_policy`.

    It works on pyspiel states and, called from Python, on every other State. It can be pickled and copied,
    its random numbers included: what a copy plays from then on is what the bot plays.

    Attributes:
        last_nodes: what the last move cost, in states searched or simulations; None where it cost nothing
            that is counted.
    """

    last_nodes: int | None = None
    #: Attributes that copies share. Games never change, and some cannot be copied.
    _shared: ClassVar[tuple[str, ...]] = ("_game",)

    def __init__(self) -> None:
        super().__init__()

    def step(self, state: Any) -> int:
        """The action to play."""
        return self.step_with_policy(state)[1]

    def step_with_policy(self, state: Any) -> tuple[Policy, int]:
        """The probabilities of all legal actions, and the action drawn from them."""
        raise NotImplementedError

    def get_policy(self, state: Any) -> Policy:
        """The probabilities of all legal actions."""
        return self.step_with_policy(state)[0]

    def provides_policy(self) -> bool:
        return True

    def move_values(self, state: Any) -> dict[int, float] | None:
        """Player 0's expected return of the whole game by each move, in the bot's eyes, only for looking at.

        None where it values none.
        """
        return None

    def restart(self) -> None:
        """Back to how it was made, random numbers included."""

    def restart_at(self, state: Any) -> None:
        """Ready to play on from `state`."""
        self.restart()

    def inform_action(self, state: Any, player: int, action: int) -> None:
        """Another player, or chance, did `action` at `state`. Search needs no memory of it."""

    def inform_actions(self, state: Any, actions: Sequence[int]) -> None:
        """All players acted at once; never so in the games search plays."""

    def provides_force_action(self) -> bool:
        return True

    def force_action(self, state: Any, action: int) -> None:
        """The next move at `state` is `action`, whatever the bot would play."""

    def is_clonable(self) -> bool:
        return True

    def clone(self) -> Self:
        """A copy, which plays on as this bot does, random numbers included, as clones of OpenSpiel's bots."""
        return copy.deepcopy(self)

    def seeded(self, seed: int) -> Self:
        """A copy as it would have been made from another seed."""
        twin = self.clone()
        twin.__dict__["_seed"] = seed
        twin.restart()
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        twin: Self = _blank(type(self))
        memo[id(self)] = twin
        memo |= {id(part): part for name in self._shared if (part := vars(self).get(name)) is not None}
        twin.__dict__.update(copy.deepcopy(self._kept(), memo))
        return twin

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return _blank, (type(self),), self._kept()

    def _kept(self) -> dict[str, Any]:
        """What a copy is made of."""
        return self.__dict__


def listens(bot: Any) -> bool:
    """Whether the bot has an inform_action that does something."""
    listener = getattr(type(bot), "inform_action", None)
    # A plain `pyspiel.Bot` is some C++ bot, whose own inform_action cannot be seen from here.
    deaf = (pyspiel.Bot.inform_action, Bot.inform_action)
    return listener is not None and (listener not in deaf or type(bot) is pyspiel.Bot)


def _blank(kind: Any) -> Any:
    """A bot that knows nothing yet. Its C++ part cannot be copied, and holds nothing."""
    bot = kind.__new__(kind)
    pyspiel.Bot.__init__(bot)
    return bot


def provides_policy(bot: Any) -> bool:
    """Whether the bot tells the probabilities of its moves."""
    provides = getattr(bot, "provides_policy", None)
    return callable(getattr(bot, "get_policy", None)) if provides is None else bool(provides())


def move_chances(bot: Any, state: Any) -> dict[int, float]:
    """The probabilities of a bot's moves at a decision node; one of 1 where it only tells its move.

    A function of the state: the bot begins anew there, so that random numbers, where it draws any, are the
    same each time.
    """
    if callable(begin := getattr(bot, "restart_at", None)):
        begin(state)
    return dict(bot.get_policy(state)) if provides_policy(bot) else {int(bot.step(state)): 1.0}


def check_turn(state: Any, game: Game) -> None:
    """Raises StarspielError where the state is no decision of a bot made for `game`."""
    if not same_game(theirs := game_of(state), game):
        other = f"another game named {theirs.name}" if theirs.name == game.name else theirs.name
        raise StarspielError(f"this bot was made for {game.name}, but the state is of {other}.")
    player = state.current_player()
    if player == CHANCE:
        raise StarspielError(f"no player moves at a chance node of {game.name}; apply an outcome first.")
    if player == TERMINAL:
        raise StarspielError(f"no player moves in a terminal state of {game.name}: the game is over.")


class SearchBot(Bot):
    """Plays the best action of a search.

    Args:
        game: what it plays.
        algorithm, limits: as for `search`.
        evaluator: a spec, an Evaluator or a function of a state, as for `search`.
        player: the seat; search answers for whoever is to move, so it is only kept.
        seed: of rollouts, of drawn outcomes (others at every move) and of random ties.
        options: by name, any other of a search's `Options` that bears on the move.

    Of actions that `ties="soonest"`, the default, leaves equal, a player alone draws one, since to play the
    first of them may go round in circles for ever; of two players each plays the first.

    A forced move is played without a search. Raises UnsupportedGameError where the algorithm needs listed
    chances and the game has none.

    Attributes:
        last_result: the SearchResult of the last move; None before the first one and after a forced one.
    """

    last_result: SearchResult | None = None

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
        opponent = as_opponent(self._options.opponent, game, seed_number(seed))
        self._options = replace(self._options, opponent=opponent)
        self.player = player
        self._game = game
        self._limits = limits
        self._evaluator_spec = evaluator
        self._seed = seed_number(seed)
        self._evaluator = as_evaluator(evaluator, game, self._seed)
        check_quiescence(self._options, self._evaluator, game)
        self._is_told = False
        self.restart()

    def __repr__(self) -> str:
        return f"<{self._options.algorithm} bot, {self._limits}, for {self._game.name}>"

    @property
    def game(self) -> Game:
        """What it plays."""
        return self._game

    @property
    def algorithm(self) -> str:
        """The search that it makes."""
        return self._options.algorithm

    def with_algorithm(self, algorithm: str) -> Self:
        """A copy that searches by another algorithm, with the same options."""
        twin = self.clone()
        twin.__dict__["_options"] = replace(self._options, algorithm=algorithm)
        check_algorithm(twin.__dict__["_options"], self._game)
        return twin

    def restart(self) -> None:
        self._random = random.Random(self._seed)
        self._draws = random.Random(self._seed)
        self._draw_seed = self._draws.getrandbits(63)
        if not by_position(self._evaluator):  # the others have nothing to begin anew with
            self._evaluator = as_evaluator(self._evaluator_spec, self._game, self._seed)
        self.last_result = self.last_nodes = None

    def search(
        self,
        state: Any,
        *,
        limits: Limits | None = None,
        explain: bool = False,
        exact_action_values: bool = False,
    ) -> SearchResult:
        """The search the bot makes at `state`, for those who want more of it than the move.

        `limits` are instead of the bot's own.
        """
        options = self._options
        if explain or exact_action_values:
            options = replace(options, explain=explain, exact_action_values=exact_action_values)
        return search_with(options, state, limits or self._limits, self._evaluator, self._draw_seed)

    def move_values(self, state: Any) -> dict[int, float]:
        return dict(self.search(state, exact_action_values=True).action_values)

    def step(self, state: Any) -> int:
        best = self._best(state)
        return self._random.choice(best) if len(best) > 1 else best[0]

    def step_with_policy(self, state: Any) -> tuple[Policy, int]:
        best = self._best(state)
        action = self._random.choice(best) if len(best) > 1 else best[0]
        return _uniform(best, state.legal_actions()), action

    def get_policy(self, state: Any) -> Policy:
        """The probabilities of all legal actions at the next `step`, which stays as it is."""
        kept = self._draws.getstate()
        best = self._best(state)
        self._draws.setstate(kept)
        return _uniform(best, state.legal_actions())

    def _best(self, state: Any) -> tuple[int, ...]:
        """The actions that the bot draws its move from."""
        check_turn(state, self._game)
        legal = state.legal_actions()
        if len(legal) == 1:
            self.last_result, self.last_nodes = None, 0
            return (legal[0],)
        self._draw_seed = self._draws.getrandbits(63)
        self.last_result = self.search(state)
        self.last_nodes = self.last_result.nodes
        if not self.last_result.exact and len(self.last_result.best_actions) == len(legal):
            self._tell_that_all_are_alike()
        ties, found = self._options.ties, self.last_result.soonest_actions
        drawn = ties == "random" or (ties == "soonest" and self._game.num_players == 1)
        return found if drawn else found[:1]

    def _tell_that_all_are_alike(self) -> None:
        """Warns, once, if nobody has said how to value positions and nothing is known of the game."""
        if self._is_told or str(self._evaluator_spec) != "auto":
            return
        if isinstance(self._evaluator, ZeroEvaluator):
            self._is_told = True
            warnings.warn(
                f"{self._game.name}: to {self.algorithm} all moves look alike, as it sees no end of the game "
                "and no heuristic or network of it is known, so it plays at random. Take the agent auto or "
                f"mcts, or an evaluator: {self.algorithm}(evaluator=rollout(n=10))",
                UnknownGameWarning,
                stacklevel=4,
            )


def _uniform(chosen: Sequence[int], legal: Sequence[int]) -> Policy:
    return [(action, 1 / len(chosen) if action in chosen else 0.0) for action in legal]
