"""`starspiel tournament` as typed: output, exit codes, one line for every mistake."""

import json
import os
import signal
import subprocess
import sys

import pytest

from starspiel.cli.app import main
from starspiel.envs.errors import StarspielError

STARSPIEL = [sys.executable, "-c", "from starspiel.cli import main; main()"]
QUICK = ["tic_tac_toe", "--agents", "random", "star2(depth=1)", "--pairs", "3", "--seed", "5"]


def run(*arguments, **environment):
    return subprocess.run(
        [*STARSPIEL, "tournament", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=120,
        check=False,
    )


def test_json_is_one_object_and_nothing_else():
    done = run(*QUICK, "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert {"game", "seed", "games", "agents", "matrix"} <= answer.keys()
    assert answer["seed"] == 5
    assert answer["games"] == 6
    assert {"spec", "score", "games", "elo", "elo_low", "elo_high"} <= answer["agents"][0].keys()
    assert sum(agent["score"] for agent in answer["agents"]) == 6
    again = json.loads(run(*QUICK, "--json").stdout)
    untimed = [{k: v for k, v in agent.items() if "seconds" not in k} for agent in answer["agents"]]
    assert untimed == [{k: v for k, v in agent.items() if "seconds" not in k} for agent in again["agents"]]


@pytest.mark.slow
def test_the_bare_command_plays_the_default_field():
    done = run("--json", STARSPIEL_PAIRS="1")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["games"] == 30
    kinds = [agent["spec"].partition("(")[0] for agent in answer["agents"]]
    assert sorted(kinds) == ["expectiminimax", "mcts", "mcts", "random", "star1", "star2"]


def test_the_table_names_everyone():
    done = run(*QUICK)
    assert done.returncode == 0, done.stderr
    assert "6 games in 3 pairs" in done.stdout
    assert "random" in done.stdout
    assert "star2(depth=1)" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["pigg"], "Did you mean 'pig'?"),
        (["pig", "--agents", "random", "satr2"], "Did you mean 'star2'?"),
        (["pig", "--agents", "random"], "at least two agents"),
        (["pig", "--agents"], "at least one agent"),
        (["pig", "--agents", "random", "random"], "listed twice"),
        (["pig", "--agents", "random", "star2(depth=0)"], "depth"),
        (["pig", "--agents", "random", "star2(deep=1)"], "depth"),
        (["2048", "--agents", "random", "mcts"], "2048"),
        (["pig", "--seed", "99999999999999999999"], "at most 63 bits"),
        (["pig", "--pairs", "0"], "at least 1 pair"),
        (["pig", "--pairs", "many"], "--pairs"),
        (["pig", "--workers", "0"], "at least 1 worker"),
        (["pig", "--move-limit", "-1"], "move_seconds"),
        (["pig", "--luck", "heuristics"], "Did you mean 'heuristic'?"),
        (["kuhn_poker"], "imperfect information"),
    ],
)
def test_mistakes_cost_one_line_and_exit_code_2(arguments, says, capsys):
    with pytest.raises(SystemExit) as left:
        main(["tournament", *arguments])
    assert left.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert says in err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--report", "."], "is a folder"),
        (["--sprt", "nelo0=0"], "nelo1"),
        (["--workers", "0"], "at least 1 worker"),
        (["--address", "auto"], "engine ray"),
        (["--anchor", "randm"], "Did you mean 'random'?"),
    ],
)
def test_a_dry_run_checks_every_setting(arguments, says, capsys):
    with pytest.raises(SystemExit) as left:
        main(["tournament", *QUICK, "--dry-run", *arguments])
    assert left.value.code == 2
    assert says in capsys.readouterr().err


def test_a_dry_run_makes_no_store(tmp_path):
    path = tmp_path / "a.db"
    assert "6 games in 3 pairs to play" in run(*QUICK, "--dry-run", "--store", str(path)).stdout
    assert not path.exists()
    run(*QUICK, "--store", str(path))
    before = path.read_bytes()
    done = run(*QUICK, "--dry-run", "--luck", "zero", "--store", str(path))
    assert "0 games in 0 pairs to play, 3 pairs stored" in done.stdout
    assert path.read_bytes() == before


def test_a_report_that_fails_does_not_take_the_table_with_it(tmp_path, monkeypatch, capsys):
    def fail(*_, **__):
        raise StarspielError("the disk is full.")

    monkeypatch.setattr("starspiel.evaluation.report.write_report", fail)
    with pytest.raises(SystemExit) as left:
        main(["tournament", *QUICK, "--report", str(tmp_path / "r.html")])
    assert left.value.code == 2
    out, err = capsys.readouterr()
    assert "6 games in 3 pairs" in out
    assert "the disk is full" in err


def test_a_configuration_without_games_is_one_line(tmp_path, capsys):
    config = tmp_path / "a.toml"
    config.write_text("game = []")
    with pytest.raises(SystemExit) as left:
        main(["tournament", "--config", str(config)])
    assert left.value.code == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "length >= 1" in err


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
