"""Computes what chance events changed in a reviewed game, by the values of its reference."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from starspiel.envs.base import CHANCE, TERMINAL, possible_outcomes

#: If the first chance event has at most this many outcomes, each is valued, to compute their mean.
_VALUED = 36


class Step(NamedTuple):
    """An event of a game and how the reference values it, as player 0's returns.

    Attributes:
        player: whose decision it was, or CHANCE.
        best, made: the values of the best move and of the move made; None without a choice.
        after: the state after the event.
    """

    player: int
    best: float | None
    made: float | None
    after: Any


def changes(start: Any, steps: Sequence[Step], judge: Any) -> tuple[list[float | None], float]:
    """Returns player 0's luck in each step, None at decisions; and what the reference saw only after moves.

    Luck is the reference's value after a chance event less that before it. The value before is that of the
    move made; the value after is that of the next decision, or the return at the end. Of several chance
    events in a row, the last has the luck of all.

    Between two moves without chance in between, values differ by what the reference saw only after the first
    move. The game's return is therefore the value at the start plus luck, mistakes and these differences. The
    first chance events have no luck if they have too many outcomes.
    """
    found: list[float | None] = []
    seen_later = 0.0
    value = _mean(judge, start) if start.current_player() == CHANCE else None
    for i, step in enumerate(steps):
        if step.player != CHANCE:
            if step.made is not None and step.best is not None:
                seen_later += 0.0 if value is None else step.best - value
                value = step.made
            found.append(None)
            continue
        later = steps[i + 1] if i + 1 < len(steps) else None
        if later is not None and later.player == CHANCE:
            found.append(None if value is None else 0.0)
            continue
        known = None if later is None else later.best
        after = _value(judge, step.after) if known is None else known
        found.append(None if value is None or after is None else after - value)
        value = after
    if steps and steps[-1].player != CHANCE and value is not None:
        end = _value(judge, steps[-1].after)
        seen_later += 0.0 if end is None else end - value
    return found, seen_later


def _value(judge: Any, state: Any) -> float | None:
    """Returns player 0's value of a decision or an end; None if the judge gives none, or at a chance node.

    A forfeited game may have ended at a chance node.
    """
    if state.current_player() == CHANCE:
        return None
    if state.current_player() == TERMINAL:
        return float(state.returns()[0])
    values = (judge.move_values(state) or {}).values()
    return None if not values else float(min(values) if state.current_player() == 1 else max(values))


def _mean(judge: Any, start: Any) -> float | None:
    """Returns player 0's value of the start, by one search for each first outcome; None if it is unknown."""
    outcomes = possible_outcomes(start)
    if len(outcomes) > _VALUED:
        return None
    mean = 0.0
    for outcome, chance in outcomes:
        value = _value(judge, start.child(outcome))
        if value is None:
            return None
        mean += chance * value
    return mean
