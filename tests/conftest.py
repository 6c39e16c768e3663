"""What all tests have in common."""

import gc
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


def pytest_collection_finish() -> None:
    """What has been loaded for all tests is no garbage, and not looked through again and again."""
    gc.freeze()
    gc.set_threshold(10_000)


@pytest.fixture(autouse=True, scope="session")
def quick_looks() -> Iterator[None]:
    """Loading an environment looks at it for seconds: only in tests of these, which ask for `long_looks`.

    A third of this would do for what other tests expect it to find. It is processor time alone, of which a
    busy machine leaves as much.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("starspiel.envs.gymnasium.sampled.game.LOADING_SECONDS", 0.15)
        patch.setattr("starspiel.envs.gymnasium.sampled.faithful.LOADING_SECONDS", 0.3)
        patch.setattr("starspiel.envs.gymnasium.game._PUBLISHED", 0.1)
        patch.setattr("starspiel.evaluation.estimate._LEAST_SECONDS", 0.1)
        for module in ("game", "faithful"):
            name = f"starspiel.envs.gymnasium.sampled.{module}.Budget"
            patch.setattr(name, partial(Budget, waiting=100.0))
        yield


@pytest.fixture
def long_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks at an environment end by what they have to do, so that a busy machine changes none."""
    monkeypatch.setattr("starspiel.envs.gymnasium.sampled.game.LOADING_SECONDS", 60.0)


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
