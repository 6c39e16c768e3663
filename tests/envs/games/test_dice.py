import pytest

from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.games.dice import TO_ROLL, Dice, DicePosition

GAME = Dice()
PASS = 5


def cells(*places: tuple[int, int], size: int = 5) -> int:
    return sum(1 << row * size + column for row, column in places)


def test_the_die_names_a_row_for_player_0_and_a_column_for_player_1() -> None:
    for mover, names in ((0, "row 3 column {}"), (1, "row {} column 3")):
        position = GAME.apply(DicePosition((0, 0), mover, TO_ROLL, CHANCE), 2)
        assert [GAME.action_name(position, mover, a) for a in GAME.actions(position)] == [
            names.format(i) for i in range(1, 6)
        ]
    assert GAME.apply(DicePosition((0, 0), 0, 2, 0), 4).stones == (cells((2, 4)), 0)
    assert GAME.apply(DicePosition((0, 0), 1, 2, 1), 4).stones == (0, cells((4, 2)))


@pytest.mark.parametrize(
    "line",
    [
        [(2, 0), (2, 1), (2, 2), (2, 3)],
        [(1, 2), (2, 2), (3, 2), (4, 2)],
        [(1, 1), (2, 2), (3, 3), (4, 4)],
        [(1, 4), (2, 3), (3, 2), (4, 1)],
    ],
    ids=["row", "column", "diagonal", "other diagonal"],
)
@pytest.mark.parametrize("mover", [0, 1])
def test_four_in_a_line_win_whichever_stone_is_last(line, mover) -> None:
    for row, column in line:
        own = cells(*(cell for cell in line if cell != (row, column)))
        stones = (own, cells((0, 0))) if mover == 0 else (cells((0, 0)), own)
        die, place = (row, column) if mover == 0 else (column, row)
        over = GAME.apply(DicePosition(stones, mover, die, mover), place)
        assert GAME.player(over) == TERMINAL
        assert GAME.utility(over) == (1.0 if mover == 0 else -1.0)


def test_lines_do_not_wrap_around_the_edge() -> None:
    stones = (cells((0, 3), (0, 4), (1, 0)), 0)
    assert GAME.player(GAME.apply(DicePosition(stones, 0, 1, 0), 1)) == CHANCE
    stones = (cells((0, 1), (1, 0), (3, 3)), 0)
    assert GAME.player(GAME.apply(DicePosition(stones, 0, 2, 0), 4)) == CHANCE


def test_a_full_board_without_a_line_is_a_draw() -> None:
    rules = Dice(size=3, line=3)
    #  X O X
    #  X O O
    #  O X .  and X comes last
    first = cells((0, 0), (0, 2), (1, 0), (2, 1), size=3)
    second = cells((0, 1), (1, 1), (1, 2), (2, 0), size=3)
    over = rules.apply(DicePosition((first, second), 0, 2, 0), 2)
    assert rules.player(over) == TERMINAL
    assert rules.utility(over) == 0.0


def test_a_full_row_passes_or_is_not_rolled() -> None:
    row = cells(*((2, column) for column in range(5)))
    stones = (row & 0b01010 << 10, row & ~(0b01010 << 10))
    position = DicePosition(stones, 0, TO_ROLL, CHANCE)
    named = GAME.apply(position, 2)
    assert list(GAME.actions(named)) == [PASS]
    assert GAME.apply(named, PASS) == DicePosition(stones, 1, TO_ROLL, CHANCE)
    assert Dice(full="reroll").chances(position) == [(face, 0.25) for face in (0, 1, 3, 4)]


@pytest.mark.parametrize("size", [3, 5])
def test_the_free_places_of_random_games(size, random_walk) -> None:
    game = Dice(size, 3)
    for seed in range(20):
        for position, _ in random_walk(game, seed):
            if game.player(position) in (0, 1):
                lane = [(position.die, place)[:: 1 - 2 * position.mover] for place in range(size)]
                taken = position.stones[0] | position.stones[1]
                free = [i for i, (row, column) in enumerate(lane) if not taken >> row * size + column & 1]
                assert list(game.actions(position)) == (free or [size])
