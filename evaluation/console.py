"""Provides a console for untrusted text: names, messages and boards cannot control the terminal."""

import os
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from starspiel.envs.text import printable_lines


class PlainConsole(Console):
    """A console that prints control codes and markup literally."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **settings)

    def on_broken_pipe(self) -> None:
        """Discards what follows, as its reader (head, less) has exited; reports are still to be written."""
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.file.fileno())

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(printable_lines(segment.text), segment.style)
