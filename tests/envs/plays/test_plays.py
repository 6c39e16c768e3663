"""Each distinct play once, and taken as people write it."""

import random
import re
from typing import Any

import pytest

from starspiel.agents.search import Limits, search
from starspiel.envs.boards import steps_of
from starspiel.envs.errors import StarspielError
from starspiel.envs.load import load_game
from starspiel.envs.plays import direction, meant, play_names, plays
from starspiel.envs.plays.backgammon import parsed
from starspiel.envs.plays.plays import name_of

BACKGAMMON = load_game("backgammon")


def rolled(state: Any, first: int, second: int) -> Any:
    wanted = f"{first}{second}"
    outcome = next(
        o for o, _ in state.chance_outcomes() if f"roll: {wanted}" in state.action_to_string(-1, o)
    )
    return state.child(outcome)


def opened(first: int, second: int) -> Any:
    return rolled(BACKGAMMON.new_initial_state(), first, second)


def test_each_distinct_play_is_listed_once() -> None:
    state = opened(1, 3)
    offered = plays(BACKGAMMON, state)
    assert len(offered) == 16 < len(state.legal_actions())
    assert sorted(a for play in offered for a in play.actions) == sorted(state.legal_actions())
    for play in offered:
        assert {BACKGAMMON.key(state.child(a)) for a in play.actions} == {
            BACKGAMMON.key(state.child(play.action))
        }
    names = play_names(BACKGAMMON, state)
    assert list(names) == state.legal_actions()
    assert set(names.values()) == {play.name for play in offered}
    table = str(search(state, "star2", Limits(depth=1)))
    rows = re.findall(r"^ *\d[\d, ]* +(\S.*\S) +[\d.]+ %$", table, re.MULTILINE)
    assert len(rows) == len(set(rows)) == len(set(names.values())) == len(offered)


def test_a_play_is_taken_as_people_write_it() -> None:
    state = opened(1, 3)
    wanted = next(play for play in plays(BACKGAMMON, state) if play.name == "24/21/20")
    for text in ("24/21/20", "24/20", "24/23/20", " 24/21/20 "):
        assert meant(BACKGAMMON, state, text)[0] in wanted.actions
    assert meant(BACKGAMMON, state, "8/5 6/5") == meant(BACKGAMMON, state, "6/5, 8/5")


@pytest.mark.parametrize(
    ("text", "says"),
    [("24/19", "no play '24/19'"), ("24/25", "answer with 1 to 16"), ("99", "answer with 1 to 16")],
)
def test_what_is_no_play_is_refused_with_what_to_do(text: str, says: str) -> None:
    with pytest.raises(StarspielError, match=says):
        meant(BACKGAMMON, opened(1, 3), text)


def test_a_double_in_one_text_is_two_actions_of_the_same_player() -> None:
    state = opened(1, 2)
    state = rolled(state.child(state.legal_actions()[0]), 6, 6)
    first, second = meant(BACKGAMMON, state, "24/18(2) 13/7(2)")
    after = state.child(first)
    assert after.current_player() == state.current_player()
    end = after.child(second)
    assert end.is_chance_node()
    other = state
    for action in meant(BACKGAMMON, state, "13/7(2) 8/2(2)"):
        other = other.child(action)
    assert BACKGAMMON.key(other) != BACKGAMMON.key(end)


def test_a_hit_on_the_way_tells_plays_apart() -> None:
    rng, told = random.Random(3), 0
    for _ in range(30):
        state = BACKGAMMON.new_initial_state()
        for _ in range(60):
            if state.is_terminal():
                break
            if state.is_chance_node():
                state = state.child(rng.choice([o for o, _ in state.chance_outcomes()]))
                continue
            for play in plays(BACKGAMMON, state):
                assert meant(BACKGAMMON, state, play.name)[0] in play.actions
                told += "*/" in play.name
            state = state.child(rng.choice(state.legal_actions()))
        if told:
            return
    pytest.fail("no play hit on its way")


def test_a_die_that_cannot_be_played_is_left_out_of_a_play() -> None:
    rng = random.Random(1)
    state = BACKGAMMON.new_initial_state()
    while not any(
        re.search(r"/.* Pass", state.action_to_string(state.current_player(), a))
        for a in state.legal_actions()
        if not state.is_chance_node()
    ):
        state = state.child(rng.choice(state.legal_actions()))
    (play,) = plays(BACKGAMMON, state)
    assert re.fullmatch(r"bar/\d+\*?", play.name)
    for text in (play.name.rstrip("*"), f"{play.name} pass"):
        assert meant(BACKGAMMON, state, text) == [play.action]
    assert [start for start, _ in steps_of(state, play.action)] == ["bar"]


def test_steps_are_read() -> None:
    assert parsed("bar/22*") == ((25, 22, True),)
    assert parsed("6/off(2)") == ((6, 0, False), (6, 0, False))
    assert parsed("6/2*(2)") == ((6, 2, True), (6, 2, False))  # only the first checker hits
    assert parsed("8/5*/2") == ((8, 5, True), (5, 2, False))
    assert parsed("bar/22 pass") == ((25, 22, False),)
    assert parsed("roll") is None
    assert parsed("pass") is None
    assert parsed("3/8") is None


def test_throws_are_called_by_what_the_dice_show() -> None:
    state = load_game("maedn(players=2)").new_initial_state()
    assert name_of(state, -1, 3) == "rolled 4"
    names = {name_of(BACKGAMMON.new_initial_state(), -1, o) for o in (0, 1)}
    assert names == {"x starts, rolled 1 2", "o starts, rolled 2 1"}


def test_other_games_are_asked_by_number_and_name() -> None:
    pig = load_game("pig(players=2)")
    state = pig.new_initial_state()
    assert meant(pig, state, "ROLL") == meant(pig, state, "1") == [0]
    with pytest.raises(StarspielError, match="Did you mean 'stop'"):
        meant(pig, state, "stpo")
    maedn = load_game("maedn")
    state = maedn.new_initial_state()
    while len(state.legal_actions()) > 1 or state.is_chance_node():
        state = state.child(state.legal_actions()[0])
    with pytest.raises(StarspielError, match="answer with 1, or"):
        meant(maedn, state, "2")


def test_moves_to_one_position_that_pay_differently_are_different_plays() -> None:
    """Off the cliff and against a wall both end at the start, for -100 and for -1."""
    game = load_game("CliffWalking-v1")
    named = {play.name: play.actions for play in plays(game, game.new_initial_state())}
    assert named == {"Move up": (0,), "Move right": (1,), "Move down": (2, 3)}


def test_moves_of_board_games_are_said_in_words() -> None:
    def names(game: str, *history: int) -> set[str]:
        state = load_game(game).new_initial_state()
        for action in history:
            state = state.child(action)
        player = state.current_player()
        chance = state.is_chance_node()
        actions = [o for o, _ in state.chance_outcomes()] if chance else state.legal_actions()
        return {name_of(state, player, action) for action in actions}

    assert "drop in column 1" in names("connect_four")
    assert all(
        re.fullmatch(r"b's stones are placed: [1-6]( [1-6]){5}", n) for n in names("einstein_wurfelt_nicht")
    )
    assert names("einstein_wurfelt_nicht", 0, 0) == {f"rolled {n}" for n in range(1, 7)}
    moves = names("einstein_wurfelt_nicht", 0, 0, 3)
    assert all(re.fullmatch(r"move stone 4 (diagonally|up|left|down|right)(, takes)?", n) for n in moves), (
        moves
    )
    assert names("pig", 0) == {f"rolled {n}" for n in range(1, 7)}


def test_yachts_dice_are_thrown_again_by_their_faces_and_by_their_places() -> None:
    game = load_game("yacht")
    start = game.new_initial_state()
    throw = next(o for o, _ in start.chance_outcomes() if name_of(start, -1, o) == "rolled 3 4 6 6 1")
    state = start.child(throw)
    wanted = next(a for a in state.legal_actions() if state.action_to_string(0, a) == "Reroll dice: 0,1")
    for text in ("reroll 3 4", "reroll 3,4", "reroll dice 1 2", "Reroll dice: 0,1"):
        assert meant(game, state, text) == [wanted]
    assert len(meant(game, state, "reroll 6")) == 1  # whichever of the two
    assert meant(game, state, "reroll dice 3") != meant(game, state, "reroll dice 5")
    assert meant(game, state, "keep all dice") == [0]


@pytest.mark.parametrize(
    ("name", "wanted"), [("Up", "up"), ("Move left", "left"), ("up 3", ""), ("roll", "")]
)
def test_moves_that_are_directions(name: str, wanted: str) -> None:
    assert direction(name) == wanted
