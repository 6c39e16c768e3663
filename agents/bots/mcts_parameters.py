"""Defines the parameters shared by all agents of Monte-Carlo tree search."""

from dataclasses import dataclass
from typing import Self

from starspiel.agents.search.limits import Limits
from starspiel.envs.arguments import finite_number, whole_number
from starspiel.envs.errors import SpecError, shown

#: The number of simulations if a spec gives no limit.
DEFAULT_SIMULATIONS = 1000
MOST_SIMULATIONS = 2**30


@dataclass(frozen=True, slots=True, kw_only=True)
class MCTSParameters:
    """Parameters of Monte-Carlo tree search.

    Attributes:
        simulations: simulations per move; defaults to `DEFAULT_SIMULATIONS` if `seconds` is not given either.
        seconds: wall-clock seconds per move.
        uct_c: the exploration constant of UCT.
        rollouts: random games per evaluation of a leaf.
        solve: whether to back up proven values (MCTS-Solver: Winands, Björnsson & Saito 2008).
        memory_mb: limit on the size of the tree, in MB.
    """

    simulations: int | None = None
    seconds: float | None = None
    uct_c: float = 2.0
    rollouts: int = 1
    solve: bool = True
    memory_mb: int = 1000

    def checked(self, agent: str) -> Self:
        """Returns the parameters with Python numbers. Raises SpecError, which names the agent, if one is
        invalid.
        """
        if self.seconds is not None:
            Limits(seconds=self.seconds)  # checks it
        for name in ("simulations", "rollouts", "memory_mb"):
            value = getattr(self, name)
            if value is not None or name != "simulations":
                object.__setattr__(self, name, whole_number(f"{agent}: {name}", value, 1, MOST_SIMULATIONS))
        object.__setattr__(self, "uct_c", finite_number(f"{agent}: uct_c", self.uct_c))
        if self.uct_c < 0:
            raise SpecError(f"{agent}: uct_c must be a number of at least 0, got {shown(self.uct_c)}.")
        if not isinstance(self.solve, bool):
            raise SpecError(f"{agent}: solve must be true or false, got {shown(self.solve)}.")
        return self
