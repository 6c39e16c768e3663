"""The native models play OpenSpiel's rules: states, actions and successors of random games are the same."""

import pytest
from support.native import spread, walk

from starspiel.envs.base import CHANCE, TERMINAL

# Parameters that bring the rare rules about: horizons, draws, variants, scoring.
GAMES = {
    "pig": 10,
    "pig(winscore=20,horizon=30)": 20,
    "pig(piglet=true,diceoutcomes=2,winscore=10)": 10,
    "einstein_wurfelt_nicht": 20,
    "maedn(players=2)": 2,
    "maedn(players=2,twoPlayersOpposite=false)": 2,
    "maedn(players=4)": 1,
    "maedn(players=3)": 1,
    "pig(players=3)": 10,
    "pig(players=10,winscore=20,horizon=90)": 10,
    "yacht(players=3,num_dice=2)": 3,
    "yacht(players=10,num_dice=1)": 1,
    "yacht(players=2,num_dice=2)": 3,
    "yacht(players=1)": 1,
    "yacht(players=2,dice_sides=4,num_dice=3,rolls_per_turn=2)": 2,
    "yacht(sort_dice=true,num_dice=3)": 2,
    "2048": 1,
    "2048(max_tile=16)": 20,
    "2048(max_tile=64)": 10,
    "connect_four": 6,
    "connect_four(rows=5,columns=4,x_in_row=3)": 8,
    "connect_four(rows=7,columns=8,x_in_row=5)": 6,
    "banqi": 4,
    "banqi(max_no_progress=6)": 6,
    "backgammon": 1,
    "backgammon(scoring_type=full_scoring,max_player_turns=60)": 1,
    "backgammon(scoring_type=enable_gammons)": 1,
}


def check_rules(probe, state, said):
    """The model's player, actions, outcomes and successors are OpenSpiel's."""
    player = state.current_player()
    assert said["player"] == player
    if player == TERMINAL:
        assert said["value"] == state.player_return(0)
        assert said.get("returns", state.returns()) == state.returns()
        return
    expected = state.chance_outcomes() if player == CHANCE else [(a, 1.0) for a in state.legal_actions()]
    assert [(action, probability) for action, probability, _ in said["next"]] == expected
    if player != CHANCE:
        assert said["allowed"] == state.legal_actions()
    for action, _, after in spread(said["next"], state.move_number()):
        assert after == probe.describe(state.child(action))["bytes"], action


def best_by_heuristic(probe, state):
    """(value, action) of each move by the heuristic of its successor, the best first, then by action."""
    sign = 1 if state.current_player() == 0 else -1
    values = []
    for action in state.legal_actions():
        after = probe.describe(state.child(action))
        values.append((after["value"] if after["player"] == TERMINAL else after["heuristic"], action))
    return sorted(values, key=lambda pair: (-sign * pair[0], pair[1]))


def check_heuristic(probe, state, said):
    """What the model finds without making the successors is what the successors say."""
    if said["player"] == CHANCE and said["mean"] is not None:
        mean = 0.0
        for outcome, probability in state.chance_outcomes():
            if probability > 0:
                mean += probability * probe.describe(state.child(outcome))["best"][1]
        assert said["mean"] == mean
    if said["player"] >= 0 and said["best"] is not None:
        values = best_by_heuristic(probe, state)
        assert said["best"] == values[0][::-1]
        action, value = probe.describe(state, enough=values[-1][0])["best"]
        assert (value, action) in values  # good enough


@pytest.mark.parametrize("game", GAMES)
def test_model_is_openspiel(probe, game):
    compared = 0
    for seed in range(GAMES[game]):
        for state in walk(game, seed):
            try:
                said = probe.describe(state)
            except ValueError:  # before the stones are placed, or the opening roll
                assert compared == 0 or state.move_number() < 3
                continue
            check_rules(probe, state, said)
            check_heuristic(probe, state, said)
            compared += 1
    assert compared > 60


@pytest.mark.slow
def test_yachts_best_move_by_its_heuristic(probe):
    """With all five dice, which alone have a heuristic; throws have too many outcomes to compare."""
    decisions = [state for state in walk("yacht(players=2)", 1) if state.current_player() >= 0]
    assert len(decisions) > 25
    found = 0
    for state in decisions[::2]:
        said = probe.describe(state)
        check_rules(probe, state, said)
        check_heuristic(probe, state, said)
        found += said["best"] is not None
    assert found > 6


def test_games_without_a_model_are_named(probe):
    for game in ("catch", "chinese_checkers(players=3)"):
        with pytest.raises(ValueError, match="no model for this form of the game"):
            probe.describe(next(walk(game, 1)))
