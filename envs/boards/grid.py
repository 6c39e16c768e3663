"""Computes the areas of squares by their names, such as e4, for chess and go."""

from starspiel.envs.drawing import Area


def areas(files: str, ranks: int, cell: float, left: float, top: float, turned: bool) -> dict[str, Area]:
    """Returns the area of each square; a1 is at the lower left or, if `turned`, at the upper right."""
    found: dict[str, Area] = {}
    for file, letter in enumerate(files):
        for rank in range(ranks):
            across, down = (len(files) - 1 - file, rank) if turned else (file, ranks - 1 - rank)
            found[f"{letter}{rank + 1}"] = (left + across * cell, top + down * cell, cell, cell)
    return found
