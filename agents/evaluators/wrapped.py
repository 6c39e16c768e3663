"""Values of games that OpenSpiel's wrappers hold another one in, by an evaluator of that one."""

from collections.abc import Sequence
from typing import Any

import pyspiel

from starspiel.agents.evaluators.base import Evaluator, by_position, has_constant_sum
from starspiel.agents.evaluators.native_values import native_values
from starspiel.envs.base import Game, has_vector_values
from starspiel.envs.load import load_game
from starspiel.envs.openspiel.game import OpenSpielGame

#: The wrappers whose states have the history of the game inside, and the sign of its returns.
_SIGNS = {"start_at": 1.0, "misere": -1.0, "zerosum": 1.0}


def inner_game(game: Game) -> OpenSpielGame | None:
    """The game inside a wrapper, of which its positions and values follow; None of any other game.

    Both are for one player, or zero-sum for two, and pay at the end: misère play wants the opposite, and to
    make such a game zero-sum changes nothing.
    """
    if not isinstance(game, OpenSpielGame) or game.name.partition("(")[0] not in _SIGNS:
        return None
    parameters = dict(game.pyspiel_game.get_parameters()["game"])
    inner = load_game(pyspiel.load_game(parameters.pop("name"), parameters))
    other = any(has_vector_values(each) or each.step_rewards for each in (game, inner))
    return None if other or not isinstance(inner, OpenSpielGame) else inner


class WrappedEvaluator:
    """The values of a wrapped game's positions, by `evaluator`, one of the game inside."""

    def __init__(self, game: Game, inner: OpenSpielGame, evaluator: Evaluator) -> None:
        assert isinstance(game, OpenSpielGame)  # as inner_game says
        begun = game.pyspiel_game.get_parameters().get("history", "")
        self._start = [int(action) for action in begun.split(";") if action]
        self._sign = _SIGNS[game.name.partition("(")[0]]
        self._made_of = game, inner, evaluator
        self._inner = inner
        self._values = native_values(evaluator, inner, self._inside()) or evaluator
        self.name = f"{evaluator.name} of {inner.name}"
        self.by_position = by_position(evaluator)
        self.constant_sum = has_constant_sum(evaluator)
        self.range = evaluator.range
        if self.range is not None and self._sign < 0:
            self.range = -self.range[1], -self.range[0]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._made_of

    def __call__(self, state: Any, /) -> Any:
        return self._sign * self._values(self._inside(state.history()))

    def _inside(self, history: Sequence[int] = ()) -> Any:
        """The position of the game inside."""
        inside = self._inner.new_initial_state()
        for action in (*self._start, *history):
            inside.apply_action(action)
        return inside
