import gymnasium
import pytest

from starspiel.envs.gymnasium.action_names import action_names


class Lift(gymnasium.Env):
    action_space = gymnasium.spaces.Discrete(2, start=1)
    observation_space = gymnasium.spaces.Discrete(3)


class Documented(Lift):
    """A lift.

    ## Action Space
    One of two:
    * 1: Up.
    * 2:   Down, with care

    ## Observation Space
    - 3: cellar
    """


def documented(text: str) -> Lift:
    return type("Described", (Lift,), {"__doc__": f"## Action Space\n\n{text}"})()


def meaning(get) -> Lift:
    return type("Meaning", (Documented,), {"get_action_meanings": get})()


@pytest.mark.parametrize(
    ("env", "names"),
    [
        ("FrozenLake-v1", ["Move left", "Move down", "Move right", "Move up"]),
        ("CliffWalking-v1", ["Move up", "Move right", "Move down", "Move left"]),
        ("Blackjack-v1", ["Stick", "Hit"]),
        ("CartPole-v1", ["Push cart to the left", "Push cart to the right"]),
    ],
)
def test_gymnasiums_own_environments_name_their_actions(env, names) -> None:
    assert action_names(gymnasium.make(env)) == dict(enumerate(names))


@pytest.mark.parametrize(
    ("env", "names"),
    [
        (Documented(), {1: "Up", 2: "Down, with care"}),
        (meaning(lambda self: ["UP", "DOWN"]), {1: "UP", 2: "DOWN"}),
        (meaning(lambda self: ["UP", "DOWN", "WAIT"]), {}),
        (meaning(lambda self, of: []), {}),
        (documented("- 1: Up\n- 2: Down"), {1: "Up", 2: "Down"}),
        (documented("- 1: Up"), {}),
        (documented("- 1: Up\n- 2: Up"), {}),
        (Lift(), {}),
    ],
)
def test_names_are_those_of_all_actions_or_none(env, names) -> None:
    assert action_names(env) == names
