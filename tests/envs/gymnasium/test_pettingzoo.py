"""PettingZoo's AEC environments as Games: all agents' turns, masks, dice by sampling, refusals in words."""

import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pettingzoo", reason="the extra pettingzoo is not installed")

from pettingzoo import ParallelEnv
from support import turns_of_agents
from support.turns_of_agents import (
    Divided,
    ForeseenRace,
    Greedy,
    Race,
    Survivors,
    Tossed,
    Turns,
    wrapped,
)

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
    report = check_game(game, games=10, positions=50, seconds=1)
    assert report.ok, str(report)
    env.reset(seed=1)
    state = state_of(env, game)
    assert env.unwrapped.at == {"north": 0, "south": 0}, "reading the state stepped the environment"
    throws = (state.child(1).sample(np.random.default_rng(seed)) for seed in range(30))
    assert {after.env.aec.at["north"] for after in throws} == {2, 3, 4}


Place = tuple[int, tuple[int, ...], int]


def maxn(place: Place, rules: Callable[[Place, int], tuple[tuple[float, ...], Place | None]]) -> list[float]:
    """Every player's return if the mover, whose number comes last in a place, takes what is best for it."""
    returns = []
    for take in range(1, min(place[0], 3) + 1):
        paid, following = rules(place, take)
        after = maxn(following, rules) if following else [0.0] * len(paid)
        returns.append([now + later for now, later in zip(paid, after, strict=True)])
    return max(returns, key=lambda each: each[place[2]])  # the first of equals


def divided(place: Place, take: int) -> tuple[tuple[float, ...], Place | None]:
    left, players, mover = place
    following = (mover + 1) % len(players)
    if left > take:
        return (0.0,) * len(players), (left - take, players, following)
    return tuple({mover: 1.0, following: -1.0}.get(player, 0.25) for player in players), None


def survivors(place: Place, take: int) -> tuple[tuple[float, ...], Place | None]:
    left, players, mover = place
    following = players[(players.index(mover) + 1) % len(players)]
    if left > take:
        return (0.0,) * 3, (left - take, players, following)
    won = {mover: -1.0, following: 2.0 if len(players) == 2 else 0.0}
    rest = tuple(player for player in players if player != mover)
    return tuple(won.get(player, 0.0) for player in range(3)), (3, rest, following) if len(rest) > 1 else None


@pytest.mark.parametrize(
    ("make", "size", "agents", "rules"),
    [
        (Divided, 7, ("a", "b", "c"), divided),
        (Divided, 6, ("a", "b", "c", "d"), divided),
        (Survivors, 3, ("a", "b", "c"), survivors),
    ],
)
@pytest.mark.parametrize("algorithm", ["expss", "star2ss"])
def test_more_agents_each_maximise_their_own_return(
    make: Any, size: int, agents: tuple[str, ...], rules: Any, algorithm: str
) -> None:
    env = wrapped(make(size, agents))
    agent = EnvAgent(f"{algorithm}(depth=7,width=1,evaluator=zero,ties=first)", env, seed=1)
    report = check_game(agent.game, games=5, positions=20, seconds=1)
    assert report.ok, str(report)
    env.reset(seed=1)
    expected = maxn((size, tuple(range(len(agents))), 0), rules)
    state = state_of(env, agent.game)
    found = search(state, algorithm, Limits(depth=7), width=1, evaluator="zero", ties="first")
    assert found.returns == tuple(expected)
    paid = dict.fromkeys(agents, 0.0)
    for name in env.agent_iter():
        _, reward, terminated, _, _ = env.last()
        paid[name] += reward
        env.step(None if terminated else agent.act())
    assert list(paid.values()) == expected


@pytest.mark.parametrize(("make", "returns"), [(Greedy, (1.0, 0.0)), (Divided, (1.0, -1.0))])
def test_two_agents_may_be_declared_to_maximise_their_own_return(make: Any, returns: Any) -> None:
    """Also if a move pays the other agent, as the last one of Divided does."""
    env = wrapped(make(6, ("a", "b")))
    agent = EnvAgent(PERFECT, env, seed=1, general_sum=True)
    assert agent.play(seed=1) == 1.0
    env.reset(seed=1)
    assert search(state_of(env, agent.game), "expss", Limits(depth=6), width=1).returns == returns


def test_returns_of_any_agent_are_held_against_the_range() -> None:
    game: Any = load_game(wrapped(Divided(1, ("a", "b", "c"))), utility_range=(0, 1))
    begun = game.new_initial_state().sample(np.random.default_rng(1))
    with pytest.raises(StarspielError, match=r"return of 1, -1, 0\.25 is outside the utility_range"):
        begun.child(0).sample(np.random.default_rng(1))


@pytest.mark.parametrize(
    "spec", ["expss(depth=2,width=9,evaluator=zero)", "uct(simulations=100)", "rollout(n=20)"]
)
def test_what_is_redrawn_is_not_seen_by_more_agents(spec: str) -> None:
    coins, actions = set(), set()
    for seed in range(9):
        agent = EnvAgent(spec, Tossed(0, ("a", "b", "c")), seed=1, hidden="redraw")
        agent.env.reset(seed=seed)
        coins.add(agent.env.unwrapped.aec.coin)
        actions.add(agent.act())
    assert coins == {0, 1}
    assert len(actions) == 1


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


class Locked(Turns):
    def begin(self) -> None:
        super().begin()
        self.held = [threading.Lock()]


class AtOnce(ParallelEnv):  # type: ignore[misc]
    possible_agents = ["a", "b"]  # noqa: RUF012

    def __str__(self) -> str:
        return "at_once_v0"


def reset_locked() -> Any:
    env = Locked()
    env.reset(seed=1)
    return env


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Greedy(5), "do not sum to 0. If each wants as much as it can get, say general_sum=True"),
        (lambda: Turns(5, agents=()), "no agents in possible_agents"),
        (AtOnce, "parallel_to_aec"),
        (reset_locked, r"attribute 'held' of Locked\). Keep .* or give it a __deepcopy__$"),
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
