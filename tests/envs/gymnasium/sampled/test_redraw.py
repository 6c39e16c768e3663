"""Searches over situations redrawn to match what an agent has seen."""

import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from starspiel import EnvAgent, Limits, make_bot, search
from starspiel.envs.errors import HiddenStateWarning, StarspielError, UnsupportedGameError
from starspiel.envs.gymnasium.game import load_gymnasium, state_of
from starspiel.envs.gymnasium.sampled import redraw
from starspiel.envs.gymnasium.sampled.episode import Episode
from starspiel.envs.gymnasium.sampled.redraw import Seen
from starspiel.envs.gymnasium.sampled.visible import TurnsView
from starspiel.envs.load import load_game


class Boxes(gymnasium.Env[Any, int]):
    """One of four boxes holds a prize. Opening it pays 1; looking (4) tells in which half."""

    def __init__(self) -> None:
        self.action_space: Any = spaces.Discrete(5)
        self.observation_space: Any = spaces.Discrete(3)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self.prize = int(self.np_random.integers(4))
        return 0, {}

    def step(self, action: int) -> Any:
        if action == 4:
            return 1 if self.prize < 2 else 2, -0.01, False, False, {}
        return 0, float(action == self.prize), True, False, {}


class RedrawnBoxes(Boxes):
    """Knows itself what may be in it, at its start."""

    def redraw_hidden(self, np_random: np.random.Generator) -> None:
        self.prize = int(np_random.integers(4))


def values(env: gymnasium.Env[Any, Any], hidden: str, width: int = 100) -> dict[int, float]:
    state = state_of(env, load_gymnasium(env, hidden=hidden))
    found = search(state, "expss", Limits(depth=2), "zero", seed=1, width=width, explain=False)
    return {action: found.action_values[action] for action in range(4)}


def test_a_search_over_redraws_knows_no_more_than_was_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redraw, "PARTICLES", 200)
    env = Seen(Boxes(), TurnsView("it"))
    env.reset(seed=3)
    prize = env.unwrapped.prize  # type: ignore[attr-defined]
    assert values(env, "seen") == pytest.approx({box: float(box == prize) for box in range(4)})
    # Standard errors: at most 0.044 by the draws, 0.031 by the situations they are made from.
    assert values(env, "redraw") == pytest.approx(dict.fromkeys(range(4), 0.25), abs=0.16)
    env.step(4)
    first = prize < 2
    told = {box: 0.5 if (box < 2) == first else 0.0 for box in range(4)}
    assert values(env, "redraw") == pytest.approx(told, abs=0.2)


def test_the_environments_own_way_needs_no_history() -> None:
    env = RedrawnBoxes()
    env.reset(seed=3)
    prize = env.prize
    assert values(env, "redraw") == pytest.approx(dict.fromkeys(range(4), 0.25), abs=0.16)
    assert env.prize == prize


def test_states_of_the_game_carry_what_was_seen() -> None:
    game: Any = load_gymnasium(Boxes(), hidden="redraw")
    rng = np.random.default_rng(1)
    state = game.new_initial_state().sample(rng)
    prize = state.env.unwrapped.prize
    told = state.child(4).sample(rng)
    assert [action for action, _ in told.history] == [None, 4]
    assert told.env.unwrapped.prize == prize
    looked = search(told, "expss", Limits(depth=2), "zero", seed=1, width=60, explain=False)
    assert {box for box in range(4) if looked.action_values[box] > 0} == ({0, 1} if prize < 2 else {2, 3})
    again = pickle.loads(pickle.dumps(game.redraws))
    assert not again._kept


def test_the_same_seed_gives_the_same_answer() -> None:
    env = Seen(Boxes(), TurnsView("it"))
    env.reset(seed=3)
    assert values(env, "redraw", 7) == values(env, "redraw", 7)


def test_an_agent_remembers_for_itself() -> None:
    agent = EnvAgent("expss(depth=2,width=20,evaluator=zero)", Boxes(), seed=1, hidden="redraw")
    # Looked at first, the prize is found half the time, otherwise a quarter of it; seen, always.
    assert 0 < sum(agent.play(seed) > 0 for seed in range(20)) < 20
    observation, info = agent.env.reset(seed=1)
    assert observation == 0
    assert agent.act(info) in range(5)


@pytest.mark.parametrize("spec", ["expss(depth=2,width=20,evaluator=zero)", "uct", "rollout(n=20)"])
def test_no_agent_of_a_tournament_sees_what_is_redrawn(spec: str) -> None:
    game: Any = load_gymnasium(RedrawnBoxes(), hidden="redraw")
    opened, prizes = set(), set()
    for seed in range(8):
        state = Episode.begin(game, seed).shown()
        prizes.add(state.env.unwrapped.prize)
        opened.add(make_bot(spec, game, seed=1).step(state))
    assert len(prizes) > 1
    assert len(opened) == 1


def test_what_is_needed_is_said() -> None:
    env = Boxes()
    game = load_gymnasium(env, hidden="redraw")
    env.reset(seed=1)
    with pytest.raises(StarspielError, match=r"all that the episode has shown must be known.*agent\.env"):
        state_of(env, game)
    broken: Any = Boxes()
    broken.redraw_hidden = 3
    with pytest.raises(UnsupportedGameError, match=r"expected a method redraw_hidden\(np_random\)"):
        load_gymnasium(broken, hidden="redraw")


class Unique(Boxes):
    """Begins with a number that never comes again."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        return float(self.np_random.random()), {}


def test_what_no_replay_matches_is_played_on_by_the_closest_with_a_warning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(redraw, "TRIES", 50)
    agent = EnvAgent("expss(depth=2,width=2,evaluator=zero)", Unique(), seed=1, hidden="redraw")
    with pytest.warns(HiddenStateWarning, match=r"after 0 actions, so it searches the closest"):
        agent.play(seed=1)


class Mines(gymnasium.Env[Any, int]):
    """Sixteen fields, three mines; opening a field shows how many lie around it and pays 1."""

    def __init__(self) -> None:
        self.action_space: Any = spaces.Discrete(16)
        self.observation_space: Any = spaces.Box(-1, 8, (16,), np.int8)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.mines = set(self.np_random.permutation(16)[:3].tolist())
        self.seen = np.full(16, -1, np.int8)
        return self.seen.copy(), {"action_mask": (self.seen < 0).astype(np.int8)}

    def step(self, action: int) -> Any:
        if action in self.mines:
            return self.seen.copy(), -1.0, True, False, {"action_mask": np.ones(16, np.int8)}
        self.seen[action] = sum(
            abs(mine % 4 - action % 4) <= 1 and abs(mine // 4 - action // 4) <= 1 for mine in self.mines
        )
        over = int((self.seen < 0).sum()) == 3
        return self.seen.copy(), 1.0, over, False, {"action_mask": (self.seen < 0).astype(np.int8)}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::starspiel.envs.errors.HiddenStateWarning")
def test_long_episodes_are_played_to_the_end_and_better_than_at_random(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All is hidden in `reset`, and what episodes show seldom comes again."""
    monkeypatch.setattr(redraw, "TRIES", 1_000)
    agent = EnvAgent("expss(depth=2,width=24,evaluator=zero)", Mines(), seed=1, hidden="redraw")
    chance = EnvAgent("random", Mines(), seed=1, hidden="seen")
    played = [agent.play(seed) for seed in range(5)]
    assert sum(played) / 5 > sum(chance.play(seed) for seed in range(60)) / 60


class Cards(gymnasium.Env[Any, int]):
    """Each of two players has a card. Whoever is to move sees their own; both stay or fold in turn."""

    def __init__(self) -> None:
        self.action_space: Any = spaces.Discrete(2)
        self.observation_space: Any = spaces.MultiDiscrete([6, 2])

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self.cards, self.mover = self.np_random.integers(6, size=2).tolist(), 0
        return self._shown(), {}

    def step(self, action: int) -> Any:
        mover, self.mover = self.mover, 1
        if action == 0 or mover == 1:
            pot = float(np.sign(self.cards[1] - self.cards[0])) if action else -0.5
            return self._shown(), pot, True, False, {}
        return self._shown(), 0.0, False, False, {}

    def _shown(self) -> Any:
        return np.array([self.cards[self.mover], self.mover])


def test_of_two_players_each_knows_only_what_it_was_shown() -> None:
    game = load_gymnasium(Cards(), players=2, to_play="mover", hidden="redraw")
    env = Seen(Cards(), game.redraws.view)  # type: ignore[attr-defined]
    for seed in range(4):
        env.reset(seed=seed)
        own: Any = env.unwrapped
        drawn = [state_of(env, game).situation(np.random.default_rng(i)).unwrapped for i in range(200)]  # type: ignore[attr-defined]
        assert {held.cards[0] for held in drawn} == {own.cards[0]}
        assert len({held.cards[1] for held in drawn}) == 6
        env.step(1)
        drawn = [state_of(env, game).situation(np.random.default_rng(i)).unwrapped for i in range(200)]  # type: ignore[attr-defined]
        assert {held.cards[1] for held in drawn} == {own.cards[1]}
        assert len({held.cards[0] for held in drawn}) == 6


class Held(gymnasium.Env[Any, int]):
    """Two of five cards each. Player 0 plays a card, and player 1 guesses the other one."""

    def __init__(self, plays: int) -> None:
        self.plays = plays
        self.action_space: Any = spaces.Discrete(5)
        self.observation_space: Any = spaces.MultiDiscrete([32, 6])

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        dealt = self.np_random.permutation(5)
        self.hands = [sorted(map(int, dealt[:2])), sorted(map(int, dealt[2:4]))]
        self.turn, self.left, self.shown = 0, self.plays, 5
        return self._seen()

    def step(self, action: int) -> Any:
        if self.left:
            self.left -= 1
            if self.left == 0:
                self.hands[0].remove(action)
                self.turn, self.shown = 1, action
            (observation, info), paid = self._seen(), 0.0
            return observation, paid, False, False, info
        observation, info = self._seen()
        return observation, float(action in self.hands[0]), True, False, info

    def _seen(self) -> Any:
        hand = self.hands[self.turn]
        mask = [card in hand if self.turn == 0 else card not in (*hand, self.shown) for card in range(5)]
        seen = np.array([sum(1 << card for card in hand), self.shown])
        return seen, {"action_mask": np.array(mask, dtype=np.int8)}


@pytest.mark.parametrize("plays", [1, 2])
def test_who_has_played_a_card_has_held_it(plays: int) -> None:
    """Also if an earlier action, of which nothing was shown, is only remembered."""
    env = Held(plays)
    game: Any = load_game(env, hidden="redraw", players=2, to_play="turn", reward="mover")
    seen = Seen(env, game.redraws.view)
    seen.reset(seed=2)
    for _ in range(plays):
        observation, _, _, _, info = seen.step(env.hands[0][0])
    state = state_of(seen, game, info, observation)
    rng = np.random.default_rng(1)
    drawn = [tuple(game.redraws.draw(env, state.history, rng).unwrapped.hands[0]) for _ in range(200)]
    unseen = set(range(5)) - {env.shown, *env.hands[1]}
    assert set(drawn) == {(card,) for card in unseen}


class Coin(gymnasium.Env[Any, int]):
    """Player 0 hides a coin in one of two hands, and player 1 guesses; `shows` tells player 1."""

    def __init__(self, shows: bool) -> None:
        self.shows = shows
        self.action_space: Any = spaces.Discrete(2)
        self.observation_space: Any = spaces.Discrete(4)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        super().reset(seed=seed)
        self.turn, self.coin = 0, 0
        return 0, {}

    def step(self, action: int) -> Any:
        if self.turn == 1:
            return 1, 1.0 if action == self.coin else -1.0, True, False, {}
        self.turn, self.coin = 1, action
        return 2 + action if self.shows else 1, 0.0, False, False, {}


@pytest.mark.parametrize("shows", [False, True])
def test_another_s_action_is_known_only_if_it_was_shown(shows: bool) -> None:
    given: Any = {"players": 2, "to_play": "turn", "reward": "mover", "hidden": "redraw"}
    agent = EnvAgent("expss(depth=2,width=50,evaluator=zero)", Coin(shows), seed=1, **given)
    right = []
    for coin in (0, 1):
        agent.env.reset(seed=1)
        observation, _, _, _, info = agent.env.step(coin)
        right.append(agent.act(info, observation) == coin)
    assert sum(right) == 1 + shows, "a guess is right for one of two hands"


class Paid(Coin):
    """A throw decides where the coin is, and pays player 0 for it."""

    def step(self, action: int) -> Any:
        if self.turn == 1:
            return super().step(action)
        observation, _, _, _, info = super().step(int(self.np_random.integers(2)))
        return observation, float(self.coin), False, False, info


@pytest.mark.parametrize("general_sum", [False, True])
def test_another_s_reward_is_known_only_if_it_is_ones_loss(general_sum: bool) -> None:
    given: Any = {"players": 2, "to_play": "turn", "reward": "mover", "hidden": "redraw"}
    game: Any = load_game(Paid(False), **given, general_sum=general_sum)
    env = Seen(Paid(False), game.redraws.view)
    for seed in range(4):
        env.reset(seed=seed)
        observation, _, _, _, info = env.step(0)
        state = state_of(env, game, info, observation)
        rng = np.random.default_rng(seed)
        drawn = {game.redraws.draw(env, state.history, rng).unwrapped.coin for _ in range(60)}
        own: Any = env.unwrapped
        assert drawn == ({0, 1} if general_sum else {own.coin})


def test_steps_beside_the_agents_environment_are_told() -> None:
    inside = Boxes()
    agent = EnvAgent("expss(depth=2,width=4,evaluator=zero)", inside, seed=1, hidden="redraw")
    agent.env.reset(seed=1)
    observation, _, _, _, info = inside.step(4)
    with pytest.raises(StarspielError, match=r"Reset and step agent\.env"):
        agent.act(info, observation)
