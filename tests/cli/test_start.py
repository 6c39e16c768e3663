"""What somebody meets first: `starspiel` alone, `--version`, and the Tab key."""

import platform
import shutil
import subprocess
from importlib.metadata import version
from pathlib import Path

import pytest

import starspiel_cli
from starspiel_cli import COMMANDS, FIRST_COMMANDS, make_app


def test_alone_it_shows_three_commands_that_there_are(capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["starspiel"])
    starspiel_cli.main()
    shown = capsys.readouterr().out
    assert len(FIRST_COMMANDS) == 3
    for command in FIRST_COMMANDS:
        assert command in shown
        assert command.split()[1] in COMMANDS


def test_the_first_commands_parse():
    for command in FIRST_COMMANDS:
        app = make_app(command.split()[1:2])
        app.parse_args(command.split()[1:], exit_on_error=False, print_error=False)


def test_the_version_says_what_the_core_is_for(capsys, monkeypatch):
    class Built:
        version = "1.2.3"
        text = "2.0.2\n"

        def read_text(self, name):
            return self.text if name == "open_spiel_version.txt" else None

    monkeypatch.setattr(starspiel_cli, "distribution", lambda name: Built())
    monkeypatch.setattr("sys.argv", ["starspiel", "--version"])
    starspiel_cli.main()
    assert capsys.readouterr().out.strip() == (
        f"starspiel 1.2.3 (native core for open_spiel 2.0.2), open_spiel {version('open_spiel')}, "
        f"gymnasium {version('gymnasium')}, Python {platform.python_version()}"
    )
    monkeypatch.setattr(Built, "text", None)
    assert "(Python engine only)" in starspiel_cli.versions()


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_tab_completes_commands_flags_games_and_agents(tmp_path):
    script = tmp_path / "completion.bash"
    script.write_text(make_app([]).generate_completion(prog_name="starspiel", shell="bash"), encoding="utf-8")
    assert completed(script, "tour") == ["tournament"]
    assert completed(script, "tournament", "--luc") == ["--luck"]
    assert {"analyze", "agents"} <= set(completed(script, "a"))
    assert "star_pig" in completed(script, "play", "star")
    assert {"backgammon", "banqi"} <= set(completed(script, "analyze", "ba"))
    assert {"star1", "star2", "star2ss"} <= set(completed(script, "play", "pig", "--opponent", "star"))
    assert "greedy" in completed(script, "tournament", "pig", "--agents", "gr")


def completed(script: Path, *words: str) -> list[str]:
    """What bash offers for the last of the words after `starspiel`."""
    before = words[-2] if len(words) > 1 else "starspiel"
    lines = (
        f"source {script}; COMP_WORDS=(starspiel {' '.join(words)}); COMP_CWORD={len(words)}; "
        f'_starspiel starspiel "{words[-1]}" {before}; echo "${{COMPREPLY[@]}}"'
    )
    done = subprocess.run(["bash", "-c", lines], capture_output=True, text=True, check=True)
    return done.stdout.split()
