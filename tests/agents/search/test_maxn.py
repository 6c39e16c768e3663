"""Max^n with and without pruning finds what the definition says, on random trees of vectors."""

import math
import random

import pytest
from support.trees import TREES, Node
from support.vector_trees import (
    Guesses,
    KeyedGame,
    ManyGuesses,
    VectorGame,
    choice,
    end,
    start,
    true_vector,
    vector_tree,
)

from starspiel.agents.search import Limits, search
from starspiel.agents.search.engines import python_engine
from starspiel.agents.search.maxn import maxn
from starspiel.agents.search.options import Options
from starspiel.agents.search.task import SearchTask
from starspiel.envs.base import CHANCE
from starspiel.envs.errors import EvaluatorError, UnsupportedGameError

CLOSE = 1e-9
#: (players, sum of the returns).
KINDS = [(2, None), (2, 0.5), (3, 0.0), (3, None), (4, 0.0), (4, 1.0)]


def engine_of(root, total, options, depth, evaluator=None, bounds=(-1.0, 1.0), keyed=False):
    game = (KeyedGame if keyed else VectorGame)(root, bounds, total)
    task = SearchTask(game.new_initial_state(), game, evaluator or Guesses(total is not None), options)
    return python_engine(task, Limits(depth=depth))


def check_tree(draw: random.Random, players: int, total: float | None) -> tuple[int, int]:
    """Holds the searches of a random tree against the definition; (nodes without pruning, with it)."""
    root = vector_tree(draw, players, total)
    depth = draw.choice((1, 2, 3, 9))
    bounds = draw.choice([(-1.0, 1.0), (-1.0, 1.0), (-1.5, 1.0), None])
    kind = draw.choice((Guesses, ManyGuesses))
    evaluator = kind(total is not None and draw.random() < 0.8)
    keyed = evaluator.by_position = draw.random() < 0.5
    truths = {10 + i: true_vector(child, depth - 1) for i, child in enumerate(root.children)}
    best = true_vector(root, depth)[root.player]
    nodes = []
    for algorithm in ("expectiminimax", "star1", "star2"):
        for share in (False, True):
            engine = engine_of(root, total, Options(algorithm=algorithm), depth, evaluator, bounds, keyed)
            state = engine._game.new_initial_state()
            found = {}
            engine.search_root(state, depth, 0.0 if share else math.inf, found)
            assert engine.nodes == engine.interior + engine.terminals + engine.evaluations
            for action, vector in found.items():
                assert vector == pytest.approx(truths[action], abs=CLOSE)
            assert max(vector[root.player] for vector in found.values()) == pytest.approx(best, abs=CLOSE)
            near = {action for action, vector in truths.items() if vector[root.player] >= best - CLOSE / 2}
            assert near <= set(found)
            assert share or len(found) == len(truths)
            nodes.append(engine.nodes)
        result = search(state, algorithm, Limits(depth=depth), evaluator, ties="first")
        assert result.value == pytest.approx(best, abs=CLOSE)
        assert near <= set(result.best_actions)
        assert result.action_returns is not None
        assert set(result.action_returns) == set(truths)
        for action, vector in result.action_returns.items():
            assert vector == pytest.approx(truths[action], abs=CLOSE)
        assert result.returns == result.action_returns[result.best_action]
        assert (result.player, result.perspective) == (root.player, root.player)
    assert keyed or nodes[2] <= nodes[0], "pruning visits no node that plain search does not"
    return nodes[1], nodes[3]


@pytest.mark.parametrize(("players", "total"), KINDS)
def test_pruned_and_plain_are_the_definition(players, total):
    draw = random.Random(players + 10 * (total or -1))
    plain, pruned = map(sum, zip(*(check_tree(draw, players, total) for _ in range(TREES)), strict=True))
    assert pruned < plain


@pytest.mark.parametrize(("players", "total"), KINDS)
def test_a_floor_gives_exact_vectors_above_it_and_bounds_below(players, total):
    draw = random.Random(players)
    cut = 0
    for _ in range(80):
        root = vector_tree(draw, players, total)
        depth, chooser, floor = draw.choice((1, 2, 3, 9)), draw.randrange(players), draw.uniform(-1, 1)
        engine = engine_of(root, total, Options(algorithm="star1"), depth)
        found = maxn(engine._game.new_initial_state(), depth, chooser, floor, engine)
        cut += engine.decision_cutoffs + engine.chance_cutoffs
        truth = true_vector(root, depth)
        if found[chooser] > floor + CLOSE:
            assert found == pytest.approx(truth, abs=CLOSE)
        else:
            assert truth[chooser] <= floor + 2 * CLOSE
    assert cut > 10


def test_shallow_pruning_leaves_a_player_who_has_enough():
    """Player 0 has 0.5; player 1 would take 0.6 of a sum of 1, which leaves 0 at most 0.4."""
    unseen = end(1.0, 0.0, 0.0)
    root = choice(0, end(0.5, 0.25, 0.25), choice(1, end(0.2, 0.6, 0.2), unseen, unseen))
    engine = engine_of(root, 1.0, Options(algorithm="star1"), 5, Shares(), bounds=(0.0, 1.0))
    found = {}
    engine.search_root(engine._game.new_initial_state(), 5, 0.0, found)
    assert found == {10: (0.5, 0.25, 0.25)}
    assert (engine.nodes, engine.decision_cutoffs) == (4, 1)


class Shares(Guesses):
    range = (0.0, 1.0)

    def __init__(self):
        super().__init__(True)


def test_star_pruning_counts_what_is_unseen():
    """Two outcomes brought player 0 nothing; the last brings it 0.4 at most, and it has 0.5."""
    low = end(0.0, 1.0, 0.0)
    outcomes = Node(CHANCE, low.value, (low, low, low), (0.3, 0.3, 0.4))
    root = choice(0, end(0.5, 0.25, 0.25), end(0.1, 0.4, 0.5), choice(0, outcomes))
    game = VectorGame(root, (0.0, 1.0), 1.0)
    result = search(game.new_initial_state(), "star1", Limits(depth=5), Shares(), exact_action_values=False)
    assert result.action_returns == {10: (0.5, 0.25, 0.25)}
    assert result.statistics.chance_cutoffs == 1


def test_ties_go_to_the_first_action_in_the_games_order():
    """Two lines are equally good for player 1 and differ for player 0: the first counts, ordered or not."""
    tied = choice(1, end(0.1, 0.5, 0.4), end(0.4, 0.5, 0.1), end(0.0, 0.5 + 1e-10, 0.5))
    root = choice(0, end(0.2, 0.4, 0.4), tied)
    for algorithm in ("expectiminimax", "star1", "star2"):
        result = search(start(root, (0.0, 1.0), 1.0), algorithm, Limits(depth=4), Shares())
        assert result.action_returns[11] == (0.1, 0.5, 0.4)
        assert (result.best_action, result.value) == (10, 0.2)
        assert result.exact


@pytest.mark.parametrize(
    ("returned", "says"),
    [
        (0.5, "expected 3 numbers"),
        ((0.5, 0.5), "expected 3 numbers"),
        ((0.0, 0.0, 2.0), r"in \[-1, 1\]"),
        ((0.0, 0.0, float("nan")), r"in \[-1, 1\]"),
        ("abc", "expected 3 numbers"),
        ((0.1, 0.0, 0.0), "sums to 0.1; expected 0"),
    ],
)
def test_evaluators_that_give_no_vector(returned, says):
    class Fixed(Guesses):
        def __call__(self, state):
            return returned

    root = choice(0, choice(1, end(0.0, 0.0, 0.0)), end(0.0, 0.0, 0.0))
    with pytest.raises(EvaluatorError, match=says):
        search(start(root, (-1.0, 1.0), 0.0), "star1", Limits(depth=1), Fixed(True))


def test_a_vector_is_no_value_of_a_zero_sum_game_for_two():
    root = choice(0, choice(1, end(0.0, 0.0)), end(0.0, 0.0))
    game = VectorGame(root, (-1.0, 1.0), 0.0)
    with pytest.raises(EvaluatorError, match="expected a number"):
        search(game.new_initial_state(), "star1", Limits(depth=1), Guesses())


def test_notes_say_what_is_not_pruned():
    root = choice(0, choice(1, end(0.0, 0.0, 0.0), end(0.0, 0.0, 0.0)), end(0.0, 0.0, 0.0))
    limits = Limits(depth=2)

    def notes(algorithm, bounds, total, constant_sum):
        return " ".join(search(start(root, bounds, total), algorithm, limits, Guesses(constant_sum)).notes)

    assert "not pruned" in notes("star1", None, 0.0, True)
    assert "no known sum" in notes("star1", (-1.0, 1.0), None, False)
    assert "constant_sum" in notes("star1", (-1.0, 1.0), 0.0, False)
    assert notes("star1", (-1.0, 1.0), 0.0, True) == notes("expectiminimax", None, None, False) == ""
    assert "does not probe" in notes("star2", (-1.0, 1.0), 0.0, True)


def test_models_of_one_opponent_are_refused():
    root = choice(0, end(0.0, 0.0, 0.0))
    with pytest.raises(UnsupportedGameError, match="has 3 players; a model of the opponent"):
        search(start(root), "star1", Limits(depth=1), Guesses(), opponent="uniform")
