"""Evaluators of somebody's module, named as agents are."""

import pytest

from starspiel import Limits, load_game, make_bot, make_evaluator, search
from starspiel.envs.errors import SpecError
from starspiel.evaluation.identity import of_agent, of_evaluator
from starspiel.evaluation.tournament import tournament

TEXT = """
def leads(game, weight=1.0):
    def value(state):
        return weight * float(str(state).count("0")) / 100.0
    return value

class Table:
    name, range = "table", (-1.0, 1.0)
    def __init__(self, game, seed=None): self.seed = seed
    def __call__(self, state): return 0.25

def plain(state): return state.returns()[0]
def nothing(game): pass
number = 3
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = f"evals_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(TEXT)
    return name


def test_a_function_made_by_a_factory(module):
    game = load_game("pig")
    evaluator = make_evaluator(f"{module}:leads(weight=2.0)", game)
    assert evaluator.name == f"{module}:leads(weight=2.0)"
    state = game.new_initial_state()
    assert evaluator(state) == 2.0 * make_evaluator(f"{module}:leads", game)(state) != 0.0
    one, other = (
        search(state, "star2", Limits(depth=2), evaluator=given)
        for given in (evaluator, f"{module}:leads(weight=2.0)")
    )
    assert one.action_values == other.action_values
    bot = make_bot(f"star2(depth=1,evaluator={module}:leads)", "pig", seed=1)
    assert bot.step(state) in state.legal_actions()


def test_an_evaluator_gets_the_seed(module):
    made = make_evaluator(f"{module}:Table", load_game("pig"), seed=7)
    assert (made.name, made.seed) == ("table", 7)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("plain", "takes the game and returns a function of a state"),
        ("nothing", "it returned None"),
        ("number", "got 3"),
        ("leads(height=1)", "has no parameter 'height'"),
        ("leds", "Did you mean 'leads'"),
    ],
)
def test_what_makes_no_evaluator(module, name, says):
    with pytest.raises(SpecError, match=says):
        make_evaluator(f"{module}:{name}", load_game("pig"))


def test_luck_and_agents_by_it_are_told_apart_by_the_source(module, tmp_path):
    agents = ["random", f"star2(depth=1,evaluator={module}:leads)"]
    result = tournament("pig(winscore=15)", agents, pairs=2, luck=f"{module}:leads(weight=0.5)")
    assert result.luck_evaluator == f"{module}:leads(weight=0.5)"

    def known_by():
        game = load_game("pig(winscore=15)")
        return [of_agent(agents[1], game), of_evaluator(result.luck_evaluator, game)]

    before = known_by()
    assert all(f" {module}:" in text for text in before)
    (tmp_path / f"{module}.py").write_text(TEXT + "# changed")
    assert before != known_by()
