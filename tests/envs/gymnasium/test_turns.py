"""Players are recognised by a value that is named for whose turn it is, and keeps changing."""

import re
import warnings
from typing import Any

import pytest
from support.turn_envs import ALONE, WAYS, Alone, Heap, Hogs

from starspiel.envs.errors import StarspielWarning, UnsupportedGameError
from starspiel.envs.gymnasium import turns
from starspiel.envs.gymnasium.options import EnvOptions
from starspiel.envs.gymnasium.turns import declared_players, refuse_unsaid_turns
from starspiel.envs.load import load_game


@pytest.fixture(autouse=True)
def _enough_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random play ends by what it has to do, so that a busy machine changes nothing."""
    monkeypatch.setattr(turns, "_SECONDS", 60.0)


def refusal(env: Any, players: str = "two") -> str:
    with pytest.raises(UnsupportedGameError, match=f"looks like a game of {players} players") as error:
        refuse_unsaid_turns(env, "it", None)
    return str(error.value)


def declared(to_play: Any) -> EnvOptions:
    return EnvOptions(players=2, to_play=to_play, reward="mover")


@pytest.mark.parametrize("way", WAYS)
def test_turns_are_found_and_the_declaration_works(way: str) -> None:
    env = Heap(WAYS[way])
    declaration = re.search(r"to_play=(.*), and reward=", refusal(env))
    assert declaration is not None
    players = declared_players(env, "it", declared(eval(declaration[1])))
    _, info = env.reset(seed=1)
    movers = [players.mover(env, info, "it")]
    for _ in range(3):
        *_, info = env.step(1)
        movers.append(players.mover(env, info, "it"))
    assert movers in ([0, 1, 0, 1], [1, 0, 1, 0])


class Inner:
    """What keeps the rules of a game for an environment."""


def _inside(kind: Any, key: str) -> Any:
    def way(env: Any, turn: int) -> Any:
        part = kind()
        if isinstance(part, dict):
            part[key] = turn
        else:
            setattr(part, key, turn)
        env.inner = part

    return way


@pytest.mark.parametrize(("kind", "key"), [(Inner, "current_player"), (dict, "turn"), (Inner, "playerTurn")])
def test_turns_that_a_part_tells_are_found(kind: Any, key: str) -> None:
    said = refusal(Heap(_inside(kind, key)))
    assert f"inner.{key} alternates between 0 and 1" in said
    assert "to_play=... (a function of the environment" in said


def test_turns_of_several_moves_are_found() -> None:
    assert "current_player alternates between 0 and 1" in refusal(Hogs(WAYS["current_player"]))


@pytest.mark.parametrize("players", [3, 6])
def test_turns_of_more_players_are_found(players: int) -> None:
    env = Heap(lambda env, turn: {"current_player": len(env._log) % players})
    said = refusal(env, str(players))
    assert f"current_player changes among {' and '.join(map(str, range(players)))};" in said
    assert f"players={players}, to_play='current_player', and reward='mover'" in said
    assert "player_0" not in said


def _skipped_and_reversed(env: Any, action: int) -> tuple[float, bool]:
    die = int(env.np_random.integers(1, 7))
    env.direction = -env.direction if die == 1 else env.direction
    env.current_player = (env.current_player + env.direction * (2 if die == 2 else 1)) % 4
    return 0.0, env.time == 30


def test_turns_that_are_skipped_and_reversed_are_found() -> None:
    env = Alone(_skipped_and_reversed, current_player=0, direction=1)
    assert "current_player changes among" in refusal(env, "4")
    for players in (2, 5):
        with pytest.raises(UnsupportedGameError, match="declare players=4 or give a function"):
            load_game(env, players=players, to_play="current_player", hidden="seen")
    assert load_game(env, players=4, to_play="current_player", hidden="seen").num_players == 4


def test_other_names_of_players_need_a_function() -> None:
    env = Heap(lambda env, turn: {"player": (3, 7)[turn]})
    assert "to_play=... (a function of the environment, which returns a number)" in refusal(env)


@pytest.mark.parametrize("name", ALONE)
def test_one_player_is_left_alone(name: str) -> None:
    refuse_unsaid_turns(ALONE[name](), "it", None)


def test_a_declaration_ends_the_refusal() -> None:
    def make() -> Any:
        return Heap(WAYS["mark"])

    refusal(make())
    with warnings.catch_warnings():
        warnings.simplefilter("error", StarspielWarning)
        assert load_game(make(), players=1, hidden="seen").num_players == 1
        assert load_game(make(), players=2, to_play="mark", hidden="seen").num_players == 2


def test_a_truth_value_may_say_who_is_to_move() -> None:
    env = Heap(WAYS["turn=True/False"])
    env.reset(seed=1)
    attribute = next(name for name, held in vars(env).items() if isinstance(held, bool))
    players = declared_players(env, "it", declared(attribute))
    assert players.mover(env, {}, "it") == 0
    env.step(1)
    assert players.mover(env, {}, "it") == 1


def _until_one_is_left(env: Any, action: int) -> tuple[float, bool]:
    following = env.left.index(env.player) + 1
    if env.chance(0.2):
        following -= 1
        env.left = [player for player in env.left if player != env.player]
    env.player = env.left[following % len(env.left)]
    return 0.0, len(env.left) == 1


def test_players_that_drop_out_are_noticed() -> None:
    env = Alone(_until_one_is_left, player=0, left=lambda: [0, 1, 2, 3])
    with pytest.raises(UnsupportedGameError, match=r"4 players: player changes among 0 and 1 and 2 and 3"):
        load_game(env)
