"""Texts that colour with terminal escapes, for readers that know no colours."""

import re

_ESCAPE = re.compile(r"\x1b\[[\d;]*m")
_COLOURED = re.compile(r"(?:\x1b\[[\d;]*[1-9][\d;]*m)+(.*?)\x1b\[0?m", re.DOTALL)


def without_colours(text: str) -> str:
    """The text with brackets around what is coloured elsewhere, and no escapes."""
    return _ESCAPE.sub("", _COLOURED.sub(r"[\1]", text))
