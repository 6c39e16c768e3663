"""What kits of games name is there."""

from dataclasses import fields
from importlib import import_module

import pytest

from starspiel.envs.kits import KITS
from starspiel.envs.load import load_game
from starspiel.envs.modules import path_of, resolve


@pytest.mark.parametrize("kit", KITS, ids=lambda kit: kit.name)
def test_all_that_a_kit_names_is_there(kit):
    game = load_game(kit.name)
    assert game.name.partition("(")[0] == kit.name
    for field in fields(kit):
        named = getattr(kit, field.name)
        if not named or field.name == "name":
            continue
        if field.name in ("networks", "small_network", "ntuples"):
            assert all(path_of(each).is_file() for each in (named if isinstance(named, tuple) else [named]))
        elif field.name == "numbers":
            position = game.new_initial_state().position
            told = import_module(named)
            assert all(
                isinstance(number, int) for number in (*told.parameters(game), *told.numbers(position))
            )
        elif field.name == "board":
            assert callable(import_module(named).drawing)
        elif field.name == "moves":
            assert callable(import_module(named).written)
        else:
            assert callable(resolve(named))
