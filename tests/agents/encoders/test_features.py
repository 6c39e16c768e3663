"""The features of Python rules: which position tells how many there are."""

import pytest
from support.piglets import Piglet

from starspiel.agents.encoders.features import FeaturesEncoder
from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.errors import SpecError


class Hidden(Piglet):
    """A Piglet after an event without features, whose first outcomes or actions do not lead to it."""

    def __init__(self, acting):
        super().__init__()
        self.acting = acting

    def initial(self):
        return "before"

    def player(self, position):
        return {"before": self.acting, "over": TERMINAL}.get(position) if isinstance(position, str) else 0

    def chances(self, position):
        return [(0, 0.5), (1, 0.5)]

    def actions(self, position):
        return (0, 1)

    def apply(self, position, action):
        if action:
            return super().initial()
        return "over" if self.acting == CHANCE else "before"

    def features(self, position):
        return None if isinstance(position, str) else super().features(position)


@pytest.mark.parametrize("acting", [CHANCE, 0])
def test_first_moves_need_not_lead_to_features(acting):
    assert len(FeaturesEncoder(Hidden(acting)).units) == 12


def test_rules_without_any_are_refused():
    game = Hidden(CHANCE)
    game.features = lambda position: None
    with pytest.raises(SpecError, match="None at every position"):
        FeaturesEncoder(game)
