"""The moves of a position as people list and write them."""

from starspiel.envs.plays.plays import Play, meant, plays

__all__ = ["Play", "meant", "plays"]
