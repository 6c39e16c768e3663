"""A rollout as an agent: the move after which games went best."""

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from starspiel.agents.bot import Bot, Policy, check_turn
from starspiel.agents.evaluators.base import Evaluator
from starspiel.agents.rollouts.continuation import Continuation, Maker, continuation_evaluator, default_depth
from starspiel.agents.rollouts.result import RolloutResult
from starspiel.agents.rollouts.rollout import Tell, roll_out
from starspiel.agents.roster import bot_maker, make_bot
from starspiel.envs.arguments import finite_number, seed_number, whole_number
from starspiel.envs.base import Game
from starspiel.envs.errors import SpecError, shown
from starspiel.envs.spec import Spec, as_spec

#: Games from every move at most, where nothing is said.
GAMES = 324
#: How sure it should be that no better move was dropped, where nothing is said.
CONFIDENCE = 0.95
_MOST = 10**9


class RolloutBot(Bot):
    """Plays the move after which games, played on from every move with the same dice, went best on average.

    Args:
        game: what it plays.
        seed: of dice and players.
        n: the most games from each move.
        depth: the decisions after which a game is broken off and valued; None for `DEPTH`, or, where the
            evaluator is zero, `DEPTH_UNKNOWN`; 0 for games to their end.
        evaluator: values where games are broken off, luck, and moves where no `players` are given.
        players: makes who plays the games on; see `Continuation`.
        agent: their spec, as results show it.
        confidence: how sure it should be that no better move was dropped when it stops.
        seconds: wall-clock seconds a move; None for no limit.

    A forced move is played without games. Raises SpecError where a number is out of its range.

    Attributes:
        last_result: the RolloutResult of the last move; None before the first one and after a forced one.
    """

    last_result: RolloutResult | None = None

    def __init__(
        self,
        game: Game,
        seed: int | None = None,
        *,
        n: int = GAMES,
        depth: int | None = None,
        evaluator: Evaluator | str | Spec = "auto",
        players: Maker | None = None,
        agent: str = "",
        confidence: float = CONFIDENCE,
        seconds: float | None = None,
    ) -> None:
        super().__init__()
        self._game = game
        self._n = whole_number("rollout: n", n, 2, _MOST)
        self._confidence = _share("rollout: confidence", confidence)
        self._seconds = None if seconds is None else _positive("rollout: seconds", seconds)
        self._depth = None if depth is None else whole_number("rollout: depth", depth, 0, _MOST)
        self._players, self._agent = players, agent
        self._evaluator_spec = evaluator
        self._seed = seed_number(seed)
        self.restart()

    def __repr__(self) -> str:
        return f"<rollout bot for {self._game.name}>"

    def restart(self) -> None:
        self._evaluator = continuation_evaluator(self._game, self._evaluator_spec, self._seed)
        self._draws = random.Random(self._seed)
        self.last_result = self.last_nodes = None

    def roll_out(self, state: Any, *, tell: Tell | None = None, interruptible: bool = False) -> RolloutResult:
        """The rollout that the bot makes at `state`, for those who want more of it than the move."""
        check_turn(state, self._game)
        depth = default_depth(self._evaluator) if self._depth is None else self._depth or None
        continuation = Continuation(
            self._game,
            self._evaluator,
            players=self._players,
            depth=depth,
            seed=self._draws.getrandbits(63),
        )
        return roll_out(
            state,
            continuation,
            games=self._n,
            confidence=self._confidence,
            seconds=self._seconds,
            agent=self._agent or continuation.players,
            tell=tell,
            interruptible=interruptible,
        )

    def move_values(self, state: Any) -> dict[int, float]:
        kept = self._draws.getstate()
        found = self.roll_out(state).moves
        self._draws.setstate(kept)
        return {move.action: move.value for move in found}

    def step(self, state: Any) -> int:
        check_turn(state, self._game)
        legal = state.legal_actions()
        if len(legal) == 1:
            self.last_result, self.last_nodes = None, 0
            return int(legal[0])
        self.last_result = self.roll_out(state)
        self.last_nodes = self.last_result.games
        return self.last_result.best_action

    def get_policy(self, state: Any) -> Policy:
        """The probabilities of all legal actions at the next `step`, which stays as it is."""
        kept = self._draws.getstate()
        policy = self.step_with_policy(state)[0]
        self._draws.setstate(kept)
        return policy


@dataclass(frozen=True)
class _Players:
    """Makes the bots of a spec, as `bot_maker` does; can be pickled."""

    spec: str | Spec
    game: Game

    def __call__(self, player: int, seed: int) -> Any:
        return self._make(player, seed)

    @cached_property
    def _make(self) -> Callable[[int, int | None], Any]:
        return bot_maker(self.spec, self.game)

    def __deepcopy__(self, memo: Any) -> "_Players":
        return self  # it never changes

    def __reduce__(self) -> tuple[Any, ...]:
        return _Players, (self.spec, self.game)


def rollout_agent(
    game: Game,
    player: int = 0,
    seed: int | None = None,
    *,
    n: int = GAMES,
    depth: int | None = None,
    evaluator: str | Spec = "auto",
    agent: str | Spec | None = None,
    confidence: float = CONFIDENCE,
    seconds: float | None = None,
) -> RolloutBot:
    """The bot of the spec `rollout`: parameters as of RolloutBot; `agent` plays the games on."""
    if agent is not None:
        make_bot(agent, game, player, seed)  # raises now what it would raise in the middle of a game
    return RolloutBot(
        game,
        seed,
        n=n,
        depth=depth,
        evaluator=evaluator,
        players=None if agent is None else _Players(agent, game),
        agent="" if agent is None else str(as_spec(agent)),
        confidence=confidence,
        seconds=seconds,
    )


def _share(name: str, value: Any) -> float:
    share = finite_number(name, value)
    if not 0.0 < share < 1.0:
        raise SpecError(f"{name} must be between 0 and 1, such as 0.95, got {shown(value)}.")
    return share


def _positive(name: str, value: Any) -> float:
    try:
        number = finite_number(name, value)
    except SpecError:
        number = -math.inf
    if number <= 0.0:
        raise SpecError(f"{name} must be a positive number, got {shown(value)}.")
    return number
