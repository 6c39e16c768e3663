"""Lets arrow keys of the terminal answer prompts, for games whose moves are directions."""

import sys
from collections.abc import Iterable

#: What terminals send for each key after "\e[" or "\eO", and what readline does if the key is not an answer.
_KEYS = {"up": "A", "down": "B", "right": "C", "left": "D"}
_USUAL = {"up": "previous-history", "down": "next-history", "right": "forward-char", "left": "backward-char"}


def take_arrows(directions: Iterable[str]) -> None:
    """Lets the arrow keys of these directions answer `input`; the others edit the line as usual.

    Does nothing without a terminal or readline.
    """
    if not sys.stdin.isatty():
        return
    try:
        import readline
    except ImportError:  # as on Windows
        return
    for line in bindings(set(directions), libedit="libedit" in (readline.__doc__ or "")):
        readline.parse_and_bind(line)


def bindings(directions: set[str], *, libedit: bool) -> list[str]:
    """Returns the key bindings as lines of an inputrc, or of an editrc for libedit."""
    lines = []
    for name, letter in _KEYS.items():
        for start in "[O":
            if libedit:
                usual = {"previous-history": "ed-prev-history", "next-history": "ed-next-history"}
                edit = usual.get(_USUAL[name], f"ed-{'next' if name == 'right' else 'prev'}-char")
                bound = rf'bind -s "\e{start}{letter}" "{name}\n"'
                lines.append(bound if name in directions else rf'bind "\e{start}{letter}" {edit}')
            else:
                action = rf'"{name}\C-m"' if name in directions else _USUAL[name]
                lines.append(rf'"\e{start}{letter}": {action}')
    return lines
