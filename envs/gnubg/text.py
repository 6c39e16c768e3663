"""Reads positions given as an XGID, or as GNU Backgammon's Position ID, with or without a Match ID."""

import re
from typing import Any

from starspiel.envs.gnubg.ids import from_ids, match_id, position_id
from starspiel.envs.gnubg.position import Position, position_of
from starspiel.envs.gnubg.xgid import PREFIX, from_xgid, xgid

_LABELS = re.compile(r"\s*(?:GNU Backgammon\s+)?Position ID\s*:\s*(\S+)(?:\s+Match ID\s*:\s*(\S+))?\s*")


def read_position(text: str) -> Position:
    """Reads an XGID, a Position ID, or `POSITION:MATCH`, also as GNU Backgammon prints them, with labels.

    Raises StarspielError if it is none of these.
    """
    if labelled := _LABELS.fullmatch(text):
        text = ":".join(filter(None, labelled.groups()))
    is_xgid = text.strip().upper().startswith(PREFIX) or text.count(":") > 1
    return from_xgid(text) if is_xgid else from_ids(text)


def notations_of(state: Any) -> dict[str, str]:
    """Returns a decision as XGID and as GNU Backgammon's IDs, by "xgid" and "gnubg_id".

    It is in a match of one point or, if gammons count, in a money session.
    """
    position = position_of(state)
    length = int(state.get_game().max_utility() == 1)
    ids = f"{position_id(position)}:{match_id(position, length)}"
    return {"xgid": xgid(position, length), "gnubg_id": ids}
