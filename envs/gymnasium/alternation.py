"""Detects two players who take turns, by values that alternate with the moves and evidence for them.

A value that has two forms and changes from move to move may say who is to move; so does the number of the
move. What tells two players from a light that blinks is what each of them does: who made a move decides the
sign of the rewards, the marks that are put on a board, or which of two counts goes on.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from starspiel.envs.gymnasium.observed import Flags, Path, Play, RandomEpisode, in_words

#: Changes, of all there might be, of a value that changes with almost every move.
_ALMOST = 0.75
#: How far that must be from what a coin does, in its standard deviations, halved.
_SURE = 2.0
#: Values that may say whose turn it is that are looked into.
_CANDIDATES = 32
#: Moves in which a mark on a board is written at least, counted from the start of the episode.
_MOVES = 3
#: The share of a move's own changes that the other player's moves may have, in a game of captures.
_CAPTURES = 0.35
#: Players who take turns, at most, that are noticed.
_ROUND = 6


@dataclass(frozen=True)
class Turns:
    """Evidence of two players taking turns.

    Attributes:
        path: what says whose turn it is; None if nothing does but the number of the move.
        values: the two forms of it, that of whoever begins most often first; if it is not said before the
            first move, none.
        evidence: what goes with it, in words; None if it only alternates.
    """

    path: Path | None
    values: tuple[Any, ...]
    evidence: str | None


def find_turns(episodes: Sequence[RandomEpisode], least: int) -> Turns | None:
    """Finds two players taking turns in random play; None if there are none.

    `least` is how often what goes with the turns must be seen, on either side. The best evidence is returned.
    """
    play = Play(episodes)
    if len(play.move) < 2 * least:
        return None
    if (shape := _turned_about(play, least)) is not None:
        return Turns(None, (0, 1), shape)
    only: Turns | None = None
    for path, values, second, rate in _candidates(play, least):
        evidence = _evidence(play, second, rate, least)
        if evidence is not None:
            return Turns(path, values, evidence)
        if rate == 1.0 and only is None and _may_be_turns(play, second, least):
            only = Turns(path, values, None)
    second = play.move % 2 == 1
    evidence = _marks(play, second, least)
    if evidence is not None:
        return Turns(None, (0, 1), evidence)
    only = only or _round(play, least)
    if only is None and _signs(play, second, least, apart=True) is not None:
        only = Turns(None, (0, 1), None)
    return only


def _round(play: Play, least: int) -> Turns | None:
    """A value that goes round three to six forms, one after the other, with every move."""
    rows, following = play.matrix[play.before], play.matrix[play.before + 1]
    for column in range(rows.shape[1]):
        forms = np.unique(rows[:, column])
        if not 3 <= len(forms) <= _ROUND or np.isnan(forms).any():
            continue
        inside = ~play.last
        pairs = set(zip(rows[inside, column].tolist(), following[inside, column].tolist(), strict=True))
        after = dict(pairs)
        if len(pairs) != len(forms) or len(after) != len(forms):
            continue
        at, met = float(forms[0]), list[float]()
        while at not in met and at in after:
            met.append(at)
            at = after[at]
        if len(met) == len(forms) and len(play.move) >= least * len(forms):
            return Turns(play.paths[column], tuple(play.value(column, form) for form in met), None)
    return None


def _candidates(play: Play, least: int) -> Iterator[tuple[Path, tuple[Any, ...], Flags, float]]:
    """(path, values, whether it was the second one's turn before each move, share of moves that change it).

    The share is 0 if it is not far above a coin's.

    Those that change with every move come first, and of these what lies least deep.
    """
    rows = play.matrix[play.before]
    if not rows.shape[1]:
        return
    low, high = np.fmin.reduce(rows), np.fmax.reduce(rows)
    unsaid = np.isnan(rows)
    two = ((rows == low) | (rows == high) | (unsaid & (play.move == 0)[:, None])).all(axis=0) & (low < high)
    second = rows == high
    following = np.roll(second, -1, axis=0)
    second = np.where(unsaid, ~following, second)
    ends = play.move[1:] == 0  # between two episodes
    changes = (second[1:] != second[:-1])[~ends]
    rate = changes.mean(axis=0) if len(changes) else np.zeros(rows.shape[1])
    almost = (rate >= _ALMOST) & ((rate - 0.5) * np.sqrt(len(changes)) >= _SURE)
    often = np.minimum(second.sum(axis=0), (~second).sum(axis=0)) >= least
    # How often each changes and changes back within an episode.
    turned = (second[1:] != second[:-1]) & ~ends[:, None]
    counts = np.cumsum(turned, axis=0)
    starts = np.maximum.accumulate(np.where(ends[:, None], counts, 0), axis=0)
    back = ((counts - starts >= 2) & turned).sum(axis=0) >= 2
    found = [int(c) for c in np.flatnonzero(two & often & (almost | back))]
    found.sort(key=lambda c: (rate[c] < 1.0, not almost[c], _place(play.paths[c])))
    for column in found[:_CANDIDATES]:
        flags = second[:, column]
        values: tuple[Any, ...] = play.value(column, low[column]), play.value(column, high[column])
        if flags[play.move == 0].mean() > 0.5:
            flags, values = ~flags, values[::-1]
        if unsaid[:, column].any():
            values = ()
        yield play.paths[column], values, flags, float(rate[column]) if almost[column] else 0.0


def _place(path: Path) -> tuple[bool, bool, int]:
    """Where a person would look first: not in observations, under such a name, near the surface."""
    return path[0] == "observation", "player" not in str(path[-1]).lower(), len(path) + (path[0] != "env")


def _evidence(play: Play, second: Flags, rate: float, least: int) -> str | None:
    """What goes with a candidate that shows it to be two players' turns, in words."""
    if rate >= _ALMOST:
        # If all is paid on the way, the number of the move may explain the sign: phases of one player's game.
        outcome = rate < 1.0 or not (play.reward[~play.last] != 0).any()
        signs = _signs(play, second, least) if outcome else None
        found = signs or _marks(play, second, least) or _always_won(play, second, least)
        if found is not None:
            return found
    return _counts(play, second, rate, least)


def _signs(play: Play, second: Flags, least: int, apart: bool = False) -> str | None:
    """Whether rewards after moves of the one are positive and of the other negative, all of them.

    `apart`: after moves of several numbers on either side.
    """
    signs, moves = [], []
    for side in (~second, second):
        paid = side & (play.reward != 0)
        if paid.sum() < max(2, least // 2):
            return None
        signs.append(set(np.sign(play.reward[paid])))
        moves.append(set(play.move[paid]))
    if len(signs[0]) > 1 or len(signs[1]) > 1 or signs[0] == signs[1]:
        return None
    if apart and min(map(len, moves)) < 2:
        return None
    return "the sign of every reward follows from it"


def _always_won(play: Play, second: Flags, least: int) -> str | None:
    """Whether whoever makes the last move is paid the same, always: play by one could not go wrong."""
    ended = [int((play.last & side).sum()) for side in (~second, second)]
    if min(ended) < max(2, least // 3) or len(set(play.totals)) != 1 or not play.totals[0]:
        return None
    if (play.reward[~play.last] != 0).any():
        return None
    return f"every episode pays {play.totals[0]:g} to whoever makes the last move"


def _marks(play: Play, second: Flags, least: int) -> str | None:
    """Whether each side puts marks of its own on a board: if one writes this, the other writes that.

    A mark is written in several moves of an episode; what only one writes is a reading of that moment.
    """
    changed = play.changed()
    seldom = changed.mean(axis=0) <= 0.5
    boards = _boards(play, [len(path) > 1 and seldom[c] for c, path in enumerate(play.paths)])
    for board, columns in boards.items():
        if len(columns) < 3:
            continue
        written: tuple[dict[tuple[float, float], Counter[int]], ...] = ({}, {})
        moves: dict[tuple[float, float], set[int]] = {}
        for step, number in np.argwhere(changed[:, columns]):
            row, column = play.before[step], columns[number]
            kind = float(play.matrix[row, column]), float(play.matrix[row + 1, column])
            written[int(second[step])].setdefault(kind, Counter())[column] += 1
            moves.setdefault(kind, set()).add(int(play.move[step]))
        one, two = (
            {
                kind: cells
                for kind, cells in mine.items()
                if cells.total() >= least and len(moves[kind]) >= _MOVES and kind not in theirs
            }
            for mine, theirs in (written, written[::-1])
        )
        if any(a[0] == b[0] and one[a].keys() & two[b].keys() for a in one for b in two):
            return f"each side puts marks of its own into {in_words(board)}"
    return None


def _boards(play: Play, wanted: Sequence[Any]) -> dict[Path, list[int]]:
    """The wanted columns by the container that each lies in, or that of its row of a board of rows."""
    boards: dict[Path, list[int]] = {}
    for column in np.flatnonzero(wanted).tolist():
        inner = play.paths[column][:-1]
        board = inner[:-1] if len(inner) > 2 and isinstance(inner[-1], int) else inner
        boards.setdefault(board, []).append(column)
    return boards


def _counts(play: Play, second: Flags, rate: float, least: int) -> str | None:
    """Whether of two counts that belong together each goes on in the moves of one side."""
    paid_on_the_way = (play.reward != 0)[~play.last].any()  # if not, one side may always make the last move
    if paid_on_the_way and not _both_sides(play, second, least):
        return None
    changed = play.changed()
    mine, theirs = changed[~second], changed[second]
    if not len(mine) or not len(theirs):
        return None
    forgiven = _CAPTURES if rate >= _ALMOST else 0.0
    own = [
        (ours.sum(axis=0) >= least) & (others.mean(axis=0) <= forgiven * ours.mean(axis=0))
        for ours, others in ((mine, theirs), (theirs, mine))
    ]
    for one in np.flatnonzero(own[0]):
        for two in np.flatnonzero(own[1]):
            a, b = play.paths[one], play.paths[two]
            if len(a) == len(b) and sum(x != y for x, y in zip(a, b, strict=True)) == 1:
                steps = [play.steps(int(column)) for column in (one, two)]
                alike = set(np.sign(steps[0])) == set(np.sign(steps[1]))  # and amounts that overlap
                if alike and max(map(min, steps)) <= min(map(max, steps)):
                    return f"{in_words(a)} changes with one side's moves and {in_words(b)} with the other's"
    return None


def _both_sides(play: Play, second: Flags, least: int) -> bool:
    """Whether rewards, or ends if there are few rewards, come after moves of either side.

    If they do not, what alternates may be the phases of a turn, and no players.
    """
    for events in (play.reward != 0, play.last):
        sides = [int((events & side).sum()) for side in (~second, second)]
        if sum(sides) >= least:
            return min(sides) > 0
    return True


def _may_be_turns(play: Play, second: Flags, least: int) -> bool:
    """Whether the rewards leave it open that something that alternates says whose turn it is."""
    signs = [set(np.sign(play.reward[side])) - {0.0} for side in (~second, second)]
    return _both_sides(play, second, least) and min(map(len, signs)) < 2


def _turned_about(play: Play, least: int) -> str | None:
    """Whether a board is shown from the side of whoever is to move: every move changes all its signs."""
    boards = _boards(play, [len(path) > 1 and isinstance(path[-1], int) for path in play.paths])
    for board, columns in boards.items():
        before, after = play.matrix[play.before][:, columns], play.matrix[play.before + 1][:, columns]
        marked = before != 0
        enough = marked.sum(axis=1) >= 3
        turned = ((after == -before) & marked).sum(axis=1) >= 0.6 * marked.sum(axis=1)
        if enough.sum() >= 2 * least and turned[enough].all():
            return f"every move changes the signs in {in_words(board)}"
    return None
