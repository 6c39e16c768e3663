"""Values games in OpenSpiel's wrappers by an evaluator of the game inside."""

from collections.abc import Sequence
from typing import Any

from starspiel.agents.evaluators.base import Evaluator, by_position, depth_fits_of, has_constant_sum
from starspiel.agents.evaluators.native_values import native_values
from starspiel.envs.base import Game, has_vector_values
from starspiel.envs.errors import StarspielError
from starspiel.envs.inside import game_inside
from starspiel.envs.load import load_game
from starspiel.envs.openspiel.game import OpenSpielGame

#: The wrappers that change no value of a game paid at the end, with the numbers of players for which this
#: holds: `zerosum` subtracts the mean of all returns from each, which leaves nothing to a single player.
_FAITHFUL = {"start_at": (1, 2), "zerosum": (2,)}


def inner_game(game: Game) -> OpenSpielGame | None:
    """Returns the game inside a wrapper that changes no values, or None.

    Misère is excluded: a heuristic for winning says little about losing.
    """
    players = _FAITHFUL.get(game.name.partition("(")[0], ())
    if not isinstance(game, OpenSpielGame) or game.num_players not in players:
        return None
    try:
        inner = load_game(game_inside(game.pyspiel_game))
    except StarspielError:  # perhaps only the wrapped game can be searched
        return None
    other = any(has_vector_values(each) or each.step_rewards for each in (game, inner))
    return None if other or not isinstance(inner, OpenSpielGame) else inner


class WrappedEvaluator:
    """Values a wrapped game's positions by `evaluator`, an evaluator of the game inside."""

    def __init__(self, game: Game, inner: OpenSpielGame, evaluator: Evaluator) -> None:
        assert isinstance(game, OpenSpielGame)  # since inner_game found a game inside
        begun = game.pyspiel_game.get_parameters().get("history", "")
        self._start = [int(action) for action in begun.split(";") if action]
        self._made_of = game, inner, evaluator
        self._inner = inner
        self._values = native_values(evaluator, inner, self._inside()) or evaluator
        self.name = f"{evaluator.name} of {inner.name}"
        self.by_position = by_position(evaluator)
        self.constant_sum = has_constant_sum(evaluator)
        self.depth_fits = depth_fits_of(evaluator)
        self.range = evaluator.range
        self.ranks_only = getattr(evaluator, "ranks_only", False)
        self.uncalibrated = getattr(evaluator, "uncalibrated", False)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._made_of

    def inside(self, state: Any) -> tuple[Any, Game, Evaluator]:
        """Returns the position in the game inside, that game, and its evaluator."""
        _, inner, evaluator = self._made_of
        return self._inside(state.history()), inner, evaluator

    def __call__(self, state: Any, /) -> Any:
        return self._values(self._inside(state.history()))

    def _inside(self, history: Sequence[int] = ()) -> Any:
        """Returns the position in the game inside."""
        inside = self._inner.new_initial_state()
        for action in (*self._start, *history):
            inside.apply_action(action)
        return inside
