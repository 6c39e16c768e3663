"""What a SearchResult says: names, the line of best play, the counters, and how it prints."""

from dataclasses import replace
from xml.etree import ElementTree

import pyspiel
import pytest
from rich.console import Console
from support.positions import random_positions, scrambled
from support.trees import TreeGame, bottom, chance, leaf, top

from starspiel.agents.search import Limits, search
from starspiel.envs.base import CHANCE
from starspiel.envs.load import load_game
from starspiel.envs.plays import play_names

ALGORITHMS = ("expectiminimax", "star1", "star2")


@pytest.mark.parametrize(
    ("game", "algorithm"),
    [
        ("pig", "expectiminimax"),
        ("pig", "star2"),
        ("einstein_wurfelt_nicht", "star1"),
        ("maedn(players=2)", "star2"),
        ("backgammon", "star1"),
    ],
)
def test_the_principal_variation_is_legal_best_play_down_to_the_horizon(game, algorithm):
    depth = 1 if game == "backgammon" else 3
    for state in random_positions(load_game(game).pyspiel_game, 4, seed=5):
        result = search(state, algorithm, Limits(depth=depth), scrambled)
        line = result.principal_variation
        assert line[0] == (state.current_player(), result.best_action)
        plies, node, left = 0, state, depth
        for player, action in line:
            assert node.current_player() == player
            if player == CHANCE:
                chances = dict(node.chance_outcomes())
                assert chances[action] == max(chances.values())
            else:
                # A decision in the line is the best one of a search as deep as what is left.
                best = search(node, algorithm, Limits(depth=left), scrambled, explain=False)
                assert action == best.best_action
                plies, left = plies + 1, left - 1
            node = node.child(action)
        assert plies == depth or node.is_terminal()
        assert len(result.line) == len(line)
        assert dict(result.names) == play_names(load_game(game), state)


def test_the_line_of_a_tree_that_can_be_read():
    node = top(
        chance((0.25, leaf(-1.0)), (0.75, bottom(leaf(0.5), leaf(0.25)))),
        leaf(-0.5),
    )
    result = search(TreeGame(node).new_initial_state(), "star2", Limits(depth=2))
    assert result.value == pytest.approx(-0.25 + 0.75 * 0.25)
    assert result.principal_variation == ((0, 10), (CHANCE, 11), (1, 11))
    assert result.line == ("move 10", "(roll 11)", "move 11")
    assert result.ranked_actions() == [(10, pytest.approx(-0.0625)), (11, -0.5)]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_nodes_count_every_state_once_per_visit(algorithm):
    """Nine states: the root, its three successors, and what follows the first and the second of them."""
    node = top(chance((0.5, leaf(0.5)), (0.5, leaf(0.25))), bottom(leaf(0.3), leaf(0.4)), leaf(0.0))
    result = search(TreeGame(node).new_initial_state(), algorithm, Limits(depth=2), explain=False)
    assert (result.nodes, result.leaves) == (8, 5)


def test_a_result_prints_its_moves_values_and_work():
    state = pyspiel.load_game("pig").new_initial_state()
    result = search(state, "star2", Limits(depth=4), "heuristic", engine="python")
    console = Console(width=160, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(result)
    text = console.export_text()
    told = f"{50 + 50 * result.value:.1f} %"
    assert f"star2, depth 4, evaluator heuristic(pig): estimated chance to win {told} for player 0" in text
    for action, value in result.action_values.items():
        assert f"{result.names[action]}" in text
        assert f"{50 + 50 * value:.1f} %" in text
    assert f"heuristic(pig): value {result.value:+.6f} for player 0" in str(replace(result, outlook=None))
    assert f"{result.nodes:,} nodes, {result.leaves:,} leaves" in text
    assert "probes" in text
    assert result.line[0] in text


def test_a_notebook_shows_a_result_as_a_table():
    result = search(pyspiel.load_game("pig").new_initial_state(), "star2", Limits(depth=2), "heuristic")
    parts = ElementTree.fromstring(result._repr_html_())
    shown = "".join(parts.itertext())
    assert [line.rstrip() for line in shown.splitlines() if line.strip()] == str(result).splitlines()
