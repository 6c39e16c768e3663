"""One-player games: returns compared on common dice."""

import re
from itertools import product

import numpy as np
import pytest
from scipy import stats

from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.play.record import GameRecord, Moves, PairRecord
from starspiel.evaluation.report import write_report
from starspiel.evaluation.result import TournamentResult
from starspiel.evaluation.statistics.differences import differences, sign_flip_p
from starspiel.evaluation.statistics.tally import Tally


def in_pairs(*returns):
    return [dict(enumerate(own)) for own in returns]


def result_of(**returns):
    """A tournament of agents that are named as, and return what, is given."""
    tally = Tally(len(returns))
    for agent, own in enumerate(returns.values()):
        for number, value in enumerate(own):
            game = GameRecord((agent,), (0,), (float(value),), (Moves("", "", ""),))
            tally.add(PairRecord(Pair((agent,), number), (game,)))
    return TournamentResult("alone", 1, tuple(returns), tally.pairs, tally, 0.0)


def test_the_interval_holds_the_paired_t_interval():
    one, two = np.random.default_rng(1).normal(size=(2, 9))
    [found] = differences(in_pairs(one, two))
    theirs = stats.ttest_rel(one, two).confidence_interval(0.95)
    assert found.low <= theirs.low < theirs.high <= found.high
    assert found.high - found.low < 1.2 * (theirs.high - theirs.low)
    assert found.mean == pytest.approx((one - two).mean())
    assert found.pairs == 9
    assert found.p == found.p_holm


def test_skewed_differences_are_no_certainty():
    """Agents with the same mean, one of which rarely gets very much: signs alone err in one of six cases."""
    rng = np.random.default_rng(3)
    drawn = rng.lognormal(size=(400, 10)) - np.exp(0.5)
    p = np.array([differences(in_pairs(own, np.zeros(10)))[0].p for own in drawn])
    assert np.mean([sign_flip_p(own) < 0.05 for own in drawn]) > 0.1
    assert np.mean(p < 0.05) < 0.11


@pytest.mark.parametrize("count", [1, 4, 9, 16])
def test_the_sign_test_goes_through_all_signs(count):
    gaps = np.random.default_rng(count).normal(0.5, 1.0, size=count).round(1)
    own = gaps[gaps != 0.0]
    sums = [abs(np.dot(signs, own)) for signs in product([1, -1], repeat=len(own))]
    assert sign_flip_p(gaps) == pytest.approx(np.mean(np.array(sums) > abs(own.sum()) - 1e-9))


def test_p_by_hand():
    assert sign_flip_p(np.ones(10)) == 2 / 2**10
    assert sign_flip_p(np.array([1.0, 1.0, -1.0, 0.0, 0.0])) == 1.0  # 8 of 8: sums are 1 or 3
    assert sign_flip_p(np.zeros(4)) == sign_flip_p(np.zeros(0)) == 1.0
    assert sign_flip_p(np.ones(100)) == pytest.approx(4.2e-23, rel=0.1)


@pytest.mark.parametrize("pairs", [6, 20, 60])
def test_equal_agents_are_rarely_told_apart(pairs):
    rng = np.random.default_rng(pairs)
    low = 0
    for _ in range(300):
        luck = rng.choice([0.0, 1.0], size=pairs)
        one, two = (luck * rng.choice([0.0, 1.0], size=pairs) for _ in range(2))
        low += differences(in_pairs(one, two))[0].p < 0.05
    assert low / 300 <= 0.05


def test_common_dice_tell_agents_apart_that_their_intervals_do_not():
    rng = np.random.default_rng(2)
    luck = rng.normal(0.0, 100.0, size=12)
    found = result_of(good=luck + 3 + rng.normal(size=12), bad=luck)
    good, bad = found.standings
    assert good.agent == "good"
    assert good.mean_low < bad.mean_high
    [difference] = found.differences
    assert 0.0 < difference.low < 3.0 < difference.high < 6.0
    assert difference.p_holm == 2 / 2**12


def test_only_pairs_that_both_have_played_count():
    found = differences([{0: 1.0, 1: 2.0, 5: 9.0}, {1: 1.0, 5: 7.0, 7: 100.0}, {}])
    assert [each.pairs for each in found] == [2, 0, 0]
    assert found[0].mean == 1.5
    assert np.isnan([found[1].mean, found[1].p, found[1].p_holm]).all()


def test_the_better_agent_comes_first_and_holm_counts_all_comparisons():
    up = np.arange(8.0)
    found = result_of(low=up - 5, high=up + 5 + np.arange(8) % 2, middle=up)
    named = [tuple(found.agents[agent] for agent in each.agents) for each in found.differences]
    assert named == [("high", "middle"), ("high", "low"), ("middle", "low")]
    assert all(each.mean > 0 for each in found.differences)
    assert [each.p_holm for each in found.differences] == pytest.approx([3 * 2 / 2**8] * 3)
    assert np.isnan(found.differences[2].low)  # always 5


def test_table_json_and_report_say_the_same(tmp_path):
    found = result_of(steady=[1.0] * 6, shaky=[1.0, 0.0] * 3, worse=[-1.0, -2.0, 0.0, -1.0, -1.0, -3.0])
    shown = str(found)
    answer = found.to_dict()
    write_report(found, tmp_path / "r.html")
    page = re.sub("<td [^>]*>", "<td>", (tmp_path / "r.html").read_text())
    assert "Mean difference of returns on the same dice" in shown
    assert answer["differences"][0]["agents"] == ["steady", "shaky"]
    for line in answer["differences"]:
        interval = f"{line['low']:+.4g} … {line['high']:+.4g}"
        for text in (f"{line['mean']:+.4g}", interval, f"{line['p_holm']:.3g}"):
            assert text in shown
            assert f"<td>{text}</td>" in page
    assert 'id="differences"' in page
    assert "by flipping the signs" in shown.replace("\n", " ")
    assert "flipping the signs" in page
    # Equal returns have no interval of no width, and nobody wins alone.
    line = answer["agents"][0]
    assert [line[key] for key in ("mean_low", "wins", "draws", "losses", "elo")] == [None] * 5
    assert "1 … 1" not in shown
    assert "<td>1</td><td>–</td><td>6</td>" in page
    assert "nan" not in shown + page


def test_one_agent_alone_is_compared_with_nobody():
    found = result_of(one=[1.0, 2.0])
    assert found.differences == ()
    assert "difference" not in str(found)
    assert found.to_dict()["differences"] == []
