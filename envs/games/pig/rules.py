"""Pig, and Piglet with a coin: roll as often as you dare, but a 1 loses the points of the turn.

Moves and key are those of OpenSpiel's `pig` without its horizon. Exact values: Neller & Presser, "Optimal
Play of the Dice Game Pig", The UMAP Journal 25(1), 2004.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from starspiel.envs.arguments import true_or_false, whole_number
from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.rules import Rules
from starspiel.envs.spec import spec_of

ROLL, STOP = 0, 1
_EITHER, _ONLY_STOP = (ROLL, STOP), (STOP,)


class PigPosition(NamedTuple):
    """Both scores, the points of the turn so far, whose turn it is, and who acts (CHANCE: the die)."""

    scores: tuple[int, int]
    turn_total: int
    turn_player: int
    acting: int


class Pig(Rules[PigPosition]):
    """Pig for two players. Utility 1 for the winner, -1 for the loser.

    Args:
        goal: the score that wins.
        sides: number of faces of the die; a 1 ends the turn without points. Defaults to 6, or to 2 with
            `piglet`.
        piglet: whether all other faces are worth one point (with two sides, the die is a coin).
    """

    num_distinct_actions = 2

    def __init__(self, goal: int = 100, sides: int | None = None, piglet: bool = False) -> None:
        self.goal = whole_number("star_pig: goal", goal, 1, 10_000)
        self.piglet = true_or_false("star_pig: piglet", piglet)
        usual_sides = 2 if piglet else 6
        self.sides = whole_number("star_pig: sides", usual_sides if sides is None else sides, 2, 1_000)
        self.name = spec_of(
            "star_pig", goal=(goal, 100), piglet=(piglet, False), sides=(self.sides, usual_sides)
        )
        self.max_chance_outcomes = 2 if piglet else self.sides
        # OpenSpiel's numbering: outcome 0 is the 1 that ends the turn. Piglet's other faces are one outcome.
        chance = 1 / self.sides
        self._chances: Sequence[tuple[int, float]] = (
            ((0, chance), (1, 1 - chance)) if piglet else tuple((face, chance) for face in range(self.sides))
        )

    def initial(self) -> PigPosition:
        return PigPosition((0, 0), 0, 0, 0)

    def player(self, position: PigPosition) -> int:
        return position.acting

    def actions(self, position: PigPosition) -> Sequence[int]:
        total = position.scores[position.turn_player] + position.turn_total
        return _ONLY_STOP if total >= self.goal else _EITHER

    def chances(self, position: PigPosition) -> Sequence[tuple[int, float]]:
        return self._chances

    def apply(self, position: PigPosition, action: int) -> PigPosition:
        scores, turn_total, mover, acting = position
        if acting == CHANCE:
            if action == 0:
                return PigPosition(scores, 0, 1 - mover, 1 - mover)
            return PigPosition(scores, turn_total + (1 if self.piglet else action + 1), mover, mover)
        if action == ROLL:
            return PigPosition(scores, turn_total, mover, CHANCE)
        score = scores[mover] + turn_total
        scores = (score, scores[1]) if mover == 0 else (scores[0], score)
        if score >= self.goal:
            return PigPosition(scores, 0, mover, TERMINAL)
        return PigPosition(scores, 0, 1 - mover, 1 - mover)

    def utility(self, position: PigPosition) -> float:
        return 1.0 if position.scores[0] >= self.goal else -1.0

    def action_name(self, position: PigPosition, player: int, action: int) -> str:
        if player != CHANCE:
            return "stop" if action == STOP else "roll"
        if self.piglet and self.sides == 2:
            return "heads" if action else "tails"
        return "rolled more than 1" if self.piglet and action else f"rolled {action + 1}"

    def draw(self, position: PigPosition) -> str:
        lines = []
        for player, score in enumerate(position.scores):
            at_stake = position.turn_total if player == position.turn_player else 0
            bar = _bar(score, at_stake, self.goal)
            stake = f" + {at_stake} this turn" if at_stake else ""
            turn = ">" if player == position.turn_player and position.acting != TERMINAL else " "
            lines.append(f"{turn} player {player}  {bar}  {score:3d} of {self.goal}{stake}")
        if position.acting == CHANCE:
            lines.append("  the die is rolling")
        return "\n".join(lines)

    def observation(self, position: PigPosition, player: int) -> NDArray[np.float32]:
        """Returns [own score, other score, turn total (as shares of the goal), own turn, die rolling]."""
        scores, turn_total, mover, acting = position
        goal = self.goal
        return np.array(
            [
                min(scores[player] / goal, 1),
                min(scores[1 - player] / goal, 1),
                min(turn_total / goal, 1),
                mover == player,
                acting == CHANCE,
            ],
            np.float32,
        )


def _bar(score: int, at_stake: int, goal: int, width: int = 40) -> str:
    full = min(width, score * width // goal)
    staked = min(width - full, -(-at_stake * width // goal))
    return "[" + "#" * full + "+" * staked + "." * (width - full - staked) + "]"


def parameters(rules: Pig) -> tuple[int, ...]:
    """Returns the parameters of the native core's model, in its order."""
    return rules.goal, rules.sides, rules.piglet


def numbers(position: PigPosition) -> tuple[int, ...]:
    """Returns the numbers of a position that the native core's model reads, in its order."""
    return *position.scores, position.turn_total, position.turn_player, position.acting
