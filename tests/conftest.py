"""What all tests have in common."""

import os
import signal
from collections.abc import Iterator
from functools import partial

import pytest
from support.probe import begin, can_compile, probe_in

from starspiel.envs.gymnasium.budget import Budget


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

    A half of this would do for what other tests expect it to find. It is processor time alone, of which a
    busy machine leaves as much.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("starspiel.envs.gymnasium.sampled.game.LOADING_SECONDS", 0.4)
        for module in ("game", "faithful"):
            name = f"starspiel.envs.gymnasium.sampled.{module}.Budget"
            patch.setattr(name, partial(Budget, waiting=100.0))
        yield


@pytest.fixture(autouse=True, scope="session")
def compiled_meanwhile(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """What tests of the native core ask of it is compiled while others run."""
    asked = any("probe" in getattr(item, "fixturenames", ()) for item in request.session.items)
    compiling = begin(probe_in(tmp_path_factory)) if asked and can_compile() else None
    yield
    if compiling is not None:
        compiling.wait()


@pytest.fixture
def without_fence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Engines can signal whoever they like, as on systems that do not prevent it."""
    monkeypatch.setattr("starspiel.agents.seats.kept._FENCED", False)
