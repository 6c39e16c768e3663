"""What all tests have in common."""

import os
import signal
from collections.abc import Iterator

import pytest


def pytest_configure() -> None:
    """Commands under test are not to be as wide as the terminal that pytest, or a worker of it, runs in; and
    Ctrl-C ends them also if pytest was started in the background, by a shell that then has it ignored.

    Every core has a worker of pytest: threads of numpy's beside them would only wait, spinning, for one.
    """
    os.environ.pop("COLUMNS", None)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def quick_looks() -> Iterator[None]:
    """Loading an environment looks at it for seconds: only in tests of these looks, which set it themselves.

    A half of this would do for what other tests expect it to find.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("starspiel.envs.gymnasium.sampled.game.LOADING_SECONDS", 0.4)
        yield


@pytest.fixture
def without_fence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Engines can signal whoever they like, as on systems that do not prevent it."""
    monkeypatch.setattr("starspiel.agents.seats.kept._FENCED", False)
