"""Agents in environments they did not come with: FrozenLake solved, samples played, seats, clear errors."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from support.farkle import Farkle

from starspiel import EnvAgent
from starspiel.envs.errors import StarspielError


def values_by_iteration(env: Any, steps: int, discount: float = 1.0) -> Any:
    """Value iteration on `P`, written independently of the adapter: the best mean return in so many steps."""
    inside = env.unwrapped
    values = np.zeros(len(inside.P))
    for _ in range(steps):
        values = np.array(
            [
                max(
                    sum(p * (r + discount * (0.0 if done else values[s2])) for p, s2, r, done in rows)
                    for rows in inside.P[s].values()
                )
                for s in range(len(inside.P))
            ]
        )
    return values


def success_rate(env: Any, policy: dict[int, int], steps: int) -> float:
    """The exact chance that a policy reaches the goal in time."""
    inside = env.unwrapped
    chances = {s: p for s, p in enumerate(inside.initial_state_distrib) if p}
    won = 0.0
    for _ in range(steps):
        after: dict[int, float] = {}
        for s, chance in chances.items():
            for p, s2, reward, done in inside.P[s][policy[s]]:
                won += chance * p * reward
                if not done:
                    after[s2] = after.get(s2, 0.0) + chance * p
        chances = after
    return won


class Remembering:
    """A bot's own choices; each situation is searched once."""

    def __init__(self, bot: Any) -> None:
        self.bot, self.policy = bot, {}  # type: ignore[var-annotated]

    def step(self, state: Any) -> int:
        if state.at not in self.policy:
            self.policy[state.at] = self.bot.step(state)
        return int(self.policy[state.at])


def test_the_expectimax_agent_wins_frozen_lake_at_the_published_rate() -> None:
    """The known solution of the slippery 4x4 lake reaches the goal within 100 steps in 74 of 100 games."""
    env: Any = gymnasium.make("FrozenLake-v1")
    agent = EnvAgent("expectiminimax(depth=50)", env)
    agent.bot = bot = Remembering(agent.bot)
    games = 60
    wins = sum(agent.play(seed) for seed in range(games))
    assert len(bot.policy) == 11, "every frozen state was met"
    rate = success_rate(env, bot.policy, 100)
    assert rate == pytest.approx(0.7402, abs=1e-4)
    assert rate < values_by_iteration(env, 100)[0] < 0.745, "knowing the clock would add half a percent"
    assert abs(wins / games - rate) < 4 * (rate * (1 - rate) / games) ** 0.5


def returns(agent: EnvAgent, episodes: int) -> Any:
    return np.array([agent.play(seed) for seed in range(episodes)])


@pytest.mark.slow
def test_an_agent_without_a_spec_scores_above_random_in_farkle() -> None:
    env = Farkle()
    agent = EnvAgent("auto(steps=400)", env, seed=1)
    mine, by_chance = returns(agent, 24), returns(EnvAgent("random", env, seed=1), 200)
    error = (mine.var() / len(mine) + by_chance.var() / len(by_chance)) ** 0.5
    assert mine.mean() > by_chance.mean() + 3 * error
    assert agent.spec.startswith("uct(")
    assert "chances are known by samples only" in agent.why
    assert agent.spec in repr(agent)
    assert agent.why in repr(agent)


@pytest.mark.slow
def test_an_agent_without_a_spec_sees_the_clock_of_a_small_table() -> None:
    env: Any = gymnasium.make("FrozenLake-v1")
    agent = EnvAgent(env=env)
    assert (agent.spec, agent.game.name) == ("optimal", "FrozenLake-v1(horizon=100)")
    assert "worth 0.74419" in agent.why
    rate = values_by_iteration(env, 100)[0]
    assert abs(returns(agent, 20).mean() - rate) < 4 * (rate * (1 - rate) / 20) ** 0.5


def test_a_clock_that_nobody_keeps_is_not_seen() -> None:
    assert EnvAgent(gymnasium.make("FrozenLake-v1").unwrapped).game.horizon is None  # type: ignore[attr-defined]
    assert EnvAgent(env=gymnasium.make("FrozenLake-v1"), horizon=7).game.name == "FrozenLake-v1(horizon=7)"
    assert EnvAgent(env=gymnasium.make("Taxi-v4")).game.name == "Taxi-v4", "too large with its clock"


def test_wrong_arguments_are_named() -> None:
    env = gymnasium.make("FrozenLake-v1")
    with pytest.raises(StarspielError, match=r"no option 'horizo'\. Did you mean 'horizon'"):
        EnvAgent(env=env, horizo=3)
    with pytest.raises(StarspielError, match=r"expected an environment beside the spec 'random'"):
        EnvAgent("random")
    with pytest.raises(StarspielError, match="expected a spec"):
        EnvAgent(3, env)  # type: ignore[arg-type]
    for wrong in (None, "pig", gymnasium.Env, 5):
        with pytest.raises(StarspielError, match=r"must be a Gymnasium environment|expected an environment"):
            EnvAgent("random", wrong)


def test_the_seat_and_self_play_of_starspiels_environments() -> None:
    env = gymnasium.make("starspiel/Pig-v0", opponent=lambda state: state.legal_actions()[-1], seat=1)
    agent = EnvAgent("star2(depth=1)", env)
    assert agent.bot.player == 1
    assert agent.play(seed=1) == 1.0
    alone = EnvAgent("star2(depth=1)", gymnasium.make("starspiel/OpenSpiel-v0", game="pig(winscore=20)"))
    assert alone.play(seed=1) in (-1.0, 1.0)
    with pytest.raises(StarspielError, match="the episode is over"):
        alone.act()


def test_the_environment_may_stand_first_and_an_id_stands_for_it() -> None:
    env = gymnasium.make("CliffWalking-v1")
    for given in ((env,), (None, env), ("auto", env), ("CliffWalking-v1",), ("auto", "CliffWalking-v1")):
        assert EnvAgent(*given).spec == "optimal"
    assert EnvAgent(env=env).play(seed=1) == EnvAgent(env="CliffWalking-v1").play(seed=1) == -13.0
    own = EnvAgent("expectiminimax(depth=3)", env)
    assert (own.spec, own.why) == ("expectiminimax(depth=3)", "as given")
    assert EnvAgent("FrozenLake-v1(is_slippery=False,horizon=6)").game.horizon == 6  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["FrozenLake-v1", "CliffWalking-v1"])
def test_nothing_is_played_after_the_end(name: str) -> None:
    """The tables say nothing of their ends, and CliffWalking and Taxi can be stepped on past them."""
    env: Any = gymnasium.make(name)
    agent = EnvAgent("expectiminimax(depth=9)", env, discount=0.99)
    for seed in range(2):
        agent.play(seed)
        with pytest.raises(StarspielError, match=r"the episode is over.*; call env\.reset"):
            agent.act()


def test_nothing_is_played_after_the_end_of_what_is_remembered() -> None:
    """And what is reset is played; asking twice is allowed."""
    agent = EnvAgent("random", gymnasium.make("Blackjack-v1"), seed=1, hidden="redraw")
    for episode in range(6):
        observation, info = agent.env.reset(seed=episode)
        over = False
        while not over:
            agent.act(info, observation)
            observation, _, terminated, truncated, info = agent.env.step(agent.act(info, observation))
            over = terminated or truncated
        for _ in range(2):
            with pytest.raises(StarspielError, match=r"the episode is over; call env\.reset"):
                agent.act(info, observation)


@pytest.mark.parametrize("name", ["Taxi-v4", "CartPole-v1"])
def test_nothing_is_played_after_the_time_limit(name: str) -> None:
    env: Any = gymnasium.make(name, max_episode_steps=2)
    agent = EnvAgent("random", env)
    env.reset(seed=1)
    for _ in range(2):
        env.step(agent.act())
    with pytest.raises(StarspielError, match=r"the episode is over, as its TimeLimit is 2 steps"):
        agent.act()
    env.reset(seed=1)
    agent.act()


class Counting(gymnasium.Env[Any, Any]):
    """Adds up what is thrown; there is no end, and nothing there before `reset`."""

    action_space, observation_space = gymnasium.spaces.Discrete(2), gymnasium.spaces.Discrete(10**6)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self.sum = 0
        return self.sum, {}

    def step(self, action: Any) -> Any:
        self.sum += 1 + int(self.np_random.integers(6))
        return self.sum, 1.0, False, False, {}


def test_an_environment_that_was_never_reset_is_said_to_be_so() -> None:
    agent = EnvAgent("auto(steps=100)", Counting(), seed=1)
    with pytest.raises(
        StarspielError, match=r"Counting: the environment has not been reset; call env\.reset"
    ):
        agent.act()
    agent.env.reset(seed=1)
    agent.act()


def test_an_episode_without_an_end_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("starspiel.agents.env_agent._LONGEST_EPISODE", 1_500)
    agent = EnvAgent("random", Counting(), seed=1)
    assert agent.play(seed=1, max_steps=25) == 25.0
    with pytest.raises(
        StarspielError, match=r"not over after 1,500 steps, in which it paid 1500.*max_steps="
    ):
        agent.play(seed=1)
    with pytest.raises(StarspielError, match="max_steps"):
        agent.play(max_steps=0)


@pytest.mark.parametrize("name", ["FrozenLake-v1", "starspiel/Pig-v0"])
def test_a_loop_that_steps_another_environment_is_noticed(name: str) -> None:
    """And one that steps the agent's own is not, whatever is shown."""

    agent, other = EnvAgent("random", gymnasium.make(name), seed=1), gymnasium.make(name)
    for env in (agent.env, other):
        agent.env.reset(seed=1)
        observation, info = env.reset(seed=1)

        def loop(env: Any = env, observation: Any = observation, info: Any = info) -> None:
            for _ in range(200):
                observation, _, terminated, truncated, info = env.step(agent.act(info, observation))
                if terminated or truncated:
                    observation, info = env.reset()

        if env is agent.env:
            loop()
        else:
            with pytest.raises(StarspielError, match="another environment is being stepped"):
                loop()


def test_predict_is_the_policy_that_evaluate_policy_asks() -> None:
    """Its loop: one environment in a batch of one, reset as soon as an episode is over."""
    env: Any = gymnasium.make("FrozenLake-v1", is_slippery=False)
    agent = EnvAgent(env)
    returned, states = [], None
    observation, starts = np.array([env.reset(seed=1)[0]]), np.ones(1, bool)
    for _ in range(18):
        actions, states = agent.predict(observation, state=states, episode_start=starts, deterministic=True)
        assert actions.shape == (1,)
        shown, reward, terminated, truncated, _ = env.step(actions[0])
        starts = np.array([terminated or truncated])
        if starts[0]:
            returned.append(reward)
            shown, _ = env.reset()
        observation = np.array([shown])
    assert returned == [1.0] * 3
    action, state = agent.predict(env.reset(seed=1)[0])
    assert (action in range(4), state) == (True, None)
    with pytest.raises(StarspielError, match="another environment"):
        agent.predict(np.array([5]))


def test_arguments_in_the_wrong_places_are_named() -> None:
    agent = EnvAgent("random", gymnasium.make("CartPole-v1"), seed=1)
    observation, _ = agent.env.reset(seed=1)
    with pytest.raises(StarspielError, match=r"info must be the dictionary.*act\(info, observation\)"):
        agent.act(observation)
    with pytest.raises(StarspielError, match="a batch of one"):
        agent.predict(np.zeros((2, 4), np.float32))
