"""Converts a result for programs: to JSON and pandas."""

from itertools import combinations
from typing import Any

from starspiel.envs.errors import StarspielError
from starspiel.evaluation.play.pairing import units
from starspiel.evaluation.report.columns import fields_of
from starspiel.evaluation.report.faults import fault_lines
from starspiel.evaluation.report.luck import luck_note
from starspiel.evaluation.report.verdict import ranks
from starspiel.evaluation.report.words import number
from starspiel.evaluation.result import TournamentResult
from starspiel.evaluation.statistics.always_valid import always_valid_interval, always_valid_p
from starspiel.evaluation.statistics.blocks import Blocks
from starspiel.evaluation.statistics.comparisons import holm, p_values
from starspiel.evaluation.statistics.looks import means_p, meetings_p
from starspiel.evaluation.statistics.ratings import fit_test

#: Keys of a meeting's luck-adjusted mean; `_line` maps them to attributes.
_ADJUSTED = (
    "pairs left_out raw raw_standard_error raw_margin adjusted adjusted_standard_error adjusted_margin "
    "variance_factor"
)


def as_dict(result: TournamentResult) -> dict[str, Any]:
    """Returns everything but the games, as JSON-compatible values: agents as given, None for NaN."""
    by_name = {line.agent: line for line in result.standings}
    two, (low, high) = result.two_player, result.matrix_interval
    fit = fit_test(result.results, result.ratings) if two else None
    rated, unit = result.players > 1, units(max(2, result.players))
    found = {
        "game": result.game,
        "seed": result.seed,
        "key": result.key,
        "common": "starts" if result.common_starts else "dice",
        "own_dice": list(result.own_dice),
        "games": result.games,
        unit: result.tally.pairs,
        f"planned_{unit}": result.planned_pairs,
        "interrupted": result.interrupted,
        "seconds": round(result.seconds, 3),
        "agents": [
            fields_of(by_name[name], result.kind) | ranks
            for name, ranks in zip(result.agents, _ranks(result), strict=True)
        ],
        "ranking": list(result.ranked_names),
        "alike": [list(group) for group in result.groups_alike],
        "repeated": [[result.agents[agent] for agent in each] for each in result.tally.repeated_meetings],
        "anchor": None if result.anchor is None else result.agents[result.anchor],
        "zero": [result.agents[agent] for agent in result.ratings.zero] if rated else None,
        "seat_advantage_elo": _numbers(result.ratings.seat_advantage) if two else None,
        "fit": fit and {"deviance": fit.deviance, "freedom": fit.freedom, "p": fit.p},
        "meetings": _meetings(result) if two else None,
        "matrix": [_numbers(row) for row in result.matrix],
        "matrix_low": [_numbers(row) for row in low],
        "matrix_high": [_numbers(row) for row in high],
        "differences": None if two else _differences(result),
        "faults": [line._asdict() for line in fault_lines(result)],
        "clock": result.clock,
        "timed": list(result.timed),
        "clockless": list(result.clockless),
        "sprt": _sprt(result),
        "luck": _luck(result),
    }
    return found if result.blocks is None else found | {"seats": _seats(result.blocks)}


def as_pandas(result: TournamentResult) -> Any:
    """Returns the standings as a `pandas.DataFrame`, best first. Raises StarspielError without pandas."""
    try:
        import pandas
    except ImportError:
        raise StarspielError('to_pandas needs pandas: pip install "starspiel[pandas]".') from None
    return pandas.DataFrame([fields_of(line, result.kind) for line in result.standings])


def _observations(result: TournamentResult) -> str:
    """Returns the key for the number of observations: "pairs" with one player, as "games" is used already."""
    return "pairs" if result.players == 1 else result.observations


def _numbers(values: Any) -> list[float | None]:
    return [number(value) for value in values]


def _ranks(result: TournamentResult) -> list[dict[str, int | None]]:
    """Returns each agent's best and worst rank that the verdict leaves open; None in one-player games."""
    found = ranks(result) if result.players > 1 else [(0, 0)] * len(result.agents)
    return [{"rank_best": best or None, "rank_worst": worst or None} for best, worst in found]


def _meetings(result: TournamentResult) -> list[dict[str, Any]]:
    """Returns for any two agents that met: pairs by the first agent's points, and p-values."""
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
    p, corrected = means_p(result.mean_returns)
    return [
        _line(result, each, "pairs mean low high p p_holm", _observations(result))
        | {"p_always_valid": number(p[each.agents]), "p_always_valid_holm": number(corrected[each.agents])}
        for each in result.differences
    ]


def _sprt(result: TournamentResult) -> dict[str, Any] | None:
    if (sprt := result.sprt) is None:
        return None
    return {
        "test": str(sprt.test),
        "agents": list(result.agents),
        units(result.players) if result.blocks is None else "rounds": list(sprt.five),
        "llr": sprt.llr,
        "bounds": list(sprt.test.bounds),
        "verdict": sprt.verdict,
        "score": list(sprt.score),
    }


def _luck(result: TournamentResult) -> dict[str, Any] | None:
    if result.luck_evaluator is None:
        return None
    meetings = []
    for line in result.adjusted:
        low, high = _numbers(line.variance_factor_interval)
        ends = {"variance_factor_low": low, "variance_factor_high": high}
        meetings.append(_line(result, line, _ADJUSTED, _observations(result)) | ends)
    agents = [
        {
            "agent": result.agents[line.agent],
            _observations(result): line.pairs,
            "luck": number(line.mean),
            "margin": number(line.margin),
            "z": number(line.z),
            "exceeds_chance": line.exceeds_chance,
        }
        for line in result.lucks
    ]
    return {
        "evaluator": result.luck_evaluator,
        "meetings": meetings,
        "agents": agents,
        "note": luck_note(result),
    }


def _seats(blocks: Blocks) -> list[dict[str, float]]:
    """Returns each seat's mean return and share of wins, over all agents."""
    return [{"mean_return": own, "share": won} for own, won in zip(*map(list, blocks.by_seat), strict=True)]


def _line(result: TournamentResult, each: Any, keys: str, unit: str = "pairs") -> dict[str, Any]:
    """Returns the compared agents' names and the values of `keys`; attributes shorten "standard_error"."""
    values = {key: getattr(each, key.replace("standard_error", "error")) for key in keys.split()}
    values = {unit if key == "pairs" else key: value for key, value in values.items()}
    numbers = {key: number(value) if isinstance(value, float) else value for key, value in values.items()}
    return {"agents": [result.agents[agent] for agent in each.agents], **numbers}
