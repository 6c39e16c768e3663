"""What rules say, refused if no search could go on from it: players, actions, chances, returns."""

from collections.abc import Sequence
from numbers import Real
from operator import index
from typing import Any

import numpy as np

from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.cache import ByIdentity
from starspiel.envs.errors import RulesError

#: What `player` may say; 1 in games for two only.
_ACTING = (0, 1, CHANCE, TERMINAL)


def sound_player(rules: Any, position: Any) -> int:
    """Who acts, as the rules say. Raises RulesError for one who cannot."""
    player: int = rules.player(position)
    if player not in _ACTING or (player == 1 and rules.num_players == 1):
        seats = "0" if rules.num_players == 1 else "0, 1"
        raise RulesError(
            "players and moves",
            f"{rules.name}: player() is {player!r} at {position!r}; expected {seats}, CHANCE ({CHANCE}) or "
            f"TERMINAL ({TERMINAL}).",
        )
    return player


def sound_actions(rules: Any, position: Any, player: int) -> Sequence[int]:
    """The legal actions of `player`, who is to act. Raises RulesError if they are none."""
    actions: Sequence[int] = rules.actions(position)
    if isinstance(actions, np.ndarray):
        actions = actions.tolist()
    if 0 <= _greatest(actions) < rules.num_distinct_actions:
        return actions
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
    """The outcomes of a chance node. Raises RulesError if they are none."""
    outcomes: Sequence[tuple[int, float]] = rules.chances(position)
    fault = _fault(outcomes)
    if fault is not None:
        before, after = fault
        raise RulesError("probabilities", f"{rules.name}: {before} at {position!r}{after}")
    return outcomes


def sound_utility(rules: Any, position: Any) -> float:
    """Player 0's return so far. Raises RulesError if it is no number, or outside the declared range."""
    said, utility = "utility", 0.0
    is_over = rules.player(position) == TERMINAL
    if is_over:
        utility = rules.utility(position)
    elif rules.step_rewards:
        said, utility = "collected", rules.collected(position)
    if type(utility) is not float and not isinstance(utility, Real):
        raise RulesError(
            "returns as declared",
            f"{rules.name}: {said}() is {utility!r} at {position!r}; expected a number.",
        )
    if is_over and rules.utility_range is not None:
        low, high = rules.utility_range
        if utility < low - 1e-9 or utility > high + 1e-9:  # NaN is for whoever asks for a number
            raise RulesError(
                "bounds",
                f"{rules.name}: utility() is {utility:g} at {position!r}, outside the declared utility_range "
                f"({low:g}, {high:g}), by which searches prune. Set it to the least and greatest return of "
                "player 0, or to None.",
            )
    return utility


def _last_of_ascending(actions: Any) -> int:
    """The greatest of whole numbers in ascending order; -1 if there are none, or other things."""
    last = -1
    try:
        for action in actions:
            if index(action) <= last:
                return -1
            last = action
        return last if len(actions) else -1
    except TypeError:
        return -1


def _chance_fault(outcomes: Any) -> tuple[str, str] | None:
    """What is wrong with outcomes, as what a message says before and after the position."""
    try:
        chances = [chance + 0.0 for _, chance in outcomes]
    except (TypeError, ValueError):
        return f"chances() gives {outcomes!r}", "; expected (outcome, probability) pairs."
    for chance in chances:
        if not chance > 0:
            return f"the chance {chance!r}", " is not positive."
    total = sum(chances)
    return None if abs(total - 1) <= 1e-9 else ("the chances", f" sum to {total:.12g}, expected 1.")


_greatest: ByIdentity[Any, int] = ByIdentity(_last_of_ascending)
_fault: ByIdentity[Any, tuple[str, str] | None] = ByIdentity(_chance_fault)
