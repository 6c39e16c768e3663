"""Formats, start positions, ladders, clocks, sequential matches and configuration files."""

import json
import os
import re
import sys
import time
from itertools import combinations

import pytest
from support.commands import output, refusal

from starspiel.envs.errors import StarspielError
from starspiel.evaluation.checked_settings import read_settings
from starspiel.evaluation.field import entrants
from starspiel.evaluation.ladder import Ladder, LadderSettings
from starspiel.evaluation.plan import plan
from starspiel.evaluation.report.page import page
from starspiel.evaluation.settings import TYPES, Settings, about
from starspiel.evaluation.store.store import Store
from starspiel.evaluation.tournament import tournament

PIG = "pig(players=2,winscore=20)"


def test_a_gauntlet_leaves_the_others_alone():
    result = tournament(PIG, ["star2(depth=2)", "random", "greedy"], pairs=3, format="gauntlet")
    assert {record.pair.agents for record in result.pairs} == {(0, 1), (0, 2)}
    answer = result.to_dict()
    assert answer["matrix"][1][2] is None
    assert answer["matrix_low"][1][2] is None
    assert answer["agents"][1]["elo"] is not None
    with pytest.raises(StarspielError, match="Did you mean 'gauntlet'"):
        tournament(PIG, ["random", "greedy"], format="gantlet")


def test_start_positions_are_taken_in_turn(tmp_path):
    file = tmp_path / "starts.txt"
    file.write_text("0,3\n# a comment\n1,0,2   # player 1 has rolled\n")
    result = tournament(PIG, ["random", "greedy"], pairs=4, starts=file)
    for record in result.pairs:
        start = ((0, 3), (1, 0, 2))[record.pair.number % 2]
        assert all(game.actions[: len(start)] == start for game in record.games)
    same = tournament(PIG, ["random", "greedy"], pairs=4, starts=[(0, 3), (1, 0, 2)])
    assert [g.actions for r in same.pairs for g in r.games] == [
        g.actions for r in result.pairs for g in r.games
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "0,3\n0,9\n",
            "starts.txt:2: action 2 of 2, 9, is not legal in pig.*; expected one of 0, 1, 2, 3, 4, 5",
        ),
        ("1,0,2,7", "starts.txt:1: action 4 of 4, 7, is not legal in pig.*; expected one of 0, 1"),
        ("a,b\n", "starts.txt:1: expected actions"),
        ("# nothing\n", "at least one start"),
        (None, "cannot read"),
    ],
)
def test_wrong_start_positions(tmp_path, text, says):
    file = tmp_path / "starts.txt"
    if text is not None:
        file.write_text(text)
    with pytest.raises(StarspielError, match=says):
        tournament(PIG, ["random", "greedy"], starts=file)


def test_a_start_where_the_game_is_over():
    won = tournament(PIG, ["random", "greedy"], pairs=1).pairs[0].games[0].actions
    with pytest.raises(StarspielError, match="the game is over there"):
        tournament(PIG, ["random", "greedy"], starts=[won])


def test_a_ladder_is_one_agent_a_rung():
    names = [entrant.name for entrant in entrants(["random", "star2(depth={1, 2},probes={0,1})"])]
    assert names == ["random", *(f"star2(depth={d},probes={p})" for d in (1, 2) for p in (0, 1))]
    with pytest.raises(StarspielError, match="between the braces"):
        entrants(["star2(depth={1,})"])


def test_the_clock_is_everyones_who_has_one(tmp_path, monkeypatch):
    (tmp_path / "with_a_clock.py").write_text("def make(game, seconds=None): pass")
    monkeypatch.syspath_prepend(tmp_path)
    listed = ["random", "star2(depth=9)", "star1(seconds=1.0)", "mcts(simulations={10,20})"]
    listed.append("with_a_clock:make")
    clocked = [
        "random",
        "star2(depth=9,seconds=0.01)",
        "star1(seconds=1.0)",
        "mcts(seconds=0.01,simulations=10)",
        "mcts(seconds=0.01,simulations=20)",
        "with_a_clock:make(seconds=0.01)",
    ]
    assert [entrant.name for entrant in entrants(listed, clock=0.01)] == clocked
    unfolded = [entrant.name for entrant in entrants(listed)]
    named = entrants({f"agent {number}": spec for number, spec in enumerate(unfolded)}, clock=0.01)
    assert [entrant.source for entrant in named] == clocked
    assert [entrant.name for entrant in named] == [f"agent {number}" for number in range(6)]
    assert [entrant.has_clock for entrant in named] == [False, *(True,) * 5]
    with pytest.raises(StarspielError, match="clock"):
        tournament(PIG, ["random", "greedy"], clock=-1)


class Slow:
    def __init__(self, spend):
        self.spend = spend

    def step(self, state):
        self.spend()
        return state.legal_actions()[0]


def test_overruns_are_counted_in_cpu_and_wall_time(tmp_path):
    agents = {
        "busy": lambda game, seat, seed: Slow(lambda: sum(range(2_000_000))),
        "asleep": lambda game, seat, seed: Slow(lambda: time.sleep(0.02)),
        "random": "random",
    }
    for _ in range(2):  # the second time from the store
        result = tournament("tic_tac_toe", agents, pairs=2, clock=0.005, store=tmp_path / "c.db")
        busy, asleep, quick = result.to_dict()["agents"]
        assert busy["overruns"] == busy["wall_overruns"] == busy["moves"] > 0
        assert (asleep["overruns"], asleep["wall_overruns"]) == (0, asleep["moves"])
        assert quick["overruns"] == 0
        assert f"asleep: 0 of {asleep['moves']} moves over the clock in CPU time, {asleep['moves']} in" in (
            " ".join(str(result).split())
        )
        assert "Not limited by the clock: busy, asleep, random." in str(result)
        shown = re.sub("<td [^>]*>", "<td>", page(result))
        assert f"<td>0</td><td>{asleep['moves']}</td>" in shown
        assert "Not limited by the clock: busy, asleep, random." in shown
    looser = tournament("tic_tac_toe", agents, pairs=2, clock=10.0, store=tmp_path / "c.db").to_dict()
    assert looser["agents"][0]["overruns"] == 0, "with another clock the games are played again"


def test_other_kinds_of_evidence_by_the_same_seed_are_other_games(tmp_path):
    """A sequential test after a match, or a ladder, confirms nothing if it plays the same games."""
    agents = ["random", "greedy"]
    fixed, drawn = tmp_path / "fixed.db", tmp_path / "sprt.db"
    match = tournament(PIG, agents, pairs=6, store=fixed)
    assert courses(fixed) == courses_of(tournament(PIG, agents, pairs=6))
    ladder = Ladder(tmp_path / "ladder", LadderSettings(game=PIG))
    ladder.add(agents)
    ladder.play(6)
    test = tournament(PIG, agents, pairs=6, sprt="elo0=0,elo1=1", store=drawn)
    found = [courses(fixed), courses(ladder.store), courses(drawn)]
    for one, other in combinations(found, 2):
        assert len(set(one) & set(other)) <= 2, "a short game may come again by chance"
    assert courses_of(tournament(PIG, agents, pairs=6, format="gauntlet")) == found[0], "as pages say"
    assert "A match of fixed length with the same seed plays other games" in " ".join(str(test).split())
    assert "its own" not in str(match)


def courses(path):
    with Store(path, read_only=True) as store:
        return [game.record.actions for game in store.games()]


def courses_of(result):
    return [game.actions for pair in result.pairs for game in pair.games]


def test_an_sprt_match_ends_by_itself_and_the_same_everywhere(tmp_path):
    agents = ["star2(depth=2)", "random"]
    test = "nelo0=0,nelo1=200"
    one = tournament(PIG, agents, pairs=500, sprt=test)
    assert one.sprt.verdict == "upper"
    assert one.sprt.llr >= one.sprt.test.bounds[1]
    assert 4 < one.tally.pairs < 200
    assert sum(one.sprt.five) == one.tally.pairs == len(one.pairs)
    assert "accepted nElo 200" in str(one)
    assert one.to_dict()["sprt"]["verdict"] == "upper"
    assert one.to_dict()["sprt"]["agents"] == agents
    whose = f"points are those of {agents[0]} against {agents[1]}: pairs LL LD DD+WL WD WW "
    assert whose + " ".join(map(str, one.sprt.five)) in " ".join(str(one).split())
    assert whose in page(one)
    two = tournament(PIG, agents, pairs=500, sprt=test, workers=2, store=tmp_path / "s.db")
    assert two.sprt == one.sprt
    again = tournament(PIG, agents, pairs=500, sprt=test, store=tmp_path / "s.db")
    assert again.sprt == one.sprt
    assert tournament(PIG, agents[::-1], pairs=500, sprt=test).sprt.verdict == "lower"
    with pytest.raises(StarspielError, match="two agents"):
        tournament(PIG, [*agents, "greedy"], sprt=test)


def test_configuration_says_what_the_flags_say(tmp_path, capsys):
    file = tmp_path / "t.toml"
    file.write_text(
        'game = ["pig(players=2,winscore=10)", "tic_tac_toe"]\npairs = 2\nseed = 5\n'
        '[agents]\nwild = "random"\nkeen = "greedy"\n'
    )
    answers = []
    for arguments in (["--config", str(file)], ["tic_tac_toe", "--config", str(file), "--pairs", "1"]):
        answers.append(json.loads(output(capsys, "tournament", *arguments, "--json")))
    first, second = answers[0]["tournaments"]
    assert (first["game"], first["games"], first["seed"]) == ("pig(players=2,winscore=10)", 4, 5)
    assert [agent["agent"] for agent in second["agents"]] == ["wild", "keen"]
    assert (answers[1]["game"], answers[1]["games"]) == ("tic_tac_toe", 2)


def test_agents_named_in_their_specs():
    named = entrants(["keen=star2(depth=2,evaluator=rollout(n=2))", "star2(depth=1)", "own = bots:make(x=1)"])
    assert [entrant.name for entrant in named] == ["keen", "star2(depth=1)", "own"]
    assert named[0].source == "star2(depth=2,evaluator=rollout(n=2))"
    assert tournament(PIG, ["wild=random", "keen=greedy"], pairs=1).agents == ("wild", "keen")
    with pytest.raises(StarspielError, match="'keen' is listed twice"):
        entrants(["keen=greedy", "keen=random"])
    with pytest.raises(StarspielError, match="several agents; leave out the name 'keen'"):
        entrants(["keen=star2(depth={1,2})"])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("pears = 3", "no setting 'pears'. Did you mean 'pairs'"),
        ("pairs = 'many'", 'expected for pairs: a whole number; got "many"'),
        ("seed = true", "expected for seed: a whole number of at most 63 bits; got true"),
        ("workers = 0", "expected for workers: a whole number from 1 to 1,000; got 0"),
        ("clock = -0.5", "expected for clock: a number of seconds above 0; got -0.5"),
        ("store = 2020-01-01", 'expected for store: the name of a file; got "2020-01-01"'),
        ("game = []", "expected for game: a game, or a list of games that is not empty; got"),
        ("agents = 3", "a list of specs, or a table of names with a spec each; got 3"),
        ("agents = ['random', 3]", r"a list of specs, .*; got 3 as agents\[1\]\.$"),
        ("agents = {a = ['" + "b" * 200 + "']}", "b…"),
        ("pairs = = 3", "not valid TOML"),
        ("agents = " + "[" * 5000, "not valid TOML: .*nested too deep"),
        ("pairs = " + "1" * 5000, "not valid TOML: .*digits"),
        ('store = "a\\u0000b"', "expected for store: the name of a file"),
        ("format = 'gantlet'", 'got "gantlet". Did you mean'),
        ("seed = 9223372036854775808", "at most 63 bits"),
        ("format = 'swiss'", 'expected for format: round-robin or gauntlet; got "swiss"'),
        ("engine = 'cloud'", "expected for engine: local or ray"),
        ("[agents]\nx = 1", "a list of specs, or a table of names with a spec each"),
        (None, "cannot read"),
    ],
)
def test_wrong_configuration_says_where(tmp_path, text, says):
    file = tmp_path / "t.toml"
    if text is not None:
        file.write_text(text)
    with pytest.raises(StarspielError, match=says):
        read_settings(file, {})


def test_every_setting_has_words():
    assert list(TYPES) == list(Settings.__struct_fields__)
    for name in TYPES:
        assert about(name).description.endswith(".")
        assert about(name).extra["expected"]


def test_flags_are_checked_as_the_file_is(tmp_path):
    file = tmp_path / "t.toml"
    file.write_text('pairs = 2\nseed = 5\nagents = ["random", "greedy"]')
    said = {"pairs": 3, "clock": 0.5}
    settings = read_settings(file, said)
    assert settings == Settings(pairs=3, seed=5, clock=0.5, agents=["random", "greedy"])
    with pytest.raises(StarspielError, match=r"^expected for clock: a number of seconds .*; got 0\.0\.$"):
        read_settings(file, {"clock": 0.0})
    for clock in ("0", "nan", "inf"):
        file.write_text(f"clock = {clock}")
        with pytest.raises(StarspielError, match=r"t\.toml: expected for clock: a number of seconds"):
            read_settings(file, {"clock": 1.0})


def test_a_seed_in_the_file_and_a_key_on_the_command_line_are_not_taken_together(tmp_path):
    file = tmp_path / "t.toml"
    file.write_text('seed = 5\npairs = 1\nagents = ["random", "greedy"]')
    for said in ({"secret": True}, {"key": "0" * 32}):
        with pytest.raises(StarspielError, match=r"from the seed 5 or from a .*on the command line"):
            plan(read_settings(file, said))
    assert plan(read_settings(file, {})).job.seed == 5
    assert plan(Settings(agents=["random", "greedy"])).job.seed == 1


PLANTED = """
import os, pathlib
pathlib.Path("IMPORTED").touch()
def make(game=None, **more):
    return lambda state: 0.0
class Bot:
    def step(self, state):
        return state.legal_actions()[0]
"""


@pytest.fixture
def planted(tmp_path, monkeypatch):
    """A folder with a module that leaves a file when it is imported."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "planted.py").write_text(PLANTED)
    yield tmp_path / "t.toml"
    sys.modules.pop("planted", None)


@pytest.mark.parametrize(
    "text",
    [
        'game = "planted:make"',
        'game = ["pig", "planted:make(x=1)"]',
        'agents = ["random", "planted:Bot"]',
        'agents = ["random", "me=planted:Bot"]',
        'agents = ["random", "star2(evaluator=planted:make)"]',
        'agents = ["random", "star2(evaluator={zero,planted:make})"]',
        'agents = {a = "random", b = "star2(evaluator=planted:make(x=1))"}',
        'luck = "planted:make"',
    ],
)
@pytest.mark.parametrize("more", [[], ["--dry-run"]])
def test_a_configuration_imports_nothing_without_consent(planted, capsys, text, more):
    planted.write_text(text)
    err = refusal(capsys, "tournament", "--config", planted, "--pairs", "1", *more)
    assert "t.toml names 'planted:" in err
    assert "--trust" in err
    assert not os.path.exists("IMPORTED")
    with pytest.raises(StarspielError, match="trust=True"):
        read_settings(planted, {})
    assert read_settings(planted, {}, trust=True)


def test_with_consent_and_by_what_is_typed_it_is_imported(planted, capsys):
    planted.write_text('game = "pig(winscore=5)"\npairs = 1\nagents = ["random", "planted:Bot"]')

    def played(*more):
        out = output(capsys, "tournament", "--config", planted, "--json", *more)
        if imported := os.path.exists("IMPORTED"):
            os.unlink("IMPORTED")
        sys.modules.pop("planted", None)
        return [agent["agent"] for agent in json.loads(out)["agents"]], imported

    assert played("--trust") == (["random", "planted:Bot"], True)
    assert played("--agents", "random", "greedy") == (["random", "greedy"], False), "the file's is not used"
    assert played("--agents", "random", "planted:Bot") == (["random", "planted:Bot"], True), "typed"


def test_defaults():
    assert Settings().pair_count == 10
    assert Settings(sprt="nelo0=0,nelo1=5").pair_count > 10_000
