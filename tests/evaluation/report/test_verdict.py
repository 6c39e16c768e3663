"""The report's first sentence says of every two agents what the corrected tests say, and nothing else."""

import re
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from starspiel.evaluation import tournament
from starspiel.evaluation.checked_settings import checked
from starspiel.evaluation.report.verdict import ranks, verdict
from starspiel.evaluation.result import TournamentResult
from starspiel.evaluation.statistics.comparisons import holm, p_values
from starspiel.evaluation.statistics.intervals import PairCounts
from starspiel.evaluation.statistics.tally import Tally


def result_of(agents, results, **options):
    tally = Tally(len(agents))
    tally.counts = PairCounts.of(len(agents), results).counts
    tally.games = 2 * len(results)
    return TournamentResult("pig", 1, agents, len(results), tally, 1.0, **options)


MATCH = checked(game="pig", agents=["random", "greedy"])


def meets(i, j, won, lost):
    return [(i, j, 1.0, 1.0)] * won + [(i, j, 0.0, 0.0)] * lost


#: Elo of all their games may differ.
OPEN = "cannot be told apart by their games against each other"


def field(*strengths):
    """Agents named by letters; of two the stronger wins 28 of 30 pairs, and equals win 15 each."""
    played = []
    for i, own in enumerate(strengths):
        for j, other in list(enumerate(strengths))[i + 1 :]:
            won = 15 if own == other else 28 if own > other else 2
            played += meets(i, j, won, 30 - won)
    return result_of(tuple("ABCDEFGHIJ"[: len(strengths)]), played, settings=MATCH)


@pytest.mark.parametrize(
    ("strengths", "says"),
    [
        ((1, 1), "[AB] and [AB] cannot be told apart yet."),
        ((2, 1), "A beats B."),
        ((1, 2), "B beats A."),
        ((1, 1, 1), "[ABC], [ABC] and [ABC] cannot be told apart yet."),
        ((2, 2, 1), f"[AB] and [AB] {OPEN}; both beat C."),
        (
            (2, 2, 2, 1, 0),
            f"[ABC], [ABC] and [ABC] {OPEN}; all beat D and E.",
        ),
        (
            (3, 3, 3, 3, 3, 1, 0),
            f"The best five {OPEN}; all beat F and G.",
        ),
        ((3, 2, 1), "A beats B and C."),
    ],
)
def test_the_best_who_cannot_be_told_apart_and_whom_they_all_beat(strengths, says):
    assert re.fullmatch(says, verdict(field(*strengths)))


@pytest.mark.parametrize("forfeits", [30, 31])
def test_who_forfeited_most_games_is_named_first(forfeits):
    result = field(2, 1)
    result.tally.agents[1].games = 60
    result.tally.agents[1].forfeits["raised"] = forfeits
    assert verdict(result).startswith("B forfeited most games") == (forfeits > 30)
    assert verdict(result).endswith("A beats B.")


def test_agents_that_only_some_beat_are_named_apart():
    played = meets(0, 1, 15, 15) + meets(0, 2, 28, 2) + meets(1, 2, 17, 13)
    said = verdict(result_of(("A", "B", "C"), played, settings=MATCH))
    assert said == f"A and B {OPEN}. C loses significantly to one of the other two."


def test_a_circle_has_no_best():
    played = meets(0, 1, 28, 2) + meets(1, 2, 28, 2) + meets(0, 2, 2, 28)
    assert (
        verdict(result_of(("A", "B", "C"), played, settings=MATCH))
        == "There is no best agent: each loses to another."
    )


@pytest.mark.parametrize(
    ("others", "says"),
    [
        ((28, 28), "A beats B and C."),
        ((2, 2), "A loses to B and C."),
        ((15, 15), "A cannot be told apart from B and C yet."),
        ((28, 2), "A beats B and loses to C."),
        ((28, 15), "A beats B and cannot be told apart from C yet."),
    ],
)
def test_of_a_gauntlet_it_is_said_how_the_first_fared(others, says):
    played = [meeting for j, won in enumerate(others, start=1) for meeting in meets(0, j, won, 30 - won)]
    settings = checked(game="pig", agents=["random", "greedy"], format="gauntlet")
    assert verdict(result_of(("A", "B", "C"), played, settings=settings)) == says


def test_what_is_said_agrees_with_the_corrected_tests():
    rng = np.random.default_rng(7)
    for _ in range(200):
        skill = rng.normal(0, 1, size=4)
        played = []
        for i in range(4):
            for j in range(i + 1, 4):
                won = rng.binomial(20, 1 / (1 + np.exp(skill[j] - skill[i])))
                played += meets(i, j, int(won), 20 - int(won))
        result = result_of(("A", "B", "C", "D"), played, settings=MATCH)
        said, p = verdict(result), holm(p_values(result.results))
        top = said.partition(" cannot be told apart")[0] if "told apart" in said else ""
        for i, j in zip(*np.triu_indices(4, 1), strict=True):
            if "ABCD"[i] in top and "ABCD"[j] in top:
                assert p[i, j] >= 0.05
        if " beats " in said.partition(".")[0]:
            best = "ABCD".index(said[0])
            beaten = said.partition(".")[0].partition(" beats ")[2]
            for j in range(4):
                if "ABCD"[j] in beaten:
                    assert p[best, j] < 0.05
                    assert result.matrix[best, j] > 0.5


def test_the_verdict_the_ranks_and_the_table_say_the_same():
    """Also of agents with a way to beat one another, whose ratings say little of their meetings."""
    rng, led, apart = np.random.default_rng(3), 0, 0
    for _ in range(150):
        agents, spread = int(rng.integers(3, 9)), rng.choice([0.5, 2.0])
        skill, suits = rng.normal(0, 1, size=agents), rng.normal(0, spread, size=(agents, agents))
        played = []
        for i, j in combinations(range(agents), 2):
            won = int(rng.binomial(20, 1 / (1 + np.exp(skill[j] - skill[i] + suits[i, j]))))
            played += meets(i, j, won, 20 - won)
        result = result_of(tuple("ABCDEFGH"[:agents]), played, settings=MATCH)
        said, order = verdict(result), result.ranked_names
        unbeaten = [name for name in order if ranks(result)[result.agents.index(name)][0] == 1]
        if not unbeaten:
            assert said == "There is no best agent: each loses to another."
            continue
        leads = re.match(r"(\w) leads the table, but loses significantly to [^.]*\. ", said)
        assert bool(leads) == (order[0] not in unbeaten)
        assert not leads or leads[1] == order[0]
        led += bool(leads)
        text = said[leads.end() :] if leads else said
        if counted := re.match(r"The best (\w+) cannot", text):
            assert list(order[: len(unbeaten)]) == unbeaten
            assert counted[1] == (["one", "two", "three", "four", "five", "six", "seven"])[len(unbeaten) - 1]
        elif not text.startswith("The "):
            named = re.split(" cannot be| beats? |\\.", text.removeprefix("No agent beats "))[0]
            assert re.findall(r"\b[A-H]\b", named) == unbeaten
            apart += list(order[: len(unbeaten)]) != unbeaten
    assert led > 1
    assert apart > 5


def test_a_tournament_that_was_stopped_early_is_judged_by_what_holds_whenever_one_looks():
    narrow = result_of(("A", "B"), meets(0, 1, 15, 5), settings=MATCH)
    assert verdict(narrow) == "A beats B."
    assert (
        verdict(replace(narrow, planned_pairs=100, interrupted=True)) == "A and B cannot be told apart yet."
    )


def test_a_ladder_is_judged_as_if_somebody_had_looked():
    played = meets(0, 1, 15, 5)
    assert verdict(result_of(("A", "B"), played, settings=MATCH)) == "A beats B."
    assert verdict(result_of(("A", "B"), played)) == "A and B cannot be told apart yet."


def test_games_for_points_are_judged_by_their_means():
    result = tournament("2048", ["random", "star2(depth=1)"], pairs=8, seed=1)
    assert verdict(result) == "star2(depth=1) beats random."
    assert str(result).splitlines()[1] == verdict(result)
