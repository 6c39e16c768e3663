"""What goes to OpenSpiel's analyses is the payoff matrix, and what comes back names the right agents."""

import sys

import numpy as np
import pyspiel
import pytest

from starspiel.envs.errors import StarspielError
from starspiel.evaluation.result import TournamentResult
from starspiel.evaluation.statistics.analyses import alpha_rank, nash_average, payoffs, soft_condorcet, vote
from starspiel.evaluation.statistics.intervals import PairCounts
from starspiel.evaluation.statistics.tally import Tally
from starspiel.evaluation.tournament import tournament


def result_of(agents, results):
    tally = Tally(len(agents))
    tally.counts = PairCounts.of(len(agents), results).counts
    tally.games = 2 * len(results)
    return TournamentResult("pig", 1, agents, len(results), tally, 1.0)


def needs(*packages):
    for package in packages:
        pytest.importorskip(package, reason='an extra: pip install "starspiel[analyses]"')


def meets(i, j, won, lost):
    return [(i, j, 1.0, 1.0)] * won + [(i, j, 0.0, 0.0)] * lost + [(i, j, 1.0, 0.0)] * 2


LADDER = result_of(("good", "middling", "bad"), meets(0, 1, 15, 3) + meets(1, 2, 15, 3) + meets(0, 2, 18, 1))
RING = result_of(("rock", "paper", "scissors"), meets(1, 0, 12, 4) + meets(2, 1, 12, 4) + meets(0, 2, 12, 4))


def test_payoffs_are_antisymmetric():
    matrix = payoffs(LADDER.results)
    assert matrix == pytest.approx(-matrix.T)
    assert matrix[0, 1] == pytest.approx((15 - 3) / 20)
    with pytest.raises(StarspielError, match="met each other"):
        payoffs(PairCounts.of(3, meets(0, 1, 1, 1)))


def test_openspiels_own_tables_take_a_result():
    """As its evolutionary game theory wants them: no NaN on the diagonal, nor anywhere."""
    needs("matplotlib", "networkx", "cvxpy")
    from open_spiel.python.algorithms.nash_averaging import nash_averaging
    from open_spiel.python.egt import alpharank, heuristic_payoff_table, utils

    for result in (LADDER, RING):
        matrix = result.payoffs
        assert not np.isnan(matrix).any()
        assert not np.diagonal(matrix).any()
        tables = [matrix], [heuristic_payoff_table.from_matrix_game(matrix)]
        for table in tables:
            assert utils.check_is_constant_sum(table[0], table is tables[1]) == (True, 0.0)
            with np.errstate(over="ignore"):  # as alpha_rank does
                masses = alpharank.compute(table, m=50, alpha=10.0)[2]
            assert masses == pytest.approx(alpha_rank(result, draws=1).scores)
        assert not np.isnan(tables[1][0]()).any()
        game = pyspiel.create_matrix_game(matrix.tolist(), (-matrix).tolist())
        assert utils.game_payoffs_array(game)[0] == pytest.approx(matrix)
        assert nash_averaging(game)[1].ravel() == pytest.approx(nash_average(result, draws=1).scores)


@pytest.mark.parametrize("rule", ["copeland", "kemeny_young", "maximal_lotteries", "ranked_pairs", "schulze"])
def test_voting(rule):
    if rule == "maximal_lotteries":
        needs("cvxpy", "ecos")
    analysis = vote(LADDER, rule, draws=5)
    assert analysis.ranked_names[0] == "good"
    assert (analysis.low <= analysis.scores).all()
    assert (analysis.scores <= analysis.high).all()
    assert "good" in str(analysis)
    with pytest.raises(StarspielError, match="Did you mean 'schulze'"):
        vote(LADDER, "schulz")


def test_maximal_lotteries_mix_a_ring():
    needs("cvxpy", "ecos")
    analysis = vote(RING, "maximal_lotteries", draws=2)
    assert analysis.scores == pytest.approx([1 / 3] * 3, abs=1e-6)


def test_soft_condorcet_orders_the_ladder():
    analysis = soft_condorcet(LADDER, iterations=300, draws=2)
    assert analysis.ranked_names == analysis.agents == ("good", "middling", "bad")


def test_alpha_rank_and_nash_averaging():
    needs("matplotlib", "networkx", "cvxpy")
    ladder = alpha_rank(LADDER, draws=5).scores
    assert ladder.sum() == pytest.approx(1.0)
    assert ladder[0] > 0.9
    assert alpha_rank(RING, draws=2).scores == pytest.approx([1 / 3] * 3, abs=1e-6)
    assert nash_average(LADDER, draws=3).ranked_names == ("good", "middling", "bad")
    assert nash_average(RING, draws=2).scores == pytest.approx([0.0] * 3, abs=1e-4)


def test_missing_packages_are_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "open_spiel.python.egt.alpharank", None)
    with pytest.raises(StarspielError, match=r"starspiel\[analyses\]"):
        alpha_rank(LADDER)


def test_one_player_games_have_no_payoffs():
    alone = tournament("catch", ["random", "greedy"], pairs=2)
    for analysis in (vote, lambda result: result.payoffs):
        with pytest.raises(StarspielError, match="zero-sum game of two players"):
            analysis(alone)


def test_to_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(StarspielError, match=r"starspiel\[pandas\]"):
        LADDER.to_pandas()
    monkeypatch.undo()
    pytest.importorskip("pandas", reason='an extra: pip install "starspiel[pandas]"')
    table = LADDER.to_pandas()
    assert list(table["agent"]) == ["good", "middling", "bad"]
    assert np.allclose(table["elo"], np.sort(table["elo"])[::-1])
