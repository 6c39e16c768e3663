from itertools import product

import pytest

from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.games.cant_stop import PASS, ROLL, STOP, CantStop, CantStopPosition

GAME = CantStop()


def columns(**steps: int) -> tuple[int, ...]:
    """Heights by column, as in columns(c7=3, c12=1)."""
    return tuple(steps.get(f"c{total}", 0) for total in range(2, 13))


NONE = columns()


def at_throw(own=NONE, other=NONE, runners=NONE) -> CantStopPosition:
    return CantStopPosition((own, other), runners, 0, (), CHANCE)


def thrown(position: CantStopPosition, *dice: int) -> CantStopPosition:
    return GAME.apply(position, GAME._throws.index(tuple(sorted(dice))))


def choices(position: CantStopPosition, *dice: int) -> set[str]:
    after = thrown(position, *dice)
    return {GAME.action_name(after, 0, action) for action in GAME.actions(after)}


def climb(position: CantStopPosition, name: str) -> CantStopPosition:
    named = {GAME.action_name(position, position.mover, a): a for a in GAME.actions(position)}
    return GAME.apply(position, named[name])


def test_the_board() -> None:
    assert GAME.lengths == (3, 5, 7, 9, 11, 13, 11, 9, 7, 5, 3)
    assert CantStop(sides=2).lengths == (3, 5, 3)
    assert CantStop(sides=3, shortest=1).lengths == (1, 3, 5, 3, 1)


def test_all_pairings_are_offered_and_nothing_else() -> None:
    assert choices(at_throw(), 1, 2, 4, 6) == {"3 and 10", "5 and 8", "6 and 7"}
    assert choices(at_throw(), 3, 3, 4, 4) == {"6 and 8", "7 twice"}
    assert choices(at_throw(), 5, 5, 5, 5) == {"10 twice"}


def test_the_only_column_to_go_is_climbed_alone() -> None:
    runners = columns(c2=1, c3=1, c12=1)
    assert choices(at_throw(runners=runners), 1, 1, 4, 5) == {"2"}  # 2 + 9, or 5 + 6: only 2 has a runner
    assert choices(at_throw(runners=runners), 1, 1, 6, 6) == {"2 and 12"}
    assert choices(at_throw(runners=runners), 3, 4, 5, 6) == {"pass"}


def test_one_runner_left_for_two_new_columns_is_a_choice_of_one() -> None:
    runners = columns(c2=1, c12=1)
    assert choices(at_throw(runners=runners), 3, 3, 4, 6) == {"6", "10", "7", "9"}
    # A pair that shares a runner's column needs but one new runner, and must be climbed whole.
    assert choices(at_throw(runners=runners), 1, 1, 3, 5) == {"2 and 8", "4", "6"}


def test_won_columns_are_closed_to_both() -> None:
    assert choices(at_throw(own=columns(c7=13)), 3, 4, 3, 4) == {"6 and 8"}
    assert choices(at_throw(other=columns(c7=13)), 3, 4, 3, 4) == {"6 and 8"}
    assert choices(at_throw(own=columns(c6=11), other=columns(c7=13, c8=11)), 3, 4, 3, 4) == {"pass"}


def test_a_double_climbs_once_where_one_step_is_left() -> None:
    assert choices(at_throw(own=columns(c10=5)), 5, 5, 5, 5) == {"10 twice"}
    assert choices(at_throw(own=columns(c10=6)), 5, 5, 5, 5) == {"10"}
    assert choices(at_throw(runners=columns(c10=7)), 5, 5, 5, 5) == {"pass"}


def test_runners_start_from_the_players_own_marker_and_stopping_keeps_them() -> None:
    position = climb(thrown(at_throw(own=columns(c6=4)), 3, 3, 4, 4), "6 and 8")
    assert position.runners == columns(c6=5, c8=1)
    assert list(GAME.actions(position)) == [ROLL, STOP]
    stopped = GAME.apply(position, STOP)
    assert stopped.heights == (columns(c6=5, c8=1), columns())
    assert (stopped.mover, stopped.acting, stopped.runners) == (1, CHANCE, columns())


def test_a_bust_loses_the_runners_and_the_turn() -> None:
    position = thrown(at_throw(own=columns(c6=4), runners=columns(c2=1, c3=1, c12=1)), 3, 4, 5, 6)
    assert position.climbs == (PASS,)
    after = GAME.apply(position, PASS)
    assert after == CantStopPosition((columns(c6=4), columns()), columns(), 1, (), CHANCE)


def test_the_third_column_wins_and_only_when_stopping() -> None:
    own = columns(c2=3, c12=3, c7=12)
    position = climb(thrown(at_throw(own=own, other=columns(c7=9)), 3, 4, 3, 4), "7")
    assert GAME.player(position) == 0
    won = GAME.apply(position, STOP)
    assert GAME.player(won) == TERMINAL
    assert GAME.utility(won) == 1.0
    assert won.heights == (columns(c2=3, c12=3, c7=13), columns())  # the other's marker leaves a won column


@pytest.mark.parametrize(("sums", "published"), [((6, 7, 8), 0.92), ((2, 3, 12), 0.44), ((2, 7, 12), 0.78)])
def test_the_chance_to_climb_with_three_runners_is_the_known_one(sums, published) -> None:
    position = at_throw(runners=columns(**{f"c{total}": 1 for total in sums}))
    chance = sum(p for throw, p in GAME.chances(position) if GAME.apply(position, throw).climbs != (PASS,))
    helped = sum(
        any(dice[i] + dice[j] in sums for i in range(4) for j in range(i))
        for dice in product(range(1, 7), repeat=4)
    )
    assert chance == pytest.approx(helped / 6**4, abs=1e-12)
    assert chance == pytest.approx(published, abs=0.005)


def test_a_board_that_could_run_out_of_columns_is_refused() -> None:
    assert CantStop(sides=2).columns_to_win == 2
    with pytest.raises(ValueError, match="columns_to_win must be at most 2, got 3"):
        CantStop(sides=2, columns_to_win=3)
