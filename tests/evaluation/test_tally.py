"""What a tournament adds up to does not depend on the order in which its pairs are finished."""

import random
from dataclasses import asdict

import pyspiel

from starspiel.evaluation.tally import Tally
from starspiel.evaluation.tournament import tournament


class Late(pyspiel.Bot):
    """Gives up after so many events, with other words each time."""

    def step(self, state):
        if len(state.history()) > 8:
            raise ValueError(f"stopped after {state.history()}")
        return state.legal_actions()[0]


def told(tally):
    agents = [asdict(totals) for totals in tally.agents]
    for totals in agents:
        totals["seconds"] = round(totals["seconds"], 6)  # sums of the same numbers in another order
    return agents, tally.counts.tolist(), tally.lengths, tally.seat_0, tally.returns, tally.forfeited


def test_any_order_gives_the_same_sums_and_the_same_last_fault():
    agents = {"late": lambda game, seat, seed: Late(), "random": "random", "greedy": "greedy"}
    result = tournament("pig(players=2,winscore=20)", agents, pairs=10, luck="heuristic")
    played = list(result.pairs)
    messages = [fault.message for record in played for _, fault in record.faults]
    assert len(set(messages)) > 10
    for seed in range(5):
        random.Random(seed).shuffle(played)
        tally = Tally(3)
        for record in played:
            tally.add(record)
        assert told(tally) == told(result.tally)
    assert result.tally.agents[0].last_fault == messages[-1]
