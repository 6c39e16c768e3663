"""The heuristics: in range everywhere, on the right side, and their parts checked against the rules."""

import itertools
import math
import random
from collections import Counter

import numpy as np
import pyspiel
import pytest
from support.positions import random_game

from starspiel.agents.evaluators import make_evaluator
from starspiel.agents.evaluators.heuristic import has_heuristic
from starspiel.agents.evaluators.heuristics.maedn import fields_walked
from starspiel.agents.evaluators.heuristics.yacht import CATEGORIES, PAR, score
from starspiel.agents.solve.categories import CategoryGame, Turn
from starspiel.envs.errors import SpecError
from starspiel.envs.load import load_game

GAMES = [
    "pig",
    "pig(winscore=20,piglet=True,diceoutcomes=2)",
    "backgammon",
    "backgammon(scoring_type=full_scoring)",
    "einstein_wurfelt_nicht",
    "maedn(players=2)",
    "maedn(players=2,twoPlayersOpposite=False)",
    "banqi",
    "yacht(players=2)",
]


class Drawn(str):
    """A text in the place of a state."""


def state_after(game: str, *actions: int) -> pyspiel.State:
    state = pyspiel.load_game(game).new_initial_state()
    for action in actions:
        state.apply_action(action)
    return state


@pytest.mark.parametrize("game", GAMES)
def test_values_are_in_range_at_every_state_and_lean_to_the_winner(game):
    """Near the end of a random game the heuristic mostly favours the player who then wins it."""
    evaluator = make_evaluator("heuristic", load_game(game))
    low, high = evaluator.range
    rng = random.Random(1)
    right = wrong = 0
    for _ in range(6):
        *states, last = random_game(pyspiel.load_game(game), rng)
        values = [evaluator(state) for state in states]
        assert all(low <= value <= high for value in values)
        late = values[len(values) * 3 // 4 :]
        outcome = last.returns()[0]
        right += sum(value * outcome > 0 for value in late)
        wrong += sum(value * outcome < 0 for value in late)
    assert right > 2 * wrong or game == "banqi"  # Random banqi is drawn by the clock.
    assert right + wrong > 0 or game == "banqi"


MORE_PLAYERS = [
    "pig(players=3)",
    "pig(players=10,winscore=30)",
    "yacht(players=4)",
    "maedn(players=3)",
    "maedn(players=4)",
]


@pytest.mark.parametrize("game", MORE_PLAYERS)
def test_vectors_are_returns_and_lean_to_the_winner(game):
    """In range, summing to 0, and near the end the greatest is mostly that of the player who then wins."""
    loaded = load_game(game)
    evaluator = make_evaluator("heuristic", loaded)
    low, high = loaded.utility_range
    assert evaluator.range == (low, high)
    rng = random.Random(1)
    right = seen = 0
    for _ in range(4):
        *states, last = random_game(pyspiel.load_game(game), rng)
        vectors = [evaluator(state) for state in states]
        assert all(len(vector) == loaded.num_players for vector in vectors)
        assert all(low <= value <= high for vector in vectors for value in vector)
        assert all(abs(sum(vector)) < 1e-12 for vector in vectors)
        late = vectors[len(vectors) * 3 // 4 :]
        right += sum(last.returns()[int(np.argmax(vector))] > 0 for vector in late)
        seen += len(late)
    assert right > 1.5 * seen / loaded.num_players


def test_maedn_prefers_pieces_far_ahead_and_out_of_reach():
    """Scores of positions by hand: fields walked, their squares, the goal, and pieces within reach."""
    evaluator = make_evaluator("heuristic", load_game("maedn(players=3)"))

    def returns(*pieces: tuple[int, ...]) -> list[float]:
        text = list(" " * 400)
        homes = itertools.count(1, 2)  # no field has an odd place
        for seat, own in enumerate(pieces):
            fields = {walked: place for place, walked in fields_walked(seat).items()}
            for walked in own:
                place = fields[walked] if walked else next(homes)
                text[place] = "123"[seat]
        return list(evaluator(Drawn("".join(text))))

    def expected(*scores: float) -> list[float]:
        total = sum(map(math.exp, scores))
        return [3 * math.exp(score) / total - 1 for score in scores]

    nobody = (41, 42, 43, 0)
    bare = 3 + 1.26
    assert returns(nobody, (41, 42, 43, 20), (41, 42, 43, 0)) == pytest.approx(
        expected(bare, bare + 0.2 + 0.2, bare)
    )
    # Player 1's field 20 is place 29; player 2 walks from place 20: field 9 is on it, 3 to 8 are behind it.
    near = expected(bare, bare + 0.2 + 0.2 - 0.1, bare + 0.08 + 64 / 2000)
    assert returns(nobody, (41, 42, 43, 20), (41, 42, 43, 8)) == pytest.approx(near)
    far = expected(bare, bare + 0.2 + 0.2, bare + 0.02 + 4 / 2000)
    assert returns(nobody, (41, 42, 43, 20), (41, 42, 43, 2)) == pytest.approx(far)


def test_pig_counts_the_turn_total_for_the_player_who_holds_it():
    pig = make_evaluator("heuristic", load_game("pig"))
    assert pig(state_after("pig")) == 0
    assert pig(state_after("pig", 0, 4)) == pytest.approx(0.05)
    assert pig(state_after("pig", 0, 4, 1)) == pytest.approx(0.05)
    assert pig(state_after("pig", 0, 4, 1, 0, 5)) == pytest.approx(-0.01)
    assert pig(state_after("pig", 1, 0, 4)) == pytest.approx(-0.05)
    # The mean after the roll: a 1 takes all, the rest adds 4 on average.
    assert pig(state_after("pig", 0, 4, 0)) == pytest.approx(5 / 6 * (5 + 4) / 100)
    piglet = "pig(winscore=20,piglet=True,diceoutcomes=2)"
    state = pyspiel.load_game(piglet).new_initial_state().child(0).child(1).child(0)
    assert make_evaluator("heuristic", load_game(piglet))(state) == pytest.approx(1 / 2 * 2 / 20)


def test_2048_takes_the_best_way_to_walk_the_board():
    """Against a walk written otherwise: all eight images of the board along one path."""
    game = load_game("2048(max_tile=64)")
    evaluator = make_evaluator("heuristic", game)
    rng = random.Random(3)
    for state in random_game(game.pyspiel_game, rng)[:-1]:
        board = [[float(tile) for tile in row.split()] for row in str(state).strip().split("\n")]
        images = []
        for _ in range(4):
            board = [list(row) for row in zip(*board[::-1], strict=True)]
            images += [board, [row[::-1] for row in board]]
        walks = [rows[0] + rows[1][::-1] + rows[2] + rows[3][::-1] for rows in images]
        best = max(sum(tile / 1.5**step for step, tile in enumerate(walk)) for walk in walks)
        assert evaluator(state) == pytest.approx(state.returns()[0] + 2 * best)


def test_einstein_is_antisymmetric_and_counts_steps():
    evaluator = make_evaluator("heuristic", load_game("einstein_wurfelt_nicht"))
    rng = random.Random(2)
    seen = set()
    for _ in range(30):
        for state in random_game(pyspiel.load_game("einstein_wurfelt_nicht"), rng)[:-1]:
            board = str(state).split("\n")[:5]
            steps = {"b": [], "w": []}
            for row, column in itertools.product(range(5), range(5)):
                stone = board[row][4 * column + 1]
                if stone == "b":
                    steps["b"].append(max(4 - row, 4 - column))
                elif stone == "w":
                    steps["w"].append(max(row, column))
            if steps["b"] and steps["w"]:
                expected = (min(steps["w"]) - min(steps["b"])) / 4
                assert evaluator(state) == pytest.approx(expected)
                seen.add(expected)
    assert min(seen) < 0 < max(seen)


def _pips(state: pyspiel.BackgammonState) -> tuple[int, int]:
    """Pips to go, from the board itself: 24 less the point for X, the point plus one for O, 25 on the bar."""
    bar = str(state).partition("Bar:")[2].partition("\n")[0]
    x = sum(state.board(0, point) * (24 - point) for point in range(24)) + 25 * bar.count("x")
    o = sum(state.board(1, point) * (point + 1) for point in range(24)) + 25 * bar.count("o")
    return x, o


def _blots(state: pyspiel.BackgammonState) -> tuple[float, float]:
    """A quarter of the pips lost by a hit, of each blot that an opponent's checker has still to pass."""
    bar = str(state).partition("Bar:")[2].partition("\n")[0]
    x = [state.board(0, point) for point in range(24)]
    o = [state.board(1, point) for point in range(24)]
    risk_x = sum((p + 1) / 4 for p in range(24) if x[p] == 1 and ("o" in bar or any(o[p + 1 :])))
    risk_o = sum((24 - p) / 4 for p in range(24) if o[p] == 1 and ("x" in bar or any(x[:p])))
    return risk_x, risk_o


def test_backgammon_values_are_pips_and_blots_by_the_board_itself():
    evaluator = make_evaluator("heuristic", load_game("backgammon"))
    rng = random.Random(3)
    signs = Counter()
    for _ in range(4):
        for state in random_game(pyspiel.load_game("backgammon"), rng)[:-1]:
            x, o = (pips + risk for pips, risk in zip(_pips(state), _blots(state), strict=True))
            assert evaluator(state) == pytest.approx((o - x) / (o + x))
            signs[x < o] += 1
    assert min(signs.values()) > 50


def test_yacht_scores_as_openspiel_pays():
    """Every box filled in random games brings what `score` says of the dice."""
    rng = random.Random(6)
    seen: Counter[str] = Counter()
    paid: Counter[str] = Counter()
    for _ in range(2):
        states = random_game(pyspiel.load_game("yacht(players=2)"), rng)
        for before, after in itertools.pairwise(states):
            player = before.current_player()
            if player < 0:
                continue
            dice = [int(die) for die in str(before).split("\n")[1].removeprefix("Dice: ").split()]
            sheets = [str(state).split("\n\n")[1 + player] for state in (before, after)]
            new = [category for category in CATEGORIES if category in sheets[1] and category not in sheets[0]]
            if new:
                (category,) = new
                line = next(line for line in sheets[1].split("\n") if line.strip().startswith(category))
                assert int(line.partition(":")[2]) == score(category, dice)
                seen[category] += 1
                paid[category] += score(category, dice) > 0
    assert all(seen[category] == 4 for category in CATEGORIES)
    assert {"Chance", "Ones"} <= {category for category in CATEGORIES if paid[category]}


def test_banqi_counts_the_pieces_in_sight():
    """Swapping who plays red swaps the sign; pieces face down count for nobody."""
    evaluator = make_evaluator("heuristic", load_game("banqi"))
    assert evaluator(pyspiel.load_game("banqi").new_initial_state()) == 0
    rng = random.Random(7)
    values = set()
    for _ in range(6):
        for state in random_game(pyspiel.load_game("banqi"), rng)[:-1]:
            board, _, players = str(state).partition("Player: ")
            worth = {"g": 10, "a": 5, "e": 4, "r": 3, "h": 2, "c": 4, "s": 1}
            red = sum(
                worth.get(piece.lower(), 0) * (1 if piece.isupper() else -1)
                for piece in board
                if piece in "GAERHCSgaerhcs"
            )
            if "P0=" in players:
                expected = (red if "P0=Red" in players else -red) / 51
                assert evaluator(state) == pytest.approx(expected)
                values.add(expected)
    assert min(values) < 0 < max(values)


def test_games_without_a_heuristic_say_so():
    assert not has_heuristic(load_game("tic_tac_toe"))
    assert not has_heuristic(load_game("yacht(players=2,num_dice=3)"))
    with pytest.raises(SpecError, match=r"no heuristic for tic_tac_toe; there is one for 2048, backgammon"):
        make_evaluator("heuristic", load_game("tic_tac_toe"))
    assert make_evaluator("auto", load_game("tic_tac_toe")).name == "zero"
    assert make_evaluator("auto", load_game("pig")).name == "heuristic(pig)"


def test_par_is_what_three_rolls_for_one_box_bring_on_average():
    turn = Turn(5, 6, 3)
    for category in CATEGORIES:
        scores = np.array([[float(score(category, roll))] for roll in turn.rolls])
        assert CategoryGame(turn, scores).solve()[0, 0] == pytest.approx(PAR[category], abs=6e-5), category
