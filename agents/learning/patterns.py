"""The patterns of cells that n-tuple networks look at, on boards of 4 x 4 and smaller ones."""

#: Rows and squares of four cells: what they hold is met often, so that much is known of a board early.
_OF_FOUR = ((0, 1, 2, 3), (4, 5, 6, 7), (0, 1, 4, 5), (1, 2, 5, 6), (5, 6, 9, 10))
#: By the name of a setting; cells are numbered 4 * row + column. `large` has the four of six cells of Yeh et
#: al., "Multistage temporal difference learning for 2048-like games", IEEE TCIAIG 9(4), 2017. Small patterns
#: inside large ones: Jaskowski, "Mastering 2048 ...", IEEE Transactions on Games 10(1), 2018.
PATTERNS: dict[str, tuple[tuple[int, ...], ...]] = {
    "large": ((0, 1, 2, 3, 4, 5), (4, 5, 6, 7, 8, 9), (0, 1, 2, 4, 5, 6), (4, 5, 6, 8, 9, 10), *_OF_FOUR),
    "small": ((0, 1, 2, 3, 4), (4, 5, 6, 7, 8), (0, 1, 2, 4, 5), (4, 5, 6, 8, 9), *_OF_FOUR),
}


def fitting(name: str, rows: int, columns: int) -> list[list[int]]:
    """The patterns that fit the board, as they are or mirrored at the diagonal; all cells if none does."""
    found = []
    for cells in PATTERNS[name]:
        mirrored = tuple(sorted(4 * (cell % 4) + cell // 4 for cell in cells))
        fit = [each for each in (cells, mirrored) if all(c // 4 < rows and c % 4 < columns for c in each)]
        if fit and list(fit[0]) not in found:
            found.append(list(fit[0]))
    return found or [[4 * row + column for row in range(rows) for column in range(columns)]]
