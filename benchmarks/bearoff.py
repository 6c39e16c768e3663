"""What backgammon's bear-off tables are worth: against the network alone, at exact endings and in games.

    python benchmarks/bearoff.py [--endings 200] [--pairs 300]

Endings are the decisions of games of the network against itself at which both sides have six men or fewer, so
that the chance to win after every move is known exactly: what the moves of each evaluator lose, and the
processor time of a move, at one and two plies. Then pairs of whole games with the same dice and swapped
seats: both play alike until the bear-off, so that few games differ, and those by it.
"""

import argparse
import random
import time

import numpy as np

from starspiel import load_game, make_bot, make_evaluator
from starspiel.agents.bearoff import two_sided
from starspiel.agents.bearoff.men import sides
from starspiel.agents.bearoff.tables import TWO_SIDED_MEN
from starspiel.envs.base import CHANCE
from starspiel.evaluation.tournament import tournament

EVALUATORS = ("net", "bearoff(evaluator=net)", "heuristic")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--endings", type=int, default=200)
    parser.add_argument("--pairs", type=int, default=300)
    given = parser.parse_args()
    two_sided()  # made on first use
    found = endings(given.endings)
    print("| evaluator | plies | lost a decision | worst | ms a move |")
    print("|---|---:|---:|---:|---:|")
    for evaluator in EVALUATORS:
        for plies in (1, 2):
            lost, seconds = losses(found, f"star2(depth={plies},evaluator={evaluator})")
            margin = 1.96 * lost.std() / len(lost) ** 0.5
            print(
                f"| {evaluator} | {plies} | {lost.mean():.5f} +- {margin:.5f} | "
                f"{lost.max():.4f} | {1000 * seconds / len(lost):.2f} |",
                flush=True,
            )
    print("\n| plies | pairs | bearoff(evaluator=net) against net, % | 95 % interval | ms a move | of net |")
    print("|---:|---:|---:|---|---:|---:|")
    for plies in (1, 2):
        agents = {each: f"star2(depth={plies},evaluator={each})" for each in EVALUATORS[1::-1]}
        result = tournament("backgammon", agents, pairs=given.pairs, seed=1)
        standing = {each.agent: each for each in result.standings}
        tables, plain = (standing[each] for each in agents)
        times = " | ".join(f"{1000 * each.totals.cost.seconds_per_move:.2f}" for each in (tables, plain))
        interval = f"{100 * tables.mean_low:.2f} to {100 * tables.mean_high:.2f}"
        print(f"| {plies} | {given.pairs} | {100 * tables.mean:.2f} | {interval} | {times} |", flush=True)


def endings(count: int) -> list:
    """Decisions with a choice at which both sides have few men left, of games of the network."""
    game, rng = load_game("backgammon"), random.Random(1)
    exact = make_evaluator("bearoff(evaluator=zero)", game)
    player = make_bot("star2(depth=1,evaluator=net)", game, seed=1)
    found = []
    while len(found) < count:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.current_player() == CHANCE:
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state = state.child(rng.choices(outcomes, chances)[0])
                continue
            few = all(side[0] >= 15 - TWO_SIDED_MEN for side in sides(state, 0))
            if (
                few
                and exact.known(state) is not None
                and len({game.key(state.child(a)) for a in state.legal_actions()}) > 1
            ):
                found.append(state)
            state = state.child(player.step(state))
    return found[:count]


def losses(states: list, spec: str) -> tuple[np.ndarray, float]:
    """(chance to win that each move loses, processor seconds of all moves)."""
    exact = make_evaluator("bearoff(evaluator=zero)", "backgammon")
    bot = make_bot(spec, "backgammon", seed=1)
    started = time.process_time()
    moves = [bot.step(state) for state in states]
    seconds = time.process_time() - started
    lost = []
    for state, move in zip(states, moves, strict=True):
        values = {action: exact.known(state.child(action)) for action in state.legal_actions()}
        best = (max if state.current_player() == 0 else min)(values.values())
        lost.append(abs(best - values[move]) / 2)
    return np.array(lost), seconds


if __name__ == "__main__":
    main()
