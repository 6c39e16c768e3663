"""The command line: one file per command, and `app.py`, which runs them. Its entry point: `starspiel_cli`."""

from starspiel_cli import main

__all__ = ["main"]
