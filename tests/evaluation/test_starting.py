"""What whoever waits for an agent is told: what it does by its spec, and no more."""

import pytest

from starspiel.evaluation.starting import listening, starts


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("star2(depth=2)", ""),
        ("star2(evaluator=auto,depth=2)", ""),
        ("star2(depth=2,filters=8:0.16/2:0.04)", ""),
        ("star2(evaluator=net(file=a.npz))", ": its network is read"),
        ("optimal(solution=pig.npz)", ": its solution is read"),
        ("auto", ": a small game is solved first"),
        ("gnubg(plies=1)", ": its program is started"),
        ("my.net:Bot(depth=1)", ": its module is imported in a separate process"),
        ("exec:./my net", ": a program is started"),
    ],
)
def test_the_reason_is_that_of_the_spec(spec: str, why: str) -> None:
    told: list[str] = []
    with listening(told.append):
        starts("agent", spec)
    assert told == [f"starting agent{why}"]
    starts("agent", spec)  # with nobody listening
    assert len(told) == 1
