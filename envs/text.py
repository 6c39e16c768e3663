"""Makes texts of games and external agents safe for terminals and pages."""

import re
import sys
from io import StringIO

#: Control characters (ESC, tab and line breaks among them), Unicode's marks, embeddings, overrides and
#: isolates of direction, its line and paragraph separators, and halves of surrogate pairs.
STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_ESCAPE = re.compile(r"\x1b\[[\d;]*m")
_COLOURED = re.compile(r"(?:\x1b\[[\d;]*[1-9][\d;]*m)+(.*?)\x1b\[0?m", re.DOTALL)
#: What no page may contain: halves of surrogate pairs, and U+FFFE and U+FFFF, which are not characters.
_NO_CHARACTER = re.compile("[\ud800-\udfff\ufffe\uffff]")
_CONTROL = {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n"} | {127: 0x2421}
_CONTROL |= dict.fromkeys(range(128, 160), 0xFFFD)


def printable(text: str) -> str:
    r"""Returns the text with characters escaped that control a terminal or text direction: ESC as \x1b."""
    return STEERING.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def printable_lines(text: str) -> str:
    """Returns the text as `printable` does, but keeps line breaks."""
    return "\n".join(map(printable, text.split("\n")))


def is_number(text: str) -> bool:
    """Returns whether a text is a whole number without a sign, of no more digits than Python reads."""
    return text.isdecimal() and len(text) <= sys.int_info.default_max_str_digits


def without_colours(text: str) -> str:
    """Returns the text with brackets around what was coloured, and without escape sequences."""
    return _ESCAPE.sub("", _COLOURED.sub(r"[\1]", text))


def plain(text: str) -> str:
    """Returns a game's text for a page: with [brackets] for colours and symbols for control characters."""
    text = without_colours(text).replace("\r\n", "\n")
    return _NO_CHARACTER.sub("\ufffd", text.translate(_CONTROL))


class ShownInNotebooks:
    """A mixin that shows an object in notebooks as rich prints it."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        from rich.console import Console  # slow to load, and few need it

        console = Console(record=True, file=StringIO(), width=120, highlight=False)
        console.print(self)
        style = "white-space: pre; overflow-x: auto; line-height: 1.35; font-family: ui-monospace, monospace"
        return console.export_html(inline_styles=True, code_format=f'<pre style="{style}">{{code}}</pre>')
