"""The moves of a position as people list and write them."""

from starspiel.envs.plays.plays import Play, meant, name_of, play_names, plays

__all__ = ["Play", "meant", "name_of", "play_names", "plays"]
