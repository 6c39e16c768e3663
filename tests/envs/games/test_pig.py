from starspiel.envs.base import TERMINAL
from starspiel.envs.games.pig import ROLL, STOP, Pig, PigPosition


def test_a_one_loses_the_turn_total_and_a_stop_keeps_it() -> None:
    rules = Pig(goal=10)
    rolling = rules.apply(PigPosition((3, 4), 5, 1, 1), ROLL)
    assert rules.apply(rolling, 0) == PigPosition((3, 4), 0, 0, 0)
    assert rules.apply(rolling, 3) == PigPosition((3, 4), 9, 1, 1)
    assert rules.apply(PigPosition((3, 4), 5, 1, 1), STOP) == PigPosition((3, 9), 0, 0, 0)
    assert rules.actions(PigPosition((3, 4), 6, 1, 1)) == (STOP,)
    won = rules.apply(PigPosition((3, 4), 6, 1, 1), STOP)
    assert rules.player(won) == TERMINAL
    assert rules.utility(won) == -1.0
