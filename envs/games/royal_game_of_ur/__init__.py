"""The Royal Game of Ur: rules, heuristic and encoder."""

from starspiel.envs.games.royal_game_of_ur.rules import RULE_SETS, TO_ROLL, RoyalGameOfUr, RuleSet, UrPosition

__all__ = ["RULE_SETS", "TO_ROLL", "RoyalGameOfUr", "RuleSet", "UrPosition"]
