"""What is worked out of a large tournament: ratings, tests, tables and plans of many agents and pairs.

    python benchmarks/scale.py                 # 6, 40 and 100 agents, 1,000 resamples, a million games
    python benchmarks/scale.py --draws 100     # fewer resamples

Prints CPU seconds of this process, and its memory after a million games were planned.
"""

import argparse
import resource
from collections.abc import Callable
from io import StringIO
from time import process_time

import numpy as np
from rich.console import Console

from starspiel.evaluation.checked_settings import checked
from starspiel.evaluation.plan import plan
from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.play.record import GameRecord, Moves, PairRecord
from starspiel.evaluation.report.page import page
from starspiel.evaluation.report.verdict import ranks
from starspiel.evaluation.result import TournamentResult
from starspiel.evaluation.statistics.comparisons import cycles, holm, p_values
from starspiel.evaluation.statistics.intervals import PairCounts
from starspiel.evaluation.statistics.ratings import fit_test, rate, rate_all
from starspiel.evaluation.statistics.tally import Tally

#: Elo between neighbours in strength, pairs a meeting, and resamples that are rated together.
_STEP, _PAIRS, _TOGETHER = 10.0, 20, 50


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--draws", type=int, default=1000)
    draws = parser.parse_args().draws
    print(f"| agents | ratings | {draws:,} resamples | tests and ranks | terminal | page |")
    print("|---:|---:|---:|---:|---:|---:|")
    for agents in (6, 40, 100):
        result = _result(agents)
        cells = [_seconds(rate, result.results), _seconds(_resamples, result.results, draws)]
        cells += [_seconds(_tests, result), _seconds(_shown, result), _seconds(page, result)]
        print(f"| {agents} | {' | '.join(f'{cell:.2f}' for cell in cells)} |", flush=True)
    settings = checked(game="pig", agents=["random", "greedy"], pairs=500_000)
    plan(checked(game="pig", agents=["random", "greedy"], pairs=1))  # what is loaded is loaded
    before = _megabytes()
    seconds = _seconds(plan, settings)
    print(f"A million games planned: {seconds:.1f} s, {_megabytes() - before:.0f} MB.")


def _result(agents: int) -> TournamentResult:
    """Of a round robin whose pairs are drawn from known strengths."""
    rng = np.random.default_rng(1)
    tally = Tally(agents)
    moves = Moves("", "", "")
    for i in range(agents):
        for j in range(i + 1, agents):
            chance = 1.0 / (1.0 + 10.0 ** ((i - j) * _STEP / 400.0))
            for number in range(_PAIRS):
                games = [
                    GameRecord(seats, (0,), (sign, -sign), (moves, moves))
                    for seats, won in (((i, j), rng.random() < chance), ((j, i), rng.random() > chance))
                    for sign in (1.0 if won else -1.0,)
                ]
                tally.add(PairRecord(Pair((i, j), number), tuple(games)))
    names = tuple(f"star2(depth={number})" for number in range(agents))
    return TournamentResult("pig", 1, names, tally.pairs, tally, 1.0)


def _resamples(results: PairCounts, draws: int) -> None:
    rng = np.random.default_rng(1)
    for _ in range(0, draws, _TOGETHER):
        rate_all(results.resampled(min(draws, _TOGETHER), rng), [0])


def _tests(result: TournamentResult) -> None:
    holm(p_values(result.results))
    cycles(result.results)
    ranks(result)
    fit_test(result.results, result.ratings)


def _shown(result: TournamentResult) -> None:
    Console(file=StringIO(), width=120).print(result)


def _seconds(what: Callable[..., object], *arguments: object) -> float:
    began = process_time()
    what(*arguments)
    return process_time() - began


def _megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


if __name__ == "__main__":
    main()
