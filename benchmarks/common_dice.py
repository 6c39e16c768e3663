"""Prints what dice that are common to all meetings would be worth, against dice of each meeting's own.

    python benchmarks/common_dice.py

A pool of rounds is played once: everyone against everyone, all pairs of a round with the same dice, and
bots seeded by the round, their seat and their name. A tournament is a block of rounds; with dice of its own
for each meeting it is the same, every meeting's pairs shuffled over the whole pool. Both are judged by the
Elo of the whole pool: how often the 95 % interval of the difference of two agents holds it, how wide the
interval is, and how far the estimates are spread. Common dice need a bootstrap that gives the pairs of a
round one weight.
"""

import sys
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.roster import bot_maker
from starspiel.envs.load import load_game
from starspiel.evaluation.play.dice import Dice, derived_seed
from starspiel.evaluation.play.match import play_game
from starspiel.evaluation.play.seat import seated
from starspiel.evaluation.statistics.bradley_terry import fit
from starspiel.evaluation.statistics.intervals import Array, PairCounts, interval

#: Game and field. The last two agents play alike; the two before them are of one kind.
CASES = [
    (
        "einstein_wurfelt_nicht",
        [
            "greedy",
            "mcts(simulations=25)",
            "mcts(simulations=35)",
            "expectiminimax(depth=2)",
            "star2(depth=2)",
        ],
    ),
    (
        "pig(players=2,winscore=50)",
        [
            "greedy",
            "mcts(simulations=20)",
            "mcts(simulations=30)",
            "expectiminimax(depth=3)",
            "star2(depth=3)",
        ],
    ),
]
ROUNDS, PAIRS, DRAWS = 1000, 20, 400
#: (rounds, meetings): 3 a + b as in PairCounts.
Results = NDArray[np.int64]


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    print("| game | two agents | dice | coverage | width, Elo | spread, Elo |")
    print("|---|---|---|---:|---:|---:|")
    for name, field in CASES:
        agents = len(field)
        pool, rng = _pool(name, field, rounds), np.random.default_rng(1)
        own = np.stack([rng.permutation(column) for column in pool.T], axis=1)
        truth = _elo(_counts(pool, agents))
        blocks = [slice(begin, begin + PAIRS) for begin in range(0, rounds, PAIRS)]
        played = {
            "own": [(_elo(_counts(own[block], agents)), _apart(own[block], agents)) for block in blocks],
            "common": [
                (_elo(_counts(pool[block], agents)), _together(pool[block], agents)) for block in blocks
            ],
        }
        special = {"that play alike": [(3, 4)], "of one kind": [(1, 2)]}
        others = [pair for pair in combinations(range(agents), 2) if [pair] not in special.values()]
        for who, pairs in (special | {"all others": others}).items():
            for dice, tournaments in played.items():
                print(f"| {name} | {who} | {dice} | {_judged(tournaments, truth, pairs)} |", flush=True)


def _pool(name: str, field: list[str], rounds: int) -> Results:
    game = load_game(name)
    makers = [bot_maker(spec, game) for spec in field]
    meetings = list(combinations(range(len(field)), 2))
    pool = np.zeros((rounds, len(meetings)), dtype=np.int64)
    for number in range(rounds):
        dice = Dice("common dice", name, number)
        for place, meeting in enumerate(meetings):
            won = []
            for seats in permutations(meeting):
                seeds = [derived_seed(number, seat, field[agent]) for seat, agent in enumerate(seats)]
                bots = [makers[agent](seat, seeds[seat]) for seat, agent in enumerate(seats)]
                record = play_game(game, seated(bots), dice)
                won.append(int(2 * record.score(seats.index(meeting[0]))))
            pool[number, place] = 3 * won[0] + won[1]
    return pool


def _counts(results: Results, agents: int) -> PairCounts:
    return PairCounts(_table(np.stack([np.bincount(own, minlength=9) for own in results.T]), agents))


def _table(shares: Array, agents: int) -> Array:
    """(…, meetings, 9) as the counts of PairCounts."""
    table = np.zeros((*shares.shape[:-2], agents, agents, 9))
    i, j = np.triu_indices(agents, 1)
    table[..., i, j, :] = shares
    return table.reshape(*table.shape[:-1], 3, 3)


def _elo(results: PairCounts) -> Array:
    return fit(results.smoothed.by_seat[None])[0][0]


def _apart(results: Results, agents: int) -> Array:
    """The Elo of bootstrap samples, each meeting resampled by itself."""
    return fit(_counts(results, agents).resampled(DRAWS, np.random.default_rng(1)).by_seat)[0]


def _together(results: Results, agents: int) -> Array:
    """The same, with one weight for all pairs of a round."""
    rng = np.random.default_rng(1)
    weights = rng.standard_gamma(1.0, size=(DRAWS, len(results)))
    shares = np.einsum("dr,rmk->dmk", weights, (results[:, :, None] == np.arange(9)).astype(float))
    shares += rng.standard_gamma(_counts(results, agents).unseen.ravel(), size=shares.shape)
    shares *= len(results) / shares.sum(axis=-1, keepdims=True)
    return fit(PairCounts(_table(shares, agents)).by_seat)[0]


def _judged(tournaments: list[tuple[Array, Array]], truth: Array, pairs: list[tuple[int, int]]) -> str:
    held, widths, spreads = [], [], []
    for i, j in pairs:
        bounds = [interval(samples[:, i] - samples[:, j]) for _, samples in tournaments]
        held += [low <= truth[i] - truth[j] <= high for low, high in bounds]
        widths += [high - low for low, high in bounds]
        spreads.append(np.var([elo[i] - elo[j] for elo, _ in tournaments]))
    return f"{np.mean(held):.0%} | {np.mean(widths):.0f} | {np.sqrt(np.mean(spreads)):.0f}"


if __name__ == "__main__":
    main()
