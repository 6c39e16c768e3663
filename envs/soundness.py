"""Checks what the methods of rules return, and converts NumPy numbers to Python numbers."""

import math
from collections.abc import Sequence
from numbers import Real
from operator import index
from typing import Any

import numpy as np

from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.cache import ByIdentity
from starspiel.envs.errors import RulesError

#: What `player` may return besides players, and in games for one or two.
_OTHERS = (CHANCE, TERMINAL)
_ACTING = (0, 1, *_OTHERS)


def sound_player(rules: Any, position: Any) -> int:
    """Returns who acts. Raises RulesError for an invalid player."""
    player: int = rules.player(position)
    players = rules.num_players
    if player not in (_ACTING if players <= 2 else (*range(players), *_OTHERS)) or 1 == player == players:
        seats = ", ".join(map(str, range(players)))
        raise RulesError(
            "players and moves",
            f"{rules.name}: player() is {player!r} at {position!r}; expected {seats}, CHANCE ({CHANCE}) or "
            f"TERMINAL ({TERMINAL}).",
        )
    return int(player)


def sound_actions(rules: Any, position: Any, player: int) -> Sequence[int]:
    """Returns the legal actions of `player`. Raises RulesError if they are invalid."""
    actions: Sequence[int] = rules.actions(position)
    if isinstance(actions, np.ndarray):
        actions = actions.tolist()
    if 0 <= _greatest(actions) < rules.num_distinct_actions:
        return _plain_actions(actions)
    if isinstance(actions, Sequence) and not actions:
        found = (
            f"no legal action at a decision of player {player}, {position!r}; expected at least one (a pass, "
            "for instance) until player() is TERMINAL."
        )
    else:
        found = (
            f"actions() gives {actions!r} for player {player} at {position!r}; expected a sequence of whole "
            "numbers, ascending, in range(num_distinct_actions), "
            f"range({rules.num_distinct_actions})."
        )
    raise RulesError("players and moves", f"{rules.name}: {found}")


def sound_chances(rules: Any, position: Any) -> Sequence[tuple[int, float]]:
    """Returns the outcomes of a chance node. Raises RulesError if they are invalid."""
    outcomes: Sequence[tuple[int, float]] = rules.chances(position)
    fault = _fault(outcomes)
    if fault is not None:
        before, after = fault
        raise RulesError("probabilities", f"{rules.name}: {before} at {position!r}{after}")
    return _plain_outcomes(outcomes)


def sound_returns(rules: Any, position: Any) -> list[float]:
    """Returns every player's return so far.

    Raises RulesError if they are not finite numbers, out of range, or do not add up to the declared sum at
    the end.
    """
    said, utility = "utility", 0.0
    is_over = rules.player(position) == TERMINAL
    players = rules.num_players
    if is_over:
        utility = rules.utility(position)
    elif rules.step_rewards:
        said, utility = "collected", rules.collected(position)
    if players > 2 or (players == 2 and rules.utility_sum != 0):
        return _vector(rules, position, utility, said, is_over)
    if (type(utility) is not float and not isinstance(utility, Real)) or not math.isfinite(utility):
        raise RulesError(
            "returns as declared",
            f"{rules.name}: {said}() is {utility!r} at {position!r}; expected a finite number"
            + (_HOW_TO_VECTORS if players == 2 and isinstance(utility, Sequence | np.ndarray) else "."),
        )
    utility = float(utility)
    if is_over:
        _check_range(rules, position, utility)
    return [utility] if players == 1 else [utility, -utility]


_HOW_TO_VECTORS = (
    ", player 0's return, as games for two are zero-sum unless they say otherwise. To return both players', "
    "set utility_sum to their sum, or to None if it differs."
)


def _check_range(rules: Any, position: Any, utility: float) -> None:
    if rules.utility_range is None:
        return
    low, high = rules.utility_range
    if utility < low - 1e-9 or utility > high + 1e-9:
        whose = "player 0" if rules.num_players < 3 else "any player"
        raise RulesError(
            "bounds",
            f"{rules.name}: utility() is {utility:g} at {position!r}, outside the declared utility_range "
            f"({low:g}, {high:g}), by which searches prune. Set it to the least and greatest return of "
            f"{whose}, or to None.",
        )


def _vector(rules: Any, position: Any, returned: Any, said: str, is_over: bool) -> list[float]:
    """Returns all players' returns in a game whose values are vectors; zeros before the end of the game if it
    has no step rewards."""
    players = rules.num_players
    if not is_over and not rules.step_rewards:
        return [0.0] * players
    try:
        vector = [] if isinstance(returned, str) else list(map(float, returned))
    except (TypeError, ValueError):
        vector = []
    if len(vector) != players or not all(map(math.isfinite, vector)):
        raise RulesError(
            "returns as declared",
            f"{rules.name}: {said}() is {returned!r} at {position!r}; expected {players} finite numbers, one "
            "return a player.",
        )
    if not is_over:
        return vector
    for utility in vector:
        _check_range(rules, position, utility)
    total = rules.utility_sum
    if total is not None and abs(sum(vector) - total) > 1e-9 * max(1.0, *map(abs, vector)):
        raise RulesError(
            "returns as declared",
            f"{rules.name}: utility() is {returned!r} at {position!r}, which sums to {sum(vector):.12g}; "
            f"expected utility_sum, {total:g}, by which searches prune. Set it to what all returns "
            "sum to at every end, or to None if that differs.",
        )
    return vector


def sound_text(rules: Any, position: Any, said: str, text: Any) -> str:
    """Returns the text that the method `said` of the rules returned. Raises RulesError if it is not a str."""
    if not isinstance(text, str):
        raise RulesError(
            "names and texts",
            f"{rules.name}: {said}() is {text!r} at {position!r}; expected a text (return it).",
        )
    return text


def _last_of_ascending(actions: Any) -> int:
    """Returns the last of a non-empty sequence of whole numbers in ascending order; -1 for anything else."""
    last = -1
    if not isinstance(actions, Sequence):
        return last
    try:
        for action in actions:
            if index(action) <= last:
                return -1
            last = action
        return last if len(actions) else -1
    except TypeError:
        return -1


def _chance_fault(outcomes: Any) -> tuple[str, str] | None:
    """Returns what is wrong with outcomes, as the parts of a message before and after the position."""
    try:
        chances = [chance + 0.0 for outcome, chance in outcomes if index(outcome) >= 0]
        is_whole = isinstance(outcomes, Sequence) and len(chances) == len(outcomes)
    except (TypeError, ValueError):
        is_whole = False
    if not is_whole:
        return (
            f"chances() gives {outcomes!r}",
            "; expected a sequence of (outcome, probability) pairs, outcomes from 0.",
        )
    for chance in chances:
        if not chance > 0:
            return f"the chance {chance!r}", " is not positive."
    total = sum(chances)
    return None if abs(total - 1) <= 1e-9 else ("the chances", f" sum to {total:.12g}, expected 1.")


_greatest: ByIdentity[Any, int] = ByIdentity(_last_of_ascending)
_fault: ByIdentity[Any, tuple[str, str] | None] = ByIdentity(_chance_fault)
_plain_actions: ByIdentity[Any, Sequence[int]] = ByIdentity(
    lambda actions: actions if {*map(type, actions)} == {int} else tuple(map(int, actions))
)
_plain_outcomes: ByIdentity[Any, Sequence[tuple[int, float]]] = ByIdentity(
    lambda outcomes: (
        outcomes
        if all(type(outcome) is int for outcome, _ in outcomes)
        else tuple((int(outcome), float(chance)) for outcome, chance in outcomes)
    )
)
