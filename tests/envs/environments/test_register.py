"""starspiel's environments are found by their ids, and Python's start pays nothing for it."""

import subprocess
import sys
from importlib.metadata import files
from pathlib import Path

import gymnasium
import pytest

import starspiel
from starspiel.envs.environments.register import ENVIRONMENTS, register_environments


def in_a_new_process(script: str) -> str:
    done = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("imports", "env_id"),
    [("gymnasium", "starspiel:starspiel/Pig-v0"), ("gymnasium, starspiel", "starspiel/Pig-v0")],
)
def test_an_environment_is_made_by_its_id(imports: str, env_id: str) -> None:
    script = (
        f"import {imports}; env = gymnasium.make({env_id!r}, game='star_pig(goal=30)');"
        "print(env.unwrapped.game.name, env.spec.id)"
    )
    assert in_a_new_process(script) == "star_pig(goal=30) starspiel/Pig-v0"


def test_a_start_of_python_and_of_gymnasium_imports_nothing_of_ours() -> None:
    ours = "[name for name in sys.modules if name.split('.')[0] in ('starspiel', 'pyspiel')]"
    script = f"import sys, gymnasium; print({ours})"
    assert in_a_new_process(script) == "[]"
    started = [file.name for file in files("starspiel") or () if file.suffix in (".pth", ".start")]
    assert [name for name in started if not name.startswith("_editable")] == []


def test_an_installation_leaves_the_checkouts_surroundings_alone() -> None:
    """An editable one too: what lies beside the checkout must not be importable."""
    paths = in_a_new_process("import sys; print(*sys.path, sep='\\n')").split("\n")
    package = Path(starspiel.__file__).resolve().parent
    above = {str(parent) for parent in package.parents if parent.name not in ("src", "site-packages")}
    assert above.isdisjoint(path for path in paths if "site-packages" not in path)


def test_registering_again_changes_nothing() -> None:
    before = {env_id: gymnasium.spec(env_id) for env_id in ENVIRONMENTS}
    register_environments()
    assert {env_id: gymnasium.spec(env_id) for env_id in ENVIRONMENTS} == before
