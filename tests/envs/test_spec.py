"""Spec strings: what they mean, and one clear line for each that means nothing."""

import pytest

from starspiel.envs.errors import SpecError
from starspiel.envs.spec import Spec, parse_spec


def test_a_spec_has_a_name_typed_parameters_and_specs_inside():
    spec = parse_spec(" star2(depth=3,seconds=0.5,ties=random,evaluator=rollout(n=20)) ")
    assert spec.name == "star2"
    assert spec.params == {
        "depth": 3,
        "seconds": 0.5,
        "ties": "random",
        "evaluator": Spec("rollout", {"n": 20}),
    }
    assert parse_spec("mcts(uct_c=1e-3,solve=false)").params == {"uct_c": 0.001, "solve": False}
    assert parse_spec("random").params == parse_spec("random()").params == {}
    assert parse_spec("package.module:factory(strength=3)").name == "package.module:factory"


@pytest.mark.parametrize(
    "text",
    [
        "random",
        "star2(depth=3)",
        "star2(depth=2,evaluator=rollout(n=5),ties=first)",
        "mcts(solve=false,uct_c=1.5)",
    ],
)
def test_a_canonical_spec_round_trips(text):
    assert str(parse_spec(text)) == text
    assert parse_spec(str(parse_spec(text))) == parse_spec(text)


def test_the_order_of_parameters_does_not_matter():
    assert str(parse_spec("star2(nodes=9,depth=3)")) == str(parse_spec("star2(depth=3,nodes=9)"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "expected a spec"),
        ("(depth=3)", "expected a spec"),
        ("star2(depth=3", "brackets"),
        ("star2 depth=3)", "brackets"),
        ("star2(depth=3)x", "after the closing bracket"),
        ("star2(depth)", "expected key=value, got 'depth'"),
        ("star2(=3)", "expected key=value"),
        ("star2(depth=3,)", "expected key=value"),
        ("star2(depth=3,depth=4)", "'depth' is given twice"),
        ("star2(evaluator=rollout(n=1,n=2))", "'n' is given twice"),
        ("star2(evaluator=rollout(20))", "expected key=value, got '20'"),
    ],
)
def test_bad_specs(text, says, capfd):
    with pytest.raises(SpecError) as caught:
        parse_spec(text)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)
    assert capfd.readouterr().err == ""
