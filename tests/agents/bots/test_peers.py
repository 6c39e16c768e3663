"""The backgammon programs as opponents: boards as they see them, and moves as they say them."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from starspiel.agents.bearoff.men import sides
from starspiel.envs.load import load_game

_SPEC = spec_from_file_location("peers", Path(__file__).parents[3] / "benchmarks" / "peers.py")
module = module_from_spec(_SPEC)
_SPEC.loader.exec_module(module)
Gnubg, Pubeval, peers, played = module.Gnubg, module.Pubeval, module.peers, module.played
OPENING = {24: 2, 13: 5, 8: 3, 6: 5}


def _men(board: list[int]) -> dict[int, int]:
    return {distance: men for distance, men in enumerate(board) if men}


def _rolled(text: str) -> Any:
    state = load_game("backgammon").new_initial_state()
    return state.child(next(o for o, _ in state.chance_outcomes() if text in state.action_to_string(o)))


@pytest.mark.parametrize("player", [0, 1])
def test_both_sides_begin_alike(player: int) -> None:
    assert [_men(side) for side in sides(_rolled("roll: 13"), player)] == [OPENING, OPENING]


def test_walks_move_hit_and_bear_off() -> None:
    own, other = sides(_rolled("roll: 13"), 0)
    moved, same = played(own, other, [7, 4, 5, 4])
    assert _men(moved) == {24: 2, 13: 5, 8: 2, 6: 4, 5: 2}
    assert same == other
    lone = [0] * 26
    lone[24] = 1  # on our 1 point
    assert [_men(side) for side in played(own, lone, [5, 0])] == [{24: 2, 13: 5, 8: 3, 6: 4, 1: 1}, {25: 1}]
    assert played([0, 1, *[0] * 24], lone, [0, -1])[0][0] == 1


def _program(**calls: Any) -> Any:
    return lambda name: SimpleNamespace(**calls)


def test_pubeval_plays_what_its_program_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        module, "import_module", _program(pub_best_move=lambda board, high, low: [7, 4, 5, 4])
    )
    state = _rolled("roll: 13")
    assert "8/5 6/5" in state.action_to_string(Pubeval(state.current_player()).step(state))


def test_gnubg_gives_its_opponent_the_least(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its program values the side about to roll; here by how far apart the men of the other side stand."""

    def probabilities(board: list[list[int]], plies: int) -> list[float]:
        assert plies == 0
        return [sum(men == 1 for men in board[0][:24]) / 24]

    monkeypatch.setattr(module, "import_module", _program(probabilities=probabilities))
    state = _rolled("roll: 13")
    after = state.child(Gnubg(state.current_player()).step(state))
    assert 1 not in sides(after, state.current_player())[0]


def test_they_play_backgammon_and_need_their_program(monkeypatch: pytest.MonkeyPatch) -> None:
    assert peers(load_game("pig")) == {}
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    assert peers(load_game("backgammon")) == {}
    monkeypatch.setattr(module, "find_spec", lambda name: "found")
    assert sorted(peers(load_game("backgammon"), plies=1)) == ["gnubg0", "gnubg1", "pubeval"]
