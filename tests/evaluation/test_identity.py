"""What goes into the id of a game: a changed bot, evaluator or rule book is another one."""

import functools
import importlib
import sys
import textwrap
import threading
from dataclasses import replace

import numpy as np
import pytest

from starspiel.agents import registry
from starspiel.agents.evaluators import auto
from starspiel.agents.evaluators.ntuple_file import NTupleFile
from starspiel.envs.games.pig import Pig
from starspiel.envs.load import load_game
from starspiel.evaluation import imports
from starspiel.evaluation.contents import identity_of_game, of_python
from starspiel.evaluation.identity import of_agent, of_evaluator
from starspiel.evaluation.store.store import Store
from starspiel.evaluation.tournament import tournament

PIG = "pig(players=2,winscore=20)"


@pytest.fixture
def module(tmp_path, monkeypatch):
    """module(text): a module of that text, as a new process would import it. Returns its name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    name = f"made_{tmp_path.name.replace('-', '_')}"

    def write(text):
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(text))
        sys.modules.pop(name, None)
        return name

    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield write
    sys.modules.pop(name, None)


def test_no_package_is_imported_to_know_a_bot_by(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "planted_package").mkdir()
    (tmp_path / "planted_package" / "__init__.py").write_text("raise SystemExit('imported')")
    (tmp_path / "planted_package" / "bots.py").write_text("")
    assert "planted_package.bots:" in of_agent("planted_package.bots:Bot", load_game(PIG)).partition(" ")[2]
    assert "planted_package" not in sys.modules


#: By the agent's spec: files, and of which of them a change is a change of the agent.
HELPED = {
    "bots:Bot": (
        {
            "bots.py": "import helper\nimport numpy, deeper.still\ndef late():\n    from inner import two",
            "helper.py": "import circle",
            "circle.py": "import helper, bots",
            "deeper/still.py": "from . import beside",
            "deeper/beside.py": "",
            "inner/__init__.py": "",
            "inner/two.py": "from importlib import import_module\nimport_module('named')",
            "named.py": "from ..above import nothing",
        },
        {"stranger.py": "", "deeper/alone.py": "", "inner/three.py": "import bots"},
    ),
    "star2(depth=1,evaluator=package.sub.values:value)": (
        {
            "package/__init__.py": "from .first import *",
            "package/first.py": "from . import second as other",
            "package/second.py": "",
            "package/sub/__init__.py": "",
            "package/sub/values.py": "from ..third import weight\nfrom .tables import TABLE",
            "package/sub/tables.py": "__import__('package.fourth')",
            "package/third.py": "def broken(:",
            "package/fourth.py": "import outside",
            "outside.py": "",
        },
        {"package/fifth.py": "", "package/sub/sixth.py": ""},
    ),
    "exec:python3 tools/engine.py --helper x": (
        {"tools/engine.py": "import helper", "tools/helper.py": ""},
        {"helper.py": "", "tools/x.py": ""},
    ),
    "exec:python3 -m engines": (
        {"engines/__init__.py": "", "engines/__main__.py": "from . import play", "engines/play.py": ""},
        {"engines/other.py": ""},
    ),
}


@pytest.mark.parametrize("spec", HELPED)
def test_an_agent_is_known_by_the_modules_of_its_own_that_it_imports(tmp_path, monkeypatch, spec):
    monkeypatch.chdir(tmp_path)
    own, strangers = HELPED[spec]
    for name, text in (own | strangers).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"{text}\n")
    game = load_game(PIG)
    seen = [of_agent(spec, game)]
    for name in own | strangers:
        with (tmp_path / name).open("a") as file:
            file.write("# another line\n")
        now = of_agent(spec, game)
        assert (now != seen[-1]) is (name in own), name
        seen.append(now)
    assert len(set(seen)) == 1 + len(own)
    assert not {"bots", "package", "helper", "engines"} & set(sys.modules), "nothing is imported for that"


def test_libraries_go_by_their_own_package_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(imports, "_libraries", lambda: {tmp_path})
    monkeypatch.syspath_prepend(str(tmp_path))
    for name, text in {
        "lib/__init__.py": "import other",
        "lib/bots.py": "from lib import a",
        "lib/a.py": "",
        "other.py": "",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert set(imports.own_imports("lib.bots", str(tmp_path / "lib" / "bots.py"))) == {"lib", "lib.a"}
    assert imports.own_imports("open_spiel.python.bots.uniform_random", "/any/where.py") == {}


def test_functions_classes_and_objects_go_by_their_source():
    def one(state):
        return 0.0

    before = of_python(one)

    def one(state):
        return 1.0

    assert of_python(one) != before
    first, second = lambda state: 0.0, lambda state: 1.0
    assert of_python(first) != of_python(second)

    class Table:
        def __call__(self, state):
            return 0.0

    assert of_python(Table()) == of_python(Table()) == of_python(Table)
    assert of_python(len) == "builtins:len"


def test_sets_in_the_code_have_no_order():
    def code(order):
        return compile(f"lambda x: x in {{{order}}}", "typed in", "eval")

    ways = ["'a','b','c','d','e'", "'e','d','c','b','a'"]
    functions = [eval(code(way)) for way in ways]
    assert of_python(functions[0]) == of_python(functions[1])


def test_luck_by_another_function_of_the_same_name_is_other_luck(tmp_path):
    def lucky(luck):
        result = tournament(PIG, ["random", "greedy"], pairs=6, luck=luck, store=tmp_path / "games.db")
        return result.adjusted[0].adjusted

    assert lucky(lambda state: 0.0) != lucky(lambda state: 1.0 - 2.0 * state.current_player())


class Plays:
    """Plays one action. It cannot be pickled."""

    def __init__(self, action):
        self.action = action
        self.lock = threading.Lock()

    def step(self, state):
        return self.action


@pytest.mark.parametrize(
    "made",
    [
        lambda action: [Plays(action), Plays(action)],
        lambda action: lambda game, seat, seed: Plays(action),
        lambda action: functools.partial(lambda action, game, seat, seed: Plays(action), action),
    ],
    ids=["objects", "closure", "partial"],
)
def test_agents_made_in_python_are_known_by_all_that_they_hold(made, tmp_path):
    def actions(action):
        agents = {"mine": made(action), "other": "greedy"}
        return tournament(PIG, agents, pairs=1, store=tmp_path / "games.db").tally.actions

    rolling, stopping, again = actions(0), actions(1), actions(0)
    assert rolling == again != stopping
    with Store(tmp_path / "games.db", read_only=True) as store:
        assert len(list(store.games())) == 4


def test_what_this_process_registered_is_known_by_its_source(monkeypatch):
    game = load_game(PIG)
    seen = set()
    for worth in (0.0, 1.0):
        made = registry.Entry(lambda game, worth=worth: Plays(worth), is_foreign=True)
        monkeypatch.setitem(registry.BOTS, "of_this_test", made)
        monkeypatch.setitem(registry.EVALUATORS, "of_this_test", made)
        monkeypatch.setitem(registry.HEURISTICS, "pig", made)
        seen |= {
            of_agent("of_this_test", game),
            of_agent("rollout(agent=of_this_test)", game),
            of_agent("star2(evaluator=of_this_test)", game),
            of_agent("star2(depth=3)", game),
            of_evaluator("bearoff(evaluator=of_this_test)", game),
            of_agent("random", game),
        }
    assert len(seen) == 11


def test_luck_by_a_function_that_encloses_another_value_is_other_luck(tmp_path):
    def adjusted(worth):
        def luck(state):
            return worth * (1.0 - 2.0 * state.current_player())

        result = tournament(PIG, ["random", "greedy"], pairs=6, luck=luck, store=tmp_path / "games.db")
        return result.adjusted[0].adjusted

    assert adjusted(0.0) != adjusted(1.0)


RULES = """
from starspiel.envs.games.pig import Pig

class Mine(Pig):
    def utility(self, position):
        return {sign}super().utility(position)
"""


@pytest.mark.parametrize("by_name", [True, False])
def test_rules_whose_source_has_changed_are_another_game(module, tmp_path, by_name):
    for sign in ("", "-"):
        name = module(RULES.format(sign=sign))
        rules = f"{name}:Mine(goal=5)" if by_name else importlib.import_module(name).Mine(goal=5)
        played = []
        for _ in range(2):
            tournament(
                load_game(rules),
                ["random", "greedy"],
                pairs=2,
                store=tmp_path / "games.db",
                on_pair=lambda now, played=played: played.append(now.done),
            )
        assert played == [1, 2]


def test_rules_of_one_name_are_told_apart_by_their_parameters_but_not_by_their_caches():
    class Mine(Pig):
        name = "mine"

        def __init__(self, sides, bonus, paid=None):
            super().__init__(goal=5)
            self.name, self.sides, self.bonus, self.seen, self._paid = "mine", sides, bonus, {}, paid

        @functools.cached_property
        def most(self):
            return max(self.sides)

    one, same = Mine([1, 2], 0), Mine([1, 2], 0)
    others = [Mine([1, 3], 0), Mine([1, 2], np.float32(1))]
    others += [Mine([1, 2], 0, paid) for paid in ({1: [2, 3]}, {1: [2, 4]}, {1, 2}, {1, 3})]
    same.seen[1] = same.most
    assert identity_of_game(one) == identity_of_game(same)
    assert len(set(map(identity_of_game, (one, *others)))) == 7


@pytest.fixture
def other_networks(monkeypatch):
    """other_networks(): from then on other networks come with the package."""

    def exchange():
        for name, finds in auto._NETWORKS.items():
            found = tuple(lambda game, find=find: changed(find(game)) for find in finds)
            monkeypatch.setitem(auto._NETWORKS, name, found)

    def changed(network):
        if network is None:
            return None
        if isinstance(network, NTupleFile):
            return replace(network, weights=network.weights + np.int16(1))
        return replace(network, layers=tuple((2 * weights, bias) for weights, bias in network.layers))

    return exchange


@pytest.mark.parametrize(
    ("game", "spec", "takes_one"),
    [
        ("connect_four", "star2", True),
        ("connect_four", "star2(depth=1,evaluator=net)", True),
        ("connect_four", "star2(depth=1,evaluator=auto)", True),
        ("connect_four", "greedy(evaluator=net)", True),
        ("connect_four", "mcts(evaluator=net)", True),
        ("connect_four", "auto", True),
        ("connect_four", "random", False),
        ("connect_four", "mcts", False),
        ("connect_four", "star2(evaluator=zero)", False),
        ("star_2048", "star2(evaluator=ntuple)", True),
        ("star_2048", "star2", True),
        ("star_2048", "star2(evaluator=heuristic)", False),
        ("pig", "star2", False),
    ],
)
def test_another_network_that_comes_with_the_package_is_another_agent(game, spec, takes_one, other_networks):
    before = of_agent(spec, load_game(game))
    other_networks()
    assert (of_agent(spec, load_game(game)) != before) is takes_one
