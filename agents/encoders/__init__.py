"""Provides encoders, the inputs of networks; those of shipped games are in the games' folders."""

from starspiel.agents.encoders.base import Encoder, Features
from starspiel.agents.encoders.choice import encoder_of

__all__ = ["Encoder", "Features", "encoder_of"]
