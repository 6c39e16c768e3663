"""How long optimal play takes, and that the agent `optimal` comes to the end."""

import json
import random

import gymnasium
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from starspiel.agents.bots.optimal import optimal
from starspiel.agents.env_agent import EnvAgent
from starspiel.agents.solve import solve
from starspiel.agents.solve.positions import Graph
from starspiel.agents.solve.solution import Solution
from starspiel.agents.solve.times import soonest_actions
from starspiel.agents.solve.values import values_to_go
from starspiel.envs.base import CHANCE, SIMULTANEOUS, TERMINAL
from starspiel.envs.errors import StarspielError
from starspiel.envs.load import load_game


def solved(players, edges, endings=None, columns=None):
    """(values, times) of a graph: an edge is (target, weight) or (target, weight, reward).

    `columns` has how many moves player 1 has where both move at once.
    """
    first = np.concatenate(([0], np.cumsum([len(edges[i]) for i in range(len(players))])))
    flat = [edge for position in range(len(players)) for edge in edges[position]]
    paid = any(len(edge) == 3 for edge in flat)
    ending = np.zeros(len(players))
    for position, worth in (endings or {}).items():
        ending[position] = worth
    graph = Graph(
        list(range(len(players))),
        np.array(players, np.int8),
        ending,
        first.astype(np.int64),
        np.array([edge[0] for edge in flat], np.int32),
        np.array([edge[1] for edge in flat], float),
        np.array([(*edge, 0.0)[2] for edge in flat] if paid else [], float),
        np.ones(len(flat) if paid else 0),
        np.array([(columns or {}).get(each, 0) for each in range(len(players) if columns else 0)], np.int32),
    )
    values, times, _ = values_to_go(graph, lambda *_: None)
    return values.tolist(), times.tolist()


END = TERMINAL


def test_dice_are_counted_by_their_mean():
    """A throw that succeeds one time in four, and a loop back."""
    values, times = solved([0, CHANCE, END], [[(1, 1)], [(0, 0.75), (2, 0.25)], []], {2: 1.0})
    assert values[0] == pytest.approx(1.0)
    assert times[0] == pytest.approx(4.0)


@pytest.mark.parametrize("together", [False, True])
def test_what_nobody_collects_is_worth_nothing(together):
    """The first sweep promises 0.25, which player 1 then takes away."""
    edges = [[(0, 1), (1, 1)], [(2, 0.5), (4, 0.5)], [(0, 1), (3, 1)], [], []]
    players = [0, CHANCE, SIMULTANEOUS if together else 1, END, END]
    values, _ = solved(players, edges, {3: -1.0, 4: 0.5}, {2: 2} if together else None)
    assert values == pytest.approx([0.0, -0.25, -1.0, -1.0, 0.5])


def test_play_of_both_at_once_does_not_wait_for_ever():
    """Matching pennies, after which player 0 can wait or go on to be paid."""
    edges = [[(1, 1), (2, 1), (2, 1), (1, 1)], [(1, 1), (3, 1)], [], []]
    values, times = solved([SIMULTANEOUS, 0, END, END], edges, {2: -1.0, 3: 1.0}, {0: 2})
    assert values == pytest.approx([0.0, 1.0, -1.0, 1.0])
    assert times == pytest.approx([1.5, 1.0, 0.0, 0.0])


@pytest.mark.parametrize("ways", [[(0, 1), (1, 1)], [(1, 1), (0, 1)]])
def test_best_strategies_go_on_whichever_move_is_first(ways):
    assert solved([SIMULTANEOUS, END], [ways, []], {1: 1.0}, {0: 1}) == ([1.0, 1.0], [1.0, 0.0])


def test_moves_at_once_of_which_one_player_has_several_are_moves_in_turn():
    """Also where a promise is taken away, and where the first of equal moves waits for ever."""
    for seed in (515, 683, 1067, 1276):
        rng = random.Random(seed)
        players = [*rng.choices([CHANCE, 0, 1], k=6), END, END]
        edges = [[(rng.randrange(8), 0.5 if p == CHANCE else 1.0) for _ in range(2)] for p in players[:6]]
        ends = {6: -1.0, 7: rng.choice([0.25, 1.0])}
        at_once = [SIMULTANEOUS if p >= 0 else p for p in players]
        columns = {n: 1 + p for n, p in enumerate(players) if p >= 0}
        in_turn, _ = solved(players, [*edges, [], []], ends)
        assert solved(at_once, [*edges, [], []], ends, columns)[0] == pytest.approx(in_turn, abs=1e-9), seed


@pytest.mark.parametrize("leak", [1e-2, 1e-4, 1e-7])
def test_the_times_of_long_games_settle(leak):
    """Ends that are seldom thrown: of two dice the one that ends twice as often is taken."""
    edges = [[(3, 1), (1, 1)], [(0, 1 - leak), (2, leak)], [], [(0, 1 - leak / 2), (2, leak / 2)]]
    _, times = solved([0, CHANCE, END, CHANCE], edges)
    assert times[0] == pytest.approx(1 / leak, rel=1e-6)


def test_times_that_no_choice_of_actions_settles_are_refused(monkeypatch):
    monkeypatch.setattr("starspiel.agents.solve.times._MOST_LEAPS", 0)
    with pytest.raises(StarspielError, match="how long optimal play takes"):
        solved([0, CHANCE, END], [[(1, 1)], [(0, 1 - 1e-7), (2, 1e-7)], []])


def test_of_two_players_the_winner_hastens_and_the_loser_puts_off():
    """Player 0 has won; player 1 may walk two more squares before it, all the same to the value."""
    players = [0, 1, 0, 1, END]
    edges = [[(1, 1), (0, 1)], [(4, 1), (2, 1)], [(3, 1), (2, 1)], [(4, 1)], []]
    values, times = solved(players, edges, {4: 1.0})
    assert values == [1.0] * 5
    assert times == [4.0, 3.0, 2.0, 1.0, 0.0]
    # The other way round, for player 1.
    _, mirrored = solved([1 - p if p >= 0 else p for p in players], edges, {4: -1.0})
    assert mirrored == times


def test_what_never_ends_counts_to_the_last_reward():
    """A reward two moves away, and after it two squares for ever."""
    values, times = solved(
        [0, 0, 0, 0], [[(0, 1, 0.0), (1, 1, 0.0)], [(0, 1, 0.0), (2, 1, 1.0)], [(3, 1, 0.0)], [(2, 1, 0.0)]]
    )
    assert values == [1.0, 1.0, 0.0, 0.0]
    assert times == [-3.0, -2.0, -1.0, -1.0]


def test_a_sure_end_comes_before_an_unsure_one():
    """One action ends in three moves; another at once or, as likely, in a square that is never left."""
    players = [0, CHANCE, 0, 0, 0, END]
    edges = [[(1, 1), (3, 1)], [(5, 0.5), (2, 0.5)], [(2, 1)], [(4, 1)], [(5, 1)], []]
    values, times = solved(players, edges)
    assert values == [0.0] * 6
    assert times == [3.0, -1.0, -1.0, 2.0, 1.0, 0.0]


def test_a_game_without_rewards_ends_at_once():
    """Two squares for ever: nothing to collect, and nothing that goes on rising."""
    assert solved([0, 0], [[(0, 1), (1, 1)], [(0, 1), (1, 1)]]) == ([0.0, 0.0], [-1.0, -1.0])


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_times_of_one_player_are_those_of_the_shortest_optimal_ways(data):
    """Random graphs without chance: breadth-first search from the ends with the best reachable reward."""
    count = data.draw(st.integers(2, 9))
    edges = [
        [(to, 1) for to in sorted(data.draw(st.sets(st.integers(0, count - 1), min_size=1, max_size=3)))]
        for _ in range(count - 2)
    ] + [[], []]
    values, times = solved([0] * (count - 2) + [END, END], edges, {count - 2: 0.5, count - 1: 1.0})
    distance = {worth: {end: 0} for worth, end in ((0.5, count - 2), (1.0, count - 1))}
    for known in distance.values():
        for _ in range(count):
            for at, ways in enumerate(edges):
                found = [known[to] for to, _ in ways if to in known]
                if found:
                    known[at] = min(known.get(at, count), 1 + min(found))
    for at in range(count - 2):
        worth = max((worth for worth, known in distance.items() if at in known), default=0.0)
        assert values[at] == worth
        assert times[at] == (distance[worth][at] if worth else -1.0)


def test_the_soonest_actions_of_either_side():
    times = {3: (False, 2.0), 4: (True, 1.0), 5: (False, 2.0), 6: (False, 3.0)}
    assert soonest_actions(times, hastens=True) == (3, 5)
    assert soonest_actions(times, hastens=False) == (4,)
    assert soonest_actions({1: (True, np.inf), 2: (True, np.inf)}, hastens=True) == (1, 2)


@pytest.mark.parametrize(
    ("name", "given", "discount", "least"),
    [
        ("FrozenLake-v1", {"is_slippery": False}, 1.0, 1.0),
        ("FrozenLake-v1", {"is_slippery": False, "map_name": "8x8"}, 1.0, 1.0),
        ("FrozenLake-v1", {"is_slippery": False}, 0.9, 1.0),
        ("CliffWalking-v1", {}, 1.0, -13.0),
        ("Taxi-v4", {}, 1.0, 3.0),
    ],
)
def test_optimal_collects_in_every_episode(name, given, discount, least):
    env = gymnasium.make(name, **given)
    agent = EnvAgent("random", env, seed=1, discount=discount)
    agent.bot = optimal(agent.game, seed=1, solution=solve(agent.game))
    assert all(agent.play(seed=seed) >= least for seed in range(5))


def test_optimal_may_still_play_the_first_or_any_optimal_action():
    game = load_game("FrozenLake-v1(is_slippery=false)")
    solution = solve(game)
    state = game.new_initial_state()
    while state.is_chance_node():
        state = state.child(state.chance_outcomes()[0][0])
    played = {
        ties: {optimal(game, seed=seed, solution=solution, ties=ties).step(state) for seed in range(20)}
        for ties in ("soonest", "first", "random")
    }
    assert played["first"] == {0}
    assert played["soonest"] == {1, 2}
    assert played["random"] == {0, 1, 2, 3}


def test_times_survive_their_file_and_older_files_are_refused(tmp_path):
    path = solve("FrozenLake-v1(is_slippery=false)").save(tmp_path / "lake")
    assert Solution.load(path).times.max() == 6.0
    with np.load(path) as file:
        about, hashes, values = json.loads(str(file["about"])), file["hashes"], file["values"]
    old = tmp_path / "old.npz"
    np.savez(old, about=np.array(json.dumps({**about, "format": 2})), hashes=hashes, values=values)
    with pytest.raises(StarspielError, match="written by another version of starspiel; solve the game again"):
        Solution.load(old)
