"""States which agents are better than which, in a sentence or two."""

from collections.abc import Sequence
from math import isnan
from typing import Any

import numpy as np

from starspiel.evaluation.result import TournamentResult
from starspiel.evaluation.statistics.comparisons import holm, p_values, rank_sets
from starspiel.evaluation.statistics.looks import means_p, meetings_p

#: The significance level for all comparisons together.
_ERROR = 0.05
#: More names than this are replaced by their number.
_NAMED = 4
_COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def verdict(result: TournamentResult) -> str:
    """Returns which agents cannot be told apart and which are beaten, at an error of 5 % for all comparisons.

    It begins with agents that forfeited most of their games. It is "" for a single agent, without games, and
    after an SPRT, which has its own answer. For ladders and tournaments that were stopped early, it uses
    p-values that hold at any number of looks.
    """
    if len(result.agents) < 2 or not result.games or result.sprt is not None:
        return ""
    broken = [line.agent for line in result.standings if 2 * line.totals.forfeits.total() > line.totals.games]
    caution = f"{_listed(broken)} forfeited most games, by faults that are listed below. " if broken else ""
    return caution + _comparison(result)


def _comparison(result: TournamentResult) -> str:
    better = beats(result)
    order = [result.agents.index(name) for name in result.ranked_names]
    if result.gauntlet:
        return _of_gauntlet(result, better)
    top = [i for i in order if not better[:, i].any()]
    rest = [i for i in order if i not in top]
    below = [i for i in rest if better[np.ix_(top, [i])].all()]
    between = [i for i in rest if i not in below]
    names = [result.agents[i] for i in top]
    if not top:
        return "There is no best agent: each loses to another."
    lead = ""
    if (first := order[0]) not in top:
        who = _listed([result.agents[i] for i in order if better[i, first]])
        lead = f"{result.agents[first]} leads the table, but loses significantly to {who}. "
    if not rest:
        return f"{_those(names, 'The {} agents')} cannot be told apart yet."
    beaten, open_ones = ([result.agents[i] for i in some] for some in (below, between))
    if len(top) > 1:
        are_first = top == order[: len(top)]
        text = f"{_those(names, 'The best {}') if are_first else _listed(names)} cannot be told apart"
        if result.two_player:  # Elo is of all games, so its intervals may be apart
            text += " by their games against each other"
        if below:
            text += f"; {'both' if len(top) == 2 else 'all'} beat {_listed(beaten)}"
    else:
        text = f"{names[0]} beats {_listed(beaten)}" if below else f"No agent beats {names[0]}"
    text = lead + text
    if not between:
        return f"{text}."
    if len(between) > 1:
        return f"{text}. {_listed(open_ones)} lose significantly to some of the others."
    lost = _count(int(better[:, between[0]].sum()))
    return f"{text}. {open_ones[0]} loses significantly to {lost} of the other {_count(len(order) - 1)}."


def _of_gauntlet(result: TournamentResult, better: Any) -> str:
    first, others = result.agents[0], range(1, len(result.agents))
    won = [result.agents[j] for j in others if better[0, j]]
    lost = [result.agents[j] for j in others if better[j, 0]]
    open_ones = [result.agents[j] for j in others if not better[0, j] and not better[j, 0]]
    said = []
    if won:
        said.append(f"beats {_listed(won)}")
    if lost:
        said.append(f"loses to {_listed(lost)}")
    if open_ones:
        said.append(f"cannot be told apart from {_listed(open_ones)} yet")
    return f"{first} {', '.join(said[:-1])}{' and ' if said[1:] else ''}{said[-1]}."


def ranks(result: TournamentResult) -> list[tuple[int, int]]:
    """Returns each agent's best and worst rank that the verdict leaves open; 0 for agents without games."""
    sets = rank_sets(beats(result))
    return [(0, 0) if isnan(elo) else own for elo, own in zip(result.ratings.elo, sets, strict=True)]


def beats(result: TournamentResult) -> Any:
    """Returns (n, n) booleans: whether the row's agent is significantly better than the column's."""
    # Whether earlier results may have influenced which games were played.
    looked_at = result.interrupted or result.is_ladder or result.sprt is not None
    if result.two_player:
        results = result.results
        ahead = result.matrix - 0.5
        p = meetings_p(results, result.gauntlet) if looked_at else holm(p_values(results))
    else:
        ahead, p = (np.full((len(result.agents),) * 2, np.nan) for _ in range(2))
        for each in result.differences:
            i, j = each.agents
            ahead[i, j], ahead[j, i] = each.mean, -each.mean  # over the pairs that both have played
            p[i, j] = p[j, i] = each.p_holm
        if looked_at:
            p = means_p(result.mean_returns)[1]
    return np.asarray((p < _ERROR) & (ahead > 0.0))


def _those(names: Sequence[str], what: str) -> str:
    """Returns the names, or for many names their number in words, as in "The best five"."""
    return _listed(names) if len(names) <= _NAMED else what.format(_count(len(names)))


def _count(number: int) -> str:
    return _COUNTS[number] if number < len(_COUNTS) else f"{number}"


def _listed(names: Sequence[str]) -> str:
    if len(names) > 2 * _NAMED:
        return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} others"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
