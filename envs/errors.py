"""The errors and warnings of starspiel: each says what was expected, what was got and what to do.

The command line prints the message of an error on one line and exits with code 2.
"""

import difflib
from collections.abc import Iterable, Sequence


class StarspielError(ValueError):
    """An error that the caller can fix: a wrong name, parameter, game, position or file."""


class UnsupportedGameError(StarspielError):
    """A game that search cannot play soundly; the message says why, and what to use instead."""


class StarspielWarning(UserWarning):
    """Something unexpected that affects results; the game is still played."""


class HiddenStateWarning(StarspielWarning):
    """A search sees state that the environment hides from its agents."""


class TableWarning(StarspielWarning):
    """An environment's table contradicts its steps, so steps are sampled instead."""


class SlowEnvironmentWarning(StarspielWarning):
    """An environment is so slow that the chosen agent takes seconds per move."""


class EndlessGameWarning(StarspielWarning):
    """Random games of a game did not end; perhaps none ever does."""


class UnknownGameWarning(StarspielWarning):
    """A search values all moves alike: it has no evaluator for the game and cannot see its end."""


class SpecError(StarspielError):
    """A spec string (agent, evaluator, game) that does not parse, or names or values that do not exist."""


class RulesError(StarspielError):
    """Rules that contradict themselves; the message names the position.

    Attributes:
        broken: which part of the contract, as `check_game` names them.
    """

    def __init__(self, broken: str, message: str) -> None:
        super().__init__(message)
        self.broken = broken

    def __reduce__(self) -> tuple[type["RulesError"], tuple[str, str]]:
        return type(self), (self.broken, str(self))  # worker processes pickle it


class EvaluatorError(StarspielError):
    """An evaluator raised, or returned something that is not a number inside its declared range."""


class SeatError(StarspielError):
    """A fault of an agent in its own process.

    Attributes:
        kind: raised, crashed, hung, memory, cpu or broken (it violated the seat protocol).
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Returns a sentence with the nearest known name, or the list of known names; starts with a space."""
    known = sorted(known)
    by_folded = {candidate.casefold(): candidate for candidate in known}
    near = difflib.get_close_matches(name.casefold(), by_folded, n=1, cutoff=0.6)
    if near:
        return f" Did you mean {by_folded[near[0]]!r}?"
    return f" Known: {', '.join(known)}."


#: The maximum number of characters of a value in a message.
_SHOWN = 200


def shown(value: object) -> str:
    """Returns the value's `repr` for messages, shortened if it is long; never raises."""
    try:
        text = repr(value)
    except Exception:  # a number with too many digits, nesting that is too deep, a user's own repr
        return f"a {type(value).__name__} that cannot be shown"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def first_line(error: object) -> str:
    """Returns the first line of an error's message; "" if it is empty. Never raises."""
    try:
        lines = str(error).strip().splitlines()
    except Exception:  # the __str__ of a user's own error may raise
        return ""
    return lines[0] if lines else ""


def among(action: int, legal: Sequence[int]) -> str:
    """Returns an illegal action and the legal ones, as the end of a sentence."""
    some = ", ".join(map(str, legal[:12])) + (", …" if len(legal) > 12 else "")
    named = action if action.bit_length() < 64 else f"a number of {action.bit_length()} bits"
    return f"{named}, but the legal actions are {some}"
