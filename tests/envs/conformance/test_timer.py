"""A check ends within its seconds and one call, however slow the calls are."""

import time
from typing import Any

from starspiel.envs.conformance import check_game
from starspiel.envs.games.pig import Pig


class SlowPig(Pig):
    """Pig whose `apply` takes a tenth of a second."""

    def apply(self, position: Any, action: int) -> Any:
        time.sleep(0.1)
        return super().apply(position, action)


def test_a_check_of_slow_rules_ends_in_time() -> None:
    began = time.perf_counter()
    check_game(SlowPig(), seconds=1.0)
    assert time.perf_counter() - began < 1.6
