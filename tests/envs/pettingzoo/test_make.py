"""Games as PettingZoo environments: PettingZoo's own tests, and step for step the Gymnasium environments."""

import copy
import pickle
import sys
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from support.three import Race, Walks
from support.trees import TreeGame, leaf

import starspiel
from starspiel.envs.environments.game_env import IllegalActionError
from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.games import GAMES
from starspiel.envs.games.pig import ROLL, STOP
from starspiel.envs.openspiel.game import qualifying_games

pytest.importorskip("pettingzoo", reason='an extra: pip install "starspiel[pettingzoo]"')
from pettingzoo.test import api_test, seed_test

#: With dice and without, for one player and two, paid at the end and on the way.
SAMPLE = (
    *GAMES,
    *("backgammon", "pig(winscore=20)", "maedn(players=2)", "2048(max_tile=64)", "yacht(players=1)"),
    *("cliff_walking", "python_tic_tac_toe", "misere(game=nim())"),
    *("pig(players=3,winscore=20)", "maedn(players=4)", "yacht(players=3)"),
    *("goofspiel(imp_info=False,num_cards=4)", "markov_soccer(horizon=10)", "oshi_zumo(coins=4,horizon=5)"),
)
#: What PettingZoo warns of in every environment whose observations are dicts with a mask.
USUAL = (
    ".*Observation is not a NumPy array",
    ".*Observation space for each agent probably should be",
    ".*numpy array is all zeros",
)


def play(env: Any, seed: int) -> tuple[list[Any], dict[str, float]]:
    """What the agents saw in a random game of legal moves, and the sums of what they were paid."""
    env.reset(seed=seed)
    paid = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.possible_agents:
        env.action_space(agent).seed(seed)
    seen = []
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        seen.append((agent, observation))
        paid[agent] += reward
        over = terminated or truncated
        env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))
    return seen, paid


def conforms(game: Any, cycles: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for message in USUAL:
            warnings.filterwarnings("ignore", message=message)
        warnings.filterwarnings("ignore", message=".*graphical observation.*")
        api_test(starspiel.pettingzoo_env(game), num_cycles=cycles)
        seed_test(lambda: starspiel.pettingzoo_env(game), num_cycles=cycles)


@pytest.mark.parametrize("game", SAMPLE)
def test_pettingzoos_own_tests_pass(game: str) -> None:
    conforms(game, cycles=30)


@pytest.mark.slow
@pytest.mark.parametrize("game", qualifying_games())
def test_pettingzoos_own_tests_pass_for_every_game_of_openspiel(game: str) -> None:
    parameters = "(players=2)" if game == "maedn" else ""
    try:
        starspiel.load_game(game + parameters)
    except UnsupportedGameError:
        pytest.skip("not as it is")
    conforms(game + parameters, cycles=100)


@pytest.mark.parametrize("game", SAMPLE)
def test_agents_are_paid_the_games_returns(game: str) -> None:
    env = starspiel.pettingzoo_env(game)
    for seed in range(2):
        _, paid = play(env, seed)
        state = env.unwrapped.game_state
        assert state.is_terminal()
        assert list(paid.values()) == pytest.approx(state.returns())
        assert env.agents == []
    assert env.unwrapped.state_space.contains(env.state())
    assert np.array_equal(env.state(), env.observe("player_0")["observation"])
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert play(other, 1)[1] == paid


@pytest.mark.parametrize("game", ["star_pig(goal=20)", "cant_stop", "backgammon", "2048(max_tile=64)"])
def test_a_game_goes_as_in_gymnasiums_environment_with_the_same_seed(game: str) -> None:
    env_id = "starspiel/Pig-v0" if game.startswith(tuple(GAMES)) else "starspiel/OpenSpiel-v0"
    gym: Any = gymnasium.make(env_id, game=game)
    env = starspiel.pettingzoo_env(game)
    observation, info = gym.reset(seed=5)
    env.reset(seed=5)
    for _ in range(60):
        agent = env.agent_selection
        seen = env.observe(agent)
        assert agent == f"player_{info['current_player']}"
        assert np.array_equal(seen["observation"], observation)
        assert np.array_equal(seen["action_mask"], info["action_mask"])
        assert seen["action_mask"].dtype == np.int8
        action = int(np.flatnonzero(info["action_mask"])[-1])
        observation, reward, terminated, *_, info = gym.step(action)
        env.step(action)
        assert env.rewards["player_0"] == reward
        assert set(env.terminations.values()) == {terminated}
        if terminated:
            break


def test_three_players_are_paid_on_the_way_what_is_theirs() -> None:
    """PettingZoo's own tests for games of three as rules, too, and returns that do not sum to 0."""
    for rules in (Race(), Walks()):
        conforms(rules, cycles=60)
        env = starspiel.pettingzoo_env(rules)
        assert env.possible_agents == ["player_0", "player_1", "player_2"]
        seen, paid = play(env, 4)
        assert list(paid.values()) == list(env.unwrapped.game_state.returns())
        assert {agent for agent, _ in seen} == set(env.possible_agents)
    assert sum(paid.values()) > 1


def test_who_is_not_to_move_has_no_legal_action_and_its_own_side_of_the_board() -> None:
    env = starspiel.pettingzoo_env("star_pig(goal=30)")
    env.reset(seed=1)
    while env.agent_selection == "player_0":
        env.step(ROLL if env.unwrapped.game_state.position.turn_total < 6 else STOP)
    one, other = env.observe("player_1"), env.observe("player_0")
    score = np.float32(env.unwrapped.game_state.position.scores[0] / 30)
    assert (one["observation"][1], other["observation"][0]) == (score, score)
    assert one["action_mask"].tolist() == [1, 1]
    assert other["action_mask"].tolist() == [0, 0]


def test_an_illegal_action_ends_the_game_as_in_pettingzoo() -> None:
    env = starspiel.pettingzoo_env("star_pig(goal=2)", illegal_reward=-3.0)
    env.reset(seed=0)
    while env.unwrapped.game_state.position.turn_total == 0:
        env.step(ROLL)
    agent = env.agent_selection
    env.step(ROLL)  # only stopping is left
    assert env.rewards[agent] == -3.0
    assert all(env.terminations.values())
    env.reset(seed=0)
    with pytest.raises(AssertionError, match="not in action space"):
        env.step(7)


def test_or_it_is_an_error_that_names_the_legal_ones() -> None:
    env = starspiel.pettingzoo_env("star_pig", illegal_reward=None)
    env.reset(seed=0)
    before = env.unwrapped.game_state
    with pytest.raises(IllegalActionError, match="action 7 is illegal for player 0; legal"):
        env.step(7)
    assert env.unwrapped.game_state is before
    assert not any(env.terminations.values())
    env.step(ROLL)


def test_truncation_ends_it_for_all() -> None:
    env = starspiel.pettingzoo_env("star_pig", max_cycles=3)
    env.reset(seed=1)
    for _ in range(3):
        assert not any(env.truncations.values())
        env.step(STOP)
    assert all(env.truncations.values())
    assert not any(env.terminations.values())
    for _ in range(2):
        env.step(None)
    assert env.agents == []


def test_a_game_left_half_way_through_its_end_is_forgotten() -> None:
    env = starspiel.pettingzoo_env("star_pig", max_cycles=1)
    env.reset(seed=1)
    env.step(STOP)
    env.step(None)
    seen, _ = play(env, 2)
    assert [agent for agent, _ in seen] == [agent for agent, _ in play(env, 2)[0]]
    assert len(seen) == 3  # one action, and the end of both


def test_rendering(capsys: pytest.CaptureFixture[str]) -> None:
    for game in ("star_pig", "backgammon"):
        ansi, rgb, human = (
            starspiel.pettingzoo_env(game, render_mode=mode) for mode in ("ansi", "rgb_array", "human")
        )
        capsys.readouterr()
        for env in (ansi, rgb, human):
            env.reset(seed=1)
        assert ansi.render() == str(ansi.unwrapped.game_state)
        assert capsys.readouterr().out == ansi.render() + "\n"
        assert rgb.render().shape[2] == 3
        assert rgb.render().dtype == np.uint8
        human.step(int(np.flatnonzero(human.observe(human.agent_selection)["action_mask"])[0]))
        assert capsys.readouterr().out == str(human.unwrapped.game_state) + "\n"
        assert human.render() is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"game": "backgamon"}, "Did you mean 'backgammon'"),
        ({"game": "kuhn_poker"}, "imperfect information"),
        ({"game": "FrozenLake-v1"}, "it is a Gymnasium environment already"),
        ({"game": TreeGame(leaf(0.0))}, "is not one; write it as Rules"),
        ({"game": 5}, "expected a game"),
        *(({"render_mode": wrong}, "render_mode must be") for wrong in ("text", ["ansi"])),
        *(({"illegal_reward": wrong}, "illegal_reward must be") for wrong in ("x", True, float("nan"))),
        ({"max_cycles": 0}, "max_cycles must be a whole number"),
    ],
)
def test_wrong_arguments_are_one_clear_error(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(StarspielError, match=message):
        starspiel.pettingzoo_env(**{"game": "star_pig", **arguments})


def test_without_pettingzoo_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pettingzoo.utils", None)
    with pytest.raises(StarspielError, match=r'pip install "starspiel\[pettingzoo\]"'):
        starspiel.pettingzoo_env("star_pig")
