"""Each agent's luck, which averages zero for everyone who does not know the dice to come.

What the dice give is measured against what they could have given, so its mean is zero whatever an agent plays
and whatever evaluator measures it, fixed before the games. Who is luckier than chance allows knows
what comes, and reads the dice or computes them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan, nan

import numpy as np

from starspiel.agents.means import margin, mean_and_error

#: Standard deviations of a normal distribution: one honest agent in 30,000 is as lucky.
ALARM = 4.0


@dataclass(frozen=True, slots=True)
class AgentLuck:
    """One agent's luck per game, in return, over pairs without a forfeit.

    Attributes:
        error: the standard error of the mean over pairs; NaN where the pairs are too few, or too much alike.
    """

    agent: int
    pairs: int
    mean: float
    error: float

    @property
    def margin(self) -> float:
        """Half the width of the 95 % interval; NaN where unknown."""
        return margin(self.error, self.pairs)

    @property
    def z(self) -> float:
        """How many standard deviations of a normal distribution it would take to be so lucky by chance.

        From Student's t over pairs, as few pairs have wide tails; NaN where unknown.
        """
        if isnan(self.error):
            return nan
        from scipy.special import log_ndtr, ndtri_exp, stdtr  # slow to load, and not every command needs it

        t = self.mean / self.error
        tail = float(stdtr(self.pairs - 1, -abs(t)))
        size = float(log_ndtr(-38.0)) if tail <= 0.0 else float(np.log(tail))
        return float(np.copysign(-ndtri_exp(size), t))

    @property
    def exceeds_chance(self) -> bool:
        """Whether it is luckier than an honest agent ever is."""
        return self.z > ALARM


def agent_lucks(
    agents: int, returns: Mapping[tuple[int, ...], Mapping[int, tuple[float, float]]]
) -> tuple[AgentLuck, ...]:
    """Of each agent that has pairs, the luckiest first.

    `returns` has by a pair's two agents and its number the (raw, luck-adjusted) mean return of the first.
    """
    own: list[list[float]] = [[] for _ in range(agents)]
    for meeting, pairs in sorted(returns.items()):
        for _, (raw, adjusted) in sorted(pairs.items()):
            for agent, sign in zip(meeting, (1.0, -1.0), strict=False):
                own[agent].append(sign * (raw - adjusted))
    found = [AgentLuck(agent, len(lucks), *mean_and_error(lucks)) for agent, lucks in enumerate(own) if lucks]
    return tuple(sorted(found, key=lambda each: -each.mean))
