"""What agents lose a decision in backgammon, by GNU Backgammon at two plies, which has to be installed.

    python benchmarks/gnubg_errors.py gnubg "star2(depth=1)" "star2(depth=2)" --decisions 500

The positions are those of games that gnubg plays against itself at 0 plies, without doubles and forced moves.
A loss is the value after gnubg's choice at two plies, less that after the agent's, both at two plies. It is
0 if the agent's is valued higher, as the choice comes from move filters.
"""

import argparse
import random
from collections.abc import Iterator
from math import sqrt
from statistics import fmean, stdev
from typing import Any

from starspiel.agents.evaluators import make_evaluator
from starspiel.agents.roster import make_bot
from starspiel.envs.base import CHANCE, Game
from starspiel.envs.boards.backgammon import dice
from starspiel.envs.load import load_game


def decisions(game: Game, draw: random.Random, every: int = 4) -> Iterator[Any]:
    """Some decisions of games, for ever."""
    player, met = make_bot("gnubg", game), 0
    while True:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.current_player() == CHANCE:
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state = state.child(draw.choices(outcomes, chances)[0])
                continue
            if len(state.legal_actions()) > 1 and len(set(dice(state))) == 2:
                met += 1
                if met % every == 0:
                    yield state
            state = state.child(player.step(state))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("agents", nargs="+", help="specs")
    parser.add_argument("--game", default="backgammon(scoring_type=full_scoring)")
    parser.add_argument("--decisions", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if given.decisions < 2:
        parser.error(f"--decisions must be at least 2, for an interval, got {given.decisions}.")
    game = load_game(given.game)
    value, best = make_evaluator("gnubg(plies=2)", game), make_bot("gnubg(plies=2)", game)
    bots = {spec: make_bot(spec, game, seed=1) for spec in given.agents}
    losses: dict[str, list[float]] = {spec: [] for spec in bots}
    for _, state in zip(range(given.decisions), decisions(game, random.Random(given.seed)), strict=False):
        sign = 1 - 2 * state.current_player()
        ideal = sign * value(state.child(best.step(state)))
        for spec, bot in bots.items():
            losses[spec].append(max(0.0, ideal - sign * value(state.child(bot.step(state)))))
    for spec, lost in losses.items():
        error = 1.96 * stdev(lost) / sqrt(len(lost))
        same = fmean(each == 0 for each in lost)
        print(f"{fmean(lost):.4f} ± {error:.4f} a decision, {100 * same:.0f} % without loss: {spec}")


if __name__ == "__main__":
    main()
