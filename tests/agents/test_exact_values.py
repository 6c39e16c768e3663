"""Published exact values of games that do not ship, written here as a table or as rules of one's own."""

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from starspiel import Limits, search
from starspiel.agents.solve import solve
from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.load import load_game
from starspiel.envs.rules import Rules

# 2048 on a board of two by two, its spawns part of the transitions.

Board = tuple[int, int, int, int]
_LINES = {0: ((0, 1), (2, 3)), 1: ((1, 0), (3, 2)), 2: ((0, 2), (1, 3)), 3: ((2, 0), (3, 1))}


def slid(board: Board, direction: int) -> tuple[Board, int]:
    """The board after a move, and what it scores."""
    cells, score = list(board), 0
    for near, far in _LINES[direction]:
        if cells[near] == cells[far] != 0:
            cells[near], cells[far] = 2 * cells[far], 0
            score += cells[near]
        elif cells[near] == 0:
            cells[near], cells[far] = cells[far], 0
    return (cells[0], cells[1], cells[2], cells[3]), score


def spawned(board: Board) -> Iterator[tuple[float, Board]]:
    empty = [i for i, tile in enumerate(board) if not tile]
    for i in empty:
        for tile, chance in ((2, 0.9), (4, 0.1)):
            yield chance / len(empty), (*board[:i], tile, *board[i + 1 :])  # type: ignore[misc]


class Small2048(gymnasium.Env[int, int]):
    """Pays the score of every merge; or 1 for the first tile of size `aim`, and that is the end."""

    def __init__(self, aim: int | None = None) -> None:
        self.action_space = spaces.Discrete(4)
        number: dict[Board, int] = {}
        begun = [(p * q, board) for p, one in spawned((0, 0, 0, 0)) for q, board in spawned(one)]
        ahead = list(dict.fromkeys(board for _, board in begun))
        number.update({board: i for i, board in enumerate(ahead)})
        self.P: dict[int, dict[int, Any]] = {}
        for board in ahead:  # grows on the way
            rows: dict[int, Any] = {}
            for direction in range(4):
                after, score = slid(board, direction)
                if after == board:
                    continue
                reached = aim is not None and aim in after
                paid = float(score if aim is None else reached)
                rows[direction] = []
                for chance, following in spawned(after):
                    over = reached or all(slid(following, d)[0] == following for d in range(4))
                    if not over and following not in number:
                        number[following] = len(number)
                        ahead.append(following)
                    rows[direction].append((chance, number.get(following, 10**6), paid, over))
            self.P[number[board]] = rows
        self.initial_state_distrib = np.zeros(len(number))
        for chance, board in begun:
            self.initial_state_distrib[number[board]] += chance


@pytest.mark.parametrize(
    ("aim", "value"), [(16, 0.962511253750), (32, 0.082887289072), (None, 66.964149457101)]
)
def test_2048_on_two_by_two(aim: int | None, value: float) -> None:
    solution = solve(load_game(Small2048(aim)))
    assert solution.value == pytest.approx(value, abs=1e-9)
    assert solution.residual < 1e-12


# Bearing off in backgammon, the board of either side alone.

Points = tuple[int, ...]


class Race(NamedTuple):
    """`boards[i]`: the checkers of side i on its points 1 to 6; `dice` are those still to be played."""

    boards: tuple[Points, Points]
    mover: int = 0
    dice: tuple[int, ...] | None = None


@cache
def rolls() -> tuple[tuple[int, float], ...]:
    return tuple((a * 7 + b, (1 if a == b else 2) / 36) for a in range(1, 7) for b in range(a, 7))


class BearOff(Rules[Race]):
    """An action is the point to move from times 7, plus the die; 0 passes if no checker can move."""

    num_distinct_actions = 49
    max_chance_outcomes = 49

    def __init__(self, first: Points, second: Points) -> None:
        self.name = "bear_off"
        self.boards = first, second

    def initial(self) -> Race:
        return Race(self.boards)

    def player(self, position: Race) -> int:
        if not all(map(any, position.boards)):
            return TERMINAL
        return CHANCE if position.dice is None else position.mover

    def actions(self, position: Race) -> list[int]:
        board = position.boards[position.mover]
        highest = max(point for point in range(1, 7) if board[point - 1])
        found = [
            point * 7 + die
            for point in range(1, 7)
            if board[point - 1]
            for die in sorted(set(position.dice or ()))
            if point >= die or point == highest
        ]
        return found or [0]

    def chances(self, position: Race) -> tuple[tuple[int, float], ...]:
        return rolls()

    def apply(self, position: Race, action: int) -> Race:
        boards, mover, dice = position
        if dice is None:
            a, b = divmod(action, 7)
            return Race(boards, mover, (a,) * 4 if a == b else (a, b))
        point, die = divmod(action, 7)
        board = list(boards[mover])
        board[point - 1] -= 1
        if point > die:
            board[point - die - 1] += 1
        after = (tuple(board), boards[1]) if mover == 0 else (boards[0], tuple(board))
        left = list(dice)
        left.remove(die)
        return Race(after, mover, tuple(left)) if left else Race(after, 1 - mover)

    def utility(self, position: Race) -> float:
        return 1.0 if not any(position.boards[0]) else 0.0

    def action_name(self, position: Race, player: int, action: int) -> str:
        return str(divmod(action, 7))

    def draw(self, position: Race) -> str:
        return str(position)

    def observation(self, position: Race, player: int) -> Any:
        return np.zeros(1, np.float32)


def on(*points: int) -> Points:
    return tuple(points.count(point) for point in range(1, 7))


def bear_off(first: Points, second: Points) -> BearOff:
    game = BearOff(first, second)
    game.utility_range = 0.0, 1.0  # the chance to win, instead of a zero sum
    return game


@pytest.mark.parametrize(
    ("first", "second", "wins"), [(on(5, 2), on(1), 19 / 36), (on(6, 6), on(6, 6), 0.754494349223)]
)
def test_bearing_off_against_each_other(first: Points, second: Points, wins: float) -> None:
    assert solve(bear_off(first, second)).value == pytest.approx(wins, abs=1e-9)


@pytest.mark.parametrize("algorithm", ["expectiminimax", "star1", "star2"])
def test_searches_bear_off_as_well(algorithm: str) -> None:
    root = bear_off(on(5, 2), on(1)).new_initial_state()
    found = [(p, search(root.child(roll), algorithm, Limits(depth=8))) for roll, p in root.chance_outcomes()]
    assert all(result.exact for _, result in found)
    assert sum(p * result.value for p, result in found) == pytest.approx(19 / 36, abs=1e-12)


# Bearing off alone: the least mean number of rolls, each of which costs 1.


class BearOffAlone(gymnasium.Env[int, int]):
    """A table of (board, dice left) positions; an action is that of `BearOff`."""

    action_space = spaces.Discrete(49)

    def __init__(self, board: Points) -> None:
        rules = BearOff(board, on(1))

        def thrown(race: Race) -> list[tuple[Race, float]]:
            return [(rules.apply(race, roll)._replace(mover=0), p) for roll, p in rolls()]

        first = thrown(rules.initial())
        number = {race: i for i, (race, _) in enumerate(first)}
        self.initial_state_distrib = [p for _, p in first]
        self.P: list[list[Any]] = []
        ahead = list(number)
        for race in ahead:  # grows on the way
            rows: list[Any] = [None] * 49
            for action in rules.actions(race):
                after = rules.apply(race, action)
                if not any(after.boards[0]):
                    rows[action] = [(1.0, 10**6, -1.0, True)]
                    continue
                following = thrown(after) if after.dice is None else [(after, 1.0)]
                for successor, _ in following:
                    if successor not in number:
                        number[successor] = len(number)
                        ahead.append(successor)
                paid = -1.0 if after.dice is None else 0.0
                rows[action] = [(p, number[successor], paid, False) for successor, p in following]
            self.P.append(rows)


@pytest.mark.parametrize(
    ("board", "least_rolls"),
    [
        (on(4), 1 + 2 / 36),
        (on(5), 1 + 5 / 36),
        (on(6), 1.25),
        (on(*[1] * 15), 6.979591764),
    ],
)
def test_bearing_off_alone(board: Points, least_rolls: float) -> None:
    assert -solve(load_game(BearOffAlone(board))).value == pytest.approx(least_rolls, abs=1e-9)
