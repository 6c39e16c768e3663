"""The command line: one file a command, `app.py` with what they share."""

import sys


def main() -> None:
    """The console script `starspiel`."""
    try:
        from starspiel.cli.app import main as run
    except KeyboardInterrupt:  # Loading takes a moment, and Ctrl-C may come then.
        sys.exit(130)
    run()
