"""Prints what pruning saves a game when everything else is on: CPU time and nodes of the three searches.

    python benchmarks/pruning.py

Each search plays whole games against itself, the same dice for all three, with what a bot has by default: the
native core, merging, the table, ordering, the heuristic. Values do not differ, so neither do the moves; the
script ends with an error if they do. Processor time, so that a busy machine does not matter much.
"""

import sys

from starspiel.agents.roster import bot_maker
from starspiel.envs.load import load_game
from starspiel.evaluation.play.dice import Dice
from starspiel.evaluation.play.match import play_game
from starspiel.evaluation.play.seat import seated

#: Game, depth, and games played: some seconds a game at most.
CASES = [
    ("backgammon", 3, 2),
    ("banqi", 3, 3),
    ("einstein_wurfelt_nicht", 5, 10),
    ("yacht(players=2)", 3, 2),
    ("maedn(players=2)", 5, 3),
    ("pig(players=2)", 8, 5),
]
ALGORITHMS = ("expectiminimax", "star1", "star2")


def main() -> None:
    print("| game | depth | expectiminimax | Star1 | Star2 | time Star1 | time Star2 |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    cases = [case for case in CASES if len(sys.argv) < 2 or case[0].startswith(sys.argv[1])]
    for name, depth, games in cases:
        game = load_game(name)
        moves: list[list[tuple[int, ...]]] = []
        seconds, nodes = [], []
        for algorithm in ALGORITHMS:
            make = bot_maker(f"{algorithm}(depth={depth},evaluator=heuristic,ties=first)", game)
            records = [
                play_game(
                    game, seated([make(seat, 1) for seat in range(game.num_players)]), Dice(name, number)
                )
                for number in range(games)
            ]
            moves.append([record.actions for record in records])
            costs = [own.cost for record in records for own in record.moves]
            seconds.append(sum(cost.seconds for cost in costs) / games)
            nodes.append(sum(cost.nodes for cost in costs) / games)
        if not moves[0] == moves[1] == moves[2]:
            raise SystemExit(f"{name}: the searches played other moves.")
        cells = [f"{spent:.3g} s, {count:,.0f}" for spent, count in zip(seconds, nodes, strict=True)]
        times = [f"{seconds[0] / spent:.2f}" for spent in seconds[1:]]
        print(f"| {name} | {depth} | {' | '.join(cells + times)} |", flush=True)


if __name__ == "__main__":
    main()
