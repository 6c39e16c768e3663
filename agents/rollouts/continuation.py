"""Provides `Continuation`, which plays games on from positions and measures their luck."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from starspiel.agents.bot import Bot, tell
from starspiel.agents.bots.lines import line_from
from starspiel.agents.bots.random import RandomBot
from starspiel.agents.bots.search_bot import SearchBot
from starspiel.agents.evaluators.base import Evaluator
from starspiel.agents.evaluators.registry import as_evaluator
from starspiel.agents.evaluators.zero import ZeroEvaluator
from starspiel.agents.luck import luck_of, value_of
from starspiel.agents.rollouts.dice import TurnDice
from starspiel.agents.search import Limits
from starspiel.envs.base import CHANCE, TERMINAL, Game, SampledState, conforms
from starspiel.envs.errors import StarspielError, shown

#: A function (player, seed) -> bot for one game.
Maker = Callable[[int, int], Any]

#: The number of decisions after which a game is cut off and valued, with an evaluator; the same with the zero
#: evaluator, enough for most games to end; and the length of a game that counts as endless.
DEPTH, DEPTH_UNKNOWN, LONGEST = 12, 100, 20_000


@dataclass(frozen=True, slots=True)
class Trial:
    """One game that was played on from a position.

    Attributes:
        raw: the return at its end, or the evaluator's value if it was cut off: player 0's, or, in games whose
            values are vectors, that of the player for whom the games are played.
        luck: that player's luck on the way; 0.0 if it is not measured.
        moves: the number of decisions played.
    """

    raw: float
    luck: float
    moves: int

    @property
    def adjusted(self) -> float:
        """The result minus its luck, which has the same mean and less variance."""
        return self.raw - self.luck


class Continuation:
    """Plays games on from positions.

    Args:
        evaluator: values games that are cut off and luck, and moves unless `players` are given.
        players: makes the bots that play a game on. By default, they play the move whose successor the
            evaluator values highest, with ties drawn at random; if chances are only drawn, they move at
            random.
        depth: the number of decisions after which a game is cut off. If None, it is played to its end, which
            must come within `LONGEST` decisions.
        seed: seed of dice and players.
        agent: a description of the players.
        player: the player whose results are measured in games whose values are vectors.

    Attributes:
        notes: one sentence on why luck is not subtracted, if it is not.
    """

    def __init__(
        self,
        game: Game,
        evaluator: Evaluator,
        *,
        players: Maker | None = None,
        depth: int | None,
        seed: int,
        agent: str = "",
        player: int = 0,
    ) -> None:
        self.game, self.evaluator, self.depth = game, evaluator, depth
        self._player = player
        self.make = players or self._greedy
        self._seed = seed
        self.agent = agent or ("greedy" if game.explicit_chance else "random")
        # The inner evaluator suffices here, and is faster without its tables.
        self._luck_by: Evaluator = getattr(evaluator, "inner", evaluator)
        self.notes = tuple(_why_no_luck(game, evaluator))

    def play(self, state: Any, number: int) -> Trial:
        """Plays game `number` from a state; games of equal numbers have the same dice from every state.

        Raises StarspielError if a player plays an illegal action, or if the evaluator fails.
        """
        dice = TurnDice(self._seed, number)
        rng = random.Random(f"{self._seed} {number} drawn")
        bots = [self.make(seat, rng.getrandbits(31)) for seat in range(self.game.num_players)]
        strangers = [(seat, bot) for seat, bot in enumerate(bots) if not isinstance(bot, Bot)]
        actions: list[int] = []
        moves = 0
        with line_from(state, rng) as line:
            for _, bot in strangers:
                tell(bot, "restart_at", line.state)
            while (mover := line.state.current_player()) != TERMINAL and moves != self.depth:
                if mover == CHANCE and conforms(line.state, SampledState):
                    line.draw()
                    continue
                if mover == CHANCE:
                    action = dice.throw(line.state.chance_outcomes())
                else:
                    dice.turn_of(mover)
                    action = _move_of(bots[mover], line.state)
                    moves += 1
                    if moves > LONGEST:
                        raise StarspielError(
                            f"a game of {self.game.name} did not end within {LONGEST:,} moves of its "
                            "players; give a depth after which games are broken off."
                        )
                for seat, bot in strangers:
                    if seat != mover:
                        tell(bot, "inform_action", line.state, mover, action)
                actions.append(action)
                line.move(action)
            raw = value_of(self.evaluator, line.state, self.game, actions)
        luck: Any = 0.0 if self.notes else luck_of(self.game, state, actions, self._luck_by)
        return Trial(self._own(raw), self._own(luck), moves)

    def _own(self, values: Any) -> float:
        """Returns the component of a value for the player who is measured."""
        return float(values[self._player] if isinstance(values, tuple) else values)

    def _greedy(self, player: int, seed: int) -> Any:
        if not self.game.explicit_chance:
            return RandomBot(self.game, seed)
        return SearchBot(
            self.game,
            "expectiminimax",
            Limits(depth=1),
            self.evaluator,
            player=player,
            seed=seed,
            ties="random",
            table_mb=None,
        )


def _move_of(bot: Any, state: Any) -> int:
    legal = state.legal_actions()
    if len(legal) == 1:
        return int(legal[0])
    action = bot.step(state)
    if action not in legal:
        raise StarspielError(f"{bot!r} played {shown(action)}, which is not legal in\n{state}")
    return int(action)


def _why_no_luck(game: Game, evaluator: Evaluator) -> list[str]:
    """Returns a sentence on why luck cannot be subtracted; empty if it can."""
    if not game.explicit_chance:
        return [f"the chances of {game.name} are drawn, not listed, so luck is not taken off."]
    if isinstance(evaluator, ZeroEvaluator):
        return ["the evaluator zero sees no luck, so none is taken off."]
    if hasattr(evaluator, "seeded"):
        return [f"{evaluator.name} draws random numbers, so luck by it is not taken off."]
    return []


def continuation_evaluator(game: Game, evaluator: Any, seed: int | None) -> Evaluator:
    """Returns the evaluator of a continuation; for games without one of their own, `auto` is zero."""
    made = as_evaluator(evaluator, game, seed)
    random_games = str(evaluator) == "auto" and hasattr(made, "seeded")
    return ZeroEvaluator(game) if random_games else made


def default_depth(evaluator: Evaluator) -> int:
    """Returns the default number of decisions after which games are cut off."""
    return DEPTH_UNKNOWN if isinstance(evaluator, ZeroEvaluator) else DEPTH
