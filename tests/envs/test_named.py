"""Games of modules: loaded, sent to other processes and stored by `module:name(parameter=value)`."""

import copy
import pickle
import subprocess
import sys
from pathlib import Path

import gymnasium
import pytest

from starspiel.agents.evaluators import Evaluator, has_heuristic, make_evaluator, register_heuristic
from starspiel.agents.roster import make_bot
from starspiel.agents.solve import solve
from starspiel.envs.errors import SpecError, StarspielError, UnsupportedGameError
from starspiel.envs.load import load_game

MODULE = '''
import dataclasses

import gymnasium
from gymnasium.envs.toy_text.frozen_lake import FrozenLakeEnv
from starspiel.envs.games.pig import Pig

gymnasium.register("Pond-v0", FrozenLakeEnv)

class Hog(Pig):
    """Pig to four, whose name is a property."""
    def __init__(self, sides: int = 6, goal: int = 4):
        if sides == 0:
            raise ZeroDivisionError("no sides")
        super().__init__(goal=goal, sides=sides)

    name = property(lambda self: f"hog(sides={self.sides})", lambda self, value: None)

class Nobodys(Hog):
    num_players = 0

class Pond(FrozenLakeEnv):
    pass

@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    """A game without a dict, which lets nothing be set."""
    goal: int = 5
    num_players = 2
    num_distinct_actions = 2
    utility_range = (-1.0, 1.0)
    step_rewards = False
    discount = 1.0
    explicit_chance = True

    @property
    def name(self):
        return "frozen"

    def new_initial_state(self):
        return Pig(self.goal).new_initial_state()

    def key(self, state):
        return state.position

    def frame(self, state):
        return 0.0, 1.0

    def reroot(self, state):
        return state

EIGHT = Hog(8)
NUMBER = 3

def small(game="star_pig(goal=5)"):
    return game
'''


@pytest.fixture(autouse=True)
def farm(tmp_path, monkeypatch):
    """A module `farm` in the working directory."""
    (tmp_path / "farm.py").write_text(MODULE)
    sys.modules.pop("farm", None)  # that of another test
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    sys.modules.pop("farm", None)
    gymnasium.registry.pop("Pond-v0", None)


@pytest.mark.parametrize(
    ("spec", "name", "same_as"),
    [
        ("farm:Hog", "farm:Hog", "star_pig(goal=4)"),
        ("farm:Hog( sides=8, goal=6 )", "farm:Hog(goal=6,sides=8)", "star_pig(goal=6,sides=8)"),
        ("farm:EIGHT", "farm:EIGHT", "star_pig(goal=4,sides=8)"),
        ("farm:small", "farm:small", "star_pig(goal=5)"),
        ("farm:small(game=star_pig(goal=7))", "farm:small(game=star_pig(goal=7))", "star_pig(goal=7)"),
        (
            "farm:Pond-v0(is_slippery=false)",
            "farm:Pond-v0(is_slippery=false)",
            "FrozenLake-v1(is_slippery=false)",
        ),
    ],
)
def test_what_a_module_holds_or_makes_goes_by_its_string_wherever_it_is_sent(spec, name, same_as) -> None:
    game = load_game(spec)
    for again in (game, load_game(game.name), copy.deepcopy(game), sent := pickle.loads(pickle.dumps(game))):
        assert again.name == name
        assert again.new_initial_state().get_game().name == name
    assert solve(sent).value == pytest.approx(solve(same_as).value, abs=1e-12)


def test_a_frozen_game_with_slots_gets_another_name_too() -> None:
    game = load_game("farm:Frozen(goal=7)")
    assert (game.name, game.declared_name, game.goal) == ("farm:Frozen(goal=7)", "frozen", 7)  # type: ignore[attr-defined]
    assert pickle.loads(pickle.dumps(game)).name == game.name


def test_the_modules_own_object_keeps_its_name() -> None:
    load_game("farm:EIGHT")
    from farm import EIGHT  # type: ignore[import-not-found]

    assert EIGHT.name == "hog(sides=8)"


def test_another_process_loads_what_was_sent_to_it(farm: Path) -> None:
    state = load_game("farm:Hog(sides=8)").new_initial_state().child(0)
    (farm / "state.pkl").write_bytes(pickle.dumps(state))
    read = (
        "import pickle; from starspiel.envs.load import load_game; "
        "s = pickle.load(open('state.pkl', 'rb')); print(s.get_game().name, len(s.chance_outcomes()))"
    )
    done = subprocess.run([sys.executable, "-c", read], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["farm:Hog(sides=8)", "8"]


def test_the_name_that_the_rules_give_themselves_still_finds_heuristics_and_solutions(farm: Path) -> None:
    class Even(Evaluator):
        def __init__(self, game) -> None:
            super().__init__(lambda state: 0.0, name="even")

    register_heuristic("hog", Even)
    game = load_game("farm:Hog(sides=4)")
    assert has_heuristic(game)
    assert isinstance(make_evaluator("heuristic", game), Even)
    from farm import Hog

    for solved, played in (("farm:Pond-v0", "Pond-v0"), (Hog(4), game), ("farm:Hog(sides=4)", game)):
        file = solve(solved).save(farm / "solution.npz")
        assert make_bot(f"optimal(solution={file})", played)
    with pytest.raises(
        StarspielError, match=r"solves farm:Hog\(sides=4\), the game to be played is farm:EIGHT"
    ):
        make_bot(f"optimal(solution={file})", "farm:EIGHT")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("farm:Hgo", "game 'farm:Hgo': module farm has no 'Hgo'. Did you mean 'Hog'?"),
        ("barn:Hog", "game 'barn:Hog': there is no module 'barn'."),
        ("farm:", "expected package.module:name"),
        ("farm:Hog(side=8)", "farm:Hog has no parameter 'side'. Did you mean 'sides'?"),
        ("farm:Hog(sides=0)", "game farm:Hog(sides=0): making it raised ZeroDivisionError: no sides."),
        ("farm:Hog(sides=1)", "sides must be a whole number"),
        ("farm:Hog(sides=8", "brackets"),
        ("farm:EIGHT(sides=8)", "farm:EIGHT is no class or function, so it takes no parameters"),
        ("farm:NUMBER", "game farm:NUMBER: expected a game string, a pyspiel.Game"),
        (
            "farm:Hog(sizes=[2,3])",
            "got '3]' in 'farm:Hog(sizes=[2,3])'. Values are numbers, words and specs, not lists.",
        ),
        ("Pond-v1", "doesn't exist. If a module registers it, name that, too: my_module:Pond-v1"),
        ("farm:Pond-v9", "gymnasium cannot make 'farm:Pond-v9'"),
        ("qqqq", "name your own package.module:Rules"),
    ],
)
def test_what_cannot_be_loaded_is_one_clear_error(spec, message) -> None:
    with pytest.raises(StarspielError) as caught:
        load_game(spec)
    assert message in str(caught.value)


def test_a_module_that_fails_and_a_game_that_search_cannot_play(farm: Path) -> None:
    (farm / "broken.py").write_text("1 / 0")
    with pytest.raises(SpecError, match="importing broken raised ZeroDivisionError"):
        load_game("broken:Game")
    with pytest.raises(UnsupportedGameError, match="num_players=0"):
        load_game("farm:Nobodys")
