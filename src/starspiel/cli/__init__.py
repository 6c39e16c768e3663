"""The command line: one file a command, `app.py` with what they share. It begins in `starspiel_cli`."""

from starspiel_cli import main

__all__ = ["main"]
