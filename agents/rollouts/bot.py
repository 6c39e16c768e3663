"""Provides the agent `rollout`, which plays the move with the best mean result of games played on."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from starspiel.agents.bot import Bot, Policy, check_turn
from starspiel.agents.rollouts.continuation import Continuation, continuation_evaluator, default_depth
from starspiel.agents.rollouts.result import RolloutResult
from starspiel.agents.rollouts.rollout import Tell, roll_out
from starspiel.agents.roster import bot_maker, make_bot
from starspiel.envs.arguments import finite_number, seed_number, whole_number
from starspiel.envs.base import Game, check_in_turn
from starspiel.envs.errors import SpecError, shown
from starspiel.envs.spec import Spec, as_spec

#: Defaults: the most games from each move, and the confidence that no better move is dropped.
GAMES, CONFIDENCE = 324, 0.95
_MOST = 10**9


class RolloutBot(Bot):
    """The agent `rollout`: plays the move after which games with the same dice went best on average.

    Args:
        n: the most games from each move; a forced move is played without games.
        depth: the number of decisions after which a game is cut off and valued; 0 for never. None for
            `DEPTH`, or for `DEPTH_UNKNOWN` if the evaluator is zero.
        evaluator: values games that are cut off and luck, and moves if there is no `agent`.
        agent: plays the games on; see `Continuation`.
        confidence: the probability, when it stops, that no better move was dropped.
        seconds: wall-clock seconds per move; None for no limit.

    Raises SpecError if a number is out of its range.

    Attributes:
        last_result: the RolloutResult of the last move; None before the first move and after a forced one.
    """

    last_result: RolloutResult | None = None

    def __init__(
        self,
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
    ) -> None:
        super().__init__()
        check_in_turn(game, "a rollout")
        if agent is not None:
            make_bot(agent, game, player, seed)  # checked here rather than in the middle of a game
        self._game = game
        self._games = whole_number("rollout: n", n, 2, _MOST)
        self._confidence = finite_number("rollout: confidence", confidence)
        if not 0.0 < self._confidence < 1.0:
            raise SpecError(
                f"rollout: confidence must be between 0 and 1, such as 0.95, got {shown(confidence)}."
            )
        self._seconds = None if seconds is None else finite_number("rollout: seconds", seconds)
        if self._seconds is not None and self._seconds <= 0.0:
            raise SpecError(f"rollout: seconds must be a positive number, got {shown(seconds)}.")
        self._depth = None if depth is None else whole_number("rollout: depth", depth, 0, _MOST)
        self._players = None if agent is None else _Players(agent, game)
        self._evaluator_spec = evaluator
        self._seed = seed_number(seed)
        self.restart()

    def __repr__(self) -> str:
        return f"<rollout bot for {self._game.name}>"

    def restart(self) -> None:
        self._evaluator = continuation_evaluator(self._game, self._evaluator_spec, self._seed)
        self._draws = random.Random(self._seed)
        self.last_result = self.last_nodes = None

    def roll_out(self, state: Any, *, tell: Tell | None = None) -> RolloutResult:
        """Returns the result of the rollout that the bot makes at `state`."""
        check_turn(state, self._game)
        depth = default_depth(self._evaluator) if self._depth is None else self._depth or None
        seed = self._draws.getrandbits(63)
        players = self._players
        continuation = Continuation(
            self._game,
            self._evaluator,
            players=players,
            depth=depth,
            seed=seed,
            agent="" if players is None else str(as_spec(players.spec)),
            player=state.current_player(),
        )
        return roll_out(
            state,
            continuation,
            games=self._games,
            confidence=self._confidence,
            seconds=self._seconds,
            tell=tell,
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
        """Returns the probabilities of all legal actions at the next `step`, without affecting it."""
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
        return self  # immutable

    def __reduce__(self) -> tuple[Any, ...]:
        return _Players, (self.spec, self.game)
