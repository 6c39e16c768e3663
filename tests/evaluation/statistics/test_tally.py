"""What a tournament adds up to: in any order, and at once as one by one."""

import os
import random
from dataclasses import asdict

import gymnasium
import pyspiel
import pytest

from starspiel.agents.solve import solve
from starspiel.envs.errors import StarspielError
from starspiel.envs.load import load_game
from starspiel.evaluation.plan import plan
from starspiel.evaluation.report.page import page
from starspiel.evaluation.settings import Settings
from starspiel.evaluation.statistics.blocks import Blocks
from starspiel.evaluation.statistics.tally import Tally
from starspiel.evaluation.store.finished import finished
from starspiel.evaluation.store.store import Store
from starspiel.evaluation.tournament import tournament


class Late(pyspiel.Bot):
    """Gives up after so many events, with other words each time."""

    def __init__(self, after=8):
        super().__init__()
        self.after = after

    def step(self, state):
        if len(state.history()) > self.after:
            raise ValueError(f"stopped after {state.history()}")
        return state.legal_actions()[0]


def sums(tally):
    agents = [asdict(totals) for totals in tally.agents]
    for totals in agents:
        cost = totals["cost"]
        totals["cost"] = cost._replace(seconds=round(cost.seconds, 6))  # sums in another order
    return (
        agents,
        tally.counts.tolist(),
        tally.lengths,
        tally.facts,
        tally.seat_0,
        tally.returns,
        tally.forfeited,
        tally.alike,
    )


def test_any_order_gives_the_same_sums_and_the_same_last_fault():
    agents = {"late": lambda game, seat, seed: Late(), "random": "random", "greedy": "greedy"}
    result = tournament("pig(players=2,winscore=20)", agents, pairs=10, luck="heuristic")
    played = list(result.pairs)
    messages = [fault.message for record in played for _, fault in record.faults]
    assert len(set(messages)) > 10
    for seed in range(5):
        random.Random(seed).shuffle(played)
        tally = Tally(3)
        for record in played:
            tally.add(record)
        assert sums(tally) == sums(result.tally)
    assert result.tally.agents[0].last_fault == messages[-1]


@pytest.mark.parametrize(
    ("game", "agents", "luck"),
    [
        ("pig(players=2,winscore=20)", ["star2(depth=1)", "random", "greedy"], "heuristic"),
        ("tic_tac_toe", ["random", "mcts(simulations=2)", "mcts(simulations=3)"], None),  # draws
        ("catch", ["random", "greedy"], "rollout(n=1)"),  # one player
        ("FrozenLake-v1", ["random", "greedy"], None),
        ("pig(players=3,winscore=10)", ["random", *(f"mcts(simulations={n})" for n in (2, 3, 4))], None),
    ],
)
def test_stored_pairs_are_counted_at_once_as_one_by_one(game, agents, luck, tmp_path):
    """With agents in another order as well, whose pairs lie the other way round in the store."""
    path = tmp_path / "games.db"
    tournament(game, agents, pairs=5, luck=luck, store=path, clock=1e-6)
    for field in (agents, agents[::-1], agents[1:]):
        planned = plan(Settings(game=game, agents=field, pairs=5, luck=luck, clock=1e-6))
        with Store(path, read_only=True) as store:
            found = finished(store, planned.job, planned.schedule)
        at_once, singly = Tally(len(field)), Tally(len(field))
        at_once.count_all(found.faultless)
        for pair, outcomes, voided in found.each():
            assert [game.agents for game in outcomes] == list(pair.seatings())
            singly.count(pair, outcomes, voided)
        assert singly.games > 0
        assert sums(at_once) == sums(singly)
        assert (at_once.pairs, at_once.games, at_once.solo) == (singly.pairs, singly.games, singly.solo)
        assert sum(totals.cost.wall_overruns for totals in at_once.agents) > 0


def test_faults_are_counted_beside_the_columns(tmp_path):
    agents = {"late": lambda game, seat, seed: Late(), "random": "random", "greedy": "greedy"}
    path = tmp_path / "games.db"
    played = tournament("pig(players=2,winscore=20)", agents, pairs=6, store=path)
    resumed = tournament("pig(players=2,winscore=20)", agents, pairs=6, store=path)
    assert sums(resumed.tally) == sums(played.tally)
    assert played.tally.agents[0].forfeits["raised"] > 0
    with Store(path, read_only=True) as store:
        planned = plan(Settings(game="pig(players=2,winscore=20)", agents=agents, pairs=6))
        found = finished(store, planned.job, planned.schedule)
    assert len(found.faulty) == 12
    assert len(found.faultless.pairs) == 6
    assert len(found.pairs) == 18


class Costs(gymnasium.Env):
    """Every move costs 1, and a die ends the game; who is at fault at once would have paid least."""

    observation_space, action_space = gymnasium.spaces.Discrete(99), gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.moves = 0
        return 0, {"to_move": 0}

    def step(self, action):
        self.moves += 1
        over = self.moves > 1 and bool(self.np_random.integers(3) == 0)
        return self.moves, -1.0, over or self.moves == 98, False, {"to_move": self.moves % 2}


def test_a_player_alone_that_forfeits_has_the_lowest_return_if_its_bound_is_unknown():
    game = load_game(Costs(), players=1)
    assert game.utility_range is None
    result = tournament(game, {"late": lambda game, seat, seed: Late(after=-1), "random": "random"}, pairs=20)
    assert result.ranked_names == ("random", "late")
    assert result.differences[0].mean > 0
    assert (
        "Forfeited games count with at most the lowest return of all whole games: late lost 20 of 20."
        in str(result)
    )


def test_who_forfeits_costs_nobody_a_return_that_is_unknown():
    """Where the sum of returns is known, the others divide it; here they had 0 when the game stopped."""
    game = load_game(Costs(), players=2, to_play="to_move", general_sum=True)
    agents = {
        "late": lambda game, seat, seed: Late(after=-1),
        "random": "random",
        "mcts": "mcts(simulations=2)",
    }
    result = tournament(game, agents, pairs=20)
    assert result.ranked_names[2] == "late"
    whole = [each.returns for pair in result.pairs for each in pair.games if each.fault is None]
    assert len(whole) == 40
    both = sum(line.mean for line in result.standings[:2])
    assert both == pytest.approx(sum(map(sum, whole)) / 40)
    assert result.standings[2].mean == min(map(min, whole))
    assert [each.p < 0.01 for each in result.differences] == [False, True, True]
    assert "late lost 80 of 80" in str(result)


@pytest.mark.parametrize(
    ("games", "counted"),
    [
        (
            [((12, 20), None), ((10, 0), 0)],
            [[12, 20], [10, 20]],
        ),  # 10 is the game's lowest, 0 nobody's return
        ([((12, 20), None), ((0, 15), 1)], [[12, 20], [12, 12]]),
        ([((-9, -7), None), ((0, 0), 0)], [[-9, -7], [-9, -7]]),
        ([((10, 0), 0), ((0, 10), 1)], [[10, 10], [10, 10]]),
    ],
)
def test_returns_in_forfeited_games(games, counted):
    """What a game that stopped has paid so far is no return of those who are not at fault."""
    rows = [
        ((0, 1), [seat == at_fault for seat in (0, 1)], returns, (0, 0), (0, 0), (0, 0))
        for returns, at_fault in games
    ]
    assert Blocks.of(2, {((0, 1), 0): rows}, shares_known=False).returns.tolist() == [counted]


class Leaving(pyspiel.Bot):
    """Goes wrong at its first move in every game: ends the process, or just raises."""

    def __init__(self, parent):
        super().__init__()
        self.parent = parent

    def step(self, state):
        if os.getpid() != self.parent:
            os._exit(3)
        raise ValueError("lost my head")


def test_void_pairs_are_counted_once_an_agent():
    parent = os.getpid()
    agents = {"leaving": lambda game, seat, seed: Leaving(parent), "random": "random"}
    with pytest.raises(StarspielError, match="a worker ended with exit code 3 twice while playing a pair"):
        tournament("pig(players=2,winscore=20)", agents, pairs=3, workers=2)
    result = tournament("pig(players=2,winscore=20)", agents, pairs=3)
    assert [totals.voids for totals in result.tally.agents] == [3, 0]
    assert "leaving: 3 pairs void and played again, 6 games forfeited" in str(result)


ALIKE = ["expectiminimax(depth=1)", "random", "star1(depth=1)", "star2(depth=1)"]


def test_agents_that_play_alike_are_named(tmp_path):
    """Two games of a pair have the same dice: who plays alike plays the same game twice."""
    path = tmp_path / "games.db"
    result = tournament("einstein_wurfelt_nicht", ALIKE, pairs=2, store=path)
    resumed = tournament("einstein_wurfelt_nicht", ALIKE, pairs=2, store=path)
    for own in (result, resumed):
        assert [set(group) for group in own.groups_alike] == [{ALIKE[0], *ALIKE[2:]}]
        assert [set(group) for group in own.to_dict()["alike"]] == [{ALIKE[0], *ALIKE[2:]}]
        note = " ".join(str(own).split())
        assert "played alike, move for move, in all 2 pairs of any two of them" in note
        assert page(own).count("played alike, move for move") == 1
    two = str(tournament("einstein_wurfelt_nicht", ALIKE[2:], pairs=2))
    assert "played alike, move for move, in all 2 pairs of these two." in " ".join(two.split()), "no others"


def test_meetings_of_one_pair_over_and_over_are_named(tmp_path):
    game = "connect_four(rows=4,columns=4)"
    agents, path = ["random", "star2(depth=2)", "star2(depth=3)"], tmp_path / "games.db"
    result = tournament(game, agents, pairs=3, store=path)
    resumed = tournament(game, agents, pairs=3, store=path)
    for own in (result, resumed):
        assert own.tally.repeated_meetings == [(1, 2)]
        assert (
            "games were repeated from one start, move for move: star2(depth=2) against star2(depth=3)."
            in " ".join(str(own).split())
        )
        assert page(own).count("games were repeated from one start") == 1
        assert own.to_dict()["repeated"] == [agents[1:]]
    assert tournament(game, agents, pairs=1).tally.repeated_meetings == [], "one is no repetition"
    for pairs, repeated in ((2, []), (3, [(1, 2)])):
        opened = tournament(game, agents, pairs=pairs, starts=[[0], [1]])
        assert opened.tally.repeated_meetings == repeated
    solve("CliffWalking-v1").save(tmp_path / "cliff.npz")
    alone = tournament("CliffWalking-v1", ["random", f"optimal(solution={tmp_path}/cliff.npz)"], pairs=2)
    assert alone.tally.repeated_meetings == [(1,)]
    late = {name: lambda game, seat, seed: Late() for name in ("one", "two")}
    assert tournament(game, late, pairs=3).tally.repeated_meetings == [], "nor are faults"


def test_agents_that_differ_in_one_move_are_not_alike():
    """Games of one length with the same returns are not enough."""

    class Once(pyspiel.Bot):
        def __init__(self, differs):
            super().__init__()
            self.differs = differs

        def step(self, state):
            return state.legal_actions()[-1 if self.differs and len(state.history()) > 30 else 0]

    agents = {
        "first": lambda game, seat, seed: Once(False),
        "copy": lambda game, seat, seed: Once(False),
        "last": lambda game, seat, seed: Once(True),
    }
    result = tournament("yacht(players=2)", agents, pairs=2)
    assert len(result.tally.lengths) < 3
    assert list(map(set, result.groups_alike)) == [{"first", "copy"}]
    late = {name: lambda game, seat, seed: Late() for name in ("one", "two")}
    assert tournament("pig(players=2,winscore=20)", late, pairs=3).groups_alike == (), "faults are not alike"
