"""Wrong usage of any command is one line on stderr and exit code 2, with nothing on stdout."""

import json
import subprocess
import sys

import pytest

GAME, PIG = "einstein_wurfelt_nicht", "pig(winscore=12)"
WRONG = {
    "analyze pigg": "Did you mean 'pig'?",
    "analyze kuhn_poker": "imperfect information",
    "analyze pig(winscor=3)": "Did you mean 'winscore'?",
    "analyze pig --agent star3": "Did you mean 'star",
    "analyze pig --agent star2(depth=0)": "at least 1, got 0",
    "analyze pig --agent star2(dept=2)": "Did you mean 'depth'?",
    "analyze pig --agent random": "needs a search agent",
    "analyze pig --agent star2(depth=2": "brackets",
    "analyze pig --history 0,9": "action 2 of 2, 9, is not legal",
    "analyze pig --history 0,x": "no outcome 'x'; the outcomes are 0 (rolled 1)",
    "analyze pig --history rol": "the moves of player 0 are 0 (roll), 1 (stop). Did you mean 'roll'?",
    "analyze pig --history 0": "chance moves next in pig; add an outcome, e.g. --history 0,0",
    "analyze backgammon": "chance moves first in backgammon; add an outcome, e.g. --history 0.",
    "analyze pig(winscore=2) --history 0,2,1": "pig(winscore=2) is over by then",
    "analyze Blackjack-v1(hidden=seen)": "are sampled from a seed",
    "analyze Blackjack-v1(hidden=seen) --history 7,5": "not legal; the moves of player 0 are 0 (Stick)",
    "analyze pig --tree tree.png": "a .html page or a .svg picture",
    "analyze pig --tree nowhere/tree.html": "there is no folder",
    "analyze pig --rollout --tree tree.svg": "a rollout has no tree",
    "analyze": "analyze",
    "analyse pig": "analyse",
    "analyze pig --deep": "--deep",
    f"calibrate heuristic {PIG} --plot a.png": "a plot is written to a .svg file, got 'a.png'",
    f"calibrate heuristic {PIG} --positions 3": "at least 20, got 3",
    f"calibrate heuristics {PIG}": "Did you mean 'heuristic'?",
    "calibrate heuristic tic_tac_toe": "there is no heuristic for tic_tac_toe",
    "check pgi": "Did you mean 'pig'?",
    "check pig --games 0": "--games",
    "check": "check",
    "check matrix_brps": "has simultaneous moves; check supports only moves in turn",
    "check random": "random is an agent, and a game is expected here; agents follow --agent.",
    "check starspiel.agents.bots.uct:UCTBot": "makes an agent, and a game is expected here",
    "check starspiel.agents.bots.greedy:greedy": "makes an agent, and a game is expected here",
    "tournament pig random greedy": "and a game is expected here; agents follow --agents.",
    "tournament pig --agents random,star2": "separate several by spaces",
    "tournament pig --agents star2(depth=2),random": "separate several by spaces",
    "check pig --agent star1 --evaluator zero": "one thing at a time",
    "check pig --agent star9": "Did you mean",
    "play": "name a game",
    "play star_pig --resume x": "not both",
    "play star_pgi": "star_pgi",
    "play star_pig --opponent star3": "star3",
    "play star_pig --opponent star2(depth=": "star2(depth=",
    "play pig(players=3) --opponent random,greedy": "repeat --opponent for each",
    "play 2048 --opponent nonsense(": "is for one player: leave --opponent out",
    "play star_pig --seat 2": "seat must be in 0..1",
    "play star_pig --hint random": "--hint must be a search agent",
    "play star_pig --port 9": "--port is for --web",
    "play star_pig --save no/such/x.json": "there is no folder no/such",
    "play star_pig --save .": "that is a folder",
    "play star_pig --save illegal.json": "it already exists",
    "play --resume missing.json": "cannot resume from missing.json",
    "play --resume bad.json": "is not a game saved by starspiel play",
    "play --resume illegal.json": "action 2, 9, is not legal",
    "play --resume good.json --seat 1": "come from the saved game",
    "play --resume good.json --save illegal.json": "it already exists",
    "solve chess": "no sound key",
    "solve pgi": "Did you mean 'pig'?",
    "solve pig --memory-limit 0": "--memory-limit",
    "solve pig --memory-limit inf": "--memory-limit",
    "solve pig --memory-limit 10": "0.01 GB allowed are used up",
    "solve star_pig(goal=5": "the brackets of 'star_pig(goal=5' do not match",
    "solve catch --output /no/such/folder/x.npz": "there is no folder /no/such/folder",
    "solve catch -o .": "that is a folder",
    f"train {GAME} --hidden 8,x": "--hidden must be whole numbers",
    f"train {GAME} --minutes 1 --games 5": "not both",
    f"train {GAME} --minutes 0": "minutes must be positive",
    "train 2048": "1 player",
    f"train {GAME} --tuples small": "networks are trained without tuples; their settings are minutes, games",
    f"train {GAME} -o /no/such/folder/x.npz": "there is no folder",
    f"train {GAME} --games 3.5": "--games must be a whole number, got '3.5'.",
    "tournament pig --pairs 3.5": "--pairs must be a whole number, got '3.5'.",
    "tournament pig --pairs=3.5": "--pairs must be a whole number, got '3.5'.",
    "calibrate heuristic pig --depth 3.5": "--depth must be a whole number, got '3.5'.",
}


@pytest.mark.parametrize("command", WRONG)
def test_wrong_usage_is_one_line(run, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    saved = {"game": "star_pig", "opponent": "star2(depth=1)", "seat": 0, "seed": 1, "history": [0, 9]}
    (tmp_path / "illegal.json").write_text(json.dumps(saved))
    (tmp_path / "good.json").write_text(json.dumps({**saved, "history": []}))
    (tmp_path / "bad.json").write_text('{"game": 3}')
    files = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    code, out, err = run(*command.split())
    assert (code, out, err.count("\n")) == (2, "", len(err.splitlines()))
    # What solve estimates comes before what it finds out.
    last = err.splitlines()[-1]
    assert command.endswith("--memory-limit 10") or last == err.strip()
    assert last.startswith("starspiel: ")
    assert WRONG[command] in last
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == files


def test_a_fraction_in_the_environment(run, monkeypatch):
    monkeypatch.setenv("STARSPIEL_PAIRS", "2.5")
    code, _, err = run("tournament", "pig")
    assert (code, err) == (2, "starspiel: STARSPIEL_PAIRS must be a whole number, got '2.5'.\n")


def test_a_real_process_leaves_with_the_same_line_and_code():
    command = [sys.executable, "-c", "from starspiel.cli import main; main()", "analyze"]
    wrong = subprocess.run([*command, "pigg"], capture_output=True, text=True, check=False)
    assert (wrong.returncode, wrong.stdout, wrong.stderr.count("\n")) == (2, "", 1)
    right = subprocess.run([*command, "pig", "--json"], capture_output=True, text=True, check=False)
    assert (right.returncode, right.stderr) == (0, "")
    assert json.loads(right.stdout)["game"] == "pig"
