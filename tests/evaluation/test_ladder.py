"""A ladder: what is played next, who is added when, and what stays."""

import io
import json
import sys

import pytest
from support import hostile_engine
from support.commands import output, refusal, run

import starspiel.evaluation.ladder as module
from starspiel.cli.app import main
from starspiel.envs.errors import StarspielError
from starspiel.evaluation.checked_settings import checked
from starspiel.evaluation.ladder import Ladder, LadderSettings
from starspiel.evaluation.plan import plan
from starspiel.evaluation.play.dice import number_of_key
from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.store.store import Store

GAME = "pig(players=2,winscore=10)"


def ladder(tmp_path, *agents):
    made = Ladder(tmp_path / "l", LadderSettings(game=GAME, seed=3))
    made.add(agents)
    return made


def test_agents_come_and_go_and_games_stay(tmp_path):
    made = ladder(tmp_path, "random", "greedy")
    assert made.result().games == 0
    assert made.play(12).games == 24
    made.add(["star2(depth=1)", "new=random"])
    opened = Ladder(tmp_path / "l")
    result = opened.play(20, workers=2)
    assert result.agents == ("random", "greedy", "star2(depth=1)", "new")
    assert (result.games, result.tally.pairs) == (64, 32)
    assert result.ratings.elo[0] == 0.0, "the first agent is the anchor"
    assert min(totals.games for totals in result.tally.agents[2:]) >= 8
    opened.retire("greedy")
    before = opened.result().tally.agents[1].games
    again = Ladder(tmp_path / "l").play(10)
    assert again.tally.agents[1].games == before
    assert again.games == 84
    with Store(opened.store, read_only=True) as store:
        games = list(store.games())
    assert len(games) == 84
    assert len({(game.number, frozenset(game.names)) for game in games}) == 42, "every pair has its own dice"


def test_who_adds_meanwhile_is_not_forgotten(tmp_path):
    one = ladder(tmp_path, "random")
    other = Ladder(tmp_path / "l")
    one.add(["greedy"])
    other.add(["star2(depth=1)"])
    one.retire("random")
    with pytest.raises(StarspielError, match="already on the ladder"):
        one.add(["star2(depth=1)"])
    found = Ladder(tmp_path / "l").agents
    assert [entry.name for entry in found] == ["random", "greedy", "star2(depth=1)"]
    assert [entry.retired for entry in found] == [True, False, False]


def test_a_ladder_that_is_refused_leaves_no_folder(tmp_path):
    with pytest.raises(StarspielError, match="the anchor 'nobody' is not one of the agents"):
        Ladder(tmp_path / "l", LadderSettings(game=GAME, anchor="nobody")).add(["random"])
    assert not (tmp_path / "l").exists()


def test_the_same_pairs_are_played_by_any_number_of_workers(tmp_path):
    played = []
    for workers in (1, 2):
        (folder := tmp_path / str(workers)).mkdir()
        made = ladder(folder, "random", "greedy", "star2(depth=1)")
        made.play(14, workers=workers)
        with Store(made.store, read_only=True) as store:
            played.append(sorted(game.id for game in store.games()))
    assert played[0] == played[1]


def test_games_of_other_versions_count_and_are_named(tmp_path, monkeypatch):
    made = ladder(tmp_path, "random", "greedy")
    made.play(5)
    monkeypatch.setattr("starspiel.evaluation.job.versions", lambda: {"starspiel": "9.9"})
    assert made.play(5).games == 20
    with Store(made.store, read_only=True) as store:
        assert sorted(game.number for game in store.games())[::2] == list(range(10))
    monkeypatch.setattr("starspiel.evaluation.environment.versions", lambda: {"starspiel": "9.9"})
    made.play(1)
    assert len(made.versions()) == 2


def test_an_agent_that_has_changed_is_refused(tmp_path, monkeypatch):
    made = ladder(tmp_path, "random", "greedy")
    monkeypatch.setattr(module, "plan", plan_with(made, monkeypatch))
    with pytest.raises(StarspielError, match="greedy has changed since it was added on"):
        made.play(1)


def plan_with(made, monkeypatch):
    """The plan, after the identity of the second agent has become another."""
    real = module.plan

    def changed(settings, **more):
        found = real(settings, **more)
        identities = (found.job.identities[0], "greedy net:0000")
        monkeypatch.setitem(found.job.__dict__, "identities", identities)
        return found

    return changed


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["none", "table"], "there is no ladder in none; `starspiel ladder none add SPEC… --game GAME`"),
        (["l", "add", "random"], "'random' is already on the ladder"),
        (["l", "add", "x=random", "--game", "tic_tac_toe"], "has game 'pig(players=2,winscore=10)', not"),
        (["l", "add", "satr2"], "Did you mean 'star2'?"),
        (["l", "retire", "gredy"], "Did you mean 'greedy'?"),
        (["l", "play", "--pairs", "0"], "at least 1 pair"),
        (
            ["n", "add", "random", "--game", "catch"],
            "ladders support zero-sum games of two players, and games of three or more",
        ),
        (["n", "add", "random", "--game", "matrix_pd"], "matrix_pd"),
    ],
)
def test_mistakes_cost_one_line(tmp_path, monkeypatch, capsys, arguments, says):
    monkeypatch.chdir(tmp_path)
    ladder(tmp_path, "random", "greedy")
    assert says in refusal(capsys, "ladder", *arguments)


def test_a_ladder_that_names_a_module_is_asked_about(tmp_path):
    made = ladder(tmp_path, "random", "greedy")
    text = made.folder / "ladder.json"
    text.write_text(text.read_text().replace('"spec": "greedy"', '"spec": "planted:Bot"'))
    with pytest.raises(StarspielError, match="trust"):
        Ladder(made.folder).play(1)


def test_from_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    output(capsys, "ladder", "l", "add", "random", "greedy", "--game", GAME)
    played = output(capsys, "ladder", "play", "l", "--pairs", "6", "--report", "l.html")
    assert "12 games in 6 pairs" in played
    assert "starspiel replay" in played
    answer = json.loads(output(capsys, "ladder", "l", "table", "--json"))
    assert answer["games"] == 12
    assert [entry["name"] for entry in answer["ladder"]] == ["random", "greedy"]
    assert "Strength for its time" in (tmp_path / "l.html").read_text()


ENGINE = f"exec:{sys.executable} -I -S {hostile_engine.__file__}"


def test_who_adds_a_program_hears_what_play_will_want(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def said(*arguments):
        return run(capsys, "ladder", "l", *arguments)

    assert "--trust" not in said("add", "random", "--game", GAME)[1]
    code, out, err = said("add", f"one={ENGINE}")
    assert (code, err) == (0, "")
    assert f"Play with `starspiel ladder l play --trust`: it runs {ENGINE}." in out
    assert json.loads(said("add", "greedy", "--json")[1])["runs_with_trust"] == [ENGINE]
    code, _, err = said("play", "--pairs", "1")
    assert code == 2
    assert "--trust" in err
    code, out, _ = said("play", "--pairs", "1", "--trust")
    assert code == 0
    assert "Each game of one has its own dice" in out
    assert "--common-dice" not in out, "a ladder has no such option"
    said("retire", "one")
    assert "--trust" not in said("add", "two=random")[1]


def test_a_game_that_stands_in_the_ladder_is_not_imported_unasked(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    made = ladder(tmp_path, "random", "greedy")
    made.play(1)
    text = made.folder / "ladder.json"
    text.write_text(text.read_text().replace(GAME, "planted:Rules"))
    (tmp_path / "planted.py").write_text("open('IMPORTED', 'w').close()")
    monkeypatch.syspath_prepend(tmp_path)
    for load in (
        lambda: main(["ladder", "l", "add", "x=random"]),
        lambda: main(["ladder", "l", "add", "x=random", "--seed", "3"]),
        lambda: Ladder("l").add(["x=random"]),
        lambda: main(["ladder", "l", "table"]),
        lambda: Ladder("l").result(),
    ):
        with pytest.raises((SystemExit, StarspielError)) as refused:
            load()
        assert "names 'planted:Rules'" in capsys.readouterr().err + str(refused.value)
        assert not (tmp_path / "IMPORTED").exists()


def test_clocks_and_drawn_chances_are_told(tmp_path):
    rules = LadderSettings(game="support.shared_envs:Nim(players=2,to_play=at_turn)", clock=0.5)
    made = Ladder(tmp_path / "l", rules, trust=True)
    made.add(["random", "uct(simulations=2)"])
    said = made.play(1).to_dict()
    assert (said["common"], said["clock"]) == ("starts", pytest.approx(0.55))
    assert (said["timed"], said["clockless"]) == (["uct(seconds=0.5,simulations=2)"], ["random"])


def test_the_key_of_a_ladder_is_in_no_file_that_its_agents_can_read(tmp_path, monkeypatch, capsys):
    key, other = "00112233445566778899aabbccddeeff", "f" * 32
    folder = tmp_path / "l"

    def said(*words, given=key):
        monkeypatch.setattr(sys, "stdin", io.StringIO(f"{given}\n"))
        return run(capsys, "ladder", folder, *words)

    assert said("add", "random", "greedy", "--game", GAME, "--key", "-")[0] == 0
    assert said("add", "star2(depth=1)")[0] == 0, "agents can be added without it"
    assert "was created with a key, and needs it to play" in said("play", "--pairs", "2")[2]
    assert "this is not the key" in said("play", "--pairs", "2", "--key", "-", given=other)[2]
    code, out, _ = said("play", "--pairs", "2", "--key", "-")
    assert (code, "secret until all is played" in out) == (0, True)
    for file in folder.iterdir():
        assert key.encode() not in file.read_bytes()
    made = Ladder(folder, key=key)
    assert made.rules.seed == number_of_key(key)
    with Store(made.store, read_only=True) as store:
        first = next(store.games())
    guessed = plan(checked(game=GAME, agents=list(first.names), seed=made.rules.seed), kind="ladder")
    by_number = guessed.referee.referee(Pair((0, 1), 0))
    assert by_number.games[0].actions != first.record.actions, "the number of the key is not the key"


THREE = "pig(players=3,winscore=10)"


def of_three(folder, *agents):
    made = Ladder(folder, LadderSettings(game=THREE, seed=3))
    made.add(agents)
    return made


def test_of_three_players_agents_come_and_go(tmp_path):
    """With two agents in all ways of sharing the seats, then with those of whom least is known."""
    made = of_three(tmp_path / "l", "random", "mcts(simulations=30)")
    assert (made.result().games, made.result().tally.pairs) == (0, 0)
    result = made.play(4)
    assert (result.games, result.blocks.unit) == (12, "rounds")
    shares = sorted(block.tolist().count(0) for block in result.blocks.agents[:, 0])
    assert shares == [1, 1, 2, 2]
    made.add(["mcts(simulations=3)", "new=random"])
    result = Ladder(tmp_path / "l").play(20, workers=2)
    assert result.tally.pairs == 24
    assert result.ratings.elo[0] == 0.0, "the first agent is the anchor"
    assert result.blocks.meetings.diagonal()[2:].min() >= 14
    assert [line.elo for line in result.standings] == sorted(result.ratings.elo.tolist(), reverse=True)
    made = Ladder(tmp_path / "l")
    made.retire("random")
    before = result.tally.agents[0].games
    again = made.play(10)
    assert again.tally.agents[0].games == before
    assert again.games == 3 * 34
    with Store(made.store, read_only=True) as store:
        games = list(store.games())
    dice = {(game.number, tuple(sorted(game.names))) for game in games}
    assert len(dice) == 34, "every block has its own dice"
    assert made.result().to_dict()["ranking"] == list(again.ranked_names)


@pytest.mark.slow
def test_the_same_pairs_are_played_on_a_cluster(tmp_path, monkeypatch):
    ray = pytest.importorskip("ray", reason='Ray is an extra: pip install "starspiel[ray]"')
    begun, begin = [], ray.init
    monkeypatch.setattr(ray, "init", lambda *given, **named: begun.append(1) or begin(*given, **named))
    played = []
    for name, where in (("here", {}), ("there", {"engine": "ray", "workers": 2})):
        (folder := tmp_path / name).mkdir()
        made = ladder(folder, "random", "greedy", "star2(depth=1)")
        made.play(14, **where)
        with Store(made.store, read_only=True) as store:
            played.append(sorted(game.id for game in store.games()))
    assert begun == [1], "once for all rounds"
    assert played[0] == played[1]
