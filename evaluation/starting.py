"""Which agent is being made, for whoever waits: some read networks or solve the game first."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

#: What begins, or is part of, the spec of an agent that takes a while to start, and why it does.
_REASONS = (
    ("exec:", "a program is started"),
    ("auto", "a small game is solved first"),
    ("solution", "its solution is read"),
    ("net", "its network is read"),
    ("ntuple", "its network is read"),
    (":", "its module is imported in a process of its own"),
)
_listener: ContextVar[Callable[[str], object] | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Callable[[str], object]) -> Iterator[None]:
    """Within it, the listener is called with a line for each agent that is made as a check."""
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)


def starts(name: str, spec: str) -> None:
    """Tells the listener, if there is one, that an agent is being made, and what may take long."""
    if listener := _listener.get():
        why = next((why for part, why in _REASONS if part in spec), "")
        listener(f"starting {name}{f': {why}' if why else ''}")
