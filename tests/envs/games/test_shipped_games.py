"""What every shipped game must hold to, checked along random games."""

import pickle

import numpy as np
import pyspiel
import pytest

from starspiel.envs.base import CHANCE, TERMINAL, Game, conforms
from starspiel.envs.boards import board_pixels
from starspiel.envs.conformance import check_game
from starspiel.envs.errors import SpecError
from starspiel.envs.games import GAMES, make_game
from starspiel.envs.load import load_game
from starspiel.envs.openspiel.game import REGISTERED_HERE
from starspiel.envs.rules import RulesState

SPECS = [
    *GAMES,
    "cant_stop(shortest=1,sides=2)",
    "cant_stop(columns_to_win=1,shortest=2,sides=3)",
    "dice(full=reroll)",
    "dice(line=3,size=3)",
    "knucklebones(columns=2,rows=2,sides=3)",
    "royal_game_of_ur(dice=3,pieces=2)",
    "royal_game_of_ur(rules=masters)",
    "royal_game_of_ur(pieces=2,rules=blitz)",
    "royal_game_of_ur(dice=3,rules=aseb)",
    "star_2048(columns=3,rows=2)",
    "star_2048(columns=2,rows=6)",
    "star_pig(goal=7,piglet=true)",
    "star_pig(goal=30,sides=3)",
]


@pytest.mark.parametrize("spec", SPECS)
def test_random_games_keep_to_the_contract_and_name_what_is_done(spec, random_walk) -> None:
    rules = make_game(spec)
    report = check_game(rules, games=10, positions=300, seconds=30.0)
    assert report.ok, str(report)
    for position, event in random_walk(rules, 1):
        player = rules.player(position)
        if player == CHANCE:
            assert max(outcome for outcome, _ in rules.chances(position)) < rules.max_chance_outcomes
            assert rules.action_name(position, CHANCE, event)
        elif player != TERMINAL:
            actions = rules.actions(position)
            assert len({rules.action_name(position, player, action) for action in actions}) == len(actions)
        assert all(rules.observation(position, side).dtype == np.float32 for side in (0, 1))


@pytest.mark.parametrize("spec", SPECS)
def test_pictures_have_one_size(spec, random_walk) -> None:
    rules = make_game(spec)
    walk = [RulesState(rules, position) for position, _ in random_walk(rules, 3)]
    pictures = [board_pixels(state) for state in (walk[0], walk[len(walk) // 2], walk[-1])]
    assert len({picture.shape for picture in pictures}) == 1
    assert pictures[0].shape[2] == 3
    assert pictures[0].dtype == np.uint8
    assert not np.array_equal(pictures[0], pictures[-1])


@pytest.mark.parametrize("spec", SPECS)
def test_the_name_makes_the_game_again(spec) -> None:
    rules = make_game(spec)
    assert rules.name == spec
    again = load_game(rules.name)
    assert type(again) is type(rules)
    assert again.initial() == rules.initial()
    assert conforms(rules, Game)
    copy = pickle.loads(pickle.dumps(rules))
    assert copy.chances(copy.initial()) == rules.chances(rules.initial())


def test_no_name_is_openspiels() -> None:
    assert not set(GAMES) & (set(pyspiel.registered_names()) - set(REGISTERED_HERE))
    assert set(GAMES) <= set(REGISTERED_HERE)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("star_pgi", "Did you mean 'star_pig'"),
        ("star_pig(gaol=3)", "Did you mean 'goal'"),
        ("star_pig(goal=0)", "goal must be a whole number of at least 1"),
        ("star_pig(goal=many)", "got 'many'"),
        ("star_pig(piglet=3)", "piglet must be true or false"),
        ("star_pig(goal=", "brackets"),
    ],
)
def test_wrong_specs_are_one_clear_error(spec, message) -> None:
    with pytest.raises(SpecError, match=message.replace("(", r"\(")):
        make_game(spec)
