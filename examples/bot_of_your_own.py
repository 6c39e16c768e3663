"""A bot of your own in a tournament: hold at a threshold in pig.

Run from this folder: starspiel tournament pig --agents random "bot_of_your_own:HoldAt(points=20)"
"""

import re
from typing import Any


class HoldAt:
    """Rolls until the turn total reaches `points`, then stops."""

    def __init__(self, game: Any, player: int, points: int = 20) -> None:
        self.points = points

    def step(self, state: Any) -> int:
        """0 rolls, 1 stops, as in OpenSpiel's pig."""
        total = re.search(r"Turn total: (\d+)", str(state))
        hold = total is not None and int(total.group(1)) >= self.points
        return 1 if hold or 0 not in state.legal_actions() else 0
