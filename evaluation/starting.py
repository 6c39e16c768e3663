"""Reports which agent is being made, since some load networks or solve the game first."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

#: Pattern for the beginning of the spec of an agent that is slow to start, and the reason why it is.
_REASONS = (
    ("exec:", "a program is started"),
    (r"[\w.]+:", "its module is imported in a separate process"),
    (r"gnubg\b", "its program is started"),
    (r"auto\b", "a small game is solved first"),
    (r"optimal\b|.*\bsolution\b", "its solution is read"),
    (r".*\b(net|ntuple)\b", "its network is read"),
)
_listener: ContextVar[Callable[[str], object] | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Callable[[str], object]) -> Iterator[None]:
    """A context in which `listener` is called with a line of text for each agent that is made as a check."""
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)


def starts(name: str, spec: str) -> None:
    """Tells the listener, if there is one, that an agent is being made, and why that may take long."""
    if listener := _listener.get():
        why = next((why for begun, why in _REASONS if re.match(begun, spec)), "")
        listener(f"starting {name}{f': {why}' if why else ''}")
