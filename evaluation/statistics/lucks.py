"""Computes each agent's luck, whose mean is zero for every agent that does not know future dice.

That holds whatever an agent plays, and for any evaluator that was chosen before the games. An agent that is
luckier than chance allows must read or compute the dice.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan, log, nan

from starspiel.evaluation.statistics.means import mean_interval, mean_margin, mean_p

#: The z above which an agent is suspicious, in standard deviations of a normal distribution. Of 100,000
#: simulated honest agents with 10 to 200 pairs, none exceeds it if luck is normal, like that of turns of pig,
#: or skewed to good luck; if it is skewed to bad luck, at most 19 do. If bad luck is large and rare, a larger
#: z proves nothing: with -9 in one of 10 pairs, and else about 1, 4 % of agents exceed it in 30 pairs and
#: 0.03 % in 100; with -49 in one of 50 pairs, 54 % and 13 % do.
ALARM = 5.0


@dataclass(frozen=True, slots=True)
class AgentLuck:
    """One agent's luck per game, in return, over pairs without a forfeit.

    Attributes:
        mean, margin: mean over pairs, and half its 95 % interval; NaN if pairs are too few or do not vary.
        z: the luck as standard deviations of a normal distribution with the same p by `mean_p`, where the
            chance of n pairs is taken to be at least 2⁻ⁿ; NaN if unknown.
    """

    agent: int
    pairs: int
    mean: float
    margin: float
    z: float

    @property
    def exceeds_chance(self) -> bool:
        """Whether it is luckier than honest agents are, except in the cases described at `ALARM`."""
        return self.z > ALARM


def agent_lucks(
    agents: int, returns: Mapping[tuple[int, ...], Mapping[int, tuple[float, float]]]
) -> tuple[AgentLuck, ...]:
    """Returns the luck of each agent that has pairs, the luckiest first.

    `returns` is meeting -> pair number -> (raw, luck-adjusted) mean return of the meeting's first agent.
    """
    own: list[list[float]] = [[] for _ in range(agents)]
    for meeting, pairs in sorted(returns.items()):
        for _, (raw, adjusted) in sorted(pairs.items()):
            for agent, sign in zip(meeting, (1.0, -1.0), strict=False):
                own[agent].append(sign * (raw - adjusted))
    found = [_luck(agent, lucks) for agent, lucks in enumerate(own) if lucks]
    return tuple(sorted(found, key=lambda each: -each.mean))


def _luck(agent: int, lucks: Sequence[float]) -> AgentLuck:
    from scipy.special import ndtri_exp  # slow to load, and not every command needs it

    mean, p = mean_interval(lucks)[0], mean_p(lucks)
    # As in a sign test: a few pairs that were all lucky prove no more than that, however similar they are.
    size = nan if isnan(p) else -float(ndtri_exp(max(log(max(p / 2.0, 1e-300)), -len(lucks) * log(2.0))))
    return AgentLuck(agent, len(lucks), mean, mean_margin(lucks), size if mean > 0.0 else -size)
