"""`starspiel solve`: one JSON object, a file that plays, one line on errors."""

import json
import os
import subprocess
import sys

import pytest

from starspiel.cli.app import main


def run(capfd, *arguments):
    with pytest.raises(SystemExit) as caught:
        main(list(arguments))
    captured = capfd.readouterr()
    return caught.value.code, captured.out, captured.err


def test_json_and_a_file_that_analyze_reads(capfd, tmp_path):
    path = tmp_path / "pig.npz"
    code, out, err = run(capfd, "solve", "pig(winscore=15)", "--json", "--output", str(path))
    answer = json.loads(out)
    assert (code, err) == (0, "")
    assert answer["game"] == "pig(winscore=15)"
    assert answer["states"] > 1000
    assert answer["residual"] < 1e-12
    assert answer["seconds"] > 0
    code, out, _ = run(capfd, "analyze", "pig(winscore=15)", "--agent", f"optimal(solution={path})", "--json")
    assert code == 0
    assert json.loads(out)["value"] == pytest.approx(answer["value"], abs=1e-10)


def test_words_and_the_estimate(capfd):
    code, out, err = run(capfd, "solve", "tic_tac_toe")
    assert code == 0
    assert "GB or more; 4 GB hold" in err
    assert out.startswith("tic_tac_toe: value 0 over ")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads its greatest memory from /proc")
def test_pig_to_forty_within_its_share_of_a_minute_and_two_gb(tmp_path):
    """Processor time of the whole command and its greatest resident memory.

    The game to 100 has twelve times the positions. The value is that of plain value iteration (test_luck.py).
    """
    # Of the command alone: what the system counts at its end begins with the process that started it.
    script = """if True:
        import atexit, re
        from starspiel.cli.app import main
        peak = lambda: re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]
        atexit.register(lambda: open("peak", "w").write(peak()))
        main(["solve", "pig(winscore=40)", "--json"])"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, cwd=tmp_path) as process:
        out = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    answer = json.loads(out)
    assert set(answer) == {"game", "value", "states", "seconds", "residual", "file"}
    assert (answer["game"], answer["states"]) == ("pig(winscore=40)", 134_006)
    assert answer["value"] == pytest.approx(0.089388786963, abs=1e-9)
    assert answer["residual"] < 1e-12
    assert int((tmp_path / "peak").read_text()) * 1024 < 3e8
    assert used.ru_utime + used.ru_stime < 30  # 5 where nothing else runs


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["chess"], "no sound key"),
        (["pgi"], "Did you mean 'pig'?"),
        (["pig", "--memory-limit", "0"], "--memory-limit"),
        (["star_pig(goal=5"], "the brackets of 'star_pig(goal=5' do not match"),
        (["pig", "--memory-limit", "inf"], "--memory-limit"),
        (["catch", "--output", "/no/such/folder/x.npz"], "there is no folder /no/such/folder"),
        (["catch", "-o", "."], "that is a folder"),
        (["catch", "-o", ""], "that is a folder"),
        (["catch", "-o", "/tmp"], "that is a folder"),
    ],
)
def test_what_cannot_be_done(capfd, arguments, says):
    code, out, err = run(capfd, "solve", *arguments)
    assert (code, out) == (2, "")
    assert says in err
    assert len(err.splitlines()) == 1


def test_memory_that_runs_out(capfd):
    code, out, err = run(capfd, "solve", "pig", "--memory-limit", "10")
    assert (code, out) == (2, "")
    assert "0.01 GB allowed are used up" in err
