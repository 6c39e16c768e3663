"""One game and one pair: common dice, fresh bots, what bots are told, what they may not do."""

import random

import pyspiel
import pytest

from starspiel.envs.base import CHANCE
from starspiel.envs.load import load_game
from starspiel.evaluation.dice import Dice
from starspiel.evaluation.match import Entrant, Job, play_game
from starspiel.evaluation.pairing import Pair

GAMES = ["pig(players=2)", "einstein_wurfelt_nicht", "maedn(players=2)", "backgammon", "tic_tac_toe"]


class RandomBot(pyspiel.Bot):
    def __init__(self, seed):
        super().__init__()
        self.rng = random.Random(seed)

    def step(self, state):
        return self.rng.choice(state.legal_actions())


class Watcher(RandomBot):
    """Follows the game from what it is told alone, and compares with the state it is shown."""

    def __init__(self, game, seat, seed):
        super().__init__(seed)
        self.seat = seat
        self.own = game.new_initial_state()
        self.told = []

    def inform_action(self, state, player, action):
        assert player != self.seat
        assert state.history() == self.own.history()
        self.told.append(player)
        self.own.apply_action(action)

    def step(self, state):
        assert not state.is_chance_node()
        assert state.current_player() == self.seat
        assert state.history() == self.own.history()
        action = super().step(state)
        self.own.apply_action(action)
        return action


def random_field(n=2):
    return tuple(Entrant(f"random{k}", lambda game, seat, seed: RandomBot(seed)) for k in range(n))


def events(game, record):
    """(who, action) along a record; fails where the record is not a legal game."""
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
    record = play_game(game, watchers, Dice("watch", name))
    assert record.fault is None
    played = list(events(game, record))
    for seat, moves in enumerate(record.moves):
        assert len(moves.seconds) == sum(player == seat for player, _ in played)
    assert watchers[0].told == [player for player, _ in played if player != 0]


@pytest.mark.parametrize("name", ["pig(players=2)", "maedn(players=2)", "backgammon"])
def test_seats_have_the_same_rolls_in_both_games_of_a_pair(name):
    """The k-th roll of a seat's t-th turn agrees wherever both games have one with the same outcomes."""
    game = load_game(name)
    record = Job(game, random_field(), seed=4).play(Pair((0, 1), 7))
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
    pair = Job(game, three, seed=9).play(Pair((0, 2), 5))
    turned = Job(game, (three[2], three[0]), seed=9).play(Pair((0, 1), 5))
    assert {g.actions for g in pair.games} == {g.actions for g in turned.games}
    for other in (
        Job(game, three, seed=10).play(Pair((0, 2), 5)),
        Job(game, three, seed=9).play(Pair((0, 2), 6)),
        Job(game, three, seed=9).play(Pair((0, 1), 5)),
    ):
        assert not {g.actions for g in pair.games} & {g.actions for g in other.games}


def test_start_positions_keep_the_dice_in_step():
    game = load_game("pig(players=2)")
    whole = Job(game, random_field(), seed=1).play(Pair((0, 1), 0)).games[0]
    rest = play_game(game, [RandomBot(1), RandomBot(2)], Dice(1), start=whole.actions[:30])
    assert rest.actions[:30] == whole.actions[:30]
    assert list(events(game, rest))
    start = Job(game, random_field(), seed=1, starts=((), whole.actions[:30])).play(Pair((0, 1), 0, start=1))
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
        (lambda state: 99, "illegal", "played 99 where the legal actions are 0, 1"),
        (lambda state: -1, "illegal", "played -1"),
        (lambda state: 1 / 0, "raised", "ZeroDivisionError: division by zero"),
        (lambda state: None, "raised", "TypeError"),
        (lambda state: 0.0, "raised", "TypeError"),
    ],
)
def test_a_fault_costs_the_game_and_nothing_else(step, kind, says):
    game = load_game("pig(players=2)")
    field = (Entrant("bad", lambda g, seat, seed: failing(step)()), *random_field(1))
    record = Job(game, field, seed=1).play(Pair((0, 1), 0))
    for played, seat in zip(record.games, (0, 1), strict=True):
        assert played.fault.seat == seat
        assert played.fault.kind == kind
        assert says in played.fault.message
        assert played.score(seat) == 0.0
        assert played.score(1 - seat) == 1.0
    assert [agent for agent, _ in record.voided] == [0, 0]


class Talkative(pyspiel.Bot):
    """Plays well and says or hears something wrong."""

    last_nodes = None

    def step(self, state):
        return state.legal_actions()[0]


class DeafByForce(Talkative):
    def inform_action(self, state, player, action):
        raise RuntimeError("no memory of it")


class CountsInWords(Talkative):
    last_nodes = "many"


class ValuesInWords(Talkative):
    last_nodes = 1
    last_result = "good"


@pytest.mark.parametrize(
    ("bot", "says"),
    [
        (DeafByForce, "RuntimeError: no memory of it"),
        (CountsInWords, "TypeError"),
        (ValuesInWords, "AttributeError"),
    ],
)
def test_what_a_bot_hears_and_tells_costs_its_own_game_only(bot, says):
    field = (Entrant("bad", lambda g, seat, seed: bot()), *random_field(1))
    record = Job(load_game("pig(players=2)"), field, seed=1).play(Pair((0, 1), 0))
    for played, seat in zip(record.games, (0, 1), strict=True):
        assert (played.fault.seat, played.fault.kind) == (seat, "raised")
        assert says in played.fault.message


def test_a_fault_that_does_not_come_back_is_played_over():
    made = []

    def once_bad(game, seat, seed):
        made.append(seed)
        return failing(lambda state: 99)() if len(made) == 1 else RandomBot(seed)

    game = load_game("pig(players=2)")
    record = Job(game, (Entrant("bad", once_bad), *random_field(1)), seed=1).play(Pair((0, 1), 0))
    assert [agent for agent, _ in record.voided] == [0]
    assert not record.faults
    assert made[0] == made[2], "the second attempt has the first one's seeds"


def test_a_bot_that_cannot_be_made_forfeits():
    def broken(game, seat, seed):
        raise RuntimeError("no weights\nsecond line")

    game = load_game("pig(players=2)")
    record = Job(game, (Entrant("bad", broken), *random_field(1)), seed=1).play(Pair((0, 1), 0))
    assert [fault.message for _, fault in record.faults] == ["RuntimeError: no weights"] * 2
