"""What all tests have in common."""

import os


def pytest_configure() -> None:
    """Commands under test are not to be as wide as the terminal that pytest, or a worker of it, runs in."""
    os.environ.pop("COLUMNS", None)
