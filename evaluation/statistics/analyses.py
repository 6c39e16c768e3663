"""Runs OpenSpiel's analyses on a tournament's results, with bootstrap intervals over pairs.

Alpha-rank (`egt.alpharank`), Nash averaging, the voting rules and soft Condorcet optimisation are OpenSpiel's
implementations. Some need more packages: pip install "starspiel[analyses]".
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from itertools import combinations
from typing import Any

import numpy as np

from starspiel.envs.arguments import whole_number
from starspiel.envs.errors import StarspielError, did_you_mean
from starspiel.evaluation.statistics.intervals import Array, PairCounts, interval, payoffs

#: Voting rule of `vote` -> OpenSpiel's class, which is in the module of the rule's name.
VOTING = {
    "copeland": "CopelandVoting",
    "kemeny_young": "KemenyYoungVoting",
    "maximal_lotteries": "MaximalLotteriesVoting",
    "ranked_pairs": "RankedPairsVoting",
    "schulze": "SchulzeVoting",
}

#: A `TournamentResult`, whose module this layer may not import.
Played = Any


@dataclass(frozen=True)
class Analysis:
    """The scores that a method gives to the agents.

    Attributes:
        method: the method's name.
        agents: the agents' names.
        scores: (agents,) scores; higher is better.
        low, high: (agents,) ends of their 95 % intervals, by bootstrap over pairs.
    """

    method: str
    agents: tuple[str, ...]
    scores: Array
    low: Array
    high: Array

    @property
    def ranked_names(self) -> tuple[str, ...]:
        """The agents from best to worst."""
        return tuple(self.agents[index] for index in np.argsort(-self.scores, kind="stable"))

    def __str__(self) -> str:
        lines = [f"{self.method}:"]
        for index in np.argsort(-self.scores, kind="stable"):
            score, low, high = (
                f"{round(float(found[index]), 4) + 0.0:g}" for found in (self.scores, self.low, self.high)
            )
            lines.append(f"  {self.agents[index]}  {score} ({low} … {high})")
        return "\n".join(lines)


def alpha_rank(result: Played, *, alpha: float = 10.0, m: int = 50, draws: int = 100) -> Analysis:
    """Returns each agent's mass in the stationary distribution of alpha-rank (Omidshafiei et al. 2019)."""
    alpharank = _module("open_spiel.python.egt.alpharank")

    def masses(results: PairCounts) -> Array:
        with np.errstate(over="ignore"):  # overflows if the fixation probability of a mutant is nearly 0
            return np.asarray(alpharank.compute([payoffs(results)], m=m, alpha=alpha)[2])

    return _analysed("alpha-rank", result, masses, draws)


def nash_average(result: Played, *, draws: int = 100) -> Analysis:
    """Returns each agent's payoff against the maximum-entropy Nash mixture (Balduzzi et al. 2018)."""
    nash_averaging = _module("open_spiel.python.algorithms.nash_averaging")
    pyspiel = _module("pyspiel")

    def averages(results: PairCounts) -> Array:
        matrix = payoffs(results)
        game = pyspiel.create_matrix_game(matrix.tolist(), (-matrix).tolist())
        return np.asarray(nash_averaging.nash_averaging(game)[1]).reshape(-1)

    return _analysed("Nash averaging", result, averages, draws)


def vote(result: Played, rule: str = "schulze", *, draws: int = 100) -> Analysis:
    """Returns scores by a voting rule. Every pair is a vote for its winner; drawn pairs are not votes."""
    if rule not in VOTING:
        raise StarspielError(f"there is no voting rule {rule!r}.{did_you_mean(rule, VOTING)}")
    if rule == "maximal_lotteries":
        _module("cvxpy")
        _module("ecos")  # the solver that OpenSpiel requests from cvxpy
    voting = getattr(_module(f"open_spiel.python.voting.{rule}"), VOTING[rule])

    def scores(results: PairCounts) -> Array:
        outcome = voting().run_election(_profile(results))
        return np.array([outcome.get_score(str(agent)) for agent in range(results.agents)], dtype=np.float64)

    return _analysed(rule.replace("_", " "), result, scores, draws)


def soft_condorcet(
    result: Played, *, iterations: int = 1000, learning_rate: float = 0.01, draws: int = 10
) -> Analysis:
    """Returns ratings, 0 to 100, by soft Condorcet optimisation (Lanctot et al. 2024) on the pairs' votes."""
    sco = _module("open_spiel.python.voting.soft_condorcet_optimization")

    def ratings(results: PairCounts) -> Array:
        profile = _profile(results)
        optimizer = sco.SoftCondorcetOptimizer(
            profile, rating_lower_bound=0.0, rating_upper_bound=100.0, temperature=10.0
        )
        rated = np.zeros(results.agents)
        order = [int(name) for name in profile.alternatives]
        rated[order] = optimizer.run_solver(iterations, learning_rate)[0]
        return rated

    return _analysed("soft Condorcet optimisation", result, ratings, draws)


def _analysed(method: str, result: Played, analyse: Callable[[PairCounts], Array], draws: int) -> Analysis:
    if not result.two_player or not result.games:
        raise StarspielError("these analyses compare agents that met in a zero-sum game of two players.")
    whole_number("draws", draws, 1)
    scores = analyse(result.results)
    resampled = result.results.resampled(draws, np.random.default_rng(1)).counts
    low, high = interval(np.stack([analyse(PairCounts(counts)) for counts in resampled]), scores)
    return Analysis(method, result.agents, scores, low, high)


def _profile(results: PairCounts) -> Any:
    """Returns OpenSpiel's profile of votes between two agents: each pair is a vote for its winner."""
    base = _module("open_spiel.python.voting.base")
    profile = base.PreferenceProfile(alternatives=[str(agent) for agent in range(results.agents)])
    for i, j in combinations(range(results.agents), 2):
        table = results.counts[i, j]
        # Votes must be whole numbers, and the counts of a bootstrap sample are not.
        above = round(float(table[1, 2] + table[2, 1] + table[2, 2]))
        below = round(float(table[0, 0] + table[0, 1] + table[1, 0]))
        for winner, loser, weight in ((i, j, above), (j, i, below)):
            if weight:
                profile.add_vote([str(winner), str(loser)], weight)
    return profile


def _module(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise StarspielError(
            f'{name} needs {error.name or "a package that is missing"}: pip install "starspiel[analyses]".'
        ) from None
