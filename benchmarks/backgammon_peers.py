"""Agents against the backgammon programs that everybody knows: gnubg at 0, 1 or 2 plies, and pubeval.

    pip install gnubg-nn
    python benchmarks/backgammon_peers.py "star2(depth=1,evaluator=net(file=my.net.npz))" --pairs 2500

One game decides (double match point, gammons count as wins), as OpenSpiel's backgammon scores by default.
gnubg-nn is an opponent, under the GPL, and no part of this package.
"""

import argparse

from peers import peers

from starspiel.envs.load import load_game
from starspiel.evaluation import tournament


def main() -> None:
    rivals = peers(load_game("backgammon"))
    if not rivals:
        raise SystemExit("these opponents come with gnubg-nn: pip install gnubg-nn")
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("agent", help="a spec")
    parser.add_argument("--peer", choices=rivals, default="gnubg0")
    parser.add_argument("--pairs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--luck", metavar="EVALUATOR", help="adjusts for the dice: a tenth of the games do")
    given = parser.parse_args()
    agents = {given.agent: given.agent, given.peer: rivals[given.peer]}
    print(tournament("backgammon", agents, given.pairs, given.seed, workers=given.workers, luck=given.luck))


if __name__ == "__main__":
    main()
