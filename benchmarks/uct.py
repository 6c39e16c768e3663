"""Our own UCT against OpenSpiel's MCTS in games that both play: their strength at equal simulations.

Prints a line a game: the score of `uct` against `mcts` in pairs with common dice and swapped seats, with its
95 % interval by bootstrap over pairs, and what each took a move.

    python benchmarks/uct.py [--games pig ...] [--pairs 200] [--simulations 100] [--workers 2]
"""

import argparse

from starspiel.evaluation import tournament

GAMES = ("pig(winscore=40)", "einstein_wurfelt_nicht")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", nargs="+", default=GAMES)
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--simulations", type=int, default=100)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    agents = [f"{name}(simulations={given.simulations})" for name in ("uct", "mcts")]
    print(f"| game | pairs | score of {agents[0]} against {agents[1]} | ms a move, uct | mcts |")
    print("|---|---:|---:|---:|---:|")
    for game in given.games:
        print(row(game, agents, given.pairs, given.workers), flush=True)


def row(game: str, agents: list[str], pairs: int, workers: int) -> str:
    """A line of the table."""
    result = tournament(game, agents, pairs, workers=workers)
    low, high = (bound[0, 1] for bound in result.matrix_interval)
    seconds = [1000 * totals.cost.seconds_per_move for totals in result.tally.agents]
    score = f"{100 * result.matrix[0, 1]:.1f} % ({100 * low:.1f} to {100 * high:.1f})"
    return f"| {game} | {result.tally.pairs} | {score} | {seconds[0]:.1f} | {seconds[1]:.2f} |"


if __name__ == "__main__":
    main()
