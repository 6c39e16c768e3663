"""What networks see of positions: one file an encoder; those of the games that ship are in their folders."""

from starspiel.agents.encoders.base import Encoder, Features
from starspiel.agents.encoders.choice import encoder_of

__all__ = ["Encoder", "Features", "encoder_of"]
