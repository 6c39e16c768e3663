"""What a model of the opponent is worth against an opponent that it fits, and costs if it does not.

    python benchmarks/opponents.py [--pairs 100] [--games dice(size=4) ...]

Prints the score of Star2 with each model against each opponent, with its 95 % interval, and by how much it is
better than Star2 without a model against the same opponent: pairs of games with the same dice and swapped
seats, the same pairs for all, so that the differences are taken pair by pair (Student's interval).
"""

import argparse
import random
from functools import partial
from math import isnan

from starspiel import make_bot
from starspiel.agents.bot import Bot
from starspiel.agents.means import margin, mean_and_error
from starspiel.evaluation.tournament import tournament

#: How often the erring opponent moves at random.
ERROR = 0.3
#: Game, options of the search; the opponents of each are the random agent, the search itself with errors,
#: and the search itself.
CASES = {
    "tic_tac_toe": "depth=9",
    "dice(size=4)": "depth=4",
    "einstein_wurfelt_nicht": "depth=3",
    "pig(players=2,winscore=40)": "depth=5",
}
MODELS = ("optimal", "uniform")


class Erring(Bot):
    """Plays as another agent does, but for random moves, each with the same chance."""

    def __init__(self, spec, game, seat, seed):
        super().__init__()
        self._best, self._random = make_bot(spec, game, seat, seed), random.Random(seed)

    def step(self, state):
        if self._random.random() < ERROR:
            return self._random.choice(state.legal_actions())
        return self._best.step(state)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--games", nargs="*", default=list(CASES))
    given = parser.parse_args()
    print("| game | Star2 | against | model | score in % | 95 % interval | than without | 95 % interval |")
    print("|---|---|---|---|---:|---|---:|---|")
    for game in given.games:
        how = CASES[game]
        plain = f"star2({how})"
        opponents = {"random": "random", "one who errs": partial(Erring, plain), "Star2": plain}
        for against, opponent in opponents.items():
            without: list[float] = []
            for model in MODELS:
                agents = {"with the model": f"star2({how},opponent={model})", "opponent": opponent}
                result = tournament(game, agents, pairs=given.pairs, seed=given.seed)
                scores = [_score(pair) for pair in result.pairs]
                without = without or scores
                found = next(each for each in result.standings if each.agent == "with the model")
                interval = f"{100 * found.mean_low:.1f} to {100 * found.mean_high:.1f}"
                gain, error = mean_and_error(
                    [own - other for own, other in zip(scores, without, strict=True)]
                )
                half = margin(error, len(scores))
                more = f"{100 * gain:+.1f} | {100 * (gain - half):+.1f} to {100 * (gain + half):+.1f}"
                if isnan(half):  # no pair came out otherwise
                    more = "+0.0 | "
                print(
                    f"| {game} | {how} | {against} | {model} | {100 * found.mean:.1f} | {interval} | "
                    f"{more if scores is not without else ' | '} |",
                    flush=True,
                )


def _score(pair) -> float:
    """The first agent's share of the points of a pair."""
    return sum(game.score(game.agents.index(0)) for game in pair.games) / len(pair.games)


if __name__ == "__main__":
    main()
