"""PettingZoo's AEC environments as Games: both agents' turns, masks, dice by sampling, refusals in words."""

import sys
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pettingzoo", reason="the extra pettingzoo is not installed")

from pettingzoo import ParallelEnv
from support import turns_of_agents
from support.turns_of_agents import ForeseenRace, Greedy, Race, Turns, wrapped

from starspiel.agents.env_agent import EnvAgent
from starspiel.agents.search import Limits, search
from starspiel.envs.conformance import check_game
from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.gymnasium.game import state_of
from starspiel.envs.load import load_game

PERFECT = "expss(depth=6,width=1,evaluator=zero)"


@pytest.mark.parametrize("wrap", [wrapped, lambda env: env])
def test_nim_is_played_perfectly_for_both_agents(wrap: Any) -> None:
    for stones in (3, 4):
        env = wrap(Turns(stones))
        agent = EnvAgent(PERFECT, env, seed=1)
        env.reset(seed=1)
        result = search(state_of(env, agent.game), "star2ss", Limits(depth=6), width=1, evaluator="zero")
        assert result.value == (-1.0 if stones % 4 == 0 else 1.0)
        for name in env.agent_iter():
            _, reward, terminated, _, _ = env.last()
            if terminated:
                assert reward == (result.value if name == "north" else -result.value)
            env.step(None if terminated else agent.act())


def test_dice_are_sampled_and_the_contract_is_kept() -> None:
    env = wrapped(Race(9))
    game: Any = load_game(env)
    assert game.num_players == 2
    assert game.name == "turns_v0"
    assert "PettingZoo, agents: north, south" in game.source
    report = check_game(game, games=10, positions=50, seconds=0.5)
    assert report.ok, str(report)
    env.reset(seed=1)
    state = state_of(env, game)
    assert env.unwrapped.at == {"north": 0, "south": 0}, "reading the state stepped the environment"
    throws = (state.child(1).sample(np.random.default_rng(seed)) for seed in range(30))
    assert {after.env.aec.at["north"] for after in throws} == {2, 3, 4}


@pytest.mark.usefixtures("long_looks")
def test_dice_that_are_drawn_ahead_are_refused() -> None:
    with pytest.raises(UnsupportedGameError, match="follows from what it has stored"):
        load_game(wrapped(ForeseenRace(30)))


def test_one_agent_is_a_game_for_one() -> None:
    game = load_game(wrapped(Race(9, agents=("alone",))))
    assert game.num_players == 1


def test_a_string_makes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "two_turns", turns_of_agents)
    game = load_game("two_turns:Turns(size=5)")
    assert (game.name, game.num_players) == ("two_turns:Turns(size=5)", 2)


def test_a_user_s_mask_is_handed_the_environment_of_pettingzoo() -> None:
    env = wrapped(Turns(5))
    game = load_game(env, mask=lambda inside: [True, inside.unwrapped.left > 1, False])
    env.reset(seed=1)
    assert state_of(env, game).legal_actions() == [0, 1]


def test_an_environment_that_declares_its_rules_is_not_sampled() -> None:
    class Declaring(Turns):
        game = load_game("pig")
        game_state: Any = None

        def reset(self, seed: int | None = None, options: Any = None) -> None:
            super().reset(seed, options)
            self.game_state: Any = self.game.new_initial_state()

    env = wrapped(Declaring())
    assert load_game(env) is Declaring.game
    assert EnvAgent("star2(depth=1)", env).game.explicit_chance
    with pytest.raises(StarspielError, match="call env"):
        state_of(env, load_game(env))
    env.reset(seed=1)
    assert state_of(env, load_game(env)) is env.unwrapped.game_state
    with pytest.raises(StarspielError, match="declares its own rules; leave out discount"):
        load_game(env, discount=0.5)


class AtOnce(ParallelEnv):  # type: ignore[misc]
    possible_agents = ["a", "b"]  # noqa: RUF012

    def __str__(self) -> str:
        return "at_once_v0"


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Greedy(5), "zero-sum games, in which they sum to 0"),
        (lambda: Turns(5, agents=("a", "b", "c")), "has 3 agents"),
        (AtOnce, "parallel_to_aec"),
    ],
)
def test_what_search_cannot_play_is_refused_in_words(make: Any, words: str) -> None:
    with pytest.raises(UnsupportedGameError, match=words):
        load_game(make())


def test_what_does_not_go_with_it_is_refused_in_words() -> None:
    with pytest.raises(StarspielError, match="says itself who plays"):
        load_game(Turns(5), players=2, to_play="agent_selection")
    env = wrapped(Turns(2))
    agent = EnvAgent("random", env, seed=1)
    with pytest.raises(StarspielError, match="has not been reset"):
        agent.act()
    env.reset(seed=1)
    env.step(1)
    with pytest.raises(StarspielError, match="is out, so the only action is None"):
        agent.act()


@pytest.mark.parametrize(
    ("name", "moves", "best"), [("tictactoe", (0, 3, 1, 4), 2), ("connect_four", (3, 0) * 3, 3)]
)
def test_the_classic_games_find_the_winning_move(name: str, moves: tuple[int, ...], best: int) -> None:
    pytest.importorskip("pygame", reason="PettingZoo's classic games need it")
    module = pytest.importorskip(f"pettingzoo.classic.{name}_v3")
    env = module.env()
    agent = EnvAgent("expss(depth=2,width=1,evaluator=zero)", env, seed=1)
    env.reset(seed=1)
    for move in moves:
        env.step(move)
    assert agent.act() == best
