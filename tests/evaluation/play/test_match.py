"""One game and one pair: common dice, fresh bots, what bots hear, what they may not do."""

import os
import signal
import threading
from types import SimpleNamespace

import pyspiel
import pytest
from support.simple_bots import RandomBot, random_bot

from starspiel.agents import bots, make_bot
from starspiel.envs.base import CHANCE
from starspiel.envs.errors import StarspielError
from starspiel.envs.games.pig import Pig
from starspiel.envs.load import load_game
from starspiel.evaluation.entrant import Entrant
from starspiel.evaluation.play.dice import Dice
from starspiel.evaluation.play.faults import ended_early
from starspiel.evaluation.play.match import play_game
from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.play.record import Fault
from starspiel.evaluation.play.seat import seated
from starspiel.evaluation.referee import Referee

GAMES = ["pig(players=2)", "einstein_wurfelt_nicht", "maedn(players=2)", "backgammon", "tic_tac_toe"]


class Watcher(RandomBot):
    """Follows the game from what it hears alone, and compares with the state it is shown."""

    def __init__(self, game, seat, seed):
        super().__init__(seed)
        self.seat = seat
        self.own = game.new_initial_state()
        self.heard = []

    def inform_action(self, state, player, action):
        assert player != self.seat
        assert state.history() == self.own.history()
        self.heard.append(player)
        self.own.apply_action(action)

    def step(self, state):
        assert not state.is_chance_node()
        assert state.current_player() == self.seat
        assert state.history() == self.own.history()
        action = super().step(state)
        self.own.apply_action(action)
        return action


def random_field(n=2):
    return tuple(Entrant(f"random{k}", random_bot) for k in range(n))


def events(game, record):
    """(who, action) along a record; fails if the record is not a legal game."""
    state = game.new_initial_state()
    for action in record.actions:
        player = state.current_player()
        assert action in state.legal_actions()
        yield player, action
        state = state.child(action)
    assert state.is_terminal()
    assert tuple(state.returns()) == record.returns


@pytest.mark.parametrize("name", GAMES)
def test_records_replay_and_bots_are_told_everything(name):
    game = load_game(name)
    watchers = [Watcher(game, 0, 1), Watcher(game, 1, 2)]
    record = play_game(game, seated(watchers), Dice("watch", name))
    assert record.fault is None
    played = list(events(game, record))
    for seat, moves in enumerate(record.moves):
        assert len(moves.seconds) == sum(player == seat for player, _ in played)
    assert watchers[0].heard == [player for player, _ in played if player != 0]


@pytest.mark.parametrize("name", ["pig(players=2)", "maedn(players=2)", "backgammon"])
def test_seats_have_the_same_rolls_in_both_games_of_a_pair(name):
    """The k-th roll of a seat's t-th turn agrees wherever both games have one with the same outcomes."""
    game = load_game(name)
    record = Referee.of(game, random_field(), seed=4).referee(Pair((0, 1), 7))
    rolls = []
    for played in record.games:
        assert list(events(game, played))
        seen, state, causer, turns, event = {}, game.new_initial_state(), CHANCE, [0, 0], 0
        for action in played.actions:
            player = state.current_player()
            if player == CHANCE:
                turn = turns[causer] if causer >= 0 else 0
                seen[causer, turn, event] = (tuple(state.chance_outcomes()), action)
                event += 1
            elif player != causer:
                causer, event = player, 0
                turns[player] += 1
            state = state.child(action)
        rolls.append(seen)
    common = [key for key in rolls[0] if key in rolls[1] and rolls[0][key][0] == rolls[1][key][0]]
    assert len(common) > 10
    assert all(rolls[0][key] == rolls[1][key] for key in common)
    # Not because the games are the same.
    assert record.games[0].actions != record.games[1].actions


def test_games_depend_on_names_and_seeds_alone():
    game = load_game("pig(players=2)")
    three = random_field(3)
    pair = Referee.of(game, three, seed=9).referee(Pair((0, 2), 5))
    turned = Referee.of(game, (three[2], three[0]), seed=9).referee(Pair((0, 1), 5))
    assert {g.actions for g in pair.games} == {g.actions for g in turned.games}
    for other in (
        Referee.of(game, three, seed=10).referee(Pair((0, 2), 5)),
        Referee.of(game, three, seed=9).referee(Pair((0, 2), 6)),
        Referee.of(game, three, seed=9).referee(Pair((0, 1), 5)),
    ):
        assert not {g.actions for g in pair.games} & {g.actions for g in other.games}


def test_start_positions_keep_the_dice_in_step():
    game = load_game("pig(players=2)")
    whole = Referee.of(game, random_field(), seed=1).referee(Pair((0, 1), 0)).games[0]
    rest = play_game(game, seated([RandomBot(1), RandomBot(2)]), Dice(1), start=whole.actions[:30])
    assert rest.actions[:30] == whole.actions[:30]
    assert list(events(game, rest))
    start = Referee.of(game, random_field(), seed=1, starts=((), whole.actions[:30])).referee(
        Pair((0, 1), 0, start=1)
    )
    assert all(g.actions[:30] == whole.actions[:30] for g in start.games)


def failing(step):
    class Failing(pyspiel.Bot):
        def __init__(self):
            super().__init__()
            self.moves = 0

        def step(self, state):
            self.moves += 1
            return state.legal_actions()[0] if self.moves < 3 else step(state)

    return Failing


@pytest.mark.parametrize(
    ("step", "kind", "says"),
    [
        (lambda state: 99, "illegal", "played 99, but the legal actions are 0, 1"),
        (lambda state: -1, "illegal", "played -1"),
        (lambda state: 10**5000, "illegal", "played a number of 16610 bits"),
        (lambda state: 1 / 0, "raised", "ZeroDivisionError: division by zero"),
        (lambda state: None, "raised", "TypeError"),
        (lambda state: 0.0, "raised", "TypeError"),
    ],
)
def test_a_fault_costs_the_game_and_nothing_else(step, kind, says):
    game = load_game("pig(players=2)")
    field = (Entrant("bad", lambda g, seat, seed: failing(step)()), *random_field(1))
    record = Referee.of(game, field, seed=1).referee(Pair((0, 1), 0))
    for played, seat in zip(record.games, (0, 1), strict=True):
        assert played.fault.seat == seat
        assert played.fault.kind == kind
        assert says in played.fault.message
        assert played.score(seat) == 0.0
        assert played.score(1 - seat) == 1.0
    assert [agent for agent, _ in record.voided] == [0, 0]


def play_on(state):
    while not state.is_terminal():
        state.apply_action(max(state.legal_actions()))


def take_back(state):
    """Another move in the place of the last one: the number of moves stays as it was."""
    if state.history():
        last = state.full_history()[-1]
        state.undo_action(last.player, last.action)
        state.apply_action(max(state.legal_actions()))


def move_the_pieces(state):
    state.position = state.child(max(state.legal_actions())).position


@pytest.mark.parametrize(
    ("name", "forge"),
    [
        ("pig(players=2)", play_on),
        ("tic_tac_toe", play_on),
        ("tic_tac_toe", take_back),
        ("star_pig(goal=20)", move_the_pieces),
    ],
)
@pytest.mark.parametrize("when", ["stepped", "informed"])
def test_a_bot_cannot_change_the_game_it_is_shown(name, forge, when):
    class Forger(RandomBot):
        forging = True

        def step(self, state):
            action = super().step(state)
            self.forge("stepped", state)
            return action

        def inform_action(self, state, player, action):
            self.forge("informed", state)

        def forge(self, moment, state):
            if self.forging and moment == when:
                before = str(state)
                forge(state)
                changed.append(str(state) != before)

    class Honest(Forger):
        forging = False

    game, changed = load_game(name), []
    forged, honest = (
        play_game(game, seated([kind(1), RandomBot(2)]), Dice("forge")) for kind in (Forger, Honest)
    )
    assert any(changed)
    assert forged.fault is None
    assert (forged.actions, forged.returns) == (honest.actions, honest.returns)


@pytest.mark.parametrize("name", ["pig(players=2)", "star_pig(goal=20)"])
@pytest.mark.parametrize("wrong", [99, -1])
def test_our_own_bots_are_checked_as_well(name, wrong, monkeypatch):
    """Their moves are compared by OpenSpiel if it has the state."""
    own, moves = bots.RandomBot.step, []

    def third_is_wrong(self, state):
        moves.append(self)
        return own(self, state) if len(moves) % 3 else wrong

    monkeypatch.setattr(bots.RandomBot, "step", third_is_wrong)
    game = load_game(name)
    record = play_game(game, seated([make_bot("random", game, seat, 1) for seat in (0, 1)]), Dice(1))
    assert record.fault.kind == "illegal"
    assert f"played {wrong}, but the legal actions are" in record.fault.message
    state = game.new_initial_state()
    for action in record.actions:
        state = state.child(action)
    assert state.current_player() == record.fault.seat
    assert sum(len(moves.seconds) for moves in record.moves) == 2


def test_what_is_said_of_an_illegal_move_is_not_on_record():
    class Illegal(pyspiel.Bot):
        last_nodes = 7

        def step(self, state):
            return 0 if len(state.history()) < 4 else 99

    record = play_game(load_game("pig(players=2)"), seated([Illegal(), Illegal()]), Dice(1))
    assert record.fault.kind == "illegal"
    assert [len(moves.nodes) for moves in record.moves] == [len(moves.seconds) for moves in record.moves]


class Talkative(pyspiel.Bot):
    """Plays well and says or hears something wrong."""

    last_nodes = None

    def step(self, state):
        return state.legal_actions()[0]


def telling(**attributes):
    return type("Telling", (Talkative,), attributes)


def valued(value):
    return telling(last_nodes=1, last_result=SimpleNamespace(value=value))


def raising(error):
    def fail(*_):
        raise error

    return fail


class Unspeakable(BaseException):
    def __str__(self):
        raise RuntimeError("not even this")


@pytest.mark.parametrize(
    ("bot", "says"),
    [
        (telling(inform_action=raising(RuntimeError("no memory"))), "RuntimeError: no memory"),
        (telling(last_nodes="many"), "TypeError in last_nodes or last_result"),
        (
            telling(last_nodes=10**30),
            "ValueError in last_nodes or last_result: expected 0 to 35,184,372,088,832 nodes",
        ),
        (telling(last_nodes=-1), "got -1"),
        (telling(last_nodes=property(raising(RuntimeError("ask me later")))), "RuntimeError: ask me later"),
        (telling(last_nodes=1, last_result="good"), "AttributeError in last_nodes or last_result"),
        (valued("good"), "ValueError in last_nodes or last_result"),
        (valued(1e300), "expected a finite value, got 1e+300"),
        (valued(float("-inf")), "expected a finite value, got -inf"),
        (telling(step=raising(Unspeakable())), "Unspeakable"),
        (telling(step=raising(SystemExit(0))), "SystemExit: 0"),
        (telling(step=raising(ValueError("half a character: \ud800"))), "half a character: ?"),
        (telling(step=raising(ValueError("a" * 1000))), "ValueError: " + "a" * 288),
        (lambda: None, "TypeError: None has no step(state) and is not a bot"),
        (lambda: SimpleNamespace(step=3), "has no step(state)"),
    ],
)
def test_what_a_bot_hears_and_tells_costs_its_own_game_only(bot, says):
    field = (Entrant("bad", lambda g, seat, seed: bot()), *random_field(1))
    record = Referee.of(load_game("pig(players=2)"), field, seed=1).referee(Pair((0, 1), 0))
    for played, seat in zip(record.games, (0, 1), strict=True):
        assert (played.fault.seat, played.fault.kind) == (seat, "raised")
        assert says in played.fault.message
        assert len(played.fault.message.encode()) <= 300


def test_ctrl_c_in_a_bot_is_no_fault_of_its():
    field = (
        Entrant("bad", lambda g, seat, seed: telling(step=raising(KeyboardInterrupt()))()),
        *random_field(1),
    )
    with pytest.raises(KeyboardInterrupt):
        Referee.of(load_game("pig(players=2)"), field, seed=1).referee(Pair((0, 1), 0))


def test_a_fault_that_does_not_come_back_is_played_over():
    made = []

    def once_bad(game, seat, seed):
        made.append(seed)
        return failing(lambda state: 99)() if len(made) == 1 else RandomBot(seed)

    game = load_game("pig(players=2)")
    referee = Referee.of(game, (Entrant("bad", once_bad), *random_field(1)), seed=1)
    record = referee.referee(Pair((0, 1), 0))
    assert [agent for agent, _ in record.voided] == [0]
    assert not record.faults
    assert made[0] != made[2], "whoever remembers the first attempt knows nothing of the second"
    pair = Pair((0, 1), 0)
    rolls = {referee.job.meeting(pair, (0, 1), again=again).dice.number(0, 1, 0) for again in (False, True)}
    assert len(rolls) == 2


def test_a_bot_that_cannot_be_made_forfeits():
    def broken(game, seat, seed):
        raise RuntimeError("no weights\nsecond line")

    game = load_game("pig(players=2)")
    record = Referee.of(game, (Entrant("bad", broken), *random_field(1)), seed=1).referee(Pair((0, 1), 0))
    assert [fault.message for _, fault in record.faults] == ["RuntimeError: no weights"] * 2


def test_a_journal_that_cannot_be_played_counts_up_to_its_first_illegal_action():
    fault = Fault(0, "crashed", "")
    game = load_game("tic_tac_toe")
    assert ended_early(game, (0, 1), (4, 0, 4, 1), fault).actions == (4, 0)
    assert ended_early(game, (0, 1), (0, 3, 1, 4, 2, 5), fault).actions == (0, 3, 1, 4, 2)
    pig = load_game("pig(players=2,winscore=20)")
    assert ended_early(pig, (0, 1), (0, 77), fault).actions == (0,)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_returns_that_are_no_numbers_name_the_game(value):
    class Odd(Pig):
        def utility(self, position):
            return value

    with pytest.raises(StarspielError, match="star_pig"):
        play_game(Odd(goal=5), seated([RandomBot(1), RandomBot(2)]), Dice(1))


def test_ctrl_c_ends_a_game_of_bots_that_run_no_python():
    game = load_game("backgammon")
    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    bots = [pyspiel.MCTSBot(game.pyspiel_game, evaluator, 2.0, 200, 100, False, 1, False) for _ in range(2)]
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        [play_game(game, seated(bots), Dice(number)) for number in range(1000)]
