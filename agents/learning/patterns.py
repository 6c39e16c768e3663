"""Lists the patterns of cells that n-tuple networks use, on boards of at most 4 x 4 cells."""

#: The four patterns of six cells of Yeh et al., "Multistage temporal difference learning for 2048-like
#: games", IEEE TCIAIG 9(4), 2017; cells are numbered 4 * row + column. Each is turned so that its first cell,
#: whose contents lie side by side in memory, is inside the board and changes often.
_OF_SIX = (
    (10, 11, 12, 13, 14, 15),
    (6, 7, 8, 9, 10, 11),
    (9, 10, 11, 13, 14, 15),
    (5, 6, 7, 9, 10, 11),
)
#: Rows and squares of four cells. Their contents recur often, so that much is known about a board early.
#: Small patterns beside large ones: Jaskowski, "Mastering 2048 ...", IEEE Transactions on Games 10(1), 2018.
_OF_FOUR = ((0, 1, 2, 3), (4, 5, 6, 7), (0, 1, 4, 5), (1, 2, 5, 6), (5, 6, 9, 10))
PATTERNS = _OF_SIX + _OF_FOUR


def fitting(rows: int, columns: int) -> list[list[int]]:
    """Returns the patterns that fit the board, possibly turned or mirrored; all cells if none does."""
    found: list[list[int]] = []
    for cells in PATTERNS:
        turned = [15 - cell for cell in cells]
        ways = (cells, turned, *([4 * (c % 4) + c // 4 for c in way] for way in (cells, turned)))
        fit = [sorted(way) for way in ways if all(c // 4 < rows and c % 4 < columns for c in way)]
        if fit and fit[0] not in found:
            found.append(fit[0])
    return found or [[4 * row + column for row in range(rows) for column in range(columns)]]
