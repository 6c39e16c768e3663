"""The schedule: by games, or by processor time of what there is until the end."""

import math

import pytest

from starspiel.agents.learning import schedule
from starspiel.agents.learning.schedule import Clock, phase, round_length, share_before
from starspiel.agents.learning.settings import TrainingSettings

MINUTES = TrainingSettings(minutes=10.0)
GAMES = TrainingSettings(games=100)


def test_rates_fall_and_exact_targets_come_last():
    begun, middle, end = (phase(MINUTES, share, True) for share in (0.0, 0.5, 1.0))
    assert (begun.exact, middle.exact, end.exact) == (False, False, True)
    assert begun.rate > middle.rate > end.rate
    assert end.rate < 0.01 * phase(MINUTES, 0.6, True).rate + 1e-9
    assert phase(GAMES, 0.9, True).exact is False


def test_games_without_chance_have_no_exact_targets():
    begun, end = (phase(MINUTES, share, False) for share in (0.0, 1.0))
    assert (begun.exact, end.exact) == (False, False)
    assert begun.rate > 50 * end.rate > 0


@pytest.mark.parametrize("length", [{"minutes": 10.0}, {"games": 100}])
def test_what_a_network_knows_is_not_unlearnt(length):
    later = TrainingSettings(start="net", **length)
    begun, end = (phase(later, share, True) for share in (0.0, 1.0))
    assert (begun.exact, end.exact) == (True, True)
    assert begun.rate > 50 * end.rate > 0
    assert phase(later, 0.5, False).exact is False


@pytest.mark.parametrize(
    ("length", "td", "exact"),
    [
        ({"minutes": 1.0}, 0.45, 1.2),
        ({"minutes": 1.0, "start": "net"}, None, 3.0),
        ({"minutes": 600.0}, 60.0, 60.0),
        ({"games": 10000}, 122, 10),
        ({"games": 5000, "start": "net"}, None, 250),
        ({"games": 100}, 1, 1),
    ],
)
def test_rounds_are_many_and_short(length, td, exact):
    settings = TrainingSettings(**length)
    if td is not None:
        assert round_length(settings, True, False) == pytest.approx(td)
    assert round_length(settings, True, True) == pytest.approx(exact)


def test_the_heuristic_has_no_weight_after_the_beginning():
    taught = TrainingSettings(minutes=10.0, heuristic=True)
    weights = [phase(taught, share, True).heuristic for share in (0.0, 0.075, 0.15, 0.9)]
    assert weights == pytest.approx([1.0, 0.5, 0.0, 0.0])
    assert phase(MINUTES, 0.0, True).heuristic == 0.0


def at(clock, seconds, computing, pace=2.0):
    """The clock when so much has passed."""
    clock.before += seconds - clock.seconds
    clock.computing, clock.pace = computing, pace
    return clock.phase_share()


def test_the_rate_waits_while_others_use_the_machine():
    """Of 540 seconds at 2 processors, 90 % for self-play, the first 200 gave 10 processor seconds only."""
    clock = Clock(MINUTES)
    whole = 60 * 10.0 * (1 - 0.1 / clock.matches)
    starved = at(clock, 200.0, 10.0)
    assert starved == pytest.approx(10 / (10 + 2 * 0.9 * (whole - 200)), rel=0.01)
    assert clock.share == pytest.approx(200 / whole, rel=0.01)
    later = at(clock, 400.0, 370.0)
    assert starved < later < 1.0
    assert at(clock, whole, 500.0) == 1.0


def test_a_match_ends_with_the_time_or_after_twice_its_own(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(schedule.time, "perf_counter", lambda: now[0])
    clock = Clock(TrainingSettings(minutes=0.1))
    assert clock.match_end == pytest.approx(1000.0 + 2 * 0.1 * 6.0 / 2)
    assert clock.left == pytest.approx(6.0 * (1 - 0.1 / 2))
    now[0] = 1005.5
    assert clock.left == pytest.approx(0.2)
    now[0] = 1005.9
    assert clock.match_end == pytest.approx(1006.0)
    # A match that was due when the time was over has its own when the training goes on.
    after = Clock(TrainingSettings(minutes=0.1), before=9.0)
    assert after.match_end == pytest.approx(1005.9 + after.match_seconds)
    assert Clock(GAMES).match_end == math.inf


def test_a_training_goes_on_at_the_rate_of_one_longer_training():
    made = {"games": 3000, "processor_seconds": 1200.0, "begun_with": {"made": {"processor_seconds": 600.0}}}
    begun_with = {"made": made}
    on = TrainingSettings(minutes=10.0, start="a.npz")
    before = share_before(on, begun_with, 3, False)
    assert before == pytest.approx(0.5)
    begun, end = (phase(on, share, False, before).rate for share in (0.0, 1.0))
    assert begun == pytest.approx(phase(MINUTES, 0.5, False).rate)
    assert end == phase(MINUTES, 1.0, False).rate
    counted = TrainingSettings(games=1000, start="a.npz")
    assert share_before(counted, begun_with, 3, False) == pytest.approx(0.75)
    assert share_before(counted, begun_with, 3, True) == pytest.approx(3 / 38)
    for nothing in (None, 3, {"made": 3}, {"made": {"games": "many", "begun_with": 3}}):
        assert share_before(counted, nothing, 3, True) == share_before(on, nothing, 3, True) == 0.0
    for endless in (math.inf, 10**400):
        assert share_before(counted, {"made": {"games": endless}}, 3, True) == pytest.approx(1.0)
