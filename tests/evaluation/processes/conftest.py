"""What the tests of processes have in common."""

import signal

import pytest


@pytest.fixture(autouse=True)
def within_five_minutes():
    """What hangs is an error, not a test run that never ends."""

    def late(number, frame):
        raise TimeoutError("the test took more than five minutes")

    previous = signal.signal(signal.SIGALRM, late)
    signal.alarm(300)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, previous)
