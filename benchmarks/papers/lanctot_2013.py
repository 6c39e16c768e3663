"""Lanctot, Saffidine, Veness, Archibald & Winands 2013, "Monte Carlo *-minimax search", in play.

    python benchmarks/papers/lanctot_2013.py [--seconds 0.2 | --nodes 1000] [--pairs 10] [--width 10]

Star1SS against Star1 and Star2SS against Star2 in pig, EinStein würfelt nicht! and Can't Stop, with equal
time a move, 0.2 s as in the paper, or with equal nodes, for machines that do other things as well. With time
also Star2SS against UCT. All in the Python engine, as sampling searches are, so that a second is worth the
same to each. Pairs of games with the same dice. The heuristics are ours.
"""

import argparse
import math
import sys
from collections.abc import Iterator

from published import Figure, report

from starspiel.evaluation.tournament import tournament

GAMES = {"pig": "pig(players=2)", "EinStein": "einstein_wurfelt_nicht", "Can't Stop": "cant_stop"}


def figures(limit: str, pairs: int, width: int, seed: int) -> Iterator[Figure]:
    for name, game in GAMES.items():
        for classic in ("star1", "star2"):
            how = f"{limit},engine=python,evaluator=heuristic"
            agents = [f"{classic}ss({how},width={width})", f"{classic}({how})"]
            most = (name, classic) == ("Can't Stop", "star1")
            published, band = ("about 85", (0.75, 0.95)) if most else ("above 50", (0.5, 1.0))
            yield _score(
                f"{classic}ss against {classic}, {name}, %", published, game, agents, pairs, seed, band
            )
        if limit.startswith("seconds"):
            agents = [f"star2ss({limit},engine=python,evaluator=heuristic,width={width})", f"uct({limit})"]
            level = name == "pig"
            band, published = ((0.3, 0.7), "level") if level else ((-math.inf, math.inf), "–")
            yield _score(f"star2ss against UCT, {name}, %", published, game, agents, pairs, seed, band)


def _score(
    what: str,
    published: str,
    game: str,
    agents: list[str],
    pairs: int,
    seed: int,
    band: tuple[float, float],
) -> Figure:
    """The score of the first agent against the second."""
    result = tournament(game, {"first": agents[0], "second": agents[1]}, pairs=pairs, seed=seed)
    first = next(standing for standing in result.standings if standing.agent == "first")
    return Figure(what, published, first.mean, first.mean_low, first.mean_high, band)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=0.2)
    parser.add_argument("--nodes", type=int)
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--width", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    limit = f"seconds={given.seconds}" if given.nodes is None else f"nodes={given.nodes}"
    title = f"Lanctot et al. 2013: {limit} a move, {given.pairs} pairs of games each"
    return report(title, figures(limit, given.pairs, given.width, given.seed))


if __name__ == "__main__":
    sys.exit(main())
