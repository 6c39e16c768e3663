"""Extras come off: without one, the package is imported, lists itself and plays a tournament."""

import pytest
from support.installation import copy_to, run_with

pytestmark = pytest.mark.slow  # Some twenty processes, each of which loads the package anew.

_ON_GNUBG = ("agents/reference", "evaluation/store/mat.py")
#: The folders, or modules, that can be taken out, together with what stands on them.
EXTRAS = {
    "agents/openspiel": (),
    "agents/env_agent.py": (),
    "agents/rollouts": ("agents/calibration",),
    "agents/book": (),
    "agents/learning": (),
    "agents/calibration": (),
    "agents/seats": (),
    "agents/conformance.py": ("agents/seats/conformance.py",),
    "agents/search/tree": (),
    "agents/reference": (),
    "envs/gnubg": _ON_GNUBG,
    "envs/pettingzoo": (),
    "envs/boards": ("envs/gnubg", *_ON_GNUBG),
    "envs/raster.py": ("envs/drawing.py", "envs/boards", "envs/gnubg", *_ON_GNUBG),
    "envs/chart": (
        *("envs/drawing.py", "envs/boards", "envs/gnubg", *_ON_GNUBG),
        *("agents/search/tree", "agents/calibration", "agents/learning"),
        *("evaluation/report", "evaluation/review"),
    ),
    "envs/conformance": ("agents/conformance.py", "agents/seats/conformance.py"),
    "evaluation/report": (),
    "evaluation/review": (),
    "evaluation/ladder.py": (),
    "evaluation/luck.py": (),
}
#: What a command says of an extra that is gone: options of a tournament that ask for it.
ASKED = {"evaluation/report": "--report a.html", "evaluation/luck.py": "--luck"}
RUN = """
state = starspiel.load_game("star_pig(goal=20)").new_initial_state()
assert starspiel.search(state).best_action in state.legal_actions()
for line in ("--help", "agents", "tournament pig --agents random greedy --pairs 1"):
    command(line)
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    copy = tmp_path_factory.mktemp("installed")
    copy_to(copy)
    return copy


@pytest.mark.parametrize("extra", EXTRAS)
def test_everything_else_works_without_an_extra(extra, installed, tmp_path):
    taken = [installed / "starspiel" / each for each in (extra, *EXTRAS[extra])]
    aside = [path.rename(tmp_path / f"{number}-{path.name}") for number, path in enumerate(taken)]
    try:
        printed = run_with(installed, RUN, tmp_path)
    finally:
        for path, put_aside in zip(taken, aside, strict=True):
            put_aside.rename(path)
    assert ("rollout " in printed) == (extra != "agents/rollouts")
    assert ("ladder" in printed) == (extra != "evaluation/ladder.py")


@pytest.mark.parametrize("extra", ASKED)
def test_a_command_says_which_extra_it_lacks(extra, installed, tmp_path):
    lacking = (installed / "starspiel" / extra).rename(tmp_path / "aside")
    module = f"starspiel.{extra.removesuffix('.py').replace('/', '.')}"
    ask = f'command("tournament pig --agents random greedy --pairs 1 {ASKED[extra]}")'
    try:
        with pytest.raises(AssertionError, match=rf"{module}\S* is not part of this installation"):
            run_with(installed, ask, tmp_path)
    finally:
        lacking.rename(installed / "starspiel" / extra)
