"""The native core (native/*.cpp). Loaded by starspiel.agents.search.native, never imported directly."""

from typing import Any

#: The open_spiel version this module was compiled for; it works with no other.
open_spiel_version: str

def perft(state: Any, depth: int) -> int:
    """Leaves of the full tree below a pyspiel state, `depth` actions and chance outcomes deep."""
