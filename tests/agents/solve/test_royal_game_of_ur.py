"""The Royal Game of Ur by its table: against the solver of all games, and gone on with after an end."""

import random

import numpy as np
import pytest

from starspiel import StarspielError, load_game, make_bot, solve
from starspiel.agents.native_loader import native_status
from starspiel.agents.native_positions import for_core
from starspiel.agents.solve import royal_game_of_ur
from starspiel.agents.solve.royal_game_of_ur import UrSolution
from starspiel.agents.solve.solution import Solution
from starspiel.envs.games.royal_game_of_ur import TO_ROLL

pytestmark = pytest.mark.skipif(native_status().module is None, reason="solved by the native core")
GAME, SMALLEST = "royal_game_of_ur(pieces=2)", "royal_game_of_ur(pieces=1)"


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "starspiel"


@pytest.fixture
def small(monkeypatch):
    """Solves small games by the table too."""
    monkeypatch.setattr(royal_game_of_ur, "_LEAST_PIECES", 1)


def positions(game, count, seed=1):
    """States of random games, in which somebody is to throw or has thrown."""
    dice, state = random.Random(seed), game.new_initial_state()
    for _ in range(count):
        yield state
        if state.is_terminal():
            state = game.new_initial_state()
        state = state.child(dice.choice(state.legal_actions() or [a for a, _ in state.chance_outcomes()]))


def test_values_are_those_of_the_solver_of_all_games(monkeypatch):
    loaded = load_game("royal_game_of_ur(dice=3,pieces=1)")
    exact = solve(loaded)
    monkeypatch.setattr(royal_game_of_ur, "_LEAST_PIECES", 1)
    table = solve(loaded)
    assert isinstance(table, UrSolution)
    assert table.value == pytest.approx(exact.value, abs=1e-11)
    compared = dict.fromkeys(("to roll", "rolled", "ended"), 0)
    for state in positions(loaded, 2000):
        assert table(loaded, state) == pytest.approx(exact(loaded, state), abs=2e-5)
        kind = "ended" if state.is_terminal() else "to roll" if state.position.roll == TO_ROLL else "rolled"
        compared[kind] += 1
    assert min(compared.values()) > 5


def test_every_position_has_a_place_of_its_own(small):
    """All that random play shows, by both sides' eyes."""
    game = load_game(GAME)
    table = solve(game)
    core = native_status().module
    numbered = core.UrPlaces(2)
    assert (table.states, table.pieces) == (numbered.count, 2)
    assert core.UrPlaces(7).count == 137_870_097
    places = {}
    for state in positions(game, 10_000):
        position = state.position
        if position.roll != TO_ROLL or state.is_terminal():
            continue
        mover = position.mover
        seen = tuple((position.squares[p], position.home[p]) for p in (mover, 1 - mover))
        place = numbered.place(for_core(core, state))
        assert places.setdefault(place, seen) == seen
        assert 0 <= place < table.states
    assert len(places) > 1000


def test_throws_are_counted(small):
    """Against games that optimal play plays."""
    game = load_game("royal_game_of_ur(pieces=1)")
    table, dice, counts = solve(game), random.Random(1), []
    for _ in range(1000):
        state, count = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state, count = state.child(dice.choices(outcomes, chances)[0]), count + 1
            else:
                sign = 1 - 2 * state.current_player()
                state = max(
                    (state.child(a) for a in state.legal_actions()), key=lambda s: sign * table(game, s)
                )
        counts.append(count)
    assert abs(np.mean(counts) - table.throws) < 4 * np.std(counts) / len(counts) ** 0.5


def test_any_number_of_threads_gives_the_same(small, monkeypatch):
    monkeypatch.setattr(royal_game_of_ur, "_WORTH_THREADS", 0)
    one, two = [], []
    for found, threads in ((one, 1), (two, 3)):
        monkeypatch.setattr(
            "starspiel.agents.solve.royal_game_of_ur.processors", lambda threads=threads: threads
        )
        found.append(solve(GAME))
    assert np.array_equal(one[0].values, two[0].values)
    assert (one[0].value, one[0].throws) == (two[0].value, two[0].throws)


def test_an_ended_solving_goes_on(small, monkeypatch, cache):
    whole = solve(GAME)
    assert list(cache.iterdir()) == []

    class EndedError(Exception):
        pass

    def end(what, done, of):
        if what == "positions" and done > 200:
            raise EndedError

    with pytest.raises(EndedError):
        solve(GAME, progress=end)
    kept = [path.name for path in cache.iterdir()]
    assert kept == ["royal_game_of_ur-2-4-layer-0.npz"]
    swept = []
    core = native_status().module

    class Counting(core.UrSolver):
        def improve(self, layer, threads):
            swept.append(layer)
            return super().improve(layer, threads)

    monkeypatch.setattr(core, "UrSolver", Counting)
    told = []
    again = solve(GAME, progress=lambda *each: told.append(each))
    assert set(swept) == {1, 2}
    first, last = core.UrPlaces(2).range(1, 1)
    assert [what for what, _, of in told if of is None][1:] == [
        f"resuming the run that was interrupted: {last - first:,} positions, layers 1 to 1 of 3, are solved"
    ]
    for within in ("values of a layer", "throws of a layer"):
        percents = [done for what, done, of in told if what == within and of == 100]
        assert percents.count(100) == 2
        assert len(set(percents)) > 3
    assert np.array_equal(again.values, whole.values)
    assert (again.value, again.throws) == (whole.value, whole.throws)
    assert list(cache.iterdir()) == []


def test_whoever_ends_it_is_told_what_is_kept(small, monkeypatch, cache):
    def ended(told):
        def end(what, done, of):
            if of is None:
                told.append(what)
            elif what == "positions" and done > 200:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            solve(GAME, progress=end)
        return told[1:]

    cache.parent.write_text("a file where the folder should be")
    (warning,) = ended([])
    assert warning.startswith("progress cannot be saved (")
    cache.parent.unlink()
    assert ended([]) == ["interrupted: progress is saved, and the same command resumes from there"]


def test_the_file_plays(small, tmp_path):
    table = solve(SMALLEST)
    held = Solution.load(table.save(tmp_path / "ur.npz"))
    assert isinstance(held, UrSolution)
    assert (held.throws, held.value, held.digest) == (table.throws, table.value, table.digest)
    game = load_game(SMALLEST)
    bot = make_bot(f"optimal(solution={tmp_path / 'ur.npz'})", game)
    state = game.new_initial_state().child(2)
    assert bot.step(state) == 0


def test_too_little_memory_is_refused_before_it_is_taken():
    with pytest.raises(StarspielError, match=r"3\.07 GB to be solved, and 1 GB are allowed"):
        solve("royal_game_of_ur", memory_gb=1)
