"""Games played by the native core: the same records as the Python loop's, whatever the bots do."""

import os
import signal
import threading
from types import SimpleNamespace

import pyspiel
import pytest

from starspiel.envs.load import load_game
from starspiel.envs.openspiel.game import qualifying_games
from starspiel.evaluation.job import Entrant, Job
from starspiel.evaluation.play import match
from starspiel.evaluation.play.dice import Dice
from starspiel.evaluation.play.pairing import Pair


class First(pyspiel.Bot):
    """Plays `wrong(state)` at its third move, and the first legal action else."""

    wrong = None
    last_nodes = None

    def __init__(self):
        super().__init__()
        self.moves = 0

    def step(self, state):
        self.moves += 1
        return state.legal_actions()[0] if self.moves != 3 or self.wrong is None else self.wrong(state)


class Listens(First):
    def inform_action(self, state, player, action):
        pass


class Index:
    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


def bot(**attributes):
    return type("Made", (First,), attributes)


def wrong(answer):
    return bot(wrong=lambda self, state: answer)


def raising(error):
    def step(self, state):
        raise error

    return bot(wrong=step)


def told(record):
    """What a record says, but for the seconds."""
    return [
        (
            game.agents,
            game.actions,
            [type(action) for action in game.actions],
            game.returns,
            game.fault,
            [
                (len(moves.seconds), moves.nodes, [str(value) for value in moves.values])
                for moves in game.moves
            ],
        )
        for game in record.games
    ], record.voided


@pytest.fixture
def both(core):
    """both(game, field, pair): the record of the native core, held against that of the Python loop."""

    def compare(game, field, pair, **parts):
        records = []
        for native in (True, False):
            job = Job(load_game(game), field, 1, **parts)
            assert job._core is core
            if not native:
                job.__dict__["_core"] = None  # where it is cached
            records.append(job.play(pair))
        assert told(records[0]) == told(records[1])
        return records[0]

    return compare


@pytest.mark.parametrize("name", qualifying_games())
def test_every_game_of_openspiel_is_the_same(name, both):
    game = load_game(name)
    seats = tuple(range(game.num_players))
    field = tuple(Entrant(f"random {seat}", "random") for seat in seats)
    for number in range(3):
        record = both(name, field, Pair(seats, number))
        assert not record.faults


@pytest.mark.parametrize("name", ["pig(players=2,winscore=20)", "backgammon", "catch", "tic_tac_toe"])
def test_bots_that_count_and_start_positions_are_the_same(name, both):
    game = load_game(name)
    specs = ["star2(depth=1)", "mcts(simulations=5)"][: game.num_players]
    field = tuple(Entrant(spec, spec) for spec in specs)
    pair = Pair(tuple(range(game.num_players)), 0)
    record = both(name, field, pair)
    assert record.games[0].moves[0].nodes
    start = record.games[0].actions[:3]
    assert both(name, field, pair, starts=(start,)).games[0].actions[:3] == start


@pytest.mark.parametrize(
    "make",
    [
        wrong(99),
        wrong(-1),
        wrong(2**70),
        wrong(-(2**70)),
        wrong(True),
        wrong(Index(1)),
        wrong(Index(7)),
        wrong(None),
        wrong(0.0),
        wrong("0"),
        raising(ValueError("two\nlines")),
        raising(MemoryError()),
        raising(SystemExit(3)),
        raising(pyspiel.SpielError("of OpenSpiel")),
        raising(StopIteration()),
        bot(last_nodes=-1),
        bot(last_nodes="many"),
        bot(last_nodes=5, last_result=SimpleNamespace(value=float("nan"))),
        bot(last_nodes=5, last_result=SimpleNamespace(value=1e300)),
        bot(last_nodes=5, wrong=lambda self, state: 99),
        bot(step=lambda self: 0),
        bot(step=lambda self, state: state.apply_action(0) or 0),
    ],
)
def test_faults_are_the_same(make, both):
    field = (Entrant("bad", lambda game, seat, seed: make()), Entrant("good", "random"))
    both("pig(players=2,winscore=20)", field, Pair((0, 1), 0))


def test_overruns_are_counted(core, monkeypatch):
    monkeypatch.setattr(match, "_INSTANT", 0.0)  # so that the processor's clock is asked every time

    def asleep(self, state):
        threading.Event().wait(0.02)
        return state.legal_actions()[0]

    game = load_game("pig(players=2,winscore=20)")
    for engine in (core, None):
        bots = [bot(wrong=asleep)(), First()]
        record = match.play_game(game, bots, Dice(1), agents=(0, 1), clock=0.01, core=engine)
        assert [(moves.overruns, moves.wall_overruns) for moves in record.moves] == [(0, 1), (0, 0)]
        trusted = {0: 0, 1: 0}
        record = match.play_game(
            game, [First(), First()], Dice(1), agents=(0, 1), clock=0.0, wary=trusted, core=engine
        )
        assert sum(len(moves.seconds) for moves in record.moves) > 5
        assert all(moves.wall_overruns == len(moves.seconds) for moves in record.moves)


def test_moves_are_timed_by_the_wall_clock_only_while_the_bot_is_quick(core, monkeypatch):
    """The clock of the processor does not count time asleep."""

    def asleep(self, state):
        threading.Event().wait(0.02)
        return state.legal_actions()[0]

    game = load_game("pig(players=2,winscore=20)")
    for engine in (core, None):
        for instant, wary_at_last in ((10.0, 0), (0.0, match._WARY)):
            monkeypatch.setattr(match, "_INSTANT", instant)
            wary = {0: 0, 1: 0}
            bots = [bot(wrong=asleep)(), First()]
            record = match.play_game(game, bots, Dice(1), agents=(0, 1), wary=wary, core=engine)
            assert (record.moves[0].seconds[2] > 0.02) == (instant == 10.0)
            assert wary[0] == wary_at_last


def test_who_listens_is_told_by_the_python_loop_and_games_in_python_are_played_there(core, monkeypatch):
    played = []
    monkeypatch.setattr(match, "_played_by", lambda core, *rest: played.append(rest))
    game = load_game("pig(players=2,winscore=20)")
    match.play_game(game, [First(), Listens()], Dice(1), core=core)
    assert not played
    for name in ("star_pig(goal=10)", "FrozenLake-v1"):
        field = tuple(Entrant(f"random {seat}", "random") for seat in range(load_game(name).num_players))
        assert Job(load_game(name), field, 1)._core is None


def test_ctrl_c_ends_a_game_in_the_core(core):
    """OpenSpiel's own bots run no Python, where Ctrl-C would be answered."""
    game = load_game("backgammon")
    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    bots = [pyspiel.MCTSBot(game.pyspiel_game, evaluator, 2.0, 200, 100, False, 1, False) for _ in range(2)]
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        [match.play_game(game, bots, Dice(number), core=core) for number in range(1000)]


def test_an_error_of_openspiel_itself_has_its_class(core):
    class Broken(Dice):
        def eight_turns(self, causer, turn):
            raise pyspiel.SpielError("no dice")

    with pytest.raises(pyspiel.SpielError, match="no dice"):
        match.play_game(load_game("pig(players=2)"), [First(), First()], Broken(1), core=core)
