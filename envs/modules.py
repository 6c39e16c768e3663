"""Modules of the working directory, which people name on the command line."""

import os
import sys


def allow_working_directory() -> None:
    """Lets modules of the working directory be imported, as `python -m` does; a console script does not."""
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
