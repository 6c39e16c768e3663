"""What quiescence is worth: Star2 with it against Star2 without, at equal depth and at equal nodes.

    python benchmarks/quiescence.py [--pairs 100]

Prints the score of the one with quiescence and its 95 % interval, and the nodes a move of both: pairs of
games with the same dice and swapped seats.
"""

import argparse

from starspiel.evaluation.tournament import tournament

CASES = [
    ("banqi", "depth=1", (1, 2, 4)),
    ("banqi", "depth=2", (1, 2)),
    ("banqi", "nodes=3000", (1, 2)),
    ("royal_game_of_ur", "depth=1", (1, 2)),
    ("royal_game_of_ur", "depth=2", (1,)),
    ("royal_game_of_ur", "nodes=3000", (1,)),
]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print("| game | Star2 | quiescence | score in % | 95 % interval | nodes a move | without |")
    print("|---|---|---:|---:|---|---:|---:|")
    for game, how, extensions in CASES:
        for plies in extensions:
            agents = {
                "longer": f"star2({how},evaluator=heuristic,quiescence={plies})",
                "plain": f"star2({how},evaluator=heuristic)",
            }
            result = tournament(game, agents, pairs=given.pairs, seed=given.seed)
            found = {standing.agent: standing for standing in result.standings}
            longer, plain = (found[agent] for agent in agents)
            nodes = " | ".join(f"{each.totals.cost.nodes_per_move:,.0f}" for each in (longer, plain))
            interval = f"{100 * longer.mean_low:.1f} to {100 * longer.mean_high:.1f}"
            print(
                f"| {game} | {how} | {plies} | {100 * longer.mean:.1f} | {interval} | {nodes} |", flush=True
            )


if __name__ == "__main__":
    main()
