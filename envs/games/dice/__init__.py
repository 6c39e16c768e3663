"""Dice: rules, heuristic and encoder."""

from starspiel.envs.games.dice.rules import TO_ROLL, Dice, DicePosition

__all__ = ["TO_ROLL", "Dice", "DicePosition"]
