"""How long a tournament takes, told from some of its pairs: by a clock that the test turns."""

from collections import Counter

import pytest

import starspiel.evaluation.estimate as module
from starspiel.evaluation.checked_settings import checked
from starspiel.evaluation.estimate import estimate, evenly
from starspiel.evaluation.plan import plan
from starspiel.evaluation.play.pairing import Pair, round_robin
from starspiel.evaluation.processes.executor import InProcess


class Clock(InProcess):
    """Plays, and says that a pair took so many seconds, and the first one `start` more."""

    def __init__(self, start, seconds):
        super().__init__()
        self.now, self.start, self.seconds, self.played = 0.0, start, seconds, 0

    def play(self, referee, schedule, begin=None):
        for record in super().play(referee, schedule, begin):
            self.now += self.seconds(record.pair) + (0.0 if self.played else self.start)
            self.played += 1
            yield record


def estimated(monkeypatch, clock, pairs, agents=("random", "greedy")):
    monkeypatch.setattr(module, "perf_counter", lambda: clock.now)
    monkeypatch.setattr(module, "_LEAST_SECONDS", 0.5)  # other tests shorten it
    settings = checked(game="tic_tac_toe", agents=list(agents), pairs=pairs)
    return estimate(plan(settings, clock)).seconds


def test_a_slow_start_is_counted_once(monkeypatch):
    clock = Clock(1.0, lambda pair: 0.01)
    assert estimated(monkeypatch, clock, 100_000) == pytest.approx(1001.0, rel=0.02)
    assert clock.played < 100


def test_few_slow_pairs_are_their_mean(monkeypatch):
    clock = Clock(0.3, lambda pair: 4.0)
    assert estimated(monkeypatch, clock, 1000) == pytest.approx(4000.0, rel=0.1)
    assert clock.now < 15.0


def test_what_is_played_whole_is_known(monkeypatch):
    assert estimated(monkeypatch, Clock(1.0, lambda pair: 0.1), 3) == pytest.approx(1.3)


def test_meetings_of_different_cost_count_as_often_as_they_are_missing(monkeypatch):
    """The costly meeting is one of six: nobody may miss it, nor take it for all."""
    clock = Clock(0.0, lambda pair: 1.0 if pair.agents == (0, 1) else 0.01)
    agents = ("random", "greedy", "star2(depth=1)", "star1(depth=1)")
    assert estimated(monkeypatch, clock, 600, agents) == pytest.approx(630.0, rel=0.5)


def test_every_beginning_has_the_meetings_in_their_shares():
    pairs = [*round_robin(5, 40), *(Pair((0, 5), number) for number in range(400))]
    ordered = list(evenly(pairs))
    assert sorted(ordered, key=hash) == sorted(pairs, key=hash)
    for length in (50, 100, 200):
        shares = Counter(pair.agents for pair in ordered[:length])
        assert shares[0, 5] == pytest.approx(length / 2, abs=3)
        assert all(
            shares[meeting] == pytest.approx(length / 20, abs=3) for meeting in shares.keys() - {(0, 5)}
        )
