"""`starspiel solve`: one JSON object, a file that plays, one line on errors."""

import json
import os
import subprocess
import sys

import pytest


def test_json_and_a_file_that_analyze_reads(run, tmp_path):
    path = tmp_path / "pig.npz"
    code, out, err = run("solve", "pig(winscore=15)", "--json", "--output", str(path))
    answer = json.loads(out)
    assert (code, err) == (0, "")
    assert answer["game"] == "pig(winscore=15)"
    assert answer["states"] > 1000
    assert answer["residual"] < 1e-12
    assert answer["seconds"] > 0
    code, out, _ = run("analyze", "pig(winscore=15)", "--agent", f"optimal(solution={path})", "--json")
    assert code == 0
    assert json.loads(out)["value"] == pytest.approx(answer["value"], abs=1e-10)


def test_a_file_that_is_there_is_kept(run, tmp_path):
    (tmp_path / "net.npz").write_text("hours of training", encoding="utf-8")
    code, _, err = run("solve", "pig(winscore=15)", "--output", str(tmp_path / "net"))
    assert code == 2
    assert "net.npz already exists; name another file with --output" in err
    assert (tmp_path / "net.npz").read_text(encoding="utf-8") == "hours of training"


def test_words_and_the_estimate(run):
    code, out, err = run("solve", "tic_tac_toe")
    assert code == 0
    assert "bytes; 4 GB hold" in err
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
    assert used.ru_utime + used.ru_stime < 30  # 5 if nothing else runs


def test_the_values_of_all_players(run, tmp_path):
    path = tmp_path / "pig.npz"
    code, out, _ = run("solve", "pig(players=3,winscore=5)", "--output", str(path))
    assert code == 0
    assert out.startswith("pig(players=3,winscore=5): values (0.636823638342, -0.210531018015, -0.42629")
    code, out, _ = run("solve", "pig(players=3,winscore=5)", "--json")
    assert sum(json.loads(out)["value"]) == pytest.approx(0, abs=1e-12)
