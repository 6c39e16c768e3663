"""Exact values: published ones, independent solutions, and the agent that plays by them."""

import io
import itertools
import random
from dataclasses import dataclass, field
from typing import NamedTuple

import gymnasium
import numpy as np
import pytest

from starspiel.agents.evaluators import make_evaluator
from starspiel.agents.roster import make_bot
from starspiel.agents.solve import estimate_size, solve
from starspiel.agents.solve.positions import enumerate_positions
from starspiel.agents.solve.solution import Solution, key_hash
from starspiel.agents.solve.values import is_settled_after, values_to_go
from starspiel.envs.base import CHANCE, TERMINAL
from starspiel.envs.errors import StarspielError
from starspiel.envs.games.pig import Pig
from starspiel.envs.load import load_game

PIGLET = "pig(piglet=true,diceoutcomes=2,winscore={})"
OUR_PIGLET = "star_pig(piglet=true,goal={})"


def at(solution, game, history):
    state = game.new_initial_state()
    for action in history:
        state = state.child(action)
    return solution(game, state)


@pytest.mark.parametrize("spec", [PIGLET, OUR_PIGLET])
@pytest.mark.parametrize(("goal", "wins"), [(3, 6 / 11), (10, 0.522479407949)])
def test_piglet_has_its_published_values(spec, goal, wins):
    assert solve(load_game(spec.format(goal))).value == pytest.approx(2 * wins - 1, abs=1e-9)


@pytest.mark.parametrize("spec", [PIGLET, OUR_PIGLET])
def test_every_position_of_piglet_to_two(spec):
    game = load_game(spec.format(2))
    solution = solve(game)
    roll, stop, head = 0, 1, 1
    first = [stop, stop]  # nothing happens, player 0 to move again
    one_all = [roll, head, stop, roll, head, stop]
    for history, wins in {
        (): 4 / 7,
        (roll, head): 5 / 7,
        (*first, roll, head, stop, stop): 4 / 5,
        (stop, roll, head, stop): 2 / 5,
        (stop, roll, head, stop, roll, head): 3 / 5,
        tuple(one_all): 2 / 3,
    }.items():
        assert at(solution, game, history) == pytest.approx(2 * wins - 1, abs=1e-9), history


def test_openspiels_pig_and_ours_have_the_same_values_everywhere():
    theirs, ours = load_game("pig(winscore=15)"), load_game("star_pig(goal=15)")
    their_values, our_values = solve(theirs), solve(ours)
    assert their_values.states == our_values.states
    rng = random.Random(1)
    compared = 0
    for _ in range(50):
        pair = theirs.new_initial_state(), ours.new_initial_state()
        while not pair[0].is_terminal():
            assert their_values(theirs, pair[0]) == pytest.approx(our_values(ours, pair[1]), abs=1e-11)
            action = rng.choice(pair[0].legal_actions())
            pair = pair[0].child(action), pair[1].child(action)
            compared += 1
    assert compared > 500


@pytest.mark.parametrize(
    ("spec", "name", "discount"),
    [
        ("FrozenLake-v1(discount=0.9)", "FrozenLake-v1", 0.9),
        ("CliffWalking-v1", "CliffWalking-v1", 1.0),
    ],
)
def test_gymnasium_tables_against_value_iteration_on_the_table(spec, name, discount):
    env = gymnasium.make(name).unwrapped
    values = np.zeros(len(env.P))
    for _ in range(300):
        for s, moves in env.P.items():
            values[s] = max(
                sum(p * (r + (0.0 if over else discount * values[to])) for p, to, r, over in rows)
                for rows in moves.values()
            )
    expected = float(np.asarray(env.initial_state_distrib) @ values)
    assert solve(load_game(spec)).value == pytest.approx(expected, abs=1e-9)


def test_impossible_outcomes_lead_to_no_positions():
    """A coin with one side: every roll ends the turn, so nobody ever scores."""
    solution = solve(load_game("pig(piglet=true,diceoutcomes=1,winscore=2,horizon=8)"))
    assert solution.value == 0.0
    further = solve(load_game("pig(piglet=true,diceoutcomes=1,winscore=9,horizon=8)"))
    assert solution.states == further.states


def test_deterministic_games_and_their_draws():
    assert solve(load_game("tic_tac_toe")).value == 0.0
    # Nim's first player wins the misere game unless the piles' binary sum is zero.
    assert solve(load_game("nim(pile_sizes=1;3;5;7)")).value == -1.0
    assert solve(load_game("nim(pile_sizes=1;3;5;6)")).value == 1.0
    assert solve(load_game("catch")).value == 1.0


# The file and the players.


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    path = tmp_path_factory.mktemp("solutions") / "pig20.npz"
    solution = solve(load_game("pig(winscore=20)"))
    solution.save(path)
    return path, solution


def test_hashes_do_not_depend_on_the_process():
    assert key_hash(("roll", 3, (1, 2))) == 232014885770310414


class Pair(NamedTuple):
    left: int
    right: object


@dataclass(frozen=True)
class Place:
    x: object
    seen: int = field(default=0, compare=False)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (3, np.int64(3)),
        (1, True),
        ((1, (0,)), (1.0, (np.bool_(False),))),
        (0.5, np.float32(0.5)),
        ("a", np.str_("a")),
        ((1, 2), Pair(1, np.uint8(2))),
        (Place(1), Place(np.int8(1), seen=7)),
        ((frozenset({"a", "b", "c"}),), (frozenset({"c", "b", "a"}),)),
    ],
)
def test_equal_keys_have_one_hash(one, other):
    assert one == other
    assert key_hash(one) == key_hash(other)


def test_different_keys_have_different_hashes():
    keys = [1, "1", (1,), ((1,),), (1, 0), 10, 1.5, Place(1), Pair(1, "0"), b"1", None, frozenset({1}), ()]
    assert len({key_hash(key) for key in keys}) == len(keys)


class Lap(Pig):
    """Pig whose positions are wrapped into objects, as a test wants them."""

    def __init__(self, wrapped):
        super().__init__(goal=6)
        self.name = f"lap({wrapped.__name__})"
        self.wrapped = wrapped

    def key(self, state):
        return self.wrapped(state.position)


class Nameless:
    """Equal to its like, and shown by its address."""

    def __init__(self, position):
        self.position = position

    def __eq__(self, other):
        return self.position == other.position

    def __hash__(self):
        return hash(self.position)


def test_keys_of_mixed_numbers_are_found_again():
    mixed = itertools.cycle((int, np.int64, float))

    def numbers(position):
        return tuple(numbers(part) if isinstance(part, tuple) else next(mixed)(part) for part in position)

    game = Lap(numbers)
    solution = solve(game)
    assert solution.value == pytest.approx(solve(load_game("star_pig(goal=6)")).value)
    state = game.new_initial_state()
    for action in (0, 3, 0, 2):
        assert -1.0 <= solution(game, state) <= 1.0
        state = state.child(action)


class Endless(Pig):
    """Chances alone, for ever."""

    def player(self, position):
        return CHANCE

    def chances(self, position):
        return [(0, 0.5), (1, 0.5)]

    def apply(self, position, action):
        return position


def test_play_of_chances_alone_comes_to_an_end():
    assert solve(Endless(goal=6)).value == 0.0


def test_optimal_never_loses_value_against_itself(tmp_path):
    game = load_game("pig(winscore=20)")
    path = solve(game).save(tmp_path / "solution")
    bots = [make_bot(f"optimal(solution={path})", game, player, seed=3) for player in (0, 1)]
    value = make_evaluator(f"solution(file={path})", game)
    rng = random.Random(7)
    moves = 0
    for _ in range(20):
        state = game.new_initial_state()
        while state.current_player() != TERMINAL:
            if state.current_player() == CHANCE:
                outcomes = state.chance_outcomes()
                expected = sum(p * value(state.child(a)) for a, p in outcomes)
                assert value(state) == pytest.approx(expected, abs=1e-10)
                state = state.child(rng.choice(outcomes)[0])
                continue
            before = value(state)
            state = state.child(bots[state.current_player()].step(state))
            assert value(state) == pytest.approx(before, abs=1e-10)
            moves += 1
    assert moves > 150


@pytest.mark.parametrize("spec", ["tic_tac_toe", "pig(winscore=10)", "FrozenLake-v1", "Taxi-v4", "catch"])
def test_the_size_estimate_is_a_lower_bound(spec):
    game = load_game(spec)
    assert estimate_size(game, 2.0).least_states <= solve(game).states


def test_a_solution_survives_its_file_and_has_no_other_positions(solved, tmp_path):
    path, solution = solved
    again = Solution.load(path)
    assert (again.game, again.value, again.states) == (solution.game, solution.value, solution.states)
    assert np.array_equal(again.hashes, solution.hashes)
    assert np.array_equal(again.values, solution.values)
    assert again.made_with["open_spiel"]
    with pytest.raises(StarspielError, match=r"solves pig\(winscore=20\), the game to be played is pig"):
        make_bot(f"optimal(solution={path})", "pig")
    with pytest.raises(StarspielError, match="needs a solution"):
        make_bot("optimal", "pig")
    with pytest.raises(StarspielError, match="cannot read the solution"):
        make_bot(f"optimal(solution={tmp_path / 'none.npz'})", "pig")
    broken = tmp_path / "broken.npz"
    whole = path.read_bytes()
    array = io.BytesIO()
    np.save(array, np.zeros(3))
    for content in (b"nothing", b"", whole[:-40], whole[: len(whole) // 2], array.getvalue()):
        broken.write_bytes(content)
        with pytest.raises(StarspielError, match="no solution file of `starspiel solve`, or a damaged one"):
            Solution.load(broken)
    with pytest.raises(StarspielError, match="no solution file"):
        make_bot(f"optimal(solution={broken})", "pig")
    larger = load_game("pig(winscore=40)")
    state = larger.new_initial_state()
    for _ in range(6):
        state = state.child(0).child(5)
    with pytest.raises(StarspielError, match="has no value for the position"):
        solution(larger, state)


class Broken(Pig):
    """Pays what is no number."""

    def utility(self, position):
        return float("nan")


@pytest.mark.parametrize(
    ("game", "memory", "says"),
    [
        ("chess", 0.3, "no sound key"),
        ("2048", 0.05, "too large"),
        ("pig(horizon=108,winscore=40)", 0.1, "cut-off"),
        ("pig(horizon=130,winscore=40)", 0.3, "near enough to change values"),
        ("einstein_wurfelt_nicht", 0.05, "random play alone shows at least"),
        ("pig", 0.01, "still to be looked into"),
        ("Blackjack-v1(hidden=seen)", 0.3, "sampled"),
        (Lap(Nameless), 0.3, r"of type Nameless that shows as .*give the class a __repr__"),
        (Broken(goal=6), 0.3, "expected a finite number"),
        ("tic_tac_toe", float("nan"), "memory_gb must be"),
        ("tic_tac_toe", 0.0, "memory_gb must be"),
    ],
)
def test_games_that_cannot_be_solved(game, memory, says):
    with pytest.raises(StarspielError, match=says):
        solve(load_game(game), memory_gb=memory)


def test_a_cut_off_matters_as_much_as_by_counting_it_in_every_position():
    """In games that are cut off within 100 moves it is counted."""
    game = load_game("pig(winscore=12,diceoutcomes=2)")
    graph = enumerate_positions(game, 1.0, lambda what, done, of: None)
    values, _, _ = values_to_go(graph, lambda what, done, of: None)
    for moves in (20, 60, 80, 100):
        cut_off = solve(load_game(f"pig(winscore=12,diceoutcomes=2,horizon={moves})"))
        assert is_settled_after(graph, values, moves) == (abs(cut_off.value - values[0]) <= 1e-9)


@pytest.mark.parametrize("name", ["pig(winscore=6,horizon=7)", "cliff_walking(height=3,width=4,horizon=9)"])
def test_cut_offs_and_step_rewards_against_a_plain_recursion(name):
    """A cut-off that is part of every key is solved as it is."""
    game = load_game(name)

    def value(state):
        if state.is_terminal():
            return state.returns()[0]
        if state.is_chance_node():
            return sum(p * value(state.child(a)) for a, p in state.chance_outcomes())
        best = max if state.current_player() == 0 else min
        return best(value(state.child(a)) for a in state.legal_actions())

    assert solve(game).value == pytest.approx(value(game.new_initial_state()), abs=1e-12)
