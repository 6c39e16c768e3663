"""Text of strangers as it can be shown: what steers a terminal or the order of reading is spelled out."""

import re

#: Control characters (ESC, tab and line breaks among them), Unicode's marks, embeddings, overrides and
#: isolates of direction, its line and paragraph separators, and halves of surrogate pairs.
STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    r"""The text with such characters as Python escapes them: an ESC as \x1b."""
    return STEERING.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode()


def printable_lines(text: str) -> str:
    """The same where line breaks are wanted."""
    return "\n".join(map(printable, text.split("\n")))
