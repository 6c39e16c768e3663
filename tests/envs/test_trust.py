"""Names in files that would import: found however deep they stand, and not imported without consent."""

import io
import os
import pty
import subprocess
import sys

import pytest

from starspiel.envs.errors import StarspielError
from starspiel.envs.trust import check_consent, foreign_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("pig(winscore=20)", []),
        ("star2(depth=2,evaluator=rollout(n=2))", []),
        ("net(file=mine.npz)", []),
        ("starspiel.agents.bots.random:RandomBot", []),
        ("pyspiel:make_uniform_random_bot(player_id=0)", []),
        ("starspiel:starspiel/Pig-v0", []),
        ("os:system(command=touch PWNED)", ["os:system"]),
        ("  os : system  (command=x)", ["os : system"]),
        ("star2(evaluator=os:system(command=x))", ["os:system"]),
        ("star2(evaluator=rollout(policy=greedy(evaluator=a.b:c)))", ["a.b:c"]),
        ("star2(evaluator={zero,os:system(command=x)})", ["os:system"]),
        ("good=bots:good(depth=2)", ["bots:good"]),
        ("start_at(history=0;1,game=my_game:Rules())", ["my_game:Rules"]),
        ("my_games:Fancy-v0(horizon=3)", ["my_games:Fancy-v0"]),
        ("star2(evaluator=starspiel.agents:x(of=os:system()))", ["os:system"]),
        ("os:system(", ["os:system"]),
        ("x((((os:system", ["os:system"]),
        ("starspiel_evil:run", ["starspiel_evil:run"]),
        ("starspielx.agents:run", ["starspielx.agents:run"]),
        ("starspiel:os:system", ["starspiel:os:system"]),
        # What a module of ours has imported is not ours, and what it hides is not for files.
        (
            "starspiel.evaluation.statistics.analyses:import_module(name=evil)",
            ["starspiel.evaluation.statistics.analyses:import_module"],
        ),
        (
            "starspiel.evaluation.statistics.analyses:_module(name=evil)",
            ["starspiel.evaluation.statistics.analyses:_module"],
        ),
        # Ours, but neither a player nor a game: it plays, writes files or imports as it is told.
        (
            "starspiel.cli.tournament:tournament(trust=true)",
            ["starspiel.cli.tournament:tournament"],
        ),
        ("starspiel.evaluation.store.store:Store(path=a.db)", ["starspiel.evaluation.store.store:Store"]),
        ("starspiel.envs.modules:find_in_module(name=x)", ["starspiel.envs.modules:find_in_module"]),
        ("starspiel.nowhere:x", []),
        (b"os:system", []),
    ],
)
def test_the_names_that_would_import(text, names):
    assert foreign_names([text, "pig"]) == names


def test_no_consent_is_an_error_in_words(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))  # no terminal
    names = [f"m{number}:\x1b[2J" for number in range(9)]
    with pytest.raises(StarspielError, match=r"the file names 'm0:\\x1b\[2J', .*'m4:.*', …, which") as raised:
        check_consent("the file", names, trust=False)
    assert "--trust" in str(raised.value)
    check_consent("the file", names, trust=True)
    check_consent("the file", ["pig"], trust=False)


ASK = (
    "from starspiel.envs.trust import check_consent as c; c('a.db', ['os:system'], trust=False); print('ok')"
)


@pytest.mark.parametrize(
    ("answer", "agreed"), [("y\n", True), ("Yes\n", True), ("\n", False), ("n\n", False)]
)
def test_at_a_terminal_there_is_a_question(answer, agreed):
    ours, theirs = pty.openpty()
    os.write(ours, answer.encode())
    done = subprocess.run(
        [sys.executable, "-c", ASK],
        stdin=theirs,
        stderr=theirs,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(theirs)
    shown = os.read(ours, 100_000).decode()
    os.close(ours)
    assert "Do you trust it? [y/N]" in shown
    assert (done.stdout == "ok\n") == agreed == (done.returncode == 0)


def test_no_question_where_stderr_is_no_terminal():
    ours, theirs = pty.openpty()
    os.write(ours, b"y\n")
    done = subprocess.run([sys.executable, "-c", ASK], stdin=theirs, capture_output=True, check=False)
    os.close(theirs)
    os.close(ours)
    assert done.returncode == 1
    assert b"Do you trust it?" not in done.stderr
