"""What becomes of an iteration that the limits leave no time for: not begun, or counted as far as it went."""

import pytest
from support.trees import TreeGame, TreeState, bottom, leaf, top

from starspiel.agents.evaluators import FunctionEvaluator
from starspiel.agents.search import Limits, search
from starspiel.agents.search.pace import Pace
from starspiel.envs.load import load_game

by_guess = FunctionEvaluator(lambda state: state.node.value, by_position=True)


class Spending:
    """An engine whose iterations cost what they are told to."""

    def __init__(self, costs):
        self.costs = iter(costs)
        self.nodes, self.seconds = 0, 0.0

    def elapsed(self):
        return self.seconds

    def search(self):
        nodes, seconds = next(self.costs)
        self.nodes += nodes
        self.seconds += seconds


@pytest.mark.parametrize(
    ("limits", "fits"),
    [
        (Limits(nodes=710), True),
        (Limits(nodes=709), False),  # 310 so far and twice 200: growth was tenfold, then twofold
        (Limits(seconds=7.01), True),
        (Limits(seconds=6.99), False),
        (Limits(nodes=710, seconds=6.99), False),
        (Limits(depth=9), True),
    ],
)
def test_the_next_iteration_is_foretold_by_the_smaller_growth(limits, fits):
    engine = Spending([(10, 0.5), (100, 0.5), (200, 2.0)])
    pace = Pace(engine, limits)
    for _ in range(2):
        engine.search()
        pace.finished()
        assert pace.next_fits()
    engine.search()
    pace.finished()
    assert pace.next_fits() == fits


def turning_tree():
    """Two moves and a third; the first looks best until the reply is seen, then the second is."""
    return top(
        bottom(leaf(-0.5), leaf(0.9), guess=0.5),
        bottom(leaf(0.2), leaf(0.3), guess=0.1),
        bottom(*(top(leaf(-0.9), guess=-0.9) for _ in range(20)), guess=-0.9),
    )


@pytest.mark.parametrize("shared", [True, False])
def test_an_unfinished_iteration_counts_where_it_found_a_better_move(shared):
    state = TreeGame(turning_tree()).new_initial_state()
    # 4 nodes are the first iteration; the root, two moves and two replies of each the second so far.
    limits = Limits(nodes=4 + 1 + 6 + 1)
    arguments = {"engine": "python", "exact_action_values": not shared}
    result = search(state, "star2", limits, by_guess, **arguments)
    assert (result.depth, result.best_action, result.best_actions) == (1, 11, (11,))
    assert dict(result.unfinished) == pytest.approx({10: -0.5, 11: 0.2})
    assert result.value == 0.5
    assert result.action_values[10] == 0.5
    assert result.principal_variation == ((0, 11),)
    assert "2 plies, which had found this move better" in result.notes[-1]
    # With one node less the second move is not valued: nothing better was found.
    early = search(state, "star2", Limits(nodes=4 + 1 + 5), by_guess, **arguments)
    assert (early.best_action, dict(early.unfinished)) == (10, {})


def test_values_of_an_unfinished_iteration_are_returns_from_the_start_too():
    class Discounted(TreeGame):
        discount = 0.5
        root = None

        def frame(self, state):
            return (0.0, 1.0) if state is self.root else (3.0, 0.5)

        def reroot(self, state):
            self.root = TreeState(self, state.node)
            return self.root

    state = Discounted(turning_tree()).new_initial_state()
    result = search(state, "star2", Limits(nodes=4 + 1 + 6 + 1), by_guess, engine="python")
    assert dict(result.unfinished) == pytest.approx({10: 3 - 0.25, 11: 3 + 0.1})
    assert result.action_values[10] == result.value == 3.25
    assert result.value_to_go == 0.5


def test_the_best_move_so_far_is_searched_first():
    asked = []

    def noted(state):
        asked.append(state.node.value)
        return state.node.value

    evaluator = FunctionEvaluator(noted, by_position=True)
    moves = [bottom(top(leaf(0.0), guess=value), guess=value) for value in (0.1, 0.3, 0.2)]
    state = TreeGame(top(*moves)).new_initial_state()
    search(state, "expectiminimax", Limits(depth=2, nodes=1_000), evaluator, engine="python", explain=False)
    assert asked == [0.1, 0.3, 0.2, 0.3, 0.2, 0.1]


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize("game", ["pig", "einstein_wurfelt_nicht", "maedn(players=2)"])
def test_what_is_given_back_was_of_no_use(game, engine, monkeypatch):
    state = load_game(game).new_initial_state()
    while state.current_player() < 0:
        state = state.child(state.chance_outcomes()[0][0])
    for nodes in (300, 3_000):
        arguments = {"explain": False, "engine": engine}
        given = search(state, "star2", Limits(nodes=nodes), **arguments)
        with monkeypatch.context() as patched:
            patched.setattr("starspiel.agents.search.pace.Pace.next_fits", lambda pace: True)
            used = search(state, "star2", Limits(nodes=nodes), **arguments)
        assert given.nodes <= used.nodes
        assert given.depth == used.depth
        assert used.unfinished or given.best_actions == used.best_actions
        assert given.action_values == pytest.approx(used.action_values, abs=1e-12)
