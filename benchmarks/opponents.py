"""What a model of the opponent is worth against an opponent that it fits, and costs where it does not.

    python benchmarks/opponents.py [--pairs 100]

Prints the score of Star2 with each model against each opponent, with its 95 % interval: pairs of games
with the same dice and swapped seats, the same seed for all.
"""

import argparse

from starspiel.evaluation.tournament import tournament

#: Game, options of the search, opponents, models.
CASES = [
    ("tic_tac_toe", "depth=9", ("random", "star2(depth=9)"), ("minimiser", "mix(error=0.5)", "uniform")),
    ("dice(size=4)", "depth=4", ("random", "greedy"), ("minimiser", "mix(error=0.5)", "uniform", "greedy")),
    ("einstein_wurfelt_nicht", "depth=3", ("random", "greedy"), ("minimiser", "mix(error=0.5)", "uniform")),
    ("pig(players=2)", "depth=5", ("random", "greedy"), ("minimiser", "mix(error=0.5)", "uniform")),
]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print("| game | Star2 | against | model | score in % | 95 % interval |")
    print("|---|---|---|---|---:|---|")
    for game, how, opponents, models in CASES:
        for opponent in opponents:
            for model in models:
                agent = f"star2({how},opponent={model})"
                agents = {"with the model": agent, "opponent": opponent}
                result = tournament(game, agents, pairs=given.pairs, seed=given.seed)
                found = next(each for each in result.standings if each.agent == "with the model")
                interval = f"{100 * found.mean_low:.1f} to {100 * found.mean_high:.1f}"
                print(
                    f"| {game} | {how} | {opponent} | {model} | {100 * found.mean:.1f} | {interval} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
