"""A console for text that strangers wrote: names, messages and boards cannot steer the terminal."""

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from starspiel.envs.text import printable_lines


class PlainConsole(Console):
    """A console that steers its terminal by its own codes only: those in what is printed are spelled out.

    What looks like markup or an emoji's name is printed as it is: it is part of someone's name.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **settings)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(printable_lines(segment.text), segment.style)
