"""Provides the evaluator `bearoff`: tables for backgammon's bear-off, and another evaluator before it."""

from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, TypeGuard

import numpy as np

from starspiel.agents.bearoff.men import Men, outside, sides
from starspiel.agents.bearoff.positions import COUNTS, MEN, POINTS, rank
from starspiel.agents.bearoff.tables import ALL_ON, MOST_ROLLS, TWO_SIDED_MEN, all_on, one_sided, two_sided
from starspiel.agents.encoders.base import next_to_act
from starspiel.agents.evaluators.base import (
    Evaluator,
    batch_values,
    by_position,
    core_counterpart,
    depth_fits_of,
    small_of,
)
from starspiel.agents.evaluators.registry import as_evaluator
from starspiel.envs.base import CHANCE, Game
from starspiel.envs.errors import SpecError
from starspiel.envs.openspiel.game import OpenSpielGame
from starspiel.envs.spec import Spec

#: The most pips that one decision can move the men.
_PIPS_A_MOVE = 12


def has_bearoff(game: Game) -> TypeGuard[OpenSpielGame]:
    """Returns whether the tables apply to the game."""
    return isinstance(game, OpenSpielGame) and game.pyspiel_game.get_type().short_name == "backgammon"


class BearoffEvaluator:
    """Player 0's expected return in backgammon, from tables once both sides have all men home.

    With at most six men on each side, it is exact. With more, it is computed from the distributions of the
    rolls that each side needs if it minimises their mean; gammons are computed likewise, by `all_on`. Before
    that, and if the game's limit of turns may be reached, it is the value of the `inner` evaluator.

    The constructor loads the tables, so that no move waits for them. Raises SpecError for another game.
    """

    def __init__(self, game: Game, evaluator: Evaluator) -> None:
        if not has_bearoff(game):
            raise SpecError(f"bearoff values backgammon, not {game.name}; use auto.")
        one_sided()
        two_sided()
        all_on()
        parameters = game.pyspiel_game.get_parameters()
        self._gammons_count = parameters["scoring_type"] != "winloss_scoring"
        self._most_turns: int = parameters["max_player_turns"]
        self.inner, self.by_position = evaluator, by_position(evaluator)
        small = small_of(evaluator)
        self.small = None if small is None else BearoffEvaluator(game, small)
        self.depth_fits = depth_fits_of(evaluator)
        low, high = evaluator.range or game.utility_range or (-1.0, 1.0)
        most = 2.0 if self._gammons_count else 1.0
        self.range = min(low, -most), max(high, most)
        self.name = f"bearoff(evaluator={evaluator.name})"

    def for_core(self, core: Any, state: Any, game: Game) -> Any | None:
        inner = core_counterpart(self.inner, core, state, game)
        if inner is None or hasattr(inner, "random_state"):  # random numbers belong to the whole evaluator
            return None
        return core.BearoffFirst(_core_tables(core), inner)

    def __call__(self, state: Any, /) -> float:
        return self.batch_values([state])[0]

    def batch_values(self, states: Sequence[Any], /) -> list[float]:
        """Returns player 0's value of each state; those not in the tables are evaluated together."""
        values = [self.known(state) for state in states]
        others = [state for state, value in zip(states, values, strict=True) if value is None]
        many = batch_values(self.inner) if others else None
        asked = iter(map(self.inner, others) if many is None else many(others))
        return [next(asked) if value is None else value for value in values]

    def chances(self, state: Any) -> dict[float, float] | None:
        """Returns the chances that the inner evaluator gives; None for a state in the tables."""
        tell = getattr(self.inner, "chances", None)
        return None if tell is None or self.known(state) is not None else tell(state)

    def sees(self, state: Any) -> bool:
        """Returns what `sees` of the inner evaluator returns, for use as a `small` evaluator."""
        return bool(self.inner.sees(state))  # type: ignore[attr-defined]

    def within(self, state: Any, depth: int) -> Evaluator:
        """Returns the inner evaluator alone if no position in the tables can be reached within `depth`
        decisions.
        """
        left = depth
        for player in (0, 1) if not state.is_terminal() else ():
            pips = 0
            for men, to_go in outside(state, player):
                pips += men * (to_go - POINTS)
                if pips > left * _PIPS_A_MOVE:
                    return self.inner
            left -= -(-pips // _PIPS_A_MOVE)
        return self

    def _turns_may_run_out(self, state: Any) -> bool:
        last = self._most_turns - 2 * MOST_ROLLS
        # A turn has at least a throw and a move; `_turns` is exact, but slow.
        return bool(state.move_number() // 2 >= last) and _turns(state) >= last

    def known(self, state: Any) -> float | None:
        """Returns player 0's value from the tables; None if they lack the position."""
        if state.is_terminal():
            return float(state.returns()[0])
        if self._turns_may_run_out(state):
            return None
        own, other = sides(state, 0)
        if not _is_home(own) or not _is_home(other):
            return None
        player = state.current_player()
        if player == CHANCE:
            first = next_to_act(state) == 0
            value = self._before_roll(*((own, other) if first else (other, own)))
            return value if first else -value
        values = [self.known(state.child(action)) for action in state.legal_actions()]
        if None in values:  # the limit of turns may be reached by then
            return None
        return (max if player == 0 else min)(value for value in values if value is not None)

    def _before_roll(self, roller: Men, other: Men) -> float:
        """Returns the expected return of the player about to roll."""
        value = 2.0 * _chance(roller, other) - 1.0
        if self._gammons_count:
            value += _gammon(roller, other, own_turn=True) - _gammon(other, roller, own_turn=False)
        return value


@cache
def _core_tables(core: Any) -> Any:
    return core.Bearoff(one_sided(), np.clip(two_sided(), 0.0, 1.0), all_on())  # its sums are rounded


def with_bearoff(game: Game, evaluator: str | Spec = "auto", *, seed: int | None = None) -> Evaluator:
    """Returns the evaluator of a spec such as `bearoff(evaluator=net)`."""
    before = as_evaluator(evaluator, game, seed)
    return before if isinstance(before, BearoffEvaluator) else BearoffEvaluator(game, before)


def _turns(state: Any) -> int:
    """Returns the number of turns played: throws followed by a move."""
    players = [event.player for event in state.full_history()]
    return sum(one == CHANCE != other for one, other in pairwise(players))


def _is_home(men: Men) -> bool:
    return sum(men[: POINTS + 1]) == MEN


def _chance(roller: Men, other: Men) -> float:
    """Returns the winning chance of the player about to roll."""
    return _tabled(tuple(roller[1 : POINTS + 1]), tuple(other[1 : POINTS + 1]))


@lru_cache(maxsize=1 << 16)
def _tabled(roller: tuple[int, ...], other: tuple[int, ...]) -> float:
    own, theirs = rank(np.array([roller, other])).tolist()
    if max(own, theirs) < COUNTS[TWO_SIDED_MEN]:
        chance = two_sided()[own, theirs]
    else:
        rolls = one_sided()
        # The roller moves first, so a roller who needs k rolls wins if the other side needs k or more.
        chance = rolls[own] @ (1.0 - np.cumsum(rolls[theirs]) + rolls[theirs])
    return min(1.0, max(0.0, float(chance)))  # the sums are rounded


def _gammon(own: Men, other: Men, own_turn: bool) -> float:
    """Returns the chance that one side bears off all men before the other side bears off its first."""
    if other[0] > 0:
        return 0.0
    mine, theirs = rank(np.array([own[1 : POINTS + 1], other[1 : POINTS + 1]])).tolist()
    still = all_on()[theirs - ALL_ON]
    rolls = one_sided()[mine][own_turn : len(still) + own_turn]  # on its own turn, it is one roll ahead
    return float(rolls @ still)
