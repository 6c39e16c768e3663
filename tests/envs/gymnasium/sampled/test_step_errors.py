"""An error of `step` is blamed on missing masks only if it concerns some actions and not others."""

from typing import Any

import gymnasium
import pytest
from gymnasium import spaces

from starspiel import EnvAgent
from starspiel.envs.errors import StarspielError

pytestmark = pytest.mark.usefixtures("quick_looks")


class Faulty(gymnasium.Env[int, int]):
    """Raises an error at the third step, for these actions."""

    def __init__(self, error: Exception, actions: range, count: int = 3, start: int = 0) -> None:
        self.action_space = spaces.Discrete(count, start=start)
        self.observation_space = spaces.Discrete(9)
        self.error, self.actions = error, actions

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed)
        self.time = 0
        return 0, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        if self.time == 2 and action in self.actions:
            raise self.error
        self.time += 1
        return self.time, 0.0, self.time == 5, False, {}


def message(env: Any) -> str:
    with pytest.raises(StarspielError, match="raised") as raised:
        EnvAgent("uct(simulations=50)", env, seed=1).play(seed=1)
    return str(raised.value)


ERRORS = [TypeError("t"), IndexError("i"), KeyError("k"), ValueError("v"), ZeroDivisionError("z")]


@pytest.mark.parametrize("error", ERRORS, ids=repr)
@pytest.mark.parametrize(("count", "start"), [(3, 0), (3, 5), (80, 0)])
def test_an_error_for_every_action_is_none_of_a_mask(error: Exception, count: int, start: int) -> None:
    told = message(Faulty(error, range(start, start + count), count, start))
    assert "mask" not in told
    assert "mend step" in told
    assert ("every action" if count < 80 else "all of 31 actions") in told


@pytest.mark.parametrize("error", [AttributeError("a"), NameError("n"), ImportError("m")], ids=repr)
@pytest.mark.parametrize("actions", [range(3), range(1)])
def test_a_bug_is_a_bug_for_whichever_actions(error: Exception, actions: range) -> None:
    told = message(Faulty(error, actions))
    assert "mask" not in told
    assert "Mend step" in told


@pytest.mark.parametrize("error", ERRORS, ids=repr)
def test_an_error_for_some_actions_hints_at_a_mask(error: Exception) -> None:
    assert 'give it a 0 in info["action_mask"]' in message(Faulty(error, range(1)))
    assert 'give it a 0 in info["action_mask"]' in message(
        gymnasium.wrappers.TimeLimit(Faulty(error, range(2, 3)), 9)
    )
