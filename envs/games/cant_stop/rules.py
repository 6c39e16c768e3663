"""Can't Stop: pair four dice, climb the columns of the sums, and stop before a throw allows no climb.

Sid Sackson's game (Parker Brothers, 1980). Boards by sides and shortest column as in Glenn, Fang & Kruskal,
"A Retrograde Approximation Algorithm for Multi-Player Can't Stop", Computers and Games 2008.
"""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import combinations_with_replacement, product
from operator import getitem
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from starspiel.envs.arguments import whole_number
from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.cache import Cache
from starspiel.envs.games.vector import entries_of, vector
from starspiel.envs.rules import Rules
from starspiel.envs.spec import spec_of

ROLL, STOP, PASS = 0, 1, 2
_FIRST_CLIMB = 3
_ROLL_OR_STOP = (ROLL, STOP)
RUNNERS = 3

#: The number 1 as an entry.
_ONE = entries_of([1])

Heights = tuple[int, ...]


class CantStopPosition(NamedTuple):
    """A position of Can't Stop.

    Attributes:
        heights: each player's height in each column. In a column that is won, it is the column's length for
            the winner and 0 for the other player.
        runners: the height of the mover's runner in each column, 0 if there is none.
        mover: whose turn it is.
        climbs: the actions that the throw allows; () before a throw.
        acting: who acts; CHANCE throws the dice.
    """

    heights: tuple[Heights, Heights]
    runners: Heights
    mover: int
    climbs: tuple[int, ...]
    acting: int


class CantStop(Rules[CantStopPosition]):
    """Can't Stop for two players. Utility 1 for the winner, -1 for the loser.

    A turn starts with a throw. After each throw the mover chooses a climb, then rolls again (0) or stops (1).
    If a throw allows no climb, the only action is to pass (2), and the runners fall. Actions from 3 on are
    climbs: first one step in each single column, then each pair of columns (or one column twice).

    Args:
        sides: number of faces of each of the four dice; the columns are the sums 2 to 2 * sides.
        shortest: length of the outermost columns; each column further inside is two steps longer.
        columns_to_win: number of columns needed to win. Defaults to 3, or to 2 on the three columns of
            two-sided dice.
    """

    def __init__(self, sides: int = 6, shortest: int = 3, columns_to_win: int | None = None) -> None:
        self.sides = whole_number("cant_stop: sides", sides, 2, 9)
        self.shortest = whole_number("cant_stop: shortest", shortest, 1, 50)
        columns = 2 * sides - 1
        # If more columns were needed to win, all could be won without a winner.
        most = (columns + 1) // 2
        usual = min(3, most)
        wanted = usual if columns_to_win is None else columns_to_win
        self.columns_to_win = whole_number("cant_stop: columns_to_win", wanted, 1, most)
        self.name = spec_of(
            "cant_stop",
            sides=(sides, 6),
            shortest=(shortest, 3),
            columns_to_win=(self.columns_to_win, usual),
        )
        self.lengths: Heights = tuple(shortest + 2 * min(c, columns - 1 - c) for c in range(columns))
        #: The columns an action climbs, by action.
        self.climbed: list[tuple[int, ...]] = [(), (), ()]
        self.climbed += [(column,) for column in range(columns)]
        self.climbed += combinations_with_replacement(range(columns), 2)
        self.num_distinct_actions = len(self.climbed)
        number = {climbed: action for action, climbed in enumerate(self.climbed)}
        self._actions = Cache(partial(_actions, number))
        throws = Counter(tuple(sorted(dice)) for dice in product(range(1, sides + 1), repeat=4))
        self._throws = list(throws)
        self.max_chance_outcomes = len(throws)
        self._chances = tuple((i, count / sides**4) for i, count in enumerate(throws.values()))
        self._pairings = [_pairings(dice) for dice in self._throws]
        self._none: Heights = (0,) * columns
        self._steps = tuple(map(_steps, self.lengths))
        self._shares = Cache(partial(_shares, self._steps))
        self._turns = Cache(partial(_turn, self.num_distinct_actions))
        self._chance_to_climb: dict[frozenset[int], float] = {}

    def initial(self) -> CantStopPosition:
        return CantStopPosition((self._none, self._none), self._none, 0, (), CHANCE)

    def player(self, position: CantStopPosition) -> int:
        return position.acting

    def actions(self, position: CantStopPosition) -> Sequence[int]:
        return position.climbs or _ROLL_OR_STOP

    def chances(self, position: CantStopPosition) -> Sequence[tuple[int, float]]:
        return self._chances

    def apply(self, position: CantStopPosition, action: int) -> CantStopPosition:
        heights, runners, mover, _, acting = position
        if acting == CHANCE:
            return CantStopPosition(heights, runners, mover, self._climbs(position, action), mover)
        if action == ROLL:
            return CantStopPosition(heights, runners, mover, (), CHANCE)
        if action == STOP:
            return self._stopped(heights, runners, mover)
        if action == PASS:
            return CantStopPosition(heights, self._none, 1 - mover, (), CHANCE)
        moved = list(runners)
        for column in self.climbed[action]:
            moved[column] = (moved[column] or heights[mover][column]) + 1
        return CantStopPosition(heights, tuple(moved), mover, (), mover)

    def chance_to_climb(self, position: CantStopPosition, player: int) -> float:
        """Returns the chance that a player's throw, with the runners where they are, allows a climb."""
        own, other, runners = position.heights[player], position.heights[1 - player], position.runners
        free = runners.count(0) > len(runners) - RUNNERS
        columns = frozenset(
            column
            for column, (length, runner) in enumerate(zip(self.lengths, runners, strict=True))
            if other[column] < length and (runner or own[column]) < length and (runner or free)
        )
        known = self._chance_to_climb
        if columns not in known:
            known[columns] = sum(
                chance
                for (_, chance), pairings in zip(self._chances, self._pairings, strict=True)
                if any(column in columns for pair in pairings for column in pair)
            )
        return known[columns]

    def _climbs(self, position: CantStopPosition, throw: int) -> tuple[int, ...]:
        heights, runners, mover, _, _ = position
        own, other, lengths = heights[mover], heights[1 - mover], self.lengths
        free = RUNNERS - len(runners) + runners.count(0)

        def room(column: int) -> int:
            """Returns how many steps a runner could climb in this column."""
            length = lengths[column]
            return 0 if other[column] == length else length - (runners[column] or own[column])

        climbs = set()
        for first, second in self._pairings[throw]:
            able_first = room(first) > 0 and (runners[first] > 0 or free > 0)
            if first == second:
                if able_first:
                    climbs.add((first, first) if room(first) > 1 else (first,))
                continue
            able_second = room(second) > 0 and (runners[second] > 0 or free > 0)
            if able_first and able_second:
                # Both must be climbed, unless only one runner is left for two new columns: then one of them.
                if free > 1 or runners[first] or runners[second]:
                    climbs.add((first, second))
                else:
                    climbs.update([(first,), (second,)])
            elif able_first or able_second:
                climbs.add((first,) if able_first else (second,))
        return self._actions[frozenset(climbs)]

    def _stopped(self, heights: tuple[Heights, Heights], runners: Heights, mover: int) -> CantStopPosition:
        own, other = tuple(map(max, heights[mover], runners)), heights[1 - mover]
        won = [column for column, length in enumerate(self.lengths) if own[column] == length]
        # The other player's height in a column just won no longer matters: 0 makes keys equal.
        if any(other[column] for column in won):
            other = tuple([0 if column in won else height for column, height in enumerate(other)])
        heights = (own, other) if mover == 0 else (other, own)
        acting = TERMINAL if len(won) >= self.columns_to_win else CHANCE
        return CantStopPosition(heights, self._none, 1 - mover, (), acting)

    def utility(self, position: CantStopPosition) -> float:
        return 1.0 if position.mover == 1 else -1.0  # the winner stopped, which passed the turn

    def action_name(self, position: CantStopPosition, player: int, action: int) -> str:
        if player == CHANCE:
            return "rolled " + " ".join(map(str, self._throws[action]))
        if action < _FIRST_CLIMB:
            return ("roll", "stop", "pass")[action]
        sums = [str(column + 2) for column in self.climbed[action]]
        return f"{sums[0]} twice" if len(sums) == 2 and sums[0] == sums[1] else " and ".join(sums)

    def draw(self, position: CantStopPosition) -> str:
        heights, runners, mover, climbs, acting = position
        lines = []
        for column, length in enumerate(self.lengths):
            marks = ["."] * length
            for player, sign in ((0, "X"), (1, "O")):
                if heights[player][column]:
                    step = heights[player][column] - 1
                    marks[step] = sign if marks[step] == "." else "8"
            if runners[column]:
                marks[runners[column] - 1] = "^"
            winner = [f"  player {p}" for p in (0, 1) if heights[p][column] == length]
            lines.append(f"{column + 2:>3} {' '.join(marks)}" + "".join(winner))
        lines.append("    X player 0, O player 1, 8 both, ^ runner")
        if acting == CHANCE:
            lines.append(f"> player {mover} rolls")
        elif acting != TERMINAL:
            lines.append(f"> player {mover}" + (" is stuck" if climbs == (PASS,) else ""))
        return "\n".join(lines)

    def observation(self, position: CantStopPosition, player: int) -> NDArray[np.float32]:
        """Returns own heights, other heights and runners (each as a share of its column's length), the
        actions that the throw allows (an entry for each from 2 on), own turn, and whether to roll.
        """
        heights, runners, mover, climbs, acting = position
        shares = self._shares
        return vector(
            (
                shares[heights[player]],
                shares[heights[1 - player]],
                _shares(self._steps, runners),  # not cached, because runners change too often
                self._turns[climbs, mover == player, acting == CHANCE],
            )
        )


def _actions(number: dict[tuple[int, ...], int], climbs: frozenset[tuple[int, ...]]) -> tuple[int, ...]:
    """Returns the actions for these climbs, or (PASS,) if there are none."""
    return tuple(sorted(number[climb] for climb in climbs)) or (PASS,)


def _steps(length: int) -> tuple[bytes, ...]:
    """Returns each height in a column of this length as a share of the length."""
    return tuple(entries_of([height / length]) for height in range(length + 1))


def _shares(columns: tuple[tuple[bytes, ...], ...], heights: Heights) -> bytes:
    """Returns each height as a share of its column's length."""
    return b"".join(map(getitem, columns, heights))


def _turn(actions: int, turn: tuple[tuple[int, ...], bool, bool]) -> bytes:
    """Returns whether the throw allows each action from PASS on, own turn, and whether to roll."""
    climbs, own_turn, to_roll = turn
    entries = bytearray(4 * (actions - PASS))
    for climb in climbs:
        entries[4 * (climb - PASS) : 4 * (climb - PASS) + 4] = _ONE
    return bytes(entries) + entries_of((own_turn, to_roll))


def _pairings(dice: tuple[int, ...]) -> list[tuple[int, int]]:
    """Returns the distinct ways to pair four dice, as pairs of columns (sum - 2), the lower column first."""
    a, b, c, d = dice
    sums = ((a + b, c + d), (a + c, b + d), (a + d, b + c))
    return sorted({(min(pair) - 2, max(pair) - 2) for pair in sums})


def parameters(rules: CantStop) -> tuple[int, ...]:
    """Returns the parameters of the native core's model, in its order."""
    return rules.sides, rules.shortest, rules.columns_to_win


def numbers(position: CantStopPosition) -> tuple[int, ...]:
    """Returns the numbers of a position that the native core's model reads, in its order."""
    (first, second), runners, mover, climbs, acting = position
    return *first, *second, *runners, mover, acting, len(climbs), *climbs
