"""`starspiel tournament` as typed: output, exit codes, one line for every mistake."""

import json
import os
import signal
import sqlite3
import subprocess
import sys

import pytest
from support.commands import output, refusal
from support.commands import run as run_here

from starspiel.agents.solve import solve
from starspiel.envs.errors import StarspielError
from starspiel.evaluation.field import entrants

STARSPIEL = [sys.executable, "-c", "from starspiel.cli import main; main()"]
QUICK = ["tic_tac_toe", "--agents", "random", "star2(depth=1)", "--pairs", "3", "--seed", "5"]


def run(*arguments, cwd=None):
    return subprocess.run(
        [*STARSPIEL, "tournament", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=cwd,
    )


def test_json_is_one_object_and_nothing_else(capsys):
    answer = json.loads(output(capsys, "tournament", *QUICK, "--json"))
    assert {"game", "seed", "games", "agents", "matrix"} <= answer.keys()
    assert answer["seed"] == 5
    assert answer["games"] == 6
    assert {"agent", "score", "games", "elo", "elo_low", "elo_high"} <= answer["agents"][0].keys()
    assert sum(agent["score"] for agent in answer["agents"]) == 6


def test_the_bare_command_plays_the_default_field(capsys, monkeypatch):
    monkeypatch.setenv("STARSPIEL_PAIRS", "1")
    answer = json.loads(output(capsys, "tournament", "--json"))
    assert answer["games"] == 30
    kinds = [agent["agent"].partition("(")[0] for agent in answer["agents"]]
    assert sorted(kinds) == ["expectiminimax", "mcts", "mcts", "random", "star1", "star2"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["pigg"], "Did you mean 'pig'?"),
        (["pig", "tic_tac_toe", "pig()"], "game 'pig' is listed twice"),
        (["pig", "--agents", "random", "satr2"], "Did you mean 'star2'?"),
        (["pig", "--agents", "random"], "at least two agents"),
        (["pig", "--agents"], "at least one agent"),
        (["pig", "--agents", "=random", "greedy"], "expected name=spec"),
        (["pig", "--agents", "[red]x=random", "greedy"], "letters, digits and _, got '[red]x=random'"),
        (
            ["pig", "--agents", "random", "gre\nedy"],
            "agent 2: expected a name that shows in a line of a table",
        ),
        (["pig", "--agents", "random", "random"], "listed twice"),
        (["pig", "--agents", "random", "star2(depth=0)"], "depth"),
        (["pig", "--agents", "random", "star2(deep=1)"], "no parameter 'deep'"),
        (["2048", "--agents", "uct", "mcts"], "'uct' is listed twice: in 2048, mcts is uct"),
        (["Blackjack-v1(hidden=seen)", "--luck", "zero"], "luck does not support Blackjack-v1(hidden=seen)"),
        (["pig", "--seed", "99999999999999999999"], "at most 63 bits"),
        (["pig", "--pairs", "0"], "at least 1 pair"),
        (["pig", "--part", "3/2"], "expected for part: which part of how many, as 1/2; got"),
        (["pig", "--agents", "random", "greedy", "--sprt", "nelo0=0,nelo1=5", "--part", "1/2"], "in parts"),
        (
            ["pig", "--agents", "random", "greedy", "--pairs", "2", "--part", "3/4"],
            "the part 3/4 holds no games: 2 agents and pairs=2 are not enough for so many parts",
        ),
        (["pig", "--part", "1/2"], "the games of part 1/2 would be lost: give it its own --store"),
        (["pig", "--secret", "--seed", "1"], "from the seed 1 or from a secret key, not from both"),
        (["pig", "--pairs", "many"], "--pairs"),
        (["pig", "--agents", "random", "greedy", "--pairs", "1000001"], "at most 2,000,000 games"),
        (["pig", "--pairs", "99999999999999999999", "--dry-run"], "at most 2,000,000 games"),
        (
            ["pig", "--sprt", "nelo0=0,nelo1=5"],
            "SPRT needs two agents in a game of two players or more, got 6 in pig",
        ),
        (
            ["catch", "--agents", "random", "greedy", "--sprt", "nelo0=0,nelo1=5"],
            "in a game of two players or more, got 2 in catch",
        ),
        (["pig", "--workers", "0"], "expected for workers: a whole number from 1 to 1,000; got 0"),
        (["pig", "--workers", "100000"], "expected for workers: a whole number from 1 to 1,000; got 100000"),
        (["pig", "--move-limit", "-1"], "expected for move_limit: a number of seconds above 0; got -1.0"),
        (["pig", "--agents", "random", "star2", "--memory-limit", "8"], "8 MB is too low for random"),
        (["pig", "--agents", "random", "star2", "--cpu-limit", "1e-9"], "CPU seconds is too low for random"),
        (["pig", "--store", os.devnull], "cannot be a store: it is a device or a pipe; name a file"),
        (["pig", "--store", os.curdir], "cannot be a store: it is a folder; name a file"),
        (["pig", "--store="], 'expected for store: the name of a file; got ""'),
        (["pig", "--starts="], 'expected for starts: the name of a file; got ""'),
        (["pig", "--luck="], 'expected for luck: the spec of an evaluator; got ""'),
        (["pig", "--anchor", ":smile:"], "the anchor ':smile:' is not one of the agents"),
        (["pig", "--luck", "heuristics"], "Did you mean 'heuristic'?"),
        (["kuhn_poker"], "imperfect information"),
        ([*QUICK, "--dry-run", "--report", "."], "is a folder"),
        ([*QUICK, "--dry-run", "--sprt", "nelo0=0"], "nelo1"),
        ([*QUICK, "--dry-run", "--address", "auto"], "engine ray"),
        ([*QUICK, "--dry-run", "--anchor", "randm"], "Did you mean 'random'?"),
    ],
)
def test_mistakes_cost_one_line_and_exit_code_2(arguments, says, capsys):
    assert says in refusal(capsys, "tournament", *arguments)


BOTS = """
import os, signal, time

class First:
    last_nodes = 10**30
    def __init__(self, trick=None):
        self.trick = trick
    def step(self, state):
        if self.trick:
            self.trick()
        return state.legal_actions()[0]

def crash():
    os.kill(os.getpid(), signal.SIGSEGV)

def nothing(game): pass
def raising(game): raise RuntimeError("no weights\\nand more of it")
def leaving(game): raise SystemExit("no weights")
def crashing(game): crash()
def hanging_at_move(game): return First(lambda: time.sleep(1000))
class Modest(First):
    last_nodes = 5
def modest(game): return Modest()
def failing(game):
    def fail():
        raise ValueError("lost my head")
    return First(fail)
def boastful(game): return First()
def talkative(game):
    print("hello")
    return First(lambda: print("my move"))
"""


@pytest.fixture
def bots(tmp_path, monkeypatch):
    """A folder to be in, with the module `bots`."""
    (tmp_path / "bots.py").write_text(BOTS)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("bots")
@pytest.mark.parametrize(
    ("factory", "more", "says"),
    [
        ("nothing", [], "made None, which has no step(state)"),
        ("raising", [], "RuntimeError: no weights"),
        ("leaving", ["--workers", "2"], "SystemExit: no weights"),
        ("crashing", ["--workers", "2"], "making the agent bots:crashing: the process died of SIGSEGV"),
    ],
)
def test_agents_that_cannot_be_made_or_tried_cost_one_line(capsys, factory, more, says):
    agents = ("random", f"bots:{factory}")
    assert says in refusal(capsys, "tournament", "pig", "--agents", *agents, "--pairs", "1", *more)


def test_a_module_that_crashes_when_imported_costs_one_line(tmp_path):
    (tmp_path / "bots.py").write_text(BOTS + "crash()")
    done = run("pig", "--agents", "random", "bots:boastful", cwd=tmp_path)
    assert done.returncode == 2
    assert "making the agent bots:boastful: the process died of SIGSEGV" in done.stderr


@pytest.mark.usefixtures("bots")
def test_bots_that_tell_nonsense_forfeit_and_the_rest_is_played(capsys):
    arguments = ["--agents", "random", "greedy", "bots:boastful", "--pairs", "1", "--workers", "2"]
    answer = json.loads(output(capsys, "tournament", "pig", *arguments, "--json", "--store", "s.db"))
    assert answer["games"] == 6
    assert [agent["forfeits"] for agent in answer["agents"]] == [{}, {}, {"raised": 4}]


def test_what_bots_print_in_a_dry_run_is_no_part_of_its_answer(tmp_path):
    (tmp_path / "bots.py").write_text(BOTS)
    done = run("pig", "--agents", "random", "bots:talkative", "--dry-run", "--json", cwd=tmp_path)
    assert json.loads(done.stdout)["missing_pairs"] == 10
    assert "it printed: hello | my move" in done.stdout


def test_a_dry_run_makes_no_store(tmp_path, capsys):
    path = tmp_path / "a.db"
    assert "6 games in 3 pairs to play" in output(
        capsys, "tournament", *QUICK, "--dry-run", "--store", str(path)
    )
    assert not path.exists()
    output(capsys, "tournament", *QUICK, "--store", str(path))
    before = path.read_bytes()
    shown = output(capsys, "tournament", *QUICK, "--dry-run", "--luck", "zero", "--store", str(path))
    assert "0 games in 0 pairs to play, 3 pairs stored" in shown
    assert path.read_bytes() == before


MATCH = ["--agents", "random", "star2(depth=1)", "--sprt", "nelo0=0,nelo1=100"]


def test_a_dry_run_says_what_a_sequential_test_leaves_to_play(tmp_path, capsys):
    match = ["pig(winscore=20)", *MATCH, "--store", str(tmp_path / "a.db")]

    def shown(*more, pairs="2000"):
        return output(capsys, "tournament", *match, "--pairs", pairs, *more)

    new = shown("--dry-run")
    assert "at most 4,000 games in 2,000 pairs to play, 0 pairs stored; at most about" in new
    shown(pairs="5")  # too few for a verdict
    some = json.loads(shown("--dry-run", "--json"))
    assert (some["stored_pairs"], some["missing_pairs"]) == (5, 1_995)
    assert (some["at_most"], some["decided"]) == (True, None)
    played = json.loads(shown("--json"))
    assert played["sprt"]["verdict"] == "lower"
    done = shown("--dry-run")
    assert f"no games to play, {played['pairs']} pairs stored" in done
    assert "accepted its lower hypothesis" in done
    left = json.loads(shown("--dry-run", "--json"))
    assert (left["missing_games"], left["seconds"], left["decided"]) == (0, 0.0, "lower")


def test_a_dry_run_stops_at_a_gap_as_the_match_does(tmp_path, capsys):
    """Workers finish pairs in any order: those behind a missing one do not count yet."""
    path = tmp_path / "a.db"
    match = ["pig(winscore=20)", *MATCH, "--pairs", "2000", "--store", str(path)]
    output(capsys, "tournament", *match)
    with sqlite3.connect(path) as db:
        db.execute("DELETE FROM games WHERE pair IN (SELECT id FROM pairs WHERE number = 1)")
        db.execute("DELETE FROM pairs WHERE number = 1")
    db.close()
    shown = json.loads(output(capsys, "tournament", *match, "--dry-run", "--json"))
    assert shown["decided"] is None
    assert shown["missing_pairs"] == 2_000 - shown["stored_pairs"] > 0


@pytest.mark.usefixtures("bots")
@pytest.mark.parametrize(
    ("bot", "more", "says"),
    [
        ("failing", [], "raised, ValueError: lost my head (fail(), bots.py:"),
        ("hanging_at_move", ["--move-limit", "0.3"], "hung, "),
        ("modest", [], None),
    ],
)
def test_a_dry_run_tells_of_forfeited_trial_games(capsys, bot, more, says):
    command = ["pig(winscore=20)", "--agents", "random", f"me=bots:{bot}", *more, "--dry-run"]
    shown = " ".join(output(capsys, "tournament", *command).split())
    assert "20 games in 10 pairs to play" in shown
    if says is None:
        assert "forfeited" not in shown
    else:
        assert shown.count(f"In a trial game me forfeited: {says}") == shown.count("forfeited") == 1
    if bot == "failing":
        forfeits = json.loads(output(capsys, "tournament", *command, "--json"))["forfeits"]
        assert [forfeit["agent"] for forfeit in forfeits] == ["me"]


def test_a_report_that_fails_does_not_take_the_table_with_it(tmp_path, monkeypatch, capsys):
    def fail(*_, **__):
        raise StarspielError("the disk is full.")

    monkeypatch.setattr("starspiel.evaluation.report.write_reports", fail)
    code, out, err = run_here(capsys, "tournament", *QUICK, "--report", tmp_path / "r.html")
    assert code == 2
    assert "6 games in 3 pairs" in out
    assert "the disk is full" in err


def test_no_report_replaces_what_the_tournament_reads(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    config, starts, solution = (tmp_path / name for name in ("a.toml", "starts.txt", "s.npz"))
    config.write_text("pairs = 1")
    starts.write_text("0\n")
    solve("pig(players=2,winscore=4)").save(solution)
    (tmp_path / "bots.py").write_text(BOTS)
    (tmp_path / "link.html").symlink_to("a.db")
    os.link(config, "hard.html")
    os.mkdir("folder")
    pig = ["pig(winscore=4)", "--agents", "random", "optimal(solution=s.npz)", "me=bots:boastful"]
    command = ["tournament", *pig, "--config", "a.toml", "--store", "a.db"]
    played = []
    monkeypatch.setattr("starspiel.cli.tournament.play", lambda *_, **__: played.append(1))

    def refused(report, *more):
        err = refusal(capsys, *command, *more, "--report", report)
        assert f"the report {report} would replace " in err
        assert "name another file" in err

    for more in ([], ["--dry-run"]):
        for report in ("a.db", "a.db-wal", "link.html", "a.toml", "hard.html", "s.npz", "folder/../bots.py"):
            refused(report, *more)
        refused("starts.txt", "--starts", "starts.txt")
        refused("s.npz", "--luck", "solution(file=s.npz)")
    assert not os.path.exists("a.db")
    command.insert(1, "tic_tac_toe")
    (tmp_path / "r-2.html").symlink_to("a.db")
    assert "the report r-2.html would replace the store a.db" in refusal(
        capsys, *command, "--report", "r.html"
    )
    assert not played


@pytest.mark.parametrize("name", ["", " ", "a\\nb", "\\u001b[31m", "a\\u2028b"])
def test_names_that_no_table_can_show_are_refused(name, tmp_path, capsys):
    path = tmp_path / "a.toml"
    path.write_text(f'[agents]\n"{name}" = "random"\nb = "random"', encoding="utf-8")
    err = refusal(capsys, "tournament", "--config", path)
    assert "agent 1: expected a name that shows in a line of a table" in err


def test_half_a_character_is_no_name():
    with pytest.raises(StarspielError, match=r"got '\\ud800'"):
        entrants({"\ud800": "random"})


@pytest.mark.slow
def test_ctrl_c_prints_what_was_played():
    command = [*STARSPIEL, "tournament", "pig", "--pairs", "100000", "--agents"]
    process = subprocess.Popen(
        [*command, "random", "star2(depth=1)", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert "pairs" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 130, stderr
    answer = json.loads(stdout)
    assert answer["interrupted"]
    assert 0 < answer["games"] < 200_000
