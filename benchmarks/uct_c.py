"""Which exploration constant suits MCTS, game by game: other values of `uct_c` against the default, 2.

Prints a line a game and value: the score of `mcts(uct_c=...)` against `mcts(uct_c=2.0)` in pairs with common
dice and swapped seats, its 95 % interval over pairs, and the p of "the two score the same". A value that wins
with p < 0.02 on a second seed, too, is worth taking as a game's default. With an evaluator both value leaves
by it.

    python benchmarks/uct_c.py [GAME ...] [--values 0.5 1 1.4 3] [--pairs 200] [--simulations 200]
"""

import argparse

from starspiel.evaluation import tournament
from starspiel.evaluation.statistics.comparisons import pair_score_p

GAMES = (
    "backgammon",
    "banqi",
    "cant_stop",
    "connect_four",
    "einstein_wurfelt_nicht",
    "knucklebones",
    "maedn",
    "pig",
    "royal_game_of_ur",
    "yacht(players=2)",
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--values", nargs="+", type=float, default=[0.5, 1.0, 1.4, 3.0])
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--simulations", type=int, default=200)
    parser.add_argument("--evaluator", help="a spec, such as net")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    print("| game | uct_c | pairs | score against 2.0 | p |")
    print("|---|---:|---:|---:|---:|")
    leaf = "" if given.evaluator is None else f",evaluator={given.evaluator}"
    for game in given.games:
        for value in given.values:
            agents = {
                str(each): f"mcts(simulations={given.simulations},uct_c={each}{leaf})"
                for each in (value, 2.0)
            }
            print(row(game, value, agents, given), flush=True)


def row(game: str, value: float, agents: dict[str, str], given: argparse.Namespace) -> str:
    """A line of the table."""
    result = tournament(game, agents, given.pairs, given.seed, workers=given.workers)
    low, high = (bound[0, 1] for bound in result.matrix_interval)
    score = f"{100 * result.matrix[0, 1]:.1f} % ({100 * low:.1f} to {100 * high:.1f})"
    p = pair_score_p(result.results.five(0, 1))
    return f"| {game} | {value:g} | {result.tally.pairs} | {score} | {p:.3g} |"


if __name__ == "__main__":
    main()
