"""Players of one environment: declared and played perfectly, or refused; one player's are left alone."""

import itertools
import sys
from enum import Enum, IntEnum
from typing import Any

import gymnasium
import numpy as np
import pytest
from support.shared_envs import Nim

from starspiel.agents.env_agent import EnvAgent
from starspiel.agents.search import Limits, search
from starspiel.envs.base import Game
from starspiel.envs.conformance import check_game
from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.gymnasium.game import state_of
from starspiel.envs.gymnasium.sampled.episode import Episode
from starspiel.envs.load import load_game


class Colour(Enum):
    WHITE = 1
    BLACK = 2


class Hand(Enum):
    ROCK = "c"
    PAPER = "b"
    SCISSORS = "a"


class Sign(IntEnum):
    X = 0
    O = 1  # noqa: E741


#: Of names that are no numbers, whoever begins is player 0.
NAMES = [
    *((0, 1), (1, 2), (1, -1), (Sign.X, Sign.O)),
    *(("north", "south"), ("white", "black"), (Colour.WHITE, Colour.BLACK), (Colour.BLACK, Colour.WHITE)),
]


def at_heap(env: Nim, game: Game, left: int, turn: int) -> Any:
    """The State of a heap with so many stones."""
    env.reset(seed=1)
    env.left, env.at_turn = left, turn
    return state_of(env, game, env._info())  # which brings the attribute up to date as well


@pytest.mark.parametrize(("paid", "algorithm"), [("mover", "expss"), ("player_0", "star2ss")])
def test_declared_nim_is_played_perfectly_by_both(paid: str, algorithm: str) -> None:
    """Whoever faces a multiple of four stones loses, and otherwise leaves one."""
    env = Nim(stones=7, paid=paid)
    game = load_game(env, players=2, to_play="current_player", reward=paid, utility_range=(-1, 1))
    assert game.num_players == 2
    for left in range(1, 8):
        for turn in (0, 1):
            state = at_heap(env, game, left, turn)
            assert state.current_player() == turn
            result = search(state, algorithm, Limits(depth=8), width=1, evaluator="zero", seed=1)
            won_by_mover = left % 4 != 0
            assert result.value == (1.0 if won_by_mover == (turn == 0) else -1.0)
            if won_by_mover:
                assert result.best_actions == (left % 4,)


@pytest.mark.parametrize("names", NAMES)
def test_the_names_of_the_players(names: tuple[Any, Any]) -> None:
    env = Nim(stones=5, names=names)
    game = load_game(env, players=2, to_play="current_player")
    assert [at_heap(env, game, 3, turn).current_player() for turn in (0, 1)] == [0, 1]


@pytest.mark.parametrize("names", [("white", "black"), (Colour.WHITE, Colour.BLACK)])
def test_whose_rewards_are_paid_is_not_guessed_if_either_begins(names: tuple[Any, Any]) -> None:
    class EitherBegins(Nim):
        def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
            super().reset(seed=seed)
            self.at_turn = int(self.np_random.integers(2))
            return self.left, self._info()

    with pytest.raises(UnsupportedGameError, match="either of"):
        load_game(EitherBegins(names=names), players=2, to_play="current_player", reward="player_0")
    load_game(EitherBegins(names=names), players=2, to_play="current_player", reward="mover")


THREE: list[tuple[Any, ...]] = [(0, 1, 2), (1, 2, 3), ("red", "green", "blue"), tuple(Hand)]


@pytest.mark.parametrize("names", THREE)
def test_three_players_each_maximise_their_own_rewards(names: tuple[Any, ...]) -> None:
    """Whoever has one to three takes all; whoever cannot win takes one, of moves that are equally good."""
    env = Nim(stones=6, names=names)
    game: Any = load_game(env, players=3, to_play="current_player")
    assert game.num_players == 3
    assert "3 players" in game.source
    report = check_game(game, games=5, positions=20, seconds=1)
    assert report.ok, str(report)
    for left, turn in itertools.product(range(1, 6), range(3)):
        state = at_heap(env, game, left, turn)
        assert state.current_player() == turn
        result = search(state, "star2ss", Limits(depth=8), width=1, evaluator="zero", ties="first", seed=1)
        winner = turn if left < 4 else (turn + 1) % 3 if left == 4 else (turn + 2) % 3
        assert result.returns == tuple(float(player == winner) for player in range(3))
    first = "expss(depth=6,width=1,evaluator=zero,ties=first)"
    agent = EnvAgent(first, env, players=3, to_play="current_player")
    assert agent.play(seed=1) == 1.0  # the others take one of five and one of four
    env.start = 4
    assert agent.play(seed=1) == 0.0


def test_two_players_may_each_maximise_their_own_rewards() -> None:
    env = Nim(stones=6)
    game = load_game(env, players=2, to_play="current_player", general_sum=True)
    state = at_heap(env, game, 6, 1)
    assert search(state, "expss", Limits(depth=8), width=1, evaluator="zero").returns == (0.0, 1.0)


def test_a_function_says_who_is_to_move() -> None:
    env = Nim(stones=5, tell="")
    to_play: Any = lambda inside: inside.unwrapped.at_turn  # noqa: E731
    agent = EnvAgent(
        "expss(depth=6,width=1,evaluator=zero)",
        gymnasium.wrappers.TimeLimit(env, 50),
        players=2,
        to_play=to_play,
    )
    assert agent.play(seed=1) == 1.0  # five stones: the first player wins
    env.start = 4
    assert agent.play(seed=1) == -1.0


@pytest.mark.parametrize(("paid", "tell"), [("mover", "info"), ("player_0", "attribute")])
def test_random_games_pay_whoever_won_them(paid: str, tell: str) -> None:
    """They step a clone in place, after which its attributes tell who is next, not who made the step."""
    env = Nim(stones=4, paid=paid, tell=tell)
    game: Any = load_game(env, players=2, to_play="current_player", reward=paid)
    for seed in range(20):
        start = game.new_initial_state().sample(np.random.default_rng(seed))
        end = start.play_on(np.random.default_rng(seed), 100)
        last_mover = 1 - end.env.at_turn
        assert end.returns()[0] == (1.0 if last_mover == 0 else -1.0)
        episode = Episode.begin(game, seed)
        for moves, stones in enumerate((3, 1)):
            assert episode.state.current_player() == moves
            episode = Episode.from_state(episode.state, seed)
            episode.step(stones)
        assert episode.state.returns() == [-1.0, 1.0]


def test_a_game_string_declares_players(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "two_nim", sys.modules[Nim.__module__])
    game: Any = load_game("two_nim:Nim(stones=5,players=2,to_play=current_player)")
    assert game.num_players == 2
    assert game.name == "two_nim:Nim(players=2,stones=5,to_play=current_player)"
    assert load_game(game.name).name == game.name
    assert "two players" in game.source
    assert "the mover" in game.source


def test_a_declared_game_keeps_the_contract() -> None:
    game = load_game(Nim(stones=6), players=2, to_play="current_player")
    report = check_game(game, games=10, positions=50, seconds=2)
    assert report.ok, str(report)


def test_a_reward_that_was_not_declared_is_not_guessed_against_the_play() -> None:
    with pytest.raises(UnsupportedGameError, match="reward='player_0'"):
        load_game(Nim(paid="player_0"), players=2, to_play="current_player")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"players": 2}, "players=2 needs to_play"),
        ({"players": 3}, "players=3 needs to_play"),
        ({"players": 10**10, "to_play": "current_player"}, "or as many names in turn"),
        ({"to_play": "current_player"}, "say players=2"),
        ({"reward": "mover"}, "say players=2"),
        ({"players": 3, "to_play": "current_player"}, "to be 0 to 2, 1 to 3 or as many names in turn, and"),
        ({"players": 3, "to_play": "current_player", "reward": "player_0"}, "about the others' rewards"),
        ({"general_sum": True}, "general_sum is for several players"),
        ({"players": 2, "to_play": "current_player", "reward": "both"}, "reward must be 'mover'"),
        ({"players": 2, "to_play": "whose_go"}, "neither info nor the environment has it"),
        ({"players": 2, "to_play": lambda env: env.nothing}, "to_play raised AttributeError"),
        ({"players": 2, "to_play": lambda env: 1}, "random play it was 1;"),
        ({"players": 2, "to_play": lambda env: [0]}, "in turn, and"),
        ({"players": 2, "to_play": lambda env: env.unwrapped.at_turn == 0}, "it was True, False"),
        ({"players": 2, "to_play": lambda env: env.unwrapped.left}, "0 and 1, 1 and 2, 1 and -1"),
    ],
)
def test_wrong_declarations_are_refused_in_words(options: dict[str, Any], words: str) -> None:
    with pytest.raises(StarspielError, match=words):
        load_game(Nim(), **options)


def test_who_is_to_move_must_be_known_when_asked() -> None:
    env = Nim()
    agent = EnvAgent("expss(depth=1,width=1)", env, players=2, to_play="current_player")
    env.reset(seed=1)
    with pytest.raises(StarspielError, match="must be given"):
        agent.act()
    with pytest.raises(StarspielError, match="says that 7 is to move"):
        agent.act({"action_mask": [1, 1, 1], "current_player": 7})
