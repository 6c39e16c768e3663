"""Describes the values of a search to the native engine: leaves, bounds and perspective."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from starspiel.agents.evaluators.base import Evaluator
from starspiel.agents.search.context import SearchContext
from starspiel.agents.search.limits import Limits
from starspiel.agents.search.maxn_engine import MaxnEngine
from starspiel.agents.search.options import Options
from starspiel.agents.search.paranoid import ParanoidEvaluator, ParanoidGame, ParanoidState
from starspiel.envs.base import Game, has_vector_values


@dataclass(frozen=True, slots=True)
class CoreValues:
    """The values of one search, as in the Python engine.

    Attributes:
        leaf: returns the checked value of a state at the horizon; a vector in max^n.
        leaves: returns the values of several states, if the evaluator values many at once; otherwise None.
        unbounded: why no bounds on the values are known, in words; None if they are known.
        told: the arguments of `core.Options` that describe them, by name.
        perspective: the player whose return they are, unless they are vectors.
    """

    leaf: Callable[[Any], Any]
    leaves: Callable[[list[Any]], list[Any]] | None
    unbounded: str | None
    told: dict[str, Any]
    perspective: int = 0

    @property
    def are_vectors(self) -> bool:
        """Whether the search is max^n."""
        return bool(self.told.get("maxn", False))


def core_values(evaluator: Evaluator, game: Game, options: Options, player: int) -> CoreValues:
    """Returns the values of a search from a root at which `player` moves."""
    limits = Limits(depth=1)
    if not has_vector_values(game):
        return _of_two_sides(SearchContext(evaluator, game, limits, options), options)
    if options.opponents == "paranoid":
        seen: Any = ParanoidGame(game, player)
        own = SearchContext(ParanoidEvaluator(evaluator, game, player), seen, limits, options)
        return _seen_by(player, _of_two_sides(own, options))
    vectors = MaxnEngine(evaluator, game, limits, options)
    told = {
        "prune": vectors.hands_floors,
        "bounds": (vectors.lower, vectors.most),
        "total": vectors.total,
        "maxn": True,
    }
    return CoreValues(vectors.leaf, vectors.leaves, vectors.unbounded, told)


def _of_two_sides(context: SearchContext, options: Options) -> CoreValues:
    told = {"prune": options.prunes, "bounds": (context.lower, context.upper)}
    return CoreValues(context.leaf, context.leaves, context.unbounded, told)


def _seen_by(player: int, values: CoreValues) -> CoreValues:
    """Converts values of ParanoidStates, seen by `player`, to values of the game's own states."""
    leaf, leaves = values.leaf, values.leaves

    def several(states: list[Any]) -> list[Any]:
        assert leaves is not None
        return leaves([ParanoidState(state, player) for state in states])

    return CoreValues(
        leaf=lambda state: leaf(ParanoidState(state, player)),
        leaves=None if leaves is None else several,
        unbounded=values.unbounded,
        told=values.told | {"perspective": player},
        perspective=player,
    )
