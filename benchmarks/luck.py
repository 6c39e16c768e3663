"""How much luck adjustment saves between two agents: the variance factor of single games, with its interval.

    python benchmarks/luck.py backgammon "star2(depth=1,evaluator=net)" --luck net --games 1000
    starspiel solve pig --output pig.npz
    python benchmarks/luck.py pig "optimal(solution=pig.npz)" hold-at-20 --luck "solution(file=pig.npz)"

An agent that is named alone plays itself, or alone if the game is one player's. Every game has dice of its
own, so that nothing but the adjustment takes variance out; the pairs of a tournament, with common dice, vary
less to begin with. The first agent has seat 0. `hold-at-20` is of pig: it rolls until the turn total is 20.
"""

import argparse
from typing import Any

from starspiel.agents.bot import Bot, Policy
from starspiel.envs.load import load_game
from starspiel.evaluation.checked_settings import checked
from starspiel.evaluation.plan import plan
from starspiel.evaluation.report.tables import factor_in_words
from starspiel.evaluation.statistics.adjusted import adjusted_mean
from starspiel.evaluation.statistics.means import with_margin


class HoldAt20(Bot):
    """Rolls until the turn total is 20."""

    def step_with_policy(self, state: Any) -> tuple[Policy, int]:
        total = int(str(state).partition("Turn total: ")[2].split()[0])
        legal = state.legal_actions()
        action = legal[-1] if total >= 20 else legal[0]
        return [(other, float(other == action)) for other in legal], action


AGENTS = {"hold-at-20": lambda game, seat, seed: HoldAt20()}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("game")
    parser.add_argument("agents", nargs="+", help="one or two specs")
    parser.add_argument("--luck", default="auto", help="the evaluator that luck is measured with")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    names, specs = given.agents, given.agents
    if load_game(given.game).num_players == 1:
        names = specs = given.agents[:1]
    elif len(specs) == 1:
        names, specs = [f"{specs[0]} {seat}" for seat in "AB"], specs * 2
    agents = {name: AGENTS.get(spec, spec) for name, spec in zip(names, specs, strict=True)}
    planned = plan(
        checked(game=given.game, agents=agents, pairs=given.games, seed=given.seed, luck=given.luck)
    )
    assert planned.referee.luck is not None
    returns = []
    for pair in planned.schedule:
        game = planned.referee.play_game(pair, pair.agents)
        returns.append((game.returns[0], game.returns[0] - game.luck))
    line = adjusted_mean(tuple(range(len(names))), returns)
    print(f"{given.game}, {' against '.join(names)}, luck by {planned.referee.luck.name}")
    print("| games | raw mean return ± 95 % | adjusted | variance factor (95 %) |")
    print("|---:|---:|---:|---:|")
    raw, adjusted = (
        with_margin(mean, around)
        for mean, around in ((line.raw, line.raw_margin), (line.adjusted, line.adjusted_margin))
    )
    print(f"| {line.pairs:,} | {raw} | {adjusted} | {factor_in_words(line)} |")


if __name__ == "__main__":
    main()
