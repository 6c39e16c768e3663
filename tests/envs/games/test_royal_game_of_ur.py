import pytest

from starspiel.envs.base import CHANCE
from starspiel.envs.games.royal_game_of_ur import PASS, TO_ROLL, RoyalGameOfUr, UrPosition

GAME = RoyalGameOfUr()


def bits(*squares: int) -> int:
    return sum(1 << square for square in squares)


def at(roll: int, own: int = 0, other: int = 0, home: tuple[int, int] = (0, 0), mover: int = 0) -> UrPosition:
    squares = (own, other) if mover == 0 else (other, own)
    return UrPosition(mover, roll, squares, home)


def test_the_dice() -> None:
    assert list(GAME.chances(GAME.initial())) == [
        (0, 1 / 16),
        (1, 4 / 16),
        (2, 6 / 16),
        (3, 4 / 16),
        (4, 1 / 16),
    ]


def moves(game: RoyalGameOfUr, position: UrPosition) -> list[int]:
    """The legal actions, square by square."""
    mover, roll, squares, home = position
    own, other = squares[mover], squares[1 - mover]
    held = {square for square in range(1, 15) if own >> square & 1}
    taken = held | ({8} if other >> 8 & 1 else set())
    if roll == 0:
        return [PASS]
    pieces = [0] * (len(held) + home[mover] < game.pieces) + sorted(held)
    return [piece for piece in pieces if piece + roll <= 15 and piece + roll not in taken] or [PASS]


@pytest.mark.parametrize("game", [GAME, RoyalGameOfUr(pieces=3, dice=8)])
def test_the_moves_of_random_games(game, random_walk) -> None:
    for seed in range(20):
        for position, _ in random_walk(game, seed):
            if game.player(position) in (0, 1):
                assert list(game.actions(position)) == moves(game, position)


@pytest.mark.parametrize(
    ("square", "roll", "again"), [(0, 4, True), (5, 3, True), (13, 1, True), (0, 3, False)]
)
def test_a_rosette_gives_another_turn(square, roll, again) -> None:
    own = bits(square) if square else 0
    for mover in (0, 1):
        after = GAME.apply(at(roll, own, mover=mover), square)
        assert after.mover == (mover if again else 1 - mover)
        assert GAME.player(after) == CHANCE


def test_taking_sends_the_piece_back_to_hand() -> None:
    after = GAME.apply(at(2, own=bits(5), other=bits(7, 9)), 5)
    assert after.squares == (bits(7), bits(9))
    assert GAME.action_name(at(2, own=bits(5), other=bits(7)), 0, 5) == "move 5 to 7, takes"


def test_own_stretches_are_not_shared() -> None:
    for square in (1, 2, 3, 4, 13, 14):
        start, roll = (0, square) if square < 5 else (square - 1, 1)
        position = at(roll, own=bits(start) if start else 0, other=bits(square))
        assert start in GAME.actions(position)
        assert GAME.apply(position, start).squares[1] == bits(square)


def test_nothing_to_move_is_a_pass() -> None:
    assert list(GAME.actions(at(0, own=bits(3)))) == [PASS]
    assert list(GAME.actions(at(4, own=bits(13), home=(6, 0)))) == [PASS]
    assert GAME.apply(at(0, own=bits(3)), PASS) == UrPosition(1, TO_ROLL, (bits(3), 0), (0, 0))
