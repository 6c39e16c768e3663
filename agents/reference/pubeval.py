"""Provides the agent `pubeval`: Tesauro's linear benchmark player of 1993, which is in the public domain."""

from collections.abc import Sequence
from typing import Any

from starspiel.agents.bot import Bot
from starspiel.agents.bots.search_bot import SearchBot
from starspiel.agents.encoders.base import next_to_act
from starspiel.agents.evaluators.bearoff import has_bearoff
from starspiel.agents.reference.pubeval_weights import CONTACT, RACE
from starspiel.agents.search import Limits
from starspiel.envs.base import CHANCE, Game
from starspiel.envs.errors import SpecError
from starspiel.envs.gnubg.position import MEN, Side, side_of


class PubevalBot(Bot):
    """Plays the move with the greatest score. Raises SpecError if the game is not backgammon."""

    def __init__(self, game: Game) -> None:
        super().__init__()
        self._game = game
        self._search = SearchBot(
            game, "expectiminimax", Limits(depth=1), PubevalEvaluator(game), ties="first"
        )

    def __repr__(self) -> str:
        return f"<pubeval for {self._game.name}>"

    def step(self, state: Any) -> int:
        return self._search.step(state)


class PubevalEvaluator:
    """Scores positions after plays, for player 0; scores are not expected returns.

    Contact and races have separate weights; the position at the beginning of the turn decides which are used.
    Raises SpecError for another game.
    """

    range = (-1000.0, 1000.0)
    name = "pubeval"
    by_position = True

    def __init__(self, game: Game, weights: tuple[float, ...] | None = None) -> None:
        if not has_bearoff(game):
            raise SpecError(f"pubeval plays backgammon, not {game.name}.")
        self._game, self._weights = game, weights

    def within(self, state: Any, depth: int) -> "PubevalEvaluator":
        """Returns the evaluator of the plays from a state, with the weights of its turn."""
        return PubevalEvaluator(self._game, _weights(_begun(self._game, state)))

    def __call__(self, state: Any, /) -> float:
        if state.is_terminal():
            return self.range[state.returns()[0] > 0]
        if state.current_player() != CHANCE:  # the second half of a double
            values = [self(state.child(action)) for action in state.legal_actions()]
            return max(values) if state.current_player() == 0 else min(values)
        moved = 1 - next_to_act(state)
        own, other = side_of(state, moved), side_of(state, 1 - moved)
        weights = self._weights or _weights(state)
        score = sum(weight * each for weight, each in zip(weights, inputs(own, other), strict=True))
        return score if moved == 0 else -score


def inputs(own: Side, other: Side) -> list[float]:
    """Returns the inputs that the weights apply to, for the player who has moved: from the 24 point down,
    then the bar and the men off.

    For each point: whether there is a blot of the other side; whether there are one, two or more, or three
    own men; and half the number of own men beyond three.
    """
    seen: list[float] = []
    for point in range(24, 0, -1):
        men = own[point - 1] - other[24 - point]
        seen += (men == -1, men == 1, men >= 2, men == 3, max(0, men - 3) / 2)
    return [*seen, other[-1] / 2, (MEN - sum(own)) / MEN]


def _weights(state: Any) -> tuple[float, ...]:
    own, other = side_of(state, 0), side_of(state, 1)
    return CONTACT if _farthest(own) + _farthest(other) > len(own) else RACE


def _farthest(side: Sequence[int]) -> int:
    return max(place for place, men in enumerate(side, 1) if men)


def _begun(game: Game, state: Any) -> Any:
    """Returns the state at the beginning of the turn."""
    events = state.full_history()
    if state.current_player() == CHANCE or events[-1].player != state.current_player():
        return state
    begun = game.new_initial_state()
    for event in events[:-1]:
        begun.apply_action(event.action)
    return begun
