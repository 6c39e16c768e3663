"""starspiel/OpenSpiel-v0: OpenSpiel's games as Gymnasium environments."""

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.gymnasium.game import state_of
from starspiel.envs.load import load_game
from starspiel.envs.openspiel.game import OpenSpielGame

GAMES = (
    "backgammon",
    "pig(winscore=20)",
    "einstein_wurfelt_nicht",
    "yacht",
    "2048(max_tile=64)",
    "connect_four",
)


def make(game: str, **settings: Any) -> Any:
    return gymnasium.make("starspiel/OpenSpiel-v0", game=game, **settings)


def episode(env: Any, seed: int) -> tuple[list[Any], float, dict[str, Any]]:
    """Everything observed in a random game, the sum of its rewards and the last info."""
    observation, info = env.reset(seed=seed)
    env.action_space.seed(seed)
    seen, total, over = [observation], 0.0, False
    while not over:
        assert info["action_mask"].dtype == np.int8
        observation, reward, terminated, truncated, info = env.step(
            env.action_space.sample(info["action_mask"])
        )
        over = terminated or truncated
        seen.append(observation)
        total += reward
    return seen, total, info


@pytest.mark.parametrize("game", GAMES)
def test_gymnasiums_checker_passes_with_rendering(game: str) -> None:
    for render_mode in ("ansi", "rgb_array"):
        env = make(game, render_mode=render_mode)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            # OpenSpiel does not tell the range of a tensor's entries.
            warnings.filterwarnings(
                "ignore", message=".*Box observation space (min|max)imum value is.*infinity.*"
            )
            check_env(env.unwrapped)


@pytest.mark.parametrize("game", GAMES)
def test_episodes_pay_the_return_and_repeat_from_their_seed(game: str) -> None:
    env = make(game)
    seen, total, info = episode(env, 4)
    assert env.unwrapped.state.is_terminal()
    assert total == pytest.approx(env.unwrapped.state.returns()[0])
    assert info["current_player"] == -4
    again, _, _ = episode(env, 4)
    other, _, _ = episode(env, 5)
    assert len(seen) == len(again)
    assert all(np.array_equal(a, b) for a, b in zip(seen, again, strict=True))
    assert len(seen) != len(other) or any(not np.array_equal(a, b) for a, b in zip(seen, other, strict=True))


def test_the_observation_is_the_movers_tensor_and_the_mask_its_moves() -> None:
    env = make("backgammon")
    observation, info = env.reset(seed=3)
    for _ in range(30):
        state = env.unwrapped.state
        assert observation.tolist() == pytest.approx(state.observation_tensor(state.current_player()))
        assert np.flatnonzero(info["action_mask"]).tolist() == state.legal_actions()
        observation, *_, info = env.step(int(state.legal_actions()[0]))


def test_an_opponent_plays_the_other_seat() -> None:
    env = make("pig(winscore=20)", opponent=lambda state: state.legal_actions()[-1], seat=1)
    _, total, _ = episode(env, 1)
    # The opponent only ever stops, so it never scores.
    assert env.unwrapped.state.returns()[1] == total == 1.0


def test_an_opponent_may_be_an_agent_spec() -> None:
    env = make("pig(winscore=20)", opponent="star2(depth=1)")
    _, total, _ = episode(env, 1)
    assert total in (-1.0, 1.0)


def test_rendering_shows_the_board() -> None:
    env = make("connect_four", render_mode="ansi")
    env.reset(seed=1)
    assert env.render() == str(env.unwrapped.state)


def test_search_finds_the_game_in_the_environment() -> None:
    env = make("backgammon")
    env.reset(seed=1)
    game = load_game(env)
    assert isinstance(game, OpenSpielGame)
    assert game.name == "backgammon"
    assert state_of(env, game) is env.unwrapped.state
    by_name = load_game("starspiel/OpenSpiel-v0(game=pig(winscore=20))")
    assert by_name.name == "pig(winscore=20)"


@pytest.mark.parametrize(
    ("game", "error", "message"),
    [
        ("backgamon", StarspielError, "Did you mean 'backgammon'"),
        ("kuhn_poker", UnsupportedGameError, "imperfect information"),
        ("morpion_solitaire", UnsupportedGameError, "crashes the process"),
    ],
)
def test_games_that_do_not_qualify_are_refused(game: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make(game)
