"""A game's text as a page can hold it."""

import re

from starspiel.envs.colours import without_colours

#: What no page may hold: halves of surrogate pairs, and the two that are no characters.
_NO_CHARACTER = re.compile("[\ud800-\udfff\ufffe\uffff]")
_CONTROL = {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n"} | {127: 0x2421}
_CONTROL |= dict.fromkeys(range(128, 160), 0xFFFD)


def plain(text: str) -> str:
    """A game's text as a page can hold it: [brackets] for colours, pictures of control characters."""
    text = without_colours(text).replace("\r\n", "\n")
    return _NO_CHARACTER.sub("\ufffd", text.translate(_CONTROL))
