"""A result for programs: JSON and pandas."""

from typing import Any

from starspiel.envs.errors import StarspielError
from starspiel.evaluation.play.luck import Adjusted
from starspiel.evaluation.report.columns import fields_of
from starspiel.evaluation.report.luck import luck_note
from starspiel.evaluation.report.words import number
from starspiel.evaluation.result import TournamentResult
from starspiel.evaluation.statistics.differences import Difference
from starspiel.evaluation.statistics.intervals import Array


def as_dict(result: TournamentResult) -> dict[str, Any]:
    """Everything but the games, ready for JSON: agents in their own order, None for no number."""
    by_name = {line.agent: line for line in result.standings}
    low, high = result.matrix_interval
    return {
        "game": result.game,
        "seed": result.seed,
        "common": "starts" if result.common_starts else "dice",
        "games": result.games,
        "pairs": result.tally.pairs,
        "planned_pairs": result.planned_pairs,
        "interrupted": result.interrupted,
        "seconds": round(result.seconds, 3),
        "agents": [fields_of(by_name[name], result.two_player) for name in result.agents],
        "ranking": list(result.ranked_names),
        "alike": [list(group) for group in result.groups_alike],
        "anchor": None if result.anchor is None else result.agents[result.anchor],
        "seat_advantage_elo": [number(value) for value in result.ratings.seat_advantage]
        if result.two_player
        else None,
        "matrix": _rows(result.matrix),
        "matrix_low": _rows(low),
        "matrix_high": _rows(high),
        "differences": None
        if result.two_player
        else [_difference_dict(each, result.agents) for each in result.differences],
        "clock": result.clock,
        "timed": list(result.timed),
        "clockless": list(result.clockless),
        "sprt": None
        if result.sprt is None
        else {
            "test": str(result.sprt.test),
            "agents": list(result.agents),
            "pairs": list(result.sprt.five),
            "llr": result.sprt.llr,
            "bounds": list(result.sprt.test.bounds),
            "verdict": result.sprt.verdict,
        },
        "luck": None
        if result.luck_evaluator is None
        else {
            "evaluator": result.luck_evaluator,
            "meetings": [_adjusted_dict(line, result.agents) for line in result.adjusted],
            "note": luck_note(result),
        },
    }


def as_pandas(result: TournamentResult) -> Any:
    """The standings as a `pandas.DataFrame`, best agent first. Raises StarspielError without pandas."""
    try:
        import pandas
    except ImportError:
        raise StarspielError('to_pandas needs pandas: pip install "starspiel[pandas]".') from None
    return pandas.DataFrame([fields_of(line, result.two_player) for line in result.standings])


def _difference_dict(each: Difference, names: tuple[str, ...]) -> dict[str, Any]:
    return {
        "agents": [names[agent] for agent in each.agents],
        "pairs": each.pairs,
        "mean": number(each.mean),
        "low": number(each.low),
        "high": number(each.high),
        "p": number(each.p),
        "p_holm": number(each.p_holm),
    }


def _adjusted_dict(line: Adjusted, names: tuple[str, ...]) -> dict[str, Any]:
    return {
        "agents": [names[agent] for agent in line.agents],
        "pairs": line.pairs,
        "left_out": line.left_out,
        "raw": number(line.raw),
        "raw_standard_error": number(line.raw_error),
        "raw_margin": number(line.raw_margin),
        "adjusted": number(line.adjusted),
        "adjusted_standard_error": number(line.adjusted_error),
        "adjusted_margin": number(line.adjusted_margin),
        "variance_factor": number(line.variance_factor),
        "variance_factor_low": number(line.variance_factor_interval[0]),
        "variance_factor_high": number(line.variance_factor_interval[1]),
    }


def _rows(matrix: Array) -> list[list[float | None]]:
    return [[number(value) for value in row] for row in matrix.tolist()]
