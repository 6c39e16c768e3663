"""What strangers named or said, as tables and pages may show it."""

from dataclasses import replace

from starspiel.envs.text import printable
from starspiel.evaluation.result import TournamentResult


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
