"""What a network sees: the core's encoders and those in Python, input for input."""

import pytest
from support.native import walk

from starspiel.agents.encoders import encoder_of
from starspiel.agents.native_positions import for_core
from starspiel.envs.load import load_game

OWN = [
    "backgammon",
    "backgammon(scoring_type=full_scoring)",
    "banqi",
    "einstein_wurfelt_nicht",
    "maedn(players=2)",
    "maedn(players=2,twoPlayersOpposite=false)",
    "pig",
    "pig(winscore=30,piglet=true)",
    "yacht(players=2)",
    "yacht(players=2,num_dice=3,dice_sides=4)",
]
RULES = [
    "cant_stop",
    "cant_stop(sides=8,shortest=1)",
    "cant_stop(sides=2)",
    "dice",
    "dice(full=reroll,line=3,size=3)",
    "knucklebones",
    "knucklebones(columns=2,rows=7,sides=9)",
    "royal_game_of_ur",
    "royal_game_of_ur(dice=2,pieces=3)",
    "royal_game_of_ur(rules=masters)",
    "star_pig",
    "star_pig(goal=7,piglet=true)",
]
OBSERVED = [
    "breakthrough(rows=6,columns=6)",
    "connect_four",
    "mnk(m=3,n=3,k=3)",
    "othello",
    "tic_tac_toe",
]


@pytest.mark.parametrize("name", OWN + RULES + OBSERVED)
def test_features_equal_those_in_python(core, name):
    encoder = encoder_of(load_game(name))
    assert (encoder.name == "observation") == (name in OBSERVED)
    compared = 0
    for seed in range(3):
        for number, state in enumerate(walk(name, seed)):
            if state.is_terminal() or not encoder.sees(state) or number > 400:
                continue
            features = core.features(for_core(core, state))
            assert features == encoder.encode(state), state
            inputs = [at for at, _ in features]
            assert inputs == sorted(set(inputs))
            assert max(inputs, default=0) < len(encoder.units)
            assert all(count != 0 for _, count in features)
            compared += 1
    assert compared > 10


@pytest.mark.parametrize("name", [*OWN, "cant_stop", "connect_four", "knucklebones"])
def test_what_is_not_seen_is_refused(core, name):
    encoder = encoder_of(load_game(name))
    refused = [state for state in walk(name, 1) if state.is_terminal() or not encoder.sees(state)]
    # At the start of backgammon and einstein nobody has begun: no model plays there.
    for state in refused[3:] or refused:
        with pytest.raises(ValueError, match="expected a position that a network of this game sees"):
            core.features(for_core(core, state))


def test_numbers_beyond_sixteen_bits_are_cut(core):
    """2048's tiles go beyond the 128 that a count of 256ths holds."""
    encoder = encoder_of(load_game("2048"))
    most = 0
    for seed in range(3):
        for state in walk("2048", seed):
            if not state.is_terminal() and encoder.sees(state):
                features = core.features(state)
                assert features == encoder.encode(state)
                most = max(most, *(count for _, count in features))
    assert most == 32767
