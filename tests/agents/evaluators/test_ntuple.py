"""N-tuple networks: the values of both engines, files, and what is refused."""

import json

import numpy as np
import pytest
from support.positions import random_states

from starspiel.agents.evaluators.ntuple import NTupleEvaluator, downgraded
from starspiel.agents.evaluators.ntuple_file import NTupleFile, read_ntuples
from starspiel.agents.evaluators.registry import make_evaluator
from starspiel.agents.native_loader import native_status
from starspiel.agents.native_positions import for_core
from starspiel.envs.errors import SpecError, StarspielError
from starspiel.envs.load import load_game

BOARDS = {
    "star_2048": ((0, 1, 2, 3), (0, 1, 4, 5), (1, 5, 6, 12)),
    "star_2048(rows=3)": ((0, 1, 2, 3), (0, 4, 5, 8)),
    "star_2048(columns=3,rows=3)": ((0, 1, 2), (0, 4, 5, 8)),
    "star_2048(columns=2,rows=2)": ((0, 1, 4, 5),),
}


def network(name: str, seed: int = 1) -> NTupleFile:
    game = load_game(name)
    patterns = BOARDS[name]
    count = sum(16 ** len(cells) for cells in patterns)
    weights = np.random.default_rng(seed).integers(-3000, 3000, count).astype(np.int16)
    return NTupleFile(name, game.rows, game.columns, patterns, weights, 12.5, 0.37, {"seed": seed})


def core():
    if native_status().module is None:
        pytest.skip("without the native core")
    return native_status().module


@pytest.mark.parametrize("name", BOARDS)
def test_a_value_is_the_sum_over_patterns_and_symmetries(name) -> None:
    file, game = network(name), load_game(name)
    value = NTupleEvaluator(file, game, "ntuple")
    state = [s for s in random_states(game, 3, 40) if s.is_chance_node()][-1]
    board = np.array(state.position.tiles).reshape(game.rows, game.columns)
    turned = [board] if game.rows != game.columns else [board, board.T]
    total = 0
    for way in turned:
        for seen in (way, way[::-1], way[:, ::-1], way[::-1, ::-1]):
            start = 0
            for cells in file.patterns:
                place = sum(int(seen[divmod(cell, 4)]) * 16**k for k, cell in enumerate(cells))
                total += int(file.weights[start + place])
                start += 16 ** len(cells)
    assert value(state) == pytest.approx(state.returns()[0] + 12.5 + 0.37 * total, abs=1e-9)


@pytest.mark.parametrize("name", BOARDS)
def test_both_engines_have_the_same_values(name) -> None:
    native = core()
    file, game = network(name), load_game(name)
    value = NTupleEvaluator(file, game, "ntuple")
    tables = native.NTuples(game.rows, game.columns, file.patterns, file.weights, file.base, file.unit)
    draw = np.random.default_rng(5)
    for _ in range(100):
        tiles = draw.integers(0, 16, (game.rows, game.columns))
        board = sum(int(tile) << 4 * (4 * row + column) for (row, column), tile in np.ndenumerate(tiles))
        assert tables.value(board) == value.to_come(tuple(tiles.ravel().tolist()))
    options = native.Options(
        prune=False, probes=0, bounds=(-1e9, 1e9), value_range=(-1e9, 1e9), merge=False, order=False,
        table_bytes=0,
    )  # fmt: skip
    for state in random_states(game, 2, 60):
        engine = native.Engine(for_core(native, state), True, tables, options)
        assert engine.evaluate(for_core(native, state)) == value(state)


@pytest.mark.parametrize(
    ("tiles", "looked_up"),
    [
        ([14, 13, 11, 0], [13, 12, 11, 0]),
        ([14, 13, 12, 11, 9, 3], [13, 12, 11, 10, 9, 3]),
        ([15, 1], [14, 1]),
        ([14, 12, 11, 14], [14, 12, 11, 14]),  # not beyond 16384 and 8192
        ([*range(16)], [*range(16)]),  # none is missing
    ],
)
def test_great_tiles_are_halved_above_the_greatest_that_is_missing(tiles, looked_up) -> None:
    assert downgraded(np.array(tiles)).tolist() == looked_up


def test_tiles_beyond_the_tables_count_as_the_greatest(tmp_path) -> None:
    game = load_game("star_2048")
    value = NTupleEvaluator(network("star_2048"), game, "ntuple")
    assert value.to_come((17,) + (0,) * 15) == value.to_come((15,) + (0,) * 15)


def test_a_file_holds_the_network_and_how_it_was_made(tmp_path) -> None:
    for name, wide in (("star_2048", 1), ("star_2048(rows=3)", 11)):
        file = network(name)
        few = NTupleFile(**{**vars(file), "weights": file.weights // 100 * np.int16(10 * wide)})
        few.save(tmp_path / "few.npz")
        again = read_ntuples(tmp_path / "few.npz")
        assert np.array_equal(again.weights, few.weights)
        assert (again.game, again.patterns, again.base, again.unit) == (name, file.patterns, 12.5, 0.37)
        assert again.made == {"seed": 1}


def test_files_of_other_games_are_refused_in_words(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    network("star_2048").save("a.npz")
    assert make_evaluator("ntuple(file=a.npz)", "star_2048").name == "ntuple(file=a.npz)"
    with pytest.raises(SpecError, match="is a network for 'star_2048', not for"):
        make_evaluator("ntuple(file=a.npz)", "star_2048(rows=3)")
    with pytest.raises(SpecError, match="value boards of star_2048, not of pig"):
        make_evaluator("ntuple(file=a.npz)", "pig")
    with pytest.raises(SpecError, match="no n-tuple network comes with starspiel for"):
        make_evaluator("ntuple", "star_2048(columns=2,rows=2)")
    with pytest.raises(StarspielError, match="cannot read the network"):
        make_evaluator("ntuple(file=none.npz)", "star_2048")


def about(parts, **changes):
    return {"about": np.array(json.dumps({**json.loads(str(parts["about"])), **changes}))}


def test_damaged_files_are_refused_in_words(tmp_path) -> None:
    file = network("star_2048")
    path = tmp_path / "a.npz"
    path.write_bytes(b"no archive")
    with pytest.raises(StarspielError, match="holds no n-tuple network"):
        read_ntuples(path)
    file.save(path)
    with np.load(path) as held:
        parts = dict(held)
    for wrong, message in [
        ({"low": parts["low"] ^ 1}, "is damaged"),
        ({"low": parts["low"][1:]}, "holds no n-tuple network"),
        ({"high": parts["high"][1:]}, "holds no n-tuple network"),
        ({"where": parts["where"][1:]}, "holds no n-tuple network"),
        ({"low": parts["low"].astype(np.float32)}, "holds no n-tuple network"),
        ({"about": np.array("{}")}, "holds no n-tuple network"),
        (about(parts, patterns=[[0, 1, 4, 16]]), "do not lie on a board of 4 x 4"),
        (about(parts, patterns=[[1, 0]]), "do not lie on a board of 4 x 4"),
        (about(parts, patterns=[[0, 5, 10, 15]]), "three runs of neighbours"),
        (about(parts, rows=5), "board of 5 x 4"),
        (about(parts, unit=0), "a unit above 0"),
        (about(parts, unit=2), "is damaged"),
        (about(parts, format=1), "of format 1"),
    ]:
        np.savez(path, **{**parts, **wrong})
        with pytest.raises(StarspielError, match=message):
            read_ntuples(path)
