"""Searches by paranoid search (Sturtevant & Korf 2000): all others minimise the return of the root's player.

This makes any game two-sided, so the searches of two-player games apply unchanged. In a `ParanoidState`,
player 0 is the player at the root, and player 1 is everybody else.
"""

from collections.abc import Hashable, Sequence
from typing import Any

from starspiel.agents.evaluators.base import Evaluator, batch_values, by_position
from starspiel.agents.search.engine import PythonEngine
from starspiel.agents.search.limits import Limits
from starspiel.agents.search.options import Options
from starspiel.agents.search.sampling import undrawn
from starspiel.agents.search.table import IntervalTable
from starspiel.agents.search.vector_leaves import as_vector
from starspiel.envs.base import Game, collected_by
from starspiel.envs.errors import EvaluatorError, shown


class ParanoidState:
    """A state as the player at the root of a paranoid search sees it."""

    __slots__ = ("_root_player", "state")

    def __init__(self, state: Any, root_player: int) -> None:
        self.state, self._root_player = state, root_player

    def current_player(self) -> int:
        player: int = self.state.current_player()
        return player if player < 0 else int(player != self._root_player)

    def is_terminal(self) -> bool:
        return bool(self.state.is_terminal())

    def legal_actions(self) -> Any:
        return self.state.legal_actions()

    def chance_outcomes(self) -> Any:
        return self.state.chance_outcomes()

    def child(self, action: int) -> "ParanoidState":
        return ParanoidState(self.state.child(action), self._root_player)

    def returns(self) -> tuple[float, float]:
        own = float(self.state.returns()[self._root_player])
        return own, -own

    def __str__(self) -> str:
        return str(self.state)


class ParanoidGame:
    """The game of `ParanoidState`s; its keys are valid for one player at the root."""

    discount = 1.0

    def __init__(self, game: Game, root_player: int) -> None:
        self._game, self._root_player = game, root_player
        self.name, self.utility_range, self.step_rewards = game.name, game.utility_range, game.step_rewards

    def key(self, state: ParanoidState) -> Hashable | None:
        return self._game.key(state.state)

    def frame(self, state: ParanoidState) -> tuple[float, float]:
        return collected_by(self._root_player, self._game, undrawn(state.state)), 1.0


class ParanoidEvaluator:
    """Reduces an evaluator's vectors to the component of the player at the root."""

    def __init__(self, evaluator: Evaluator, game: Game, root_player: int) -> None:
        self.name, self.range, self.by_position = evaluator.name, evaluator.range, by_position(evaluator)
        self._evaluator, self._players, self._root_player = evaluator, game.num_players, root_player
        many = batch_values(evaluator)
        if many is not None:
            self.batch_values = lambda states: [
                self._own(vector) for vector in many([seen.state for seen in states])
            ]

    def __call__(self, state: ParanoidState, /) -> float:
        return self._own(self._evaluator(state.state))

    def _own(self, returned: Any) -> float:
        vector = as_vector(returned, self._players)
        if vector is None:
            raise EvaluatorError(
                f"expected {self._players} numbers, one return a player, got {shown(returned)}"
            )
        return vector[self._root_player]


class ParanoidEngine(PythonEngine):
    """Runs two-player searches on the game as the player at the root sees it; takes the game's own states.

    Attributes:
        perspective: the player at the root; all values are this player's returns.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        game: Game,
        limits: Limits,
        options: Options,
        table: IntervalTable | None,
        root_player: int,
    ) -> None:
        super().__init__(evaluator, game, limits, options, table)
        self.perspective = root_player

    def search_root(
        self, state: Any, depth: int, margin: float, values: dict[int, Any], first: Sequence[int] = ()
    ) -> None:
        super().search_root(ParanoidState(state, self.perspective), depth, margin, values, first)

    def evaluate(self, state: Any) -> Any:
        return super().evaluate(ParanoidState(state, self.perspective))

    def with_limits(self, limits: Limits) -> "ParanoidEngine":
        return ParanoidEngine(self._evaluator, self._game, limits, self.options, self.table, self.perspective)
