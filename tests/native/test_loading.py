"""The native core loads if it was built, and everything says why if it does not."""

import ast
import importlib.util
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import venv
from importlib import resources
from pathlib import Path

import pyspiel
import pytest

from starspiel.agents import native_loader as loading
from starspiel.agents.search import Limits, search
from starspiel.envs.errors import StarspielError
from starspiel.envs.games.pig import Pig
from starspiel.evaluation import tournament


def test_switched_off_at_run_time(monkeypatch):
    monkeypatch.setenv("STARSPIEL_NATIVE", "off")
    status = loading.native_status()
    assert not status.available
    assert "STARSPIEL_NATIVE" in status.reason
    state = pyspiel.load_game("pig").new_initial_state()
    assert search(state, limits=Limits(depth=2)).engine == "python"
    with pytest.raises(StarspielError, match="STARSPIEL_NATIVE"):
        search(state, limits=Limits(depth=2), engine="native")


@pytest.fixture
def not_built(monkeypatch):
    """not_built(why): as if starspiel was installed without the core, and that is why."""
    find = importlib.util.find_spec

    def without(why):
        monkeypatch.setattr(
            importlib.util,
            "find_spec",
            lambda name, *package: None if name == "starspiel._native" else find(name, *package),
        )
        monkeypatch.setattr(loading, "_why_not_built", lambda: why)
        monkeypatch.delenv("STARSPIEL_NATIVE", raising=False)
        loading._load.cache_clear()
        loading._say.cache_clear()

    yield without
    loading._load.cache_clear()
    loading._say.cache_clear()


def test_a_package_without_the_core_says_so(not_built):
    not_built("no C++ compiler worked")
    status = loading.native_status()
    assert (status.module, status.chosen) == (None, False)
    assert status.reason.startswith(
        "starspiel was installed without it: when it was built, no C++ compiler worked. Once this is fixed, "
        "build it again: pip install --force-reinstall --no-deps "
    )


@pytest.mark.parametrize(
    ("recorded", "sources"),
    [
        (None, "--no-cache-dir --no-binary starspiel starspiel"),
        ({"url": "file:///a%20folder/of%20it", "dir_info": {}}, "'/a folder/of it'"),
        ({"url": "file:///sources", "dir_info": {"editable": True}}, "-e /sources"),
        (
            {"url": "https://a.host/it.git", "vcs_info": {"vcs": "git", "commit_id": "1"}},
            "--no-cache-dir --no-binary starspiel git+https://a.host/it.git",
        ),
        (
            {"url": "file:///starspiel-0.1.0-py3-none-any.whl", "archive_info": {}},
            ". (in a copy of the sources)",
        ),
    ],
)
def test_the_advice_builds_from_where_it_was_installed(not_built, monkeypatch, recorded, sources):
    """PEP 610: pip records it in direct_url.json, unless that was an index."""

    class Installed:
        version = "2"

        def read_text(self, name):
            return json.dumps(recorded) if recorded and name == "direct_url.json" else None

    not_built("no C++ compiler worked")
    monkeypatch.setattr(loading.metadata, "distribution", lambda name: Installed())
    assert loading.native_status().reason.endswith(f"pip install --force-reinstall --no-deps {sources}")


def test_a_wheel_built_for_another_openspiel_says_which_to_install(core, monkeypatch, request):
    request.addfinalizer(loading._load.cache_clear)
    for where, name, version in ((loading, "_built_for", "1.9"), (loading.metadata, "version", "0.0.1")):
        with monkeypatch.context() as patch:
            patch.setattr(where, name, lambda *_, version=version: version)
            loading._load.cache_clear()
            status = loading.native_status()
        assert status.module is None
        assert not status.chosen, "its first search says so"
        assert version in status.reason
        assert "pip install open_spiel==" in status.reason


def test_python_files_that_are_newer_than_the_core_say_to_build_it_again(
    core, monkeypatch, request, tmp_path
):
    request.addfinalizer(loading._load.cache_clear)
    declared = (resources.files("starspiel") / "_native.pyi").read_bytes()
    (tmp_path / "_native.pyi").write_bytes(declared)
    monkeypatch.setattr(loading.resources, "files", lambda package: tmp_path)
    for text, fits in ((declared, True), (declared + b"def more() -> None: ...\n", False)):
        (tmp_path / "_native.pyi").write_bytes(text)
        loading._load.cache_clear()
        assert (loading.native_status().module is core) == fits
    assert (
        "built before these Python files changed; build it again: pip install"
        in loading.native_status().reason
    )
    (tmp_path / "_native.pyi").unlink()
    loading._load.cache_clear()
    assert loading.native_status().module is core


def test_the_stub_declares_what_the_core_has(core):
    """What Python files are checked against, and what says whether a core fits them."""

    def public(names):
        return {name for name in names if not name.startswith("_")}

    def defined(body):
        for node in body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                yield node.name
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                yield node.target.id

    tree = ast.parse((resources.files("starspiel") / "_native.pyi").read_text(encoding="utf-8"))
    assert public(defined(tree.body)) == public(vars(core))
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            made = getattr(core, node.name)
            of_enumerations = {"name", "value"} if hasattr(made, "__members__") else set()
            assert public(defined(node.body)) == public(vars(made)) - of_enumerations, node.name


class OwnRules(Pig):
    """A user's rules: the core has no model of what inherits."""


def test_the_first_search_without_the_core_says_so_in_one_line(not_built, caplog):
    not_built("no C++ compiler worked")
    state = pyspiel.load_game("pig").new_initial_state()
    search(state, "star2", Limits(depth=1), engine="python")
    search(OwnRules().new_initial_state(), "star2", Limits(depth=1))  # in Python anywhere
    assert caplog.messages == []
    for _ in range(2):
        assert search(state, "star2", Limits(depth=1)).engine == "python"
    tournament("pig(winscore=5)", ["random", "star2(depth=1)"], 1)
    (line,) = caplog.messages
    assert line.startswith("starspiel: searches run in Python only, many times slower: ")
    assert "when it was built, no C++ compiler worked. " in line
    assert "\n" not in line


@pytest.mark.parametrize("when", ["built", "run"])
def test_who_chose_to_be_without_the_core_is_not_told(not_built, caplog, monkeypatch, when):
    not_built(None if when == "built" else "no C++ compiler worked")
    if when == "run":
        monkeypatch.setenv("STARSPIEL_NATIVE", "off")
    search(pyspiel.load_game("pig").new_initial_state(), "star2", Limits(depth=1))
    assert caplog.messages == []


def _search_and_list(messages):
    search(pyspiel.load_game("pig").new_initial_state(), "star2", Limits(depth=1))
    return messages


def test_workers_do_not_say_it_again(not_built, caplog):
    not_built("no C++ compiler worked")
    with multiprocessing.get_context("fork").Pool(1) as workers:
        assert workers.apply(_search_and_list, (caplog.messages,)) == []


ROOT = Path(__file__).parents[2]


def _pip_install(source, target, **environment):
    """Installs into a folder; with the build tools of this environment if it has them."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", target, source]
    if all(map(importlib.util.find_spec, ("scikit_build_core", "pybind11"))) and shutil.which("cmake"):
        command.append("--no-build-isolation")
    inherited = {name: value for name, value in os.environ.items() if name != "STARSPIEL_NATIVE"}
    return subprocess.run(
        list(map(str, command)),
        env=inherited | environment,
        check=False,
        capture_output=True,
        text=True,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment", "why", "said"),
    [
        ({"STARSPIEL_NATIVE": "OFF"}, "the build was told to leave it out.", 0),
        ({"CXX": "/no/such/compiler"}, "when it was built, no C++ compiler worked. Once this is fixed", 1),
    ],
)
def test_installs_and_searches_without_the_core(tmp_path, environment, why, said):
    """What a machine without a compiler has, and who asks for it."""
    installed = _pip_install(ROOT, tmp_path, **environment)
    assert installed.returncode == 0, installed.stdout + installed.stderr
    program = """if True:
        import sys
        # An editable installation, if this is one, would come first.
        sys.meta_path = [f for f in sys.meta_path if "_editable_" not in type(f).__module__]
        import pyspiel
        import starspiel
        from starspiel.agents.native_loader import native_status
        state = pyspiel.load_game("pig").new_initial_state()
        for _ in range(2):
            result = starspiel.search(state, "star2", starspiel.Limits(depth=3), "heuristic")
        print(starspiel.__file__)
        print(result.engine, round(result.value, 12))
        print(native_status().reason)
    """
    inherited = {name: value for name, value in os.environ.items() if name != "STARSPIEL_NATIVE"}
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env={**inherited, "PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    file, searched, reason = ran.stdout.splitlines()
    assert file.startswith(str(tmp_path))
    value = search(pyspiel.load_game("pig").new_initial_state(), "star2", Limits(depth=3), "heuristic").value
    assert searched == f"python {round(value, 12)}"
    assert why in reason
    assert ran.stderr.count("searches run in Python only") == len(ran.stderr.splitlines()) == said


@pytest.mark.skipif(shutil.which("cmake") is None, reason="needs CMake")
def test_a_build_without_open_spiel_says_so(tmp_path):
    venv.create(tmp_path / "bare")
    command = ["cmake", "-S", ROOT, "-B", tmp_path, f"-DPython_EXECUTABLE={tmp_path / 'bare/bin/python'}"]
    environment = {name: value for name, value in os.environ.items() if name != "STARSPIEL_NATIVE"}
    if shutil.which("ninja"):  # as builds do; the machine may lack make
        environment["CMAKE_GENERATOR"] = "Ninja"
    subprocess.run(list(map(str, command)), env=environment, check=True, capture_output=True)
    why = (tmp_path / "_not_native.txt").read_text()
    assert why == "open_spiel was not found (pip install open_spiel)\n"


@pytest.mark.slow
def test_an_error_in_our_own_code_fails_the_build(tmp_path):
    """It must not pass as a machine without a compiler."""
    source = tmp_path / "source"
    for name in ("pyproject.toml", "CMakeLists.txt", "README.md", "LICENSE"):
        (source / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, source / name)
    for name in ("agents", "envs", "evaluation", "src", "native"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    # What all source files include: the compiler stops at once in each.
    (source / "native" / "standard.hpp").write_text('#include "broken on purpose"\n')
    installed = _pip_install(source, tmp_path / "target")
    assert installed.returncode != 0
    assert "broken on purpose" in installed.stdout + installed.stderr
    assert not (tmp_path / "target" / "starspiel").exists()
