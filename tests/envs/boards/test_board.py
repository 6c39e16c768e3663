"""Boards show what the game says of the position."""

import math
import random
import re
from typing import Any
from xml.etree import ElementTree

import pytest

from starspiel.envs.boards import (
    board_html,
    board_of,
    board_text,
    hands_of,
    last_moves,
    places_of,
    side_of,
    steps_of,
)
from starspiel.envs.boards.backgammon import checkers, dice
from starspiel.envs.boards.board import last_throw
from starspiel.envs.drawing import Box, Disc, Text
from starspiel.envs.games import GAMES
from starspiel.envs.load import load_game
from starspiel.envs.plays import meant, name_of
from starspiel.envs.raster import PAPER, PLAYERS, contrast

DRAWN = [
    "backgammon",
    "breakthrough",
    "2048",
    "pig(players=2)",
    "pig(players=3)",
    "einstein_wurfelt_nicht",
    "connect_four",
    "chess",
    "go(board_size=9)",
    "yacht",
    *GAMES,
]


def walk(name: str, seed: int, events: int) -> list[Any]:
    rng, game = random.Random(seed), load_game(name)
    states = [game.new_initial_state()]
    while not states[-1].is_terminal() and len(states) <= events:
        state = states[-1]
        chance = state.is_chance_node()
        actions = [o for o, _ in state.chance_outcomes()] if chance else list(state.legal_actions())
        states.append(state.child(rng.choice(actions)))
    return states


@pytest.mark.parametrize("name", DRAWN)
def test_every_position_of_a_game_has_a_sound_drawing_of_one_size(name: str) -> None:
    sizes = set()
    for state in walk(name, 1, 400)[:: 1 if "pig" in name else 7]:
        for viewer in (0, 1):
            board = board_of(state, viewer)
            assert board is not None
            sizes.add((board.width, board.height))
            root = ElementTree.fromstring(board_html(state, viewer))
            assert root.tag.endswith("svg")
            words = root.attrib["aria-label"]
            assert re.fullmatch(r"([A-Za-z0-9].*\.)", words), words
            assert "|" not in words
            assert "  " not in words
    assert len(sizes) == 1


@pytest.mark.parametrize("name", DRAWN)
def test_text_on_a_board_can_be_read(name: str) -> None:
    """WCAG 2.2, AA: 3 to 1 for bold letters of 18.7 pixels or more, 4.5 to 1 for smaller ones."""
    for state in walk(name, 2, 300)[::11]:
        board = board_of(state)
        assert board is not None
        papers: list[Box | Disc] = []
        for shape in board.shapes:
            if isinstance(shape, Text):
                paper = next((below.colour for below in reversed(papers) if _holds(below, shape)), PAPER)
                ratio = contrast(shape.colour, paper)
                assert ratio >= (3.0 if shape.scale >= 2 else 4.5), (shape, paper, ratio)
            elif isinstance(shape, Box | Disc):
                papers.append(shape)


def _holds(below: Box | Disc, text: Text) -> bool:
    x, y = text.x + (0 if text.centred else 3), text.y + (0 if text.centred else 3.5 * text.scale)
    if isinstance(below, Disc):
        return math.hypot(x - below.x, y - below.y) <= below.radius
    return below.x <= x <= below.x + below.width and below.y <= y <= below.y + below.height


def test_what_has_no_drawing_is_shown_as_its_text() -> None:
    state = load_game("maedn(players=2)").new_initial_state()
    assert board_of(state) is None
    assert board_html(state).startswith('<pre class="board">')


def test_backgammon_has_all_checkers_of_both_and_the_dice_that_the_game_says() -> None:
    seen = set()
    for state in walk("backgammon", 4, 600):
        for player in (0, 1):
            own = checkers(state, player)
            assert sum(own.points) + own.bar + own.off == 15
            assert own.off == int(re.findall(rf"{'XO'[player]}: (\d+)", str(state))[0])
            assert own.bar == str(state).partition("Bar:")[2].partition("\n")[0].count("xo"[player])
            seen.add((own.bar > 0, own.off > 0))
        if state.current_player() >= 0:
            said = re.search(r"Dice: (\d)(\d)", str(state))
            assert said is not None
            assert dice(state) == (int(said[1]), int(said[2]))
    assert seen == {(False, False), (True, False), (False, True), (True, True)} or (True, False) in seen


def test_backgammon_is_seen_from_either_side() -> None:
    state = load_game("backgammon").new_initial_state()
    for viewer in (0, 1):
        board = board_of(state, viewer)
        assert board is not None
        lower_left = [
            shape
            for shape in board.shapes
            if isinstance(shape, Disc) and shape.y > board.height / 2 and shape.x < board.width / 2
        ]
        # The viewer's 8 point has three checkers of the viewer's, the 12 point five of the other's.
        assert [shape.colour for shape in lower_left].count(PLAYERS[viewer]) == 3
        assert [shape.colour for shape in lower_left].count(PLAYERS[1 - viewer]) == 5
    assert board_text(state, 0).splitlines()[2].split()[0] == "o5"
    assert board_text(state, 1).splitlines()[2].split()[0] == "x5"
    assert "24 point" in side_of(load_game("backgammon"), 1)


def test_einsteins_die_is_the_one_that_says_which_stones_may_move() -> None:
    seen = set()
    for state in walk("einstein_wurfelt_nicht", 3, 200):
        if state.current_player() < 0:
            continue
        board = board_of(state)
        assert board is not None
        colour = "BW"[state.current_player()]
        stones = {int(n) for n in re.findall(rf"\|{colour.lower()}(\d)\|", str(state))}
        movable = {int(state.action_to_string(state.current_player(), a)[1]) for a in state.legal_actions()}
        pips = [shape for shape in board.shapes if isinstance(shape, Disc) and shape.radius < 5]
        die = len(pips)
        seen.add(die)
        if die in stones:
            assert movable == {die}
        else:
            assert movable <= {max((s for s in stones if s < die), default=0)} | {
                min((s for s in stones if s > die), default=7)
            }
    assert len(seen) > 3


def test_openspiels_pig_says_the_scores_and_who_rolls() -> None:
    for state in walk("pig(players=2,winscore=30)", 2, 300):
        board = board_of(state)
        assert board is not None
        texts = [shape.text for shape in board.shapes if isinstance(shape, Text)]
        scores = re.findall(r"\d+", str(state).splitlines()[0])[:2]
        assert [texts[texts.index(f"player {player}") + 1] for player in (0, 1)] == scores
        if state.is_terminal():
            winner = 0 if state.returns()[0] > 0 else 1
            assert texts.index("wins") > texts.index(f"player {winner}")


def test_the_number_of_every_tile_can_be_read() -> None:
    start: Any = load_game("star_2048").new_initial_state()
    for tile in range(1, 18):
        position = start.position._replace(tiles=(tile, *start.position.tiles[1:]))
        board = board_of(type(start)(start.rules, position))
        assert board is not None
        number = next(
            shape for shape in board.shapes if isinstance(shape, Text) and shape.text == str(1 << tile)
        )
        paper = [shape for shape in board.shapes if isinstance(shape, Box) and _holds(shape, number)][-1]
        assert contrast(number.colour, paper.colour) >= 3.0


def test_the_last_move_is_marked_and_the_dice_stay_until_the_next_throw() -> None:
    states = [load_game("backgammon").new_initial_state()]
    trail: list[tuple[Any, int]] = []
    rng = random.Random(6)
    for _ in range(80):
        state = states[-1]
        chance = state.is_chance_node()
        action = rng.choice(
            [o for o, _ in state.chance_outcomes()] if chance else list(state.legal_actions())
        )
        trail.append((state, action))
        states.append(state.child(action))
        marks = last_moves(trail, 0)
        moved = [(before, made) for before, made in trail if before.current_player() >= 0]
        if not moved:
            assert marks == []
            continue
        before, made = moved[-1]
        steps = steps_of(before, made)
        if before.current_player() == moved[-2:][0][0].current_player() and len(moved) > 1:
            assert len(marks) >= len(steps)  # the second half of a double
        else:
            assert len(marks) == len(steps)
        assert {player for player, *_ in marks} <= {before.current_player()}
        if states[-1].is_chance_node() and states[-1].current_player() == -1:
            pips = board_html(states[-1], 0, trail).count('r="3.2"')
            assert pips == sum(last_throw(trail))
        if states[-1].is_terminal():
            break


def test_points_are_numbered_from_the_movers_side() -> None:
    seen = set()
    for state in walk("backgammon", 4, 60):
        if (mover := state.current_player()) < 0:
            continue
        board = board_of(state, 0)
        assert board is not None
        numbers = [shape for shape in board.shapes if isinstance(shape, Text) and shape.scale == 1]
        lower_right = max(numbers, key=lambda shape: (shape.y, shape.x))
        assert lower_right.text == ("1" if mover == 0 else "24")
        assert board_text(state, 0).splitlines()[-2].split()[-1] == lower_right.text
        seen.add(mover)
    assert seen == {0, 1}


def test_chess_and_go_show_a_board_in_text() -> None:
    chess = load_game("chess").new_initial_state()
    assert board_text(chess, 1).splitlines()[:2] == ["8 r n b q k b n r", "7 p p p p p p p p"]
    assert board_text(chess, 0).splitlines()[0] == "1 R N B K Q B N R"
    assert " 9 +++++++++" in board_text(load_game("go(board_size=9)").new_initial_state())


@pytest.mark.parametrize(
    ("wrapped", "inner", "begun"),
    [
        ("start_at(game=backgammon(),history=14)", "backgammon", [14]),
        ("misere(game=connect_four())", "connect_four", []),
        (
            "start_at(game=misere(game=einstein_wurfelt_nicht()),history=1;1)",
            "einstein_wurfelt_nicht",
            [1, 1],
        ),
        ("start_at(game=yacht(players=1),history=35)", "yacht(players=1)", [35]),
    ],
)
def test_wrapped_games_are_drawn_and_worded_as_the_game_inside(wrapped: str, inner: str, begun: list) -> None:
    outer, plain = load_game(wrapped), load_game(inner)
    inside = plain.new_initial_state()
    for action in begun:
        inside = inside.child(action)
    assert [side_of(outer, 0), hands_of(outer)] == [side_of(plain, 0), hands_of(plain)]
    for state in walk(wrapped, 3, 12):
        for action in state.history()[len(inside.history()) - len(begun) :]:
            inside = inside.child(action)
        assert board_of(state).svg("") == board_of(inside).svg("")
        assert places_of(state) == places_of(inside)
        if state.current_player() >= 0:
            player, moves = state.current_player(), state.legal_actions()
            names = [name_of(inside, player, move) for move in moves]
            assert [name_of(state, player, move) for move in moves] == names
            assert meant(outer, state, names[0])
