"""Solves zero-sum matrix games: their value and optimal mixed strategies (von Neumann 1928)."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import scipy  # loads its parts on first use, as they are slow to load
from numpy.typing import NDArray

from starspiel.envs.errors import StarspielError, shown

Floats = NDArray[np.float64]
Index = NDArray[np.int64]

#: Tolerance, for payoffs scaled to [-1, 1], of tight columns and of probabilities. HiGHS is more precise than
#: this.
_TIGHT = 1e-8
_HIGHS = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
#: A probability below this makes a strategy invalid.
_NEGATIVE = -1e-12
#: Strategies count as a solution if the values that they guarantee differ by at most this.
_EXACT = 1e-13
#: The most payoffs for which the simplex method in whole numbers is faster than HiGHS (measured: 0.4 against
#: 1.2 ms with 7x7, 4 against 2 ms with 13x13).
_SMALL = 64


@dataclass(frozen=True, slots=True)
class MatrixSolution:
    """The value of a matrix game and an optimal strategy of each player, as probabilities.

    Attributes:
        value: the row player's expected payoff if both play optimally.
        rows, columns: the strategies; `rows` wins at least `value` on average against every column, and
            `columns` loses at most `value` against every row.
    """

    value: float
    rows: Floats
    columns: Floats


def solve_matrix_game(payoffs: Any, near: MatrixSolution | None = None) -> MatrixSolution:
    """Solves the game in which the row player, who maximises, gets payoffs[row][column]; deterministic.

    Uses a saddle point if there is one, and the closed form if two rows and columns remain after dominated
    ones are removed. Otherwise it uses linear programming. If few rows and columns remain, it computes in
    whole numbers, which is exact. Otherwise it uses HiGHS, refined by the equations of the strategies'
    supports, and falls back to whole numbers if that is not precise enough.

    Args:
        near: the solution of a similar game of the same size, as a starting point. If there are several
            saddle points, it is kept if it is one of them.

    Raises StarspielError if the payoffs are not a matrix of finite numbers.
    """
    try:
        matrix = np.asarray(payoffs, dtype=np.float64)
    except (TypeError, ValueError):
        matrix = np.empty(0)
    if matrix.ndim != 2 or matrix.size == 0 or not np.isfinite(matrix).all():
        raise StarspielError(f"expected a matrix of finite payoffs, got {shown(payoffs)}.")
    least, greatest = matrix.min(axis=1), matrix.max(axis=0)
    row, column = int(least.argmax()), int(greatest.argmin())
    rows, columns = np.zeros(len(least)), np.zeros(len(greatest))
    if least[row] >= greatest[column]:
        value = float(matrix[row, column])
        if near is not None:
            least_won, most_lost = _guaranteed(matrix, near.rows), -_guaranteed(-matrix.T, near.columns)
            if least_won == value == most_lost:
                return MatrixSolution(value, near.rows, near.columns)
        rows[row] = columns[column] = 1.0
        return MatrixSolution(value, rows, columns)
    if near is not None and (found := _from_nearby(matrix, near)) is not None:
        return found
    some_rows, some_columns = _undominated(matrix)
    kept = matrix[np.ix_(some_rows, some_columns)]
    rows[some_rows], columns[some_columns] = _strategies(kept)
    return _solution(matrix, rows, columns)


def _strategies(matrix: Floats) -> tuple[Floats, Floats]:
    """Returns the optimal strategies of a game without a saddle point."""
    if matrix.shape == (2, 2):
        return _two_by_two(matrix)
    found = None if matrix.size <= _SMALL else _by_highs(matrix)
    return found or _by_simplex(matrix)


def _solution(matrix: Floats, rows: Floats, columns: Floats) -> MatrixSolution:
    value = _guaranteed(matrix, rows) / 2 - _guaranteed(-matrix.T, columns) / 2
    return MatrixSolution(value, rows, columns)


def _from_nearby(matrix: Floats, near: MatrixSolution) -> MatrixSolution | None:
    """Returns the solution with the same supports as another one; None if there is none."""
    scaled = _scaled(matrix)
    rows, columns = (
        _polished(scaled, near.rows, near.columns),
        _polished(-scaled.T, near.columns, near.rows),
    )
    return _solution(matrix, rows, columns) if _missed(scaled, rows, columns) <= _EXACT else None


def _missed(matrix: Floats, rows: Floats, columns: Floats) -> float:
    """Returns how much less the two strategies together guarantee than optimal ones."""
    return -_guaranteed(-matrix.T, columns) - _guaranteed(matrix, rows)


def _guaranteed(matrix: Floats, rows: Floats) -> float:
    """Returns the least that a strategy of the row player wins against any column."""
    return float((rows @ matrix).min())


def _undominated(matrix: Floats) -> tuple[Index, Index]:
    """Returns the rows and columns that remain after weakly dominated ones are removed repeatedly, which
    keeps the value. Of equal ones, the first is kept.
    """
    rows, columns = np.arange(matrix.shape[0]), np.arange(matrix.shape[1])
    while True:
        some_rows = rows[_maximal(matrix[np.ix_(rows, columns)])]
        some_columns = columns[_maximal(-matrix[np.ix_(some_rows, columns)].T)]
        if len(some_rows) == len(rows) and len(some_columns) == len(columns):
            return rows, columns
        rows, columns = some_rows, some_columns


def _maximal(matrix: Floats) -> Any:
    """Returns a mask of the rows that are not dominated."""
    order = np.arange(len(matrix))
    covers = (matrix[:, None, :] >= matrix[None, :, :]).all(axis=2)  # row i is at least row j everywhere
    beats = covers & (~covers.T | (order[:, None] < order))
    return np.logical_not(beats.any(axis=0))


def _two_by_two(matrix: Floats) -> tuple[Floats, Floats]:
    """Returns the strategies of a 2x2 game without a saddle point; each makes the other indifferent."""
    (a, b), (c, d) = np.ldexp(matrix, -np.frexp(np.abs(matrix).max())[1] - 2)  # so that no sum overflows
    rows, columns = np.array([d - c, a - b]), np.array([d - b, a - c])  # 1 - row would lose digits near 0
    return rows / rows.sum(), columns / columns.sum()


def _by_simplex(matrix: Floats) -> tuple[Floats, Floats]:
    """Returns the strategies by the simplex method in whole numbers, rounded once, at the end.

    The improving variable of least index enters (Bland 1977), so the method terminates. Pivots divide without
    a remainder (Bareiss 1968). With positive payoffs P, the column player's program is: maximise the sum of
    c, subject to P c <= 1, c >= 0.
    """
    ratios = [[payoff.as_integer_ratio() for payoff in row] for row in matrix.tolist()]
    unit = max(below for row in ratios for _, below in row)  # denominators are powers of two
    whole = np.array([[above * (unit // below) for above, below in row] for row in ratios], dtype=object)
    count, width = whole.shape
    table = np.zeros((count + 1, width + count + 1), dtype=object)  # a row per constraint, then the costs
    table[:-1, :width] = whole - (whole.min() - 1)
    table[range(count), range(width, width + count)] = 1
    table[:-1, -1], table[-1, :width] = 1, -1
    basis = np.arange(width, width + count)
    last = 1
    while len(improving := np.flatnonzero(table[-1, :-1] < 0)):
        enters = improving[0]
        rising = np.flatnonzero(table[:-1, enters] > 0)
        leaves = min(rising, key=lambda row: (Fraction(table[row, -1], table[row, enters]), basis[row]))
        pivot, row = table[leaves, enters], table[leaves].copy()
        table = (pivot * table - np.outer(table[:, enters], row)) // last
        table[leaves], basis[leaves], last = row, enters, pivot
    total = table[-1, -1]
    columns = np.zeros(width)
    played = basis < width  # the others are slack, which can be too large for a float
    columns[basis[played]] = table[:-1, -1][played] / total
    return (table[-1, width:-1] / total).astype(float), columns


def _by_highs(matrix: Floats) -> tuple[Floats, Floats] | None:
    """Returns the strategies by HiGHS, the column player's from the dual solution; None if they are not
    precise enough.
    """
    scaled = _scaled(matrix)
    count = len(scaled)
    found = scipy.optimize.linprog(
        np.append(np.zeros(count), -1.0),
        A_ub=np.column_stack((-scaled.T, np.ones(scaled.shape[1]))),
        b_ub=np.zeros(scaled.shape[1]),
        A_eq=np.append(np.ones(count), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * count + [(None, None)],
        method="highs",
        options=_HIGHS,
    )
    if not found.success:
        return None
    rows, columns = _normalised(found.x[:-1]), _normalised(-found.ineqlin.marginals)
    rows, columns = _polished(scaled, rows, columns), _polished(-scaled.T, columns, rows)
    return (rows, columns) if _missed(scaled, rows, columns) <= _EXACT else None


def _scaled(matrix: Floats) -> Floats:
    """Returns the payoffs scaled to [-1, 1]."""
    low, high = float(matrix.min()), float(matrix.max())
    scaled: Floats = (matrix - (low / 2 + high / 2)) / (high / 2 - low / 2)
    return scaled


def _polished(matrix: Floats, rows: Floats, columns: Floats) -> Floats:
    """Returns the row player's strategy, with its last digits from its equations if it then guarantees more.

    There is one equation for each column that holds the strategy to its value, including those that the other
    player plays.
    """
    answers = rows @ matrix
    tight = matrix[:, (answers <= answers.min() + _TIGHT) | (columns > _TIGHT)]
    played = rows > _TIGHT
    equations = np.column_stack((tight[played].T, -np.ones(tight.shape[1])))
    equations = np.vstack((equations, np.append(np.ones(int(played.sum())), 0.0)))
    wanted = np.append(np.zeros(tight.shape[1]), 1.0)
    solved = np.linalg.lstsq(equations, wanted)[0][:-1]
    if solved.min() < _NEGATIVE:
        return rows
    again = np.zeros_like(rows)
    again[played] = solved
    again = _normalised(again)
    return again if _guaranteed(matrix, again) >= _guaranteed(matrix, rows) else rows


def _normalised(strategy: Floats) -> Floats:
    """Returns the strategy clipped at 0 and normalised."""
    clipped = np.maximum(strategy, 0.0)
    normalised: Floats = clipped / clipped.sum()
    return normalised
