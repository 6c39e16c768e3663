"""How much luck adjustment saves on pig with the exact table: optimal play against holding at 20.

starspiel solve pig --output pig.npz
python benchmarks/luck.py pig.npz [PAIRS]
"""

import sys
from typing import Any

from starspiel.agents.bots import Bot, Policy
from starspiel.evaluation import tournament


class HoldAt20(Bot):
    """Rolls until the turn total is 20."""

    def step_with_policy(self, state: Any) -> tuple[Policy, int]:
        total = int(str(state).partition("Turn total: ")[2].split()[0])
        legal = state.legal_actions()
        action = legal[-1] if total >= 20 else legal[0]
        return [(other, float(other == action)) for other in legal], action


def main() -> None:
    file, pairs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    agents = {
        "optimal": f"optimal(solution={file})",
        "hold at 20": lambda game, seat, seed: HoldAt20(),
    }
    result = tournament("pig", agents, pairs=pairs, luck=f"solution(file={file})")
    print(result)
    [line] = result.adjusted
    distance = abs(line.raw - line.adjusted) / line.raw_error
    print(f"raw and adjusted mean are {distance:.2f} standard errors of the raw one apart")


if __name__ == "__main__":
    main()
