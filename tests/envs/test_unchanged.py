"""States that look new each time are not taken for changed ones, and late changes are found."""

import math
from typing import Any

import pytest

from starspiel.envs.errors import RulesError
from starspiel.envs.games.pig import Pig
from starspiel.envs.rules import RulesState
from starspiel.envs.unchanged import refuse_changes


class ByObject(Pig):
    """Every state is a key of its own, returns NaN, and is drawn with its address."""

    def key(self, state: Any) -> Any:
        return state

    def draw(self, position: Any) -> str:
        return repr(object())

    def utility(self, position: Any) -> float:
        return math.nan


def test_new_objects_are_no_changes() -> None:
    game = ByObject(goal=6)
    refuse_changes(game, game.new_initial_state())


def test_a_change_some_moves_from_the_start_is_found() -> None:
    class Late(RulesState[Any]):
        def child(self, action: int) -> Any:
            after = Late(self.rules, self.rules.apply(self.position, action))
            if str(self.position) != str(self.rules.initial()):
                self.position = after.position
            return after

    game = Pig(goal=50)
    with pytest.raises(RulesError, match="looking at the successors of a state changed it"):
        refuse_changes(game, Late(game, game.initial()))
