"""Filters moves: chooses which moves of a decision node are searched deeper, by their values one ply on."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from starspiel.envs.base import Game, has_vector_values, is_simultaneous
from starspiel.envs.errors import SpecError, UnsupportedGameError, did_you_mean, shown

#: More moves than any node has; a number that fits a C++ int.
_MANY = 1 << 30
_NUMBER = r"(\d+(?:\.\d*)?|\.\d+)"
_NUMBERS = re.compile(rf"(\d+):{_NUMBER}/(\d+):{_NUMBER}(?:/(\d+):{_NUMBER})?")


@dataclass(frozen=True, slots=True)
class Filter:
    """Keeps moves with the `most` best values that lie within `margin` of the best. Moves of equal value
    count once.
    """

    most: int
    margin: float

    def kept(self, values: Sequence[float], maximises: bool, tolerance: float = 0.0) -> list[int]:
        """Returns the indices of the moves kept, best first: the greatest value first if the player
        `maximises`. Neighbouring values that differ by at most `tolerance` count as equal.
        """
        order = sorted(range(len(values)), key=values.__getitem__, reverse=maximises)
        kept = order[:1]
        different = 1
        for before, place in pairwise(order):
            different += abs(values[place] - values[before]) > tolerance
            if different > self.most or abs(values[place] - values[order[0]]) > self.margin + tolerance:
                break
            kept.append(place)
        return kept


@dataclass(frozen=True, slots=True)
class MoveFilters:
    """A filter for the root, and one for all decision nodes below it that have at least two plies to go.

    The root's filter is applied before each iteration, to the values of the previous one; its margin halves
    each time. The filter `below` is applied to the evaluator's values one ply on. With one ply to go, `last`
    is applied to the values of the evaluator's small network, if it has one. Margins are in units of half the
    range of values, so they are in units of values if these lie in [-1, 1]. They have no effect if the range
    is unknown.
    """

    root: Filter
    below: Filter
    last: Filter | None = None

    def scaled(self, lower: float, upper: float) -> "MoveFilters":
        """Returns the filters with margins in units of values, which lie in [lower, upper]."""
        half = (upper - lower) / 2

        def each(given: Filter) -> Filter:
            return Filter(given.most, math.inf if math.isinf(half) else given.margin * half)

        return MoveFilters(each(self.root), each(self.below), self.last and each(self.last))

    def root_after(self, depth: int) -> Filter:
        """Returns the root's filter after an iteration to `depth`. Its margin halves with every ply, down to
        that of the nodes below, since values change less from one iteration to the next.
        """
        least = min(self.root.margin, self.below.margin)
        return Filter(self.root.most, max(self.root.margin / 2 ** (depth - 1), least))

    @property
    def told(self) -> tuple[int, float, int, float]:
        """The numbers passed to the core: `most` and `margin` of `below`, and of `last`."""
        last = self.last or Filter(0, 0.0)
        return min(self.below.most, _MANY), self.below.margin, min(last.most, _MANY), last.margin

    def __str__(self) -> str:
        for name, filters in FILTERS.items():
            if filters == self:
                return name
        given = (self.root, self.below, *([self.last] if self.last else []))
        return "/".join(f"{each.most}:{each.margin:g}" for each in given)

    def rule(self, small: bool) -> str:
        """Describes which moves are kept; `small` tells whether the evaluator has a small network."""
        root, below, last = self.root, self.below, self.last if small else None
        by_small = f", at the last ply {last.most} within {last.margin:g} by its small one" if last else ""
        return (
            f"at the root the best {root.most} moves within {root.margin:g} of the best at one ply and half "
            f"as much at each further one, below {below.most} within {below.margin:g} by the evaluator"
            f"{by_small}, in units of half the range of values"
        )


#: Filters by name, measured in docs/benchmarks.md. `normal` has GNU Backgammon's margins, except on the last
#: ply.
FILTERS = {
    "wide": MoveFilters(Filter(8, 0.16), Filter(4, 0.08), Filter(3, 0.1)),
    "normal": MoveFilters(Filter(8, 0.16), Filter(2, 0.04), Filter(3, 0.1)),
    "narrow": MoveFilters(Filter(4, 0.08), Filter(1, 0.0), Filter(2, 0.05)),
}


def as_filters(given: Any) -> MoveFilters | None:
    """Returns the filters given by a name or by numbers such as 8:0.16/2:0.04/3:0.1: most and margin for
    root/below/last, where the last pair is optional. Returns None for `none`. Raises SpecError for anything
    else.
    """
    if given is None or given == "none" or isinstance(given, MoveFilters):
        return None if given == "none" else given
    if isinstance(given, str):
        if given in FILTERS:
            return FILTERS[given]
        if match := _NUMBERS.fullmatch(given):
            numbers = [each for each in match.groups() if each is not None]
            told = [
                Filter(int(most), float(margin))
                for most, margin in zip(numbers[::2], numbers[1::2], strict=True)
            ]
            if all(each.most for each in told):
                return MoveFilters(*told)
    hint = did_you_mean(given if isinstance(given, str) else "", (*FILTERS, "none"))
    raise SpecError(
        "filters must be a name, or the most moves and their margin at the root, below and, if you like, at "
        f"the last ply, as in 8:0.16/2:0.04/3:0.1, got {shown(given)}.{hint}"
    )


def scaled_filters(filters: Any, lower: float, upper: float) -> MoveFilters | None:
    """Returns a search's filters with margins in units of values; None if it has none."""
    return filters.scaled(lower, upper) if isinstance(filters, MoveFilters) else None


def check_filters(options: Any, game: Game) -> None:
    """Raises UnsupportedGameError if filters are set and searches of the game do not support them."""
    if options.filters is None:
        return
    reason = None
    if is_simultaneous(game):
        reason = "has simultaneous moves, which are not filtered; leave filters out"
    elif has_vector_values(game) and options.opponents == "maxn":
        reason = 'is searched by max^n, which filters no moves; leave filters out, or use "paranoid"'
    if reason is not None:
        raise UnsupportedGameError(f"{game.name} {reason}.")


def moves_searched(context: Any, values_of: Callable[[list[Any]], list[float]]) -> Callable[..., Any]:
    """Returns `SearchContext.moves` with filters: (state, player, depth) -> a node's moves, best first if
    they are filtered.
    """
    below: Filter = context.filters.below

    def moves(state: Any, player: int, depth: int) -> list[int]:
        actions: list[int] = state.legal_actions()
        if depth < 2 or len(actions) == 1:
            return actions
        children = [state.child(action) for action in actions]
        return [actions[place] for place in _kept(context, below, values_of, children, player)]

    return moves


def last_positions(
    context: Any, values_of: Callable[[list[Any]], list[float]], sees: Callable[[Any], bool]
) -> Callable[[Any, int], list[Any]]:
    """Returns `SearchContext.last`, by the small network's values. Two moves of one player in a row count as
    one if the network cannot value the position between them.
    """
    last: Filter = context.filters.last

    def positions(state: Any, player: int) -> list[Any]:
        ends = []
        for child in map(state.child, state.legal_actions()):
            on = not child.is_terminal() and child.current_player() == player and not sees(child)
            ends += [child.child(action) for action in child.legal_actions()] if on else [child]
        if len(ends) == 1:
            return ends
        return [ends[place] for place in _kept(context, last, values_of, ends, player)]

    return positions


def _kept(
    context: Any,
    kept_by: Filter,
    values_of: Callable[[list[Any]], list[float]],
    states: list[Any],
    player: int,
) -> list[int]:
    """Returns the indices of the successors that a filter keeps, best first for the player. Calls of
    `values_of` count as nodes, but not as evaluations, since no result depends on them.
    """
    context.nodes += len(states)
    if context.nodes >= context.check_at:
        context.check()
    terminals = context.terminals
    values = values_of(states)
    context.looks += len(states) - (context.terminals - terminals)
    kept = kept_by.kept(values, player == 0)
    context.filtered_moves += len(states) - len(kept)
    return kept
