"""Whether the table of an environment lists what its steps do.

A subclass may override `step`, or a table may be written by hand and be wrong: a search by such a table
plays another game than the environment.
"""

from typing import Any

import gymnasium

from starspiel.envs.errors import UnsupportedGameError
from starspiel.envs.gymnasium.sampled.clone import clone
from starspiel.envs.gymnasium.sampled.dice import lent
from starspiel.envs.gymnasium.table import TableGame
from starspiel.envs.gymnasium.table_walk import Comparison, TableWalk


class TableSteps:
    """The environment whose table a game is, for comparisons; it is cloned and never stepped."""

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        self._env = env

    def compare(self, game: TableGame, seconds: float) -> Comparison:
        """Holds the game's table against steps of the environment, wrappers included.

        Every action that the table can reach is taken some times, as far as `seconds` of the processor
        allow. An outcome that is not listed is a contradiction at once; shares that differ are one where
        the probability of that, were the table right, is below `ERROR_RATE` in all.
        """
        try:
            twin = clone(self._env, 1, game.name)
        except UnsupportedGameError:
            return Comparison(failed="the environment cannot be cloned")
        try:
            with lent(1):
                return TableWalk(twin, game).compared(seconds)
        except Exception as error:  # whatever a user's environment raises; whoever plays it will hear of it
            return Comparison(failed=f"stepping a clone raised {type(error).__name__}: {error}")

    def steps_as_published(self) -> bool:
        """Whether `step` and `reset` come from the class that made the table, or from one above it."""
        inside = self._env.unwrapped
        if not {"step", "reset"}.isdisjoint(vars(inside)):
            return False
        kinds = type(inside).__mro__
        maker = next((number for number, kind in enumerate(kinds) if _makes_table(kind)), -1)
        return all(
            next(number for number, kind in enumerate(kinds) if method in vars(kind)) >= maker >= 0
            for method in ("step", "reset")
        )

    def __deepcopy__(self, memo: Any) -> "TableSteps":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _nothing, ()  # An environment may not bear being sent.


def _nothing() -> None:
    return None


def _makes_table(kind: type) -> bool:
    made = getattr(vars(kind).get("__init__"), "__code__", None)
    return "P" in vars(kind) or (made is not None and "P" in made.co_names)
