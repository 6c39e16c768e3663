"""The command line: one file a command, `app.py` with what they share."""


def main() -> None:
    """The console script `starspiel`."""
    from starspiel.cli.app import main as run

    run()
