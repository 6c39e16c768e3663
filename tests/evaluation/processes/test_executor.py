"""Worker processes: the same games whatever their number, and what is said if one dies."""

import faulthandler
import os
import signal
import time
from contextlib import suppress

import pytest
from support.processes import children
from support.simple_bots import moves, untimed

from starspiel.agents.hard_limits import HardLimits
from starspiel.envs.errors import RulesError, StarspielError
from starspiel.envs.games.pig import Pig
from starspiel.evaluation.processes import executor
from starspiel.evaluation.processes.workers import Worker
from starspiel.evaluation.tournament import tournament

PIG = "pig(players=2,winscore=20)"


class First:
    """Plays the last legal action; its `trick` is called at its third move."""

    def __init__(self, trick=None):
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


def test_workers_play_the_same_games():
    agents = ["random", "star2(depth=1)", "mcts(simulations=20)", "greedy"]
    here = tournament(PIG, agents, pairs=6, seed=7)
    there = tournament(PIG, agents, pairs=6, seed=7, workers=3)
    assert moves(here) == moves(there)
    assert untimed(here) == untimed(there)


def crash():
    faulthandler.disable()  # pytest's, which would print where it crashed
    os.kill(os.getpid(), signal.SIGSEGV)


def test_limited_agents_sit_apart_and_play_the_same_games():
    """What they say of their moves is the same, too."""
    agents = ["star2(depth=2)", "mcts(simulations=20)"]
    here = tournament(PIG, agents, pairs=2, seed=7)
    apart = tournament(PIG, agents, pairs=2, seed=7, limits=HardLimits(move_seconds=60, memory_mb=1000))
    assert moves(here) == moves(apart)
    for record, other in zip(here.pairs, apart.pairs, strict=True):
        for game, again in zip(record.games, other.games, strict=True):
            assert game.returns == again.returns
            for mine, theirs in zip(game.moves, again.moves, strict=True):
                assert (mine.nodes, mine.values.tobytes()) == (theirs.nodes, theirs.values.tobytes())


def test_a_python_object_that_ends_its_worker_ends_the_tournament():
    agents = {"bad": with_trick(crash), "one": plain}
    with pytest.raises(
        StarspielError,
        match=r"a worker .*died of SIGSEGV twice while playing a pair of bad and one\. .*module:factory",
    ):
        tournament(PIG, agents, pairs=2, workers=2)


def test_a_worker_that_dies_once_costs_nothing(tmp_path):
    flag = tmp_path / "crashed"

    def once():
        with suppress(FileExistsError):  # of two workers one
            flag.touch(exist_ok=False)
            crash()

    result = tournament(PIG, {"bad": with_trick(once), "one": plain, "star": "star2"}, pairs=3, workers=2)
    clean = tournament(PIG, {"bad": plain, "one": plain, "star": "star2"}, pairs=3)
    assert flag.exists()
    assert moves(result) == moves(clean)
    assert result.to_dict()["agents"][0]["voids"] == 0


def test_limits_are_not_for_python_objects():
    with pytest.raises(StarspielError, match="one is a Python object, which plays in the referee's"):
        tournament(PIG, {"one": plain, "two": "random"}, limits=HardLimits(move_seconds=1))


def test_a_python_object_that_forks_and_lets_the_child_return_plays_one_game(tmp_path):
    def fork():
        if not os.fork():
            (tmp_path / f"{os.getpid()}.forked").touch()
        else:
            time.sleep(0.1)

    agents = {"forks": with_trick(fork), "one": plain}
    result = tournament(PIG, agents, pairs=1, seed=3, workers=2)
    assert moves(result) == moves(tournament(PIG, {"forks": plain, "one": plain}, pairs=1, seed=3))
    assert list(tmp_path.iterdir())


def interrupt():
    raise KeyboardInterrupt


def test_a_bot_that_raises_what_ctrl_c_raises_does_not_end_the_tournament():
    result = tournament(PIG, {"bad": with_trick(interrupt), "one": plain}, pairs=2, workers=2)
    assert not result.interrupted
    assert result.to_dict()["agents"][0]["forfeits"] == {"raised": 4}


class Rigged(Pig):
    """Rules that break when player 0 has five points."""

    def chances(self, position):
        return [(0, 0.5)] if position.scores[0] >= 5 else super().chances(position)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_game_that_breaks_its_own_rules_is_one_clear_error(workers):
    with pytest.raises(RulesError, match=r"sum to 0\.5, expected 1") as error:
        tournament(Rigged(goal=20), ["random", "greedy"], pairs=4, workers=workers)
    assert error.value.broken == "probabilities"


class Forbidden(Pig):
    """Rules that allow an illegal move when player 0 has five points."""

    def actions(self, position):
        return (0, 9) if position.scores[0] >= 5 else super().actions(position)


@pytest.mark.parametrize("agents", [["random", "star2"], {"one": plain, "two": plain}])
def test_rules_that_break_while_a_bot_thinks_are_not_the_bots_fault(agents):
    with pytest.raises(RulesError, match=r"actions\(\) gives \(0, 9\)"):
        tournament(Forbidden(goal=20), agents, pairs=4)


def workers() -> set[int]:
    """Returns the Python processes of this one, but multiprocessing's tracker, which stays until the end."""
    found = children().items()
    return {pid for pid, command in found if "python" in command and "resource_tracker" not in command}


def test_no_more_workers_are_started_than_there_are_pairs(monkeypatch):
    started = []

    def counted(*given):
        started.append(given)
        return Worker(*given)

    monkeypatch.setattr(executor, "Worker", counted)
    assert tournament(PIG, {"a": plain, "b": plain}, pairs=2, workers=8).games == 4
    assert len(started) == 2


def test_stopping_early_leaves_no_worker_behind():
    def stop(progress):
        raise KeyboardInterrupt

    before = workers()
    result = tournament(PIG, {"a": plain, "b": plain}, pairs=50, workers=2, on_pair=stop)
    assert result.interrupted
    assert result.games == 2
    assert workers() <= before


@pytest.mark.parametrize("wrong", [{"move_seconds": 0}, {"move_seconds": -1.0}, {"memory_mb": 0}])
def test_wrong_limits_are_refused(wrong):
    with pytest.raises(StarspielError, match="must be a number above 0"):
        HardLimits(**wrong)
    with pytest.raises(StarspielError, match="expected for workers: a whole number from 1 to 1,000; got 0"):
        tournament(PIG, {"a": plain, "b": plain}, workers=0)


def test_agents_of_a_module_are_always_played_in_a_process_of_their_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "leaves_at_move.py").write_text(
        "import os\nclass Leaves:\n def __init__(self, game): pass\n def step(self, state): os._exit(0)\n"
    )
    result = tournament(PIG, ["random", "leaves_at_move:Leaves"], pairs=1)
    assert [fault.kind for record in result.pairs for _, fault in record.faults] == ["crashed"] * 2


def test_making_an_agent_takes_no_longer_than_the_limit(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "never_made.py").write_text("import time\ndef agent(game): time.sleep(60)\n")
    with pytest.raises(
        StarspielError, match=r"making the agent never_made:agent: no answer to new_game within 0\.5 s"
    ):
        tournament(PIG, ["random", "never_made:agent"], pairs=1, limits=HardLimits(move_seconds=0.5))
