"""The native models play OpenSpiel's rules: every state, every action, every successor of random games."""

import pytest

# Parameters that bring the rare rules about: horizons, draws, variants, scoring.
GAMES = {
    "pig": 10,
    "pig(winscore=20,horizon=30)": 20,
    "pig(piglet=true,diceoutcomes=2,winscore=10)": 10,
    "einstein_wurfelt_nicht": 40,
    "maedn(players=2)": 6,
    "maedn(players=2,twoPlayersOpposite=false)": 4,
    "yacht(players=2,num_dice=2)": 3,
    "yacht(players=1)": 1,
    "yacht(players=2,dice_sides=4,num_dice=3,rolls_per_turn=2)": 2,
    "yacht(sort_dice=true,num_dice=3)": 2,
    "2048": 1,
    "2048(max_tile=16)": 20,
    "2048(max_tile=64)": 10,
    "connect_four": 12,
    "connect_four(rows=5,columns=4,x_in_row=3)": 12,
    "connect_four(rows=7,columns=8,x_in_row=5)": 6,
    "banqi": 10,
    "banqi(max_no_progress=6)": 10,
    "backgammon": 6,
    "backgammon(scoring_type=full_scoring,max_player_turns=60)": 8,
    "backgammon(scoring_type=enable_gammons)": 4,
}


@pytest.mark.parametrize("game", GAMES)
def test_model_is_openspiel(core, walk, game):
    compared = 0
    for seed in range(GAMES[game]):
        for state in walk(game, seed):
            try:
                mismatch = core.model_mismatch(state)
            except ValueError:  # before the stones are placed, or the opening roll
                assert compared == 0 or state.move_number() < 3
                continue
            assert mismatch == "", f"{mismatch} at seed {seed}, history {state.history()}\n{state}"
            compared += 1
    assert compared > 60


def test_yachts_best_move_by_its_heuristic(core, walk):
    """With all five dice, which alone have a heuristic; throws have too many outcomes to compare."""
    states = [state for seed in range(4) for state in walk("yacht(players=2)", seed)]
    decisions = [state for state in states if state.current_player() >= 0]
    assert len(decisions) > 100
    for state in decisions:
        assert core.model_mismatch(state) == "", f"{state}"


def test_games_without_a_model_are_named(core, walk):
    with pytest.raises(ValueError, match="no native model"):
        core.model_mismatch(next(walk("catch", 1)))
    with pytest.raises(ValueError, match="no native model"):
        core.model_mismatch(next(walk("pig(players=3)", 1)))
