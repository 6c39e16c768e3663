"""The core's solver against Python's: every model, small games whole and late positions of others."""

import random
import re
from pathlib import Path

import pytest

from starspiel import StarspielError, load_game, make_bot, solve
from starspiel.agents.native_loader import SWITCH, native_status
from starspiel.agents.native_positions import for_core
from starspiel.agents.solve.native import core_with_model
from starspiel.agents.solve.solution import Solution
from starspiel.envs.base import CHANCE, has_vector_values

pytestmark = pytest.mark.skipif(native_status().module is None, reason="solved by the native core")

WHOLE = (
    "cant_stop(shortest=1,sides=2)",
    "dice(line=2,size=2)",
    "dice(full=reroll,line=2,size=2)",
    "knucklebones(columns=2,rows=2,sides=2)",
    "pig(winscore=12)",
    "pig(horizon=6,winscore=10)",
    "pig(players=3,winscore=6)",
    "royal_game_of_ur(dice=3,pieces=1)",
    "royal_game_of_ur(pieces=1,rules=aseb)",
    "royal_game_of_ur(pieces=1,rules=blitz)",
    "royal_game_of_ur(pieces=1,rules=masters)",
    "star_2048(columns=2,rows=2)",
    "star_pig(goal=12)",
    "connect_four(columns=4,rows=3,x_in_row=3)",
)
#: Not maedn, in which captured pieces begin again: its positions are never few.
LATE = (
    "2048(max_tile=16)",
    "backgammon",
    "banqi(max_no_progress=12)",
    "einstein_wurfelt_nicht",
    "yacht(num_dice=2,players=2)",
    "yacht(num_dice=1,players=3)",
)


class StartingAt:
    """The rest of a game, from one of its positions on."""

    def __init__(self, game, start):
        self._game, self._start = game, start

    def __getattr__(self, name):
        return getattr(self._game, name)

    def new_initial_state(self):
        return self._start


def late(game, seed, most_bytes=500_000):
    """A state of a random game from which there are few positions, as early as possible."""
    core, dice, line = native_status().module, random.Random(seed), [game.new_initial_state()]
    while not line[-1].is_terminal():
        outcomes = line[-1].chance_outcomes() if line[-1].is_chance_node() else ()
        line.append(line[-1].child(dice.choice([a for a, _ in outcomes] or line[-1].legal_actions())))
    for state in line:
        start = StartingAt(game, state)
        if core_with_model(start) is not None:
            found = core.solve(for_core(core, state), most_bytes, lambda *_: None)
            if not found.waiting and not found.mixed:
                return start
    raise AssertionError("not even the end is near enough")


def check_same(game, monkeypatch):
    found = solve(game)
    with monkeypatch.context() as patched:
        patched.setenv(SWITCH, "off")
        plain = solve(game)
    assert found.in_core
    assert not plain.in_core
    assert found.value == pytest.approx(plain.value, abs=1e-9)
    dice, compared = random.Random(1), 0
    for _ in range(40):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.current_player() != CHANCE:
                compared += 1
                assert found(game, state) == pytest.approx(plain(game, state), abs=1e-9)
                if not has_vector_values(game):
                    times = found.time(game, state), plain.time(game, state)
                    assert times[0] == pytest.approx(times[1], rel=1e-6)
            outcomes = state.chance_outcomes() if state.is_chance_node() else ()
            state = state.child(dice.choice([a for a, p in outcomes if p > 0] or state.legal_actions()))
    return found, plain, compared


def test_every_model_is_tested():
    listed = re.findall(r"^ {4}(\w+):(\w+)", Path("CMakeLists.txt").read_text(), re.MULTILINE)
    named = {name.partition("(")[0].removesuffix("_wurfelt_nicht") for name in (*WHOLE, *LATE)}
    assert {"2048" if file == "twenty_forty_eight" else file for file, _ in listed} - {"maedn"} == named


@pytest.mark.parametrize("name", WHOLE)
def test_small_games_have_the_same_values(name, monkeypatch):
    found, plain, _ = check_same(load_game(name), monkeypatch)
    assert found.states == plain.states


@pytest.mark.parametrize("name", LATE)
def test_late_positions_have_the_same_values(name, monkeypatch):
    game = load_game(name)
    # Python's keys of banqi and of 2048 count moves near a cut-off: few positions, near the end, are enough.
    assert sum(check_same(late(game, seed), monkeypatch)[2] for seed in range(4)) > 40


def test_a_cut_off_that_counts_at_times_is_refused():
    with pytest.raises(StarspielError, match="its cut-off is near enough to change values"):
        solve("pig(winscore=30,horizon=104)")


def test_a_game_that_fills_the_memory_is_refused():
    with pytest.raises(StarspielError, match=r"still to be looked into, the 0\.03 GB allowed are used up"):
        solve("star_pig", memory_gb=0.03)


def test_the_file_is_read_by_the_core_alone(tmp_path, monkeypatch):
    game = load_game("star_pig(goal=10)")
    file = solve(game).save(tmp_path / "pig.npz")
    state = game.new_initial_state()
    assert Solution.load(file)(game, state) == pytest.approx(solve(game).value, abs=1e-12)
    bot = make_bot(f"optimal(solution={file})", game)
    assert bot.step(state) in state.legal_actions()
    monkeypatch.setenv(SWITCH, "off")
    with pytest.raises(
        StarspielError, match=r"made by the native core.* switched off .* Solve the game again"
    ):
        make_bot(f"optimal(solution={file})", game).step(state)
