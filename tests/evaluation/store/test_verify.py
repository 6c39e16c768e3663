"""`starspiel verify`: a store is compared with the rules and the dice, not with its own checksums alone."""

import io
import json
import re
import shutil
import sqlite3
import sys

import pytest
from support import hostile_engine
from support.checksums import with_sound_checksums
from support.commands import refusal, run

from starspiel.cli.verify import verify as verify_command
from starspiel.envs.errors import StarspielError
from starspiel.evaluation.ladder import Ladder, LadderSettings
from starspiel.evaluation.play.record import key_of_actions
from starspiel.evaluation.store.merge import merge
from starspiel.evaluation.store.store import Store
from starspiel.evaluation.store.verify import SAMPLE_GAMES, verify
from starspiel.evaluation.tournament import tournament

PIG = "pig(players=2,winscore=10)"
AGENTS = ["random", "greedy"]
KEY = "0123456789abcdef" * 2


class Broken:
    def __init__(self, game, seat, seed):
        self.moves = 0

    def step(self, state):
        self.moves += 1
        if self.moves == 3:
            raise ValueError("lost my head")
        return state.legal_actions()[0]


ENGINE = f"exec:{sys.executable} -I -S {hostile_engine.__file__}"
#: Four agents for games of three.
MANY = ["random", "mcts(simulations=2)", "mcts(simulations=3)", "mcts(simulations=4)"]
#: What is played, and how many of its games are compared with dice.
HONEST = {
    "plain": ({"game": PIG, "agents": AGENTS, "pairs": 4}, 8),
    "gauntlet": ({"game": PIG, "agents": [*AGENTS, "star1(depth=1)"], "pairs": 2, "format": "gauntlet"}, 8),
    "forfeits": ({"game": PIG, "agents": {"random": "random", "broken": Broken}, "pairs": 3}, 6),
    "own dice": ({"game": PIG, "agents": {"random": "random", "mine": ENGINE}, "pairs": 2}, 4),
    "common dice": (
        {"game": PIG, "agents": {"random": "random", "mine": ENGINE}, "pairs": 2, "common_dice": True},
        4,
    ),
    "a key that was shown": ({"game": PIG, "agents": AGENTS, "pairs": 2, "secret": True}, 4),
    "a clock": ({"game": PIG, "agents": AGENTS, "pairs": 2, "clock": 5.0}, 4),
    "sprt": ({"game": PIG, "agents": AGENTS, "pairs": 9, "sprt": "elo0=0,elo1=200"}, None),
    "starts": ({"game": PIG, "agents": AGENTS, "pairs": 4, "starts": [(), (0, 3), (0, 0)]}, 8),
    "one player": ({"game": "star_2048(rows=2,columns=2)", "agents": ["random", "greedy"], "pairs": 2}, 4),
    "a table": ({"game": "FrozenLake-v1", "agents": ["random"], "pairs": 3}, 3),
    "drawn chances": ({"game": "Blackjack-v1(hidden=seen)", "agents": ["random"], "pairs": 3}, 3),
    "blocks": ({"game": "pig(players=3,winscore=10)", "agents": MANY, "blocks": 2}, 12),
    "blocks with forfeits": (
        {"game": "pig(players=3,winscore=10)", "agents": {"r": "random", "forfeits": Broken}, "blocks": 2},
        6,
    ),
    "blocks with own dice": (
        {"game": "pig(players=3,winscore=10)", "agents": {"r": "random", "mine": ENGINE}, "blocks": 2},
        6,
    ),
    "luck": ({"game": "star_pig(goal=10)", "agents": AGENTS, "pairs": 2, "luck": "heuristic"}, 4),
}


@pytest.mark.parametrize("name", HONEST)
def test_what_was_played_is_what_is_found(name, tmp_path):
    settings, with_dice = HONEST[name]
    path = tmp_path / "a.db"
    result = tournament(**settings, store=path)
    found = verify(path, trust=True)
    assert (found.deviations, found.unpaired, found.damage) == ([], [], None)
    assert found.ok
    assert (found.games, found.replayed, found.pairs) == (result.games, result.games, result.tally.pairs)
    assert found.with_dice == (result.games if with_dice is None else with_dice)
    assert not found.not_replayed
    assert not found.without_dice
    assert found.other_rules == 0
    assert (found.forfeited > 0) is ("forfeits" in name)
    # Resumed twice, and by another command: more runs on record change nothing.
    more = dict(settings)
    if "key" not in settings and "secret" not in settings:
        unit = "blocks" if "blocks" in settings else "pairs"
        more[unit] += 1
    if "secret" in more:
        more = {**more, "secret": False, "key": result.key}
    tournament(**more, store=path)
    assert verify(path, trust=True).ok


def test_a_ladder(tmp_path):
    ladder = Ladder(tmp_path / "ladder", LadderSettings(game=PIG))
    ladder.add([*AGENTS, "star1(depth=1)"])
    ladder.play(5)
    ladder.play(5)
    found = verify(ladder.store)
    assert found.ok
    assert (found.games, found.with_dice) == (20, 20)


def test_without_the_key_no_dice_are_compared(tmp_path, capsys, monkeypatch):
    path = tmp_path / "a.db"
    tournament(PIG, AGENTS, pairs=2, key=KEY, part="1/2", store=path)
    found = verify(path)
    assert found.ok
    assert found.without_dice == {"the key of their dice is not known": 2}
    assert verify(path, key=KEY).with_dice == 2
    monkeypatch.setattr(sys, "stdin", io.StringIO(KEY.upper() + "\n"))
    code, answer = answered(capsys, path, "--key", "-")
    assert (code, answer["with_dice"]) == (0, 2)
    for wrong, says in ((KEY[::-1], "no game of .* was played with this key"), ("1", "expected for key")):
        with pytest.raises(StarspielError, match=says):
            verify_command(path, key=wrong)


def answered(capsys, path, *more):
    code, out, _ = run(capsys, "verify", path, "--json", *more)
    return code, json.loads(out)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "a.db"
    tournament(PIG, AGENTS, pairs=8, store=path)
    return path


def moved(db, game, change):
    """Changes the actions of a game, and all that is counted of them."""
    moves, _ = db.execute(
        "SELECT moves, seat0 FROM records JOIN games ON games.id = game WHERE game = ?", (game,)
    ).fetchone()
    held = json.loads(moves)
    actions = held["actions"] = change(held["actions"])
    db.execute("UPDATE records SET moves = ? WHERE game = ?", (json.dumps(held), game))
    db.execute(
        "UPDATE games SET length = ?, actions_key = ? WHERE id = ?",
        (len(actions), key_of_actions(actions), game),
    )


def first(db):
    return db.execute("SELECT id FROM games WHERE return0 = 1 ORDER BY rowid LIMIT 1").fetchone()[0]


def other_roll(actions):
    """Its last roll but one is another; in pig, chance follows each 0."""
    place = max(number for number, action in enumerate(actions[:-2]) if action == 0) + 1
    return [*actions[:place], (actions[place] + 1) % 5, *actions[place + 1 :]]


FORGED = {
    "a lost game is won": (
        "UPDATE games SET return0 = -return0, return1 = -return1 WHERE seat0 = 'random' AND return0 < 0",
        "its returns are",
    ),
    "another number": ("UPDATE pairs SET number = number + 100", "no stored run has played"),
    "names of others": ("UPDATE games SET seat0 = seat1, seat1 = seat0", "its id is not that"),
    "an illegal move": (lambda db: moved(db, first(db), lambda actions: [*actions[:-1], 77]), "chance|legal"),
    "another roll": (
        lambda db: moved(db, first(db), other_roll),
        "its dice show|is over|is not over|goes on",
    ),
    "an end too early": (lambda db: moved(db, first(db), lambda actions: actions[:-2]), "is not over"),
    "an end too late": (
        lambda db: moved(db, first(db), lambda actions: [*actions, 0]),
        "goes on after its end",
    ),
    "a forfeit that was none": (
        "UPDATE games SET fault_seat = 0, fault_kind = 'raised', fault_message = 'x' WHERE rowid = 1",
        "it is over, and yet forfeited by seat 0",
    ),
    "moves that were not made": (
        "UPDATE games SET moves0 = moves0 + 1 WHERE rowid = 2",
        "and are counted as",
    ),
    "another length": ("UPDATE games SET length = 3 WHERE rowid = 2", "is counted as 3"),
    "no number": ("UPDATE games SET nodes0 = NULL WHERE rowid = 2", "cannot be read"),
    "no start": ("UPDATE pairs SET start = 'x' WHERE number = 3", "cannot be read"),
    "another context": (
        "UPDATE games SET context = 'x' WHERE rowid = 2",
        "its context is not that of its pair",
    ),
    "another game": ("UPDATE pairs SET game = 'none'", "no stored run has played"),
    "another key": (
        "UPDATE runs SET config = json_set(config, '$.keyed', json('true'), '$.seed', 1e12)",
        "no stored run has played",
    ),
    "no runs": ("DELETE FROM runs", "no stored run has played"),
    "a game short": ("DELETE FROM games WHERE rowid = 1", "has not each of its agents in each seat"),
}


@pytest.mark.parametrize("name", FORGED)
def test_forged_stores_with_sound_checksums(path, tmp_path, capsys, name):
    forge, says = FORGED[name]
    copy, other = tmp_path / "copy.db", tmp_path / "other.db"
    shutil.copy(path, copy)
    with sqlite3.connect(copy) as db:
        db.execute(forge) if isinstance(forge, str) else forge(db)
        with_sound_checksums(db)
    db.close()
    with Store(copy, read_only=True) as store:
        store.check()
    code, answer = answered(capsys, copy)
    said = [*(each["what"] for each in answer["deviations"]), *answer["unpaired"]]
    assert (code, answer["ok"]) == (1, False)
    assert any(re.search(says, what) for what in said), said
    if name in (
        "a game short",
        "another number",
        "another context",
        "another game",
        "another key",
        "no runs",
    ):
        return  # To a tournament, which finds pairs by what determines them, these are not there.
    assert answer["games"] <= SAMPLE_GAMES, "all games are in the sample"
    before = copy.read_bytes()
    for resumed in (
        lambda: tournament(PIG, AGENTS, pairs=9, store=copy),
        lambda: merge([path, copy], other),
        lambda: merge([copy, path]),
    ):
        with pytest.raises(StarspielError, match=r"what was played: game \w+ .*starspiel verify"):
            resumed()
    assert copy.read_bytes() == before
    assert not other.exists()


@pytest.mark.parametrize(
    ("returns", "says"),
    [
        ((1.0, 1.0), r"returns of \[1.0, 1.0\] in a zero-sum game"),
        ((3.0, -3.0), "a return of 3, and its util"),
    ],
)
def test_impossible_returns_are_refused(path, tmp_path, returns, says):
    copy, mended = tmp_path / "copy.db", tmp_path / "mended.db"
    shutil.copy(path, copy)
    with sqlite3.connect(copy) as db:
        db.execute("UPDATE games SET return0 = ?, return1 = ? WHERE rowid = 3", returns)
        with_sound_checksums(db)
    db.close()
    with pytest.raises(StarspielError, match=f"{says}|its returns are"):
        tournament(PIG, AGENTS, pairs=8, store=copy)
    if returns == (1.0, 1.0):
        with pytest.raises(StarspielError, match=f"{says}.* --salvage"), Store(copy, read_only=True) as store:
            list(store.rows())
        assert len(merge([copy], mended, salvage=True).skipped) == 1, "the advice works"
        assert tournament(PIG, AGENTS, pairs=8, store=mended).games == 16
    assert not verify(copy).ok


def test_rules_that_end_with_impossible_returns_are_refused_at_play():
    from starspiel.envs.games.pig import Pig

    class Generous(Pig):
        def utility(self, position):
            return 2.0

    with pytest.raises(StarspielError, match=r"utility\(\) is 2 at .*outside the declared utility_range"):
        tournament(Generous(goal=5), AGENTS, pairs=1)


def test_games_that_cannot_be_played_again_are_counted(tmp_path, capsys):
    from starspiel.envs.games.pig import Pig

    class Mine(Pig):
        def __init__(self):
            super().__init__(goal=5)
            self.name = "mine_of_this_test"

    path = tmp_path / "a.db"
    tournament(Mine(), AGENTS, pairs=2, store=path)
    tournament(Mine(), AGENTS, pairs=3, store=path)
    code, out, _ = run(capsys, "verify", path)
    assert code == 1
    assert "6 not played again" in out
    assert "no game could be compared" in out


def test_wrong_usage(path, capsys):
    for arguments, says in (
        (["nowhere.db"], "there is no store nowhere.db"),
        ([path, "--key", "12"], "expected for key"),
    ):
        assert says in refusal(capsys, "verify", *arguments)
