"""Worker processes: the same games whatever their number, and misbehaviour that costs the culprit alone."""

import os
import signal
import time

import pyspiel
import pytest

from starspiel.envs.errors import StarspielError
from starspiel.evaluation.tournament import tournament
from starspiel.evaluation.workers import HardLimits

PIG = "pig(players=2,winscore=20)"


class First(pyspiel.Bot):
    """Plays the last legal action; its `trick` is called at its third move."""

    def __init__(self, trick=None):
        super().__init__()
        self.trick = trick
        self.moves = 0

    def step(self, state):
        self.moves += 1
        if self.trick and self.moves == 3:
            self.trick()
        return state.legal_actions()[self.moves % 3 == 0 and -1]


def plain(game, seat, seed):
    return First()


def with_trick(trick):
    return lambda game, seat, seed: First(trick)


def moves(result):
    return [(record.pair, [game.actions for game in record.games]) for record in result.pairs]


def untimed(result):
    answer = result.to_dict()
    del answer["seconds"]
    for agent in answer["agents"]:
        del agent["cpu_seconds_per_move"]
    return answer


@pytest.mark.parametrize("workers", [1, 2])
def test_workers_play_the_same_games(workers):
    agents = ["random", "star2(depth=1)", "mcts(simulations=20)", "greedy"]
    here = tournament(PIG, agents, pairs=6, seed=7)
    there = tournament(PIG, agents, pairs=6, seed=7, workers=workers, limits=HardLimits(move_seconds=60))
    assert moves(here) == moves(there)
    assert untimed(here) == untimed(there)


def crash():
    os.kill(os.getpid(), signal.SIGSEGV)


def chance_node_crash():
    """OpenSpiel's C++ MCTS, stepped at a chance node, takes the process down."""
    game = pyspiel.load_game("backgammon")
    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    bot = pyspiel.MCTSBot(game, evaluator, 1.4, 10, 1, False, 1, False)
    bot.step(game.new_initial_state())


def hang():
    while True:
        time.sleep(1)


def eat():
    held = []
    while True:
        held.append(bytearray(2**24))


@pytest.mark.parametrize(
    ("trick", "kind", "says"),
    [
        (crash, "crashed", "SIGSEGV"),
        (chance_node_crash, "crashed", "SIGSEGV"),
        (lambda: os._exit(7), "crashed", "exit code 7"),
        (hang, "hung", "no move within 0.5 s"),
        (eat, "memory", "MemoryError"),
    ],
    ids=["segfault", "mcts at a chance node", "exit", "hang", "memory"],
)
def test_a_bad_agent_loses_its_own_games_only(trick, kind, says):
    agents = {"bad": with_trick(trick), "one": plain, "two": plain}
    limits = HardLimits(move_seconds=0.5 if kind == "hung" else 60, memory_mb=64)
    result = tournament(PIG, agents, pairs=2, seed=3, workers=2, limits=limits)
    clean = tournament(PIG, {"one": plain, "two": plain}, pairs=2, seed=3)
    assert result.games == 12
    good = [record for record in result.pairs if record.pair.agents == (1, 2)]
    assert [g.actions for r in good for g in r.games] == [g.actions for r in clean.pairs for g in r.games]
    for record in result.pairs:
        if 0 in record.pair.agents:
            assert record.voided[0][0] == 0
            for game in record.games:
                assert game.fault.seat == game.agents.index(0)
                assert game.fault.kind == kind
                assert says in game.fault.message
                state = pyspiel.load_game(PIG).new_initial_state()
                for action in game.actions:
                    state.apply_action(action)
                assert state.current_player() == game.fault.seat, "the record ends where the fault was"
    bad = result.to_dict()["agents"][0]
    assert bad["forfeits"] == {kind: 8}
    assert bad["losses"] == 8


def test_a_crash_that_does_not_come_back_is_played_over(tmp_path):
    flag = tmp_path / "crashed"

    def once():
        if not flag.exists():
            flag.touch()
            crash()

    result = tournament(PIG, {"bad": with_trick(once), "one": plain}, pairs=3, workers=2)
    clean = tournament(PIG, {"bad": plain, "one": plain}, pairs=3)
    assert moves(result) == moves(clean)
    bad = result.to_dict()["agents"][0]
    assert (bad["voids"], bad["forfeits"]) == (1, {})


def test_a_crash_while_being_informed_is_the_listeners():
    class Touchy(First):
        def inform_action(self, state, player, action):
            if len(state.history()) > 5:
                crash()

    result = tournament(
        PIG,
        {"touchy": lambda g, p, s: Touchy(), "one": plain},
        pairs=1,
        workers=1,
        limits=HardLimits(move_seconds=30),
    )
    assert result.to_dict()["agents"][0]["forfeits"] == {"crashed": 2}


def children() -> set[str]:
    """The Python processes of this one; not multiprocessing's tracker, which stays until the end."""
    listed = os.popen(f"ps --ppid {os.getpid()} -o pid=,args=").read().splitlines()
    return {line for line in listed if "python" in line and "resource_tracker" not in line}


def test_stopping_early_leaves_no_worker_behind():
    def stop(progress):
        raise KeyboardInterrupt

    before = children()
    result = tournament(PIG, {"a": plain, "b": plain}, pairs=50, workers=2, on_pair=stop)
    assert result.interrupted
    assert result.games == 2
    assert children() <= before


@pytest.mark.parametrize("wrong", [{"move_seconds": 0}, {"move_seconds": -1.0}, {"memory_mb": 0}])
def test_wrong_limits_are_refused(wrong):
    with pytest.raises(StarspielError, match="must be a number above 0"):
        HardLimits(**wrong)
    with pytest.raises(StarspielError, match="at least 1 worker"):
        tournament(PIG, {"a": plain, "b": plain}, workers=0)
