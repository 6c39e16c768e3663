"""Two players are recognised by what alternates and what goes with it, whatever it is called."""

import re
import warnings
from typing import Any

import gymnasium
import pytest
from support.turn_envs import ALONE, WAYS, Coins, Heap, Hogs, Noughts, Shared, Turned

from starspiel.envs.errors import TurnsWarning, UnsupportedGameError
from starspiel.envs.gymnasium import turns
from starspiel.envs.gymnasium.turns import declared_players, refuse_unsaid_turns
from starspiel.envs.load import load_game

#: Ways that leave the function of `to_play=...` to whoever reads the message.
TO_WRITE = {"info nested", "info after steps"}


@pytest.fixture(autouse=True)
def _enough_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random play ends by what it has to do, so that a busy machine changes nothing."""
    monkeypatch.setattr(turns, "_SECONDS", 60.0)


def nobody(env: Any, turn: int) -> None:
    """Says nothing of whose turn it is."""


def refusal(env: Any) -> str:
    with pytest.raises(UnsupportedGameError, match="looks like a game of two players") as error:
        refuse_unsaid_turns(env, "it", None)
    return str(error.value)


@pytest.mark.parametrize("way", WAYS)
def test_turns_are_found_however_they_are_told_and_the_declaration_works(way: str) -> None:
    env = Heap(WAYS[way])
    said = refusal(env)
    assert "every episode pays 1 to whoever makes the last move" in said
    declaration = re.search(r"to_play=(.*), and reward=", said)
    assert declaration is not None
    if declaration[1].startswith("..."):
        assert way in TO_WRITE or way.startswith("observation")
        return
    players = declared_players(env, "it", eval(declaration[1]), "mover", None)
    _, info = env.reset(seed=1)
    movers = [players.mover(env, info, "it")]
    for _ in range(3):
        *_, info = env.step(1)
        movers.append(players.mover(env, info, "it"))
    assert movers in ([0, 1, 0, 1], [1, 0, 1, 0])


@pytest.mark.parametrize(
    ("way", "game", "paid", "evidence"),
    [
        ("turn=True/False", Heap, "player_0", "the sign of every reward follows from it"),
        ("observation's plane", Noughts, "mover", "each side puts marks of its own into"),
        ("observation's plane", Noughts, "player_0", "the sign of every reward follows from it"),
        ("turn=True/False", Hogs, "mover", "changes with one side's moves and"),
    ],
)
def test_what_goes_with_the_turns_is_named(way: str, game: type[Shared], paid: str, evidence: str) -> None:
    assert evidence in refusal(game(WAYS[way], paid))


def test_what_says_nothing_is_recognised_by_marks_and_signs() -> None:
    assert "moves alternate, and each side puts marks of its own" in refusal(Noughts(nobody))
    with pytest.warns(TurnsWarning, match="the sign of its rewards changes with every move"):
        refuse_unsaid_turns(Heap(nobody, "player_0"), "it", None)
    assert "moves alternate, and every move changes the signs in observation" in refusal(Turned(nobody))


@pytest.mark.parametrize("name", ALONE)
def test_one_player_is_left_alone(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        refuse_unsaid_turns(ALONE[name](), "it", None)


def test_what_only_alternates_is_a_warning_that_a_declaration_ends() -> None:
    def make() -> Any:
        return Coins(WAYS["mark"])

    with pytest.warns(TurnsWarning, match=r"it: mark changes with every move. .* to_play='mark'.* players=1"):
        refuse_unsaid_turns(make(), "it", None)
    with warnings.catch_warnings():
        warnings.simplefilter("error", TurnsWarning)
        assert load_game(make(), players=1, hidden="seen").num_players == 1
        assert load_game(make(), players=2, to_play="mark", hidden="seen").num_players == 2


class Market(gymnasium.Env[Any, Any]):
    """One player buys and sells in turns: each purchase costs, each sale pays."""

    action_space = gymnasium.spaces.Discrete(3)
    observation_space = gymnasium.spaces.Discrete(50)

    def __init__(self, phase: str | None) -> None:
        self._phase = phase

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.moves = 0
        self._say()
        return 0, {}

    def step(self, action: int) -> Any:
        reward = float(1 + action) * (1 if self.moves % 2 else -1)
        self.moves += 1
        self._say()
        return self.moves, reward, self.moves == 20, False, {}

    def _say(self) -> None:
        if self._phase is not None:
            setattr(self, self._phase, self.moves % 2 == 0)


@pytest.mark.parametrize("phase", ["buying", None])
def test_a_sign_that_the_number_of_the_move_explains_is_no_refusal(phase: str | None) -> None:
    with pytest.warns(TurnsWarning, match="changes with every move"):
        refuse_unsaid_turns(Market(phase), "it", None)


class Three(Market):
    """Three players take turns."""

    def _say(self) -> None:
        self.player = self.moves % 3


def test_three_players_are_not_loaded_in_silence() -> None:
    with pytest.warns(TurnsWarning, match="it: player goes round 0, 1, 2 with the moves"):
        refuse_unsaid_turns(Three(None), "it", None)


def test_a_truth_value_may_say_who_is_to_move() -> None:
    env = Heap(WAYS["turn=True/False"])
    env.reset(seed=1)
    attribute = next(name for name, held in vars(env).items() if isinstance(held, bool))
    players = declared_players(env, "it", attribute, "mover", None)
    assert players.mover(env, {}, "it") == 0
    env.step(1)
    assert players.mover(env, {}, "it") == 1
