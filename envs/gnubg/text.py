"""Positions as people type them: an XGID, or a Position ID of GNU Backgammon, alone or with its Match ID."""

from typing import Any

from starspiel.envs.gnubg.ids import from_ids, match_id, position_id
from starspiel.envs.gnubg.position import Position, position_of
from starspiel.envs.gnubg.xgid import PREFIX, from_xgid, xgid


def read_position(text: str) -> Position:
    """The position of an XGID, a Position ID, or `POSITION:MATCH`. Raises StarspielError if it is none."""
    return from_xgid(text) if text.strip().startswith(PREFIX) else from_ids(text)


def notations_of(state: Any) -> dict[str, str]:
    """What a decision is called by each: in a match of one point, or a session if gammons count."""
    position = position_of(state)
    length = int(state.get_game().max_utility() == 1)
    ids = f"{position_id(position)}:{match_id(position, length)}"
    return {"xgid": xgid(position, length), "gnubg_id": ids}
