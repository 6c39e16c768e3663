"""The page of every command: its help, as `--help` says it."""

import re

from starspiel_cli import COMMANDS, make_app


def page() -> str:
    """Markdown of the commands with their parameters, made from their docstrings."""
    text = make_app([*COMMANDS]).generate_docs(output_format="markdown", recursive=True, include_hidden=False)
    text = re.sub(r"^## Table of Contents$.*?(?=^\*\*Commands\*\*)", "", text, flags=re.MULTILINE | re.DOTALL)
    text = text.replace("(#starspiel-install-completion)", "(#starspiel---install-completion)")
    return text.replace("# starspiel\n", "# At the terminal\n", 1)
