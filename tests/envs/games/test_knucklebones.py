import pytest

from starspiel.envs.base import CHANCE
from starspiel.envs.games.knucklebones import Knucklebones, KnucklebonesPosition, column_score

GAME = Knucklebones()


@pytest.mark.parametrize(
    ("column", "points"),
    [((), 0), ((4,), 4), ((4, 4), 16), ((4, 4, 4), 36), ((4, 4, 1), 17), ((6, 5, 1), 12)],
)
def test_equal_dice_multiply(column, points) -> None:
    assert column_score(column) == points


def test_a_die_destroys_its_equals_in_the_same_column_only() -> None:
    grids = (((2,), (), ()), ((5, 5, 2), (5,), ()))
    after = GAME.apply(KnucklebonesPosition(grids, 0, 5, 0), 0)
    assert after == KnucklebonesPosition((((5, 2), (), ()), ((2,), (5,), ())), 1, 0, CHANCE)
    after = GAME.apply(KnucklebonesPosition(grids[::-1], 1, 5, 1), 1)
    assert after.grids == (((5, 5, 2), (), ()), ((2,), (5,), ()))


def test_full_columns_are_closed() -> None:
    grids = (((2, 2, 2), (), (1,)), ((), (), ()))
    assert list(GAME.actions(KnucklebonesPosition(grids, 0, 5, 0))) == [1, 2]


def test_the_order_in_a_column_makes_no_new_position() -> None:
    one = two = KnucklebonesPosition((((), (), ()), ((), (), ())), 0, 0, CHANCE)
    for die in (3, 6):
        one = GAME.apply(GAME.apply(one, die), 1)._replace(mover=0)
    for die in (6, 3):
        two = GAME.apply(GAME.apply(two, die), 1)._replace(mover=0)
    assert one == two
