"""Positions inside OpenSpiel's wrappers are those that the wrapper tells."""

import random

import pyspiel
import pytest

from starspiel.envs.inside import unwrapped_state

GOOFSPIEL = "goofspiel(imp_info=False,num_cards=4)"


@pytest.mark.parametrize(
    "name",
    [
        "zerosum(game=matrix_bos())",
        "misere(game=oshi_zumo(coins=6,size=1))",
        "misere(game=goofspiel(imp_info=False,num_cards=4,players=3))",
        f"zerosum(game=start_at(game={GOOFSPIEL},history=0;5;1))",
        "misere(game=start_at(game=pig(),history=0;3))",
    ],
)
def test_the_position_inside_follows_moves_in_turn_and_at_once(name: str) -> None:
    rng = random.Random(1)
    state = pyspiel.load_game(name).new_initial_state()
    for _ in range(30):
        inside = unwrapped_state(state)
        assert (str(inside), inside.current_player()) == (str(state), state.current_player())
        if state.is_terminal():
            break
        if state.is_simultaneous_node():
            players = range(state.num_players())
            state.apply_actions([rng.choice(state.legal_actions(player)) for player in players])
        else:
            state.apply_action(rng.choice(state.legal_actions()))
