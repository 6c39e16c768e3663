import random

import pyspiel
import pytest

from starspiel.envs.base import TERMINAL
from starspiel.envs.games.pig import ROLL, STOP, Pig, PigPosition
from starspiel.envs.load import load_game


def position_like(state: pyspiel.State) -> PigPosition:
    """The position that a pyspiel pig state, not over, shows in its string."""
    scores, turn = str(state).split("\n")[0].split(", Turn total: ")
    first, second = map(int, scores.removeprefix("Scores: ").split())
    mover = int(str(state).split("Current player: ")[1][0])
    return PigPosition((first, second), int(turn), mover, state.current_player())


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (Pig(), "pig"),
        (Pig(goal=20), "pig(winscore=20)"),
        (Pig(goal=30, sides=4), "pig(winscore=30,diceoutcomes=4)"),
        (Pig(goal=6, piglet=True), "pig(winscore=6,piglet=true,diceoutcomes=2)"),
        (Pig(goal=9, sides=5, piglet=True), "pig(winscore=9,piglet=true,diceoutcomes=5)"),
    ],
)
def test_plays_move_for_move_like_openspiels_pig(ours: Pig, theirs: str) -> None:
    game = pyspiel.load_game(theirs)
    rng = random.Random(1)
    ended = 0
    for _ in range(60):
        mine, state = ours.new_initial_state(), game.new_initial_state()
        while not state.is_terminal():
            assert mine.position == position_like(state)
            if state.is_chance_node():
                assert dict(mine.chance_outcomes()) == pytest.approx(dict(state.chance_outcomes()))
            else:
                assert list(mine.legal_actions()) == state.legal_actions()
            action = rng.choice(state.legal_actions())
            if state.current_player() >= 0:
                assert mine.action_to_string(0, action) == state.action_to_string(action)
            mine, state = mine.child(action), state.child(action)
        if any(state.returns()):  # not stopped by OpenSpiel's horizon
            assert mine.is_terminal()
            assert mine.returns() == state.returns()
            ended += 1
    assert ended > 20


def test_piglet_has_the_published_values(solve) -> None:
    values = solve(Pig(goal=2, piglet=True))
    win = {
        (own, other, turn): (1 + values[PigPosition((own, other), turn, 0, 0)]) / 2
        for own, other, turn in [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (1, 0, 0), (1, 1, 0)]
    }
    assert win == pytest.approx(
        {
            (0, 0, 0): 4 / 7,
            (0, 0, 1): 5 / 7,
            (0, 1, 0): 2 / 5,
            (0, 1, 1): 3 / 5,
            (1, 0, 0): 4 / 5,
            (1, 1, 0): 2 / 3,
        },
        abs=1e-9,
    )
    for goal, known in [(3, 6 / 11), (10, 0.522479407949)]:
        rules = Pig(goal=goal, piglet=True)
        assert (1 + solve(rules)[rules.initial()]) / 2 == pytest.approx(known, abs=1e-9)


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


def test_piglet_is_a_fair_coin_by_name() -> None:
    game = load_game("star_pig(goal=3,piglet=true)")
    assert isinstance(game, Pig)
    assert game.sides == 2
    assert game.name == "star_pig(goal=3,piglet=true)"
