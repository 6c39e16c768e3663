"""What strangers named or said, as tables and pages may show it."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from starspiel.envs.printable import printable, printable_lines
from starspiel.evaluation.result import TournamentResult


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


def shown_plainly(result: TournamentResult) -> TournamentResult:
    """The result with names that can be shown; the same one where all can.

    Tables measure names before a `PlainConsole` sees them, and would cut off what it makes longer.
    """
    names = tuple(map(printable, result.agents))
    specs = tuple(map(printable, result.specs))
    game, evaluator = printable(result.game), result.luck_evaluator and printable(result.luck_evaluator)
    if (names, specs, game, evaluator) == (result.agents, result.specs, result.game, result.luck_evaluator):
        return result
    return replace(
        result,
        agents=names,
        specs=specs,
        game=game,
        luck_evaluator=evaluator,
        timed=tuple(map(printable, result.timed)),
        clockless=tuple(map(printable, result.clockless)),
    )
