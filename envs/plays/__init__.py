"""Names the moves of a position in players' notation, and reads such names."""

from starspiel.envs.plays.plays import Play, meant, name_of, play_names, plays
from starspiel.envs.plays.words import direction

__all__ = ["Play", "direction", "meant", "name_of", "play_names", "plays"]
