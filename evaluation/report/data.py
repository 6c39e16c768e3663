"""A result for programs: JSON and pandas."""

from dataclasses import asdict
from itertools import combinations
from math import isnan
from typing import Any

from starspiel.envs.errors import StarspielError
from starspiel.evaluation.report.columns import fields_of
from starspiel.evaluation.report.faults import fault_lines
from starspiel.evaluation.report.luck import luck_note
from starspiel.evaluation.report.words import number
from starspiel.evaluation.result import TournamentResult
from starspiel.evaluation.statistics.adjusted import Adjusted
from starspiel.evaluation.statistics.always_valid import always_valid_interval, always_valid_p
from starspiel.evaluation.statistics.comparisons import holm, p_values, rank_sets
from starspiel.evaluation.statistics.differences import Difference
from starspiel.evaluation.statistics.intervals import Array
from starspiel.evaluation.statistics.looks import means_p, meetings_p
from starspiel.evaluation.statistics.ratings import fit_test


def as_dict(result: TournamentResult) -> dict[str, Any]:
    """Everything but the games, ready for JSON: agents in their own order, None for no number."""
    by_name = {line.agent: line for line in result.standings}
    low, high = result.matrix_interval
    return {
        "game": result.game,
        "seed": result.seed,
        "key": result.key,
        "common": "starts" if result.common_starts else "dice",
        "own_dice": list(result.own_dice),
        "games": result.games,
        "pairs": result.tally.pairs,
        "planned_pairs": result.planned_pairs,
        "interrupted": result.interrupted,
        "seconds": round(result.seconds, 3),
        "agents": [
            fields_of(by_name[name], result.two_player) | ranks
            for name, ranks in zip(result.agents, _ranks(result), strict=True)
        ],
        "ranking": list(result.ranked_names),
        "alike": [list(group) for group in result.groups_alike],
        "anchor": None if result.anchor is None else result.agents[result.anchor],
        "zero": [result.agents[agent] for agent in result.ratings.zero] if result.two_player else None,
        "seat_advantage_elo": [number(value) for value in result.ratings.seat_advantage]
        if result.two_player
        else None,
        "fit": _fit_dict(result),
        "meetings": _meetings(result) if result.two_player else None,
        "matrix": _rows(result.matrix),
        "matrix_low": _rows(low),
        "matrix_high": _rows(high),
        "differences": None if result.two_player else _differences(result),
        "faults": [asdict(line) for line in fault_lines(result)],
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
            "score": list(result.sprt.score),
        },
        "luck": None
        if result.luck_evaluator is None
        else {
            "evaluator": result.luck_evaluator,
            "meetings": [_adjusted_dict(line, result.agents) for line in result.adjusted],
            "agents": [
                {
                    "agent": result.agents[line.agent],
                    "pairs": line.pairs,
                    "luck": number(line.mean),
                    "margin": number(line.margin),
                    "z": number(line.z),
                    "exceeds_chance": line.exceeds_chance,
                }
                for line in result.lucks
            ],
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


def _ranks(result: TournamentResult) -> list[dict[str, int | None]]:
    """The best and the worst rank of each agent that the data leave open; None in one-player games."""
    if not result.two_player:
        return [{"rank_best": None, "rank_worst": None} for _ in result.agents]
    return [
        {"rank_best": None, "rank_worst": None} if isnan(rating) else {"rank_best": best, "rank_worst": worst}
        for (best, worst), rating in zip(rank_sets(result.ratings), result.ratings.elo, strict=True)
    ]


def _fit_dict(result: TournamentResult) -> dict[str, Any] | None:
    """How well the rating model describes the results; None where it has nothing to spare."""
    found = fit_test(result.results, result.ratings) if result.two_player else None
    if found is None:
        return None
    return {"deviance": found.deviance, "freedom": found.freedom, "p": found.p}


def _meetings(result: TournamentResult) -> list[dict[str, Any]]:
    """Every two agents that met: pairs by the first one's points, and p."""
    results = result.results
    p = p_values(results)
    corrected, looks = holm(p), meetings_p(results, result.gauntlet)
    return [
        {
            "agents": [result.agents[i], result.agents[j]],
            "pairs": list(results.five(i, j)),
            "p": number(p[i, j]),
            "p_holm": number(corrected[i, j]),
            "p_always_valid": always_valid_p(results.five(i, j)),
            "p_always_valid_holm": number(looks[i, j]),
            "score_always_valid": list(always_valid_interval(results.five(i, j))),
        }
        for i, j in combinations(range(results.agents), 2)
        if results.pairs[i, j]
    ]


def _differences(result: TournamentResult) -> list[dict[str, Any]]:
    p, corrected = means_p(result.tally.solo)
    return [
        _difference_dict(each, result.agents)
        | {
            "p_always_valid": number(p[each.agents]),
            "p_always_valid_holm": number(corrected[each.agents]),
        }
        for each in result.differences
    ]


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
