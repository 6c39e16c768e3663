"""What selective searches lose and save: the loss of the move chosen, by a deeper full-width search, and its
cost.

    python benchmarks/selective.py backgammon [--positions 200] [--seed 2026-11-26]

Positions are drawn as by positions.py. Each agent plays each of them, and the reference, a full-width search
at least as deep, values its own move and theirs: the loss is the value of its best move less that of the
agent's, for the player to move, in the game's utility units. The table shows the mean loss with the
standard error, the 99th percentile and the worst, how often another move than the reference's was played, and
the mean processor time a move. Agents on the frontier, where none that is as fast loses less, are in bold.
Times are comparable within a table; agents take turns at each position. Ctrl-C ends early and prints what was
measured so far.
"""

import argparse
import contextlib
import datetime
import math
import statistics
import time
from dataclasses import dataclass, field
from typing import Any

import positions

from starspiel.agents.evaluators import make_evaluator
from starspiel.agents.evaluators.base import depth_fits_of
from starspiel.agents.roster import make_bot
from starspiel.agents.search import Limits

#: The reference, and the depths whose full-width and selective searches are compared with it.
CASES = {
    "backgammon": ("star2(depth=4)", (2, 3, 4)),
    "einstein_wurfelt_nicht": ("star2(depth=7)", (3, 4, 5, 6)),
    "banqi": ("star2(depth=4)", (1, 2, 3)),
    "maedn(players=2)": ("star2(depth=6)", (3, 4, 5)),
    "cant_stop": ("star2(depth=6)", (3, 4, 5)),
    "knucklebones": ("star2(depth=5)", (2, 3, 4)),
    "royal_game_of_ur": ("star2(depth=7)", (3, 4, 5, 6)),
    "yacht(players=2)": ("star2(depth=3)", (1, 2)),
    "2048": ("star2(depth=5)", (1, 2, 3, 4)),
}
SELECTIVE = ("filters=none", "filters=wide", "filters=normal", "filters=narrow", "probcut=2")
#: Values nearer than this are ties: the agent and the reference add up in different orders.
_TIE = 1e-9


@dataclass
class Measured:
    """What one agent lost and spent, position by position."""

    losses: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def beats(self, other: "Measured") -> bool:
        """Whether this one was as fast on average and lost less, or as little and faster."""
        own, others = (
            (statistics.fmean(each.losses), statistics.fmean(each.seconds)) for each in (self, other)
        )
        return own != others and own[0] <= others[0] and own[1] <= others[1]

    def row(self) -> str:
        count = len(self.losses)
        error = statistics.stdev(self.losses) / math.sqrt(count) if count > 1 else math.nan
        worst = sorted(self.losses)
        missed = sum(loss > _TIE for loss in self.losses) / count
        return (
            f"{statistics.fmean(self.losses):.5f} ± {error:.5f} | {worst[math.ceil(0.99 * count) - 1]:.4f} | "
            f"{worst[-1]:.4f} | {missed:.1%} | {1000 * statistics.fmean(self.seconds):.2f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("game")
    parser.add_argument("--positions", type=int, default=200)
    parser.add_argument("--seed", default=str(datetime.date.today()))
    parser.add_argument("--reference", help="the agent whose search values all moves")
    parser.add_argument("--agents", nargs="+", help="the agents to measure")
    parser.add_argument("--evaluator", default="auto", help="of the agents and the reference by default")
    given = parser.parse_args()
    reference, depths = CASES.get(given.game, ("star2(depth=4)", (2, 3)))
    fitted = depth_fits_of(make_evaluator(given.evaluator, given.game))
    agents = given.agents or [
        f"star2(depth={depth},evaluator={given.evaluator},{selective})"
        for depth in depths
        for selective in (SELECTIVE if depth > 1 else SELECTIVE[:1])
        if selective != "probcut=2" or (fitted and depth > 2)
    ]
    reference = given.reference or reference.replace(")", f",evaluator={given.evaluator})")
    measured = {agent: Measured() for agent in agents}
    with contextlib.suppress(KeyboardInterrupt):
        measure(given.game, measured, reference, given.positions, given.seed)
    count = len(measured[agents[-1]].losses)
    print(f"\n{given.game}: {count} positions of seed {given.seed}, reference {reference}\n")
    print("| agent | mean loss | 99 % | worst | missed | CPU ms |")
    print("|---|---:|---:|---:|---:|---:|")
    for agent in agents:
        own = measured[agent]
        beaten = any(other.beats(own) for other in measured.values())
        print(f"| {agent if beaten else f'**{agent}**'} | {own.row()} |")


def measure(game: str, found: dict[str, Measured], reference: str, count: int, seed: str) -> None:
    """Adds what each agent loses at each of the positions, by the reference, to what was found of it."""
    loaded = positions.loaded(game)
    for position in positions.drawn(game, count, seed):
        state = position.state
        seat = state.current_player()
        sign = 1.0 if seat == 0 else -1.0
        judge = make_bot(reference, loaded, seat, 1)
        result = judge.search(state)  # type: ignore[attr-defined]
        values = dict(result.action_values)
        played = {agent: _played(make_bot(agent, loaded, seat, 1), state) for agent in found}
        for chosen in {chosen for chosen, _ in played.values()} - values.keys():
            values[chosen] = _value(judge, state.child(chosen), result.depth - 1)
        for agent, (chosen, seconds) in played.items():
            found[agent].losses.append(round(sign * (result.value - values[chosen]), 12) + 0.0)
            found[agent].seconds.append(seconds)


def _value(judge: Any, state: Any, depth: int) -> float:
    """What a reference says that a position is worth to player 0, `depth` decisions ahead."""
    if state.is_terminal():
        return float(state.returns()[0])
    if state.is_chance_node():
        outcomes = state.chance_outcomes()
        return sum(chance * _value(judge, state.child(outcome), depth) for outcome, chance in outcomes)
    return float(judge.search(state, limits=Limits(depth=depth)).value)


def _played(bot: Any, state: Any) -> tuple[int, float]:
    began = time.process_time()
    chosen = int(bot.step(state))
    return chosen, time.process_time() - began


if __name__ == "__main__":
    main()
