"""Training n-tuple networks: what is learnt, repeated, gone on with and refused."""

import json
import os
import signal
import zlib

import numpy as np
import pytest

from starspiel import NTupleSettings, StarspielError, TrainingSettings, train
from starspiel.agents.evaluators.ntuple_file import packed, read_ntuples
from starspiel.agents.learning import small_ntuples
from starspiel.agents.learning.curve import drawn_points, write_curve
from starspiel.agents.learning.patterns import fitting
from starspiel.agents.learning.small_ntuples import small_weights
from starspiel.agents.native_loader import native_status
from starspiel.envs.load import load_game

pytestmark = pytest.mark.skipif(native_status().module is None, reason="without the native core")

SMALL = "star_2048(columns=2,rows=2)"
SETTINGS = NTupleSettings(games=3000, threads=1, seed=3)


def test_the_small_board_is_learnt_to_its_exact_value(tmp_path) -> None:
    result = train(SMALL, NTupleSettings(games=50_000, threads=1), output=tmp_path / "a.npz")
    core = native_status().module
    file = read_ntuples(result.file)
    assert file.patterns == ((0, 1, 4, 5),)
    tables = core.NTuples(2, 2, file.patterns, file.weights, file.base, file.unit)
    assert tables.value(0) == pytest.approx(66.96, rel=0.02)  # before the first tile


def test_one_thread_and_one_seed_repeat_bit_for_bit(tmp_path) -> None:
    whole = train(SMALL, SETTINGS, output=tmp_path / "a.npz")
    again = train(SMALL, SETTINGS, output=tmp_path / "b.npz")
    other = train(SMALL, {"games": 3000, "threads": 1, "seed": 4}, output=tmp_path / "c.npz")
    first, second, third = (read_ntuples(each.file).weights for each in (whole, again, other))
    assert np.array_equal(first, second)
    assert not np.array_equal(first, third)
    assert whole.moves == again.moves


def test_a_plain_trainer_learns_the_same_weights() -> None:
    trainer = native_status().module.NTupleTrainer(2, 2, [[0, 1, 4, 5]])
    moves, points = trainer.train(seed=5, games=60)[1:]
    plain = PlainTrainer(seed=5, games=60)
    assert (moves, points) == (plain.moves, plain.points)
    assert np.array_equal(trainer.weights, plain.weights)
    assert np.array_equal(trainer.errors, plain.errors)


class PlainTrainer:
    """TD(0.5) backwards with temporal coherence, on a board of 2 x 2 and in numbers of 32 bits."""

    def __init__(self, seed: int, games: int) -> None:
        self.rules, self.random, self.left = load_game(SMALL), seed, games
        self.weights = np.zeros(16**4, np.float32)
        self.errors = np.zeros((16**4, 2), np.float32)
        self.moves = self.points = 0
        tables = [self.table(), self.table()]
        while tables:
            tables = [table for table in tables if next(table, None)]

    def table(self):
        """Plays games one after another; yields before each move."""
        while self.left:
            self.left -= 1
            first = self.with_tile((0, 0, 0, 0))
            path, again, board = [((0, 0, 0, 0), 0), (first, 0)], False, self.with_tile(first)
            while True:
                yield True
                moved = [self.rules.moved(board, move) for move in range(4)]
                moved = [(after, points) for after, points in moved if after != board]
                if moved:
                    worth = [np.float32(points) + self.value(self.places(after)) for after, points in moved]
                    path.append(moved[int(np.argmax(worth))])
                    board = self.with_tile(path[-1][0])
                    self.moves += 1
                else:
                    self.learn(path)
                    self.points += 0 if again else sum(points for _, points in path)
                    if len(path) <= 10:
                        break
                    board, again, path = self.with_tile(path[len(path) // 2][0]), True, []

    def with_tile(self, board):
        self.random = self.random + 0x9E3779B97F4A7C15 & 2**64 - 1
        z = (self.random ^ self.random >> 30) * 0xBF58476D1CE4E5B9 & 2**64 - 1
        z = (z ^ z >> 27) * 0x94D049BB133111EB & 2**64 - 1
        z ^= z >> 31
        empty = [cell for cell in range(4) if board[cell] == 0]
        cell = empty[(z >> 32) * len(empty) >> 32]
        return (*board[:cell], 2 if z & 2**32 - 1 < 429496730 else 1, *board[cell + 1 :])

    def places(self, board):
        a, b, c, d = board
        ways = [(a, b, c, d), (b, a, d, c), (c, d, a, b), (d, c, b, a)]
        ways = [turned for way in ways for turned in (way, (way[0], way[2], way[1], way[3]))]
        return [sum(tile * 16**k for k, tile in enumerate(way)) for way in ways]

    def value(self, places):
        low, high = self.weights[places[:4]], self.weights[places[4:]]
        sums = low + high
        return (sums[0] + sums[1]) + (sums[2] + sums[3])

    def learn(self, path):
        target = np.float32(0)
        for board, points in reversed(path):
            places = self.places(board)
            error, value = target - self.value(places), np.float32(0)
            for place in places:
                total, magnitude = self.errors[place]
                coherence = abs(total) / magnitude if magnitude > 0 else np.float32(1)
                self.weights[place] += coherence * (error / np.float32(8))
                self.errors[place] += (error, abs(error))
                value += self.weights[place]
            target = np.float32(points) + np.float32(0.5) * target + np.float32(0.5) * value


def test_an_ended_training_goes_on_as_if_it_had_not_ended(tmp_path) -> None:
    whole = train(SMALL, SETTINGS, output=tmp_path / "whole.npz")
    train(SMALL, {"games": 1000, "threads": 1, "seed": 3}, output=tmp_path / "part.npz")
    part = train(SMALL, {"games": 3000}, output=tmp_path / "part.npz", resume=True)
    assert (part.games, part.moves) == (whole.games, whole.moves)
    assert read_ntuples(part.checkpoint.with_suffix("")).game == SMALL
    with np.load(whole.checkpoint) as one, np.load(part.checkpoint) as other:
        for array in ("places", "weights", "errors"):
            assert np.array_equal(one[array], other[array])


def test_a_small_file_learns_with_the_weights_that_fit_and_goes_on_so(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(small_ntuples, "_MOST_BYTES", 400)
    settings = {"games": 3000, "threads": 1, "tuples": "small"}
    whole = train(SMALL, settings, output=tmp_path / "whole.npz")

    def interrupt(moment) -> None:
        if moment.games == 2700:
            os.kill(os.getpid(), signal.SIGINT)

    part = train(SMALL, settings, output=tmp_path / "part.npz", progress=interrupt)
    assert (part.interrupted, part.games) == (True, 2700)
    train(SMALL, output=tmp_path / "part.npz", resume=True)
    with np.load(whole.checkpoint) as one, np.load(part.checkpoint) as other:
        for array in ("places", "weights", "errors"):
            assert np.array_equal(one[array], other[array])
        learnt, weights = one["places"], one["weights"]
    file = read_ntuples(whole.file)
    assert set(np.flatnonzero(file.weights)) <= set(learnt)
    large = train(SMALL, settings | {"tuples": "large"}, output=tmp_path / "large.npz")
    with np.load(large.checkpoint) as every:
        assert set(learnt) < set(every["places"])
    assert np.abs(file.weights[learnt] * file.unit - weights).max() <= 0.2 * np.abs(weights).max()


def test_a_small_training_that_is_made_longer_learns_what_was_pruned_too(tmp_path) -> None:
    settings = {"games": 1, "threads": 1, "tuples": "small"}
    short = train(SMALL, settings, output=tmp_path / "a.npz")
    longer = train(SMALL, settings | {"games": 20_000}, output=tmp_path / "a.npz", resume=True)
    assert longer.points.mean > 3 * short.points.mean


def test_a_result_tells_its_files_and_the_curve_its_points(tmp_path) -> None:
    moments = []
    result = train(SMALL, SETTINGS, output=tmp_path / "a.npz", progress=moments.append)
    assert str(result).startswith(f"{SMALL}: 3,000 games, ")
    assert result.points.games == 100
    curve = json.loads(result.curve.read_text())["curve"]
    assert [moment["games"] for moment in curve] == list(range(300, 3001, 300))
    assert curve[-1]["points"]["mean"] > curve[0]["points"]["mean"] * 0.8
    assert result.picture.read_text().startswith("<svg")
    assert sum(moment.played for moment in moments) == 10
    made = read_ntuples(result.file).made
    assert made["command"] == f'starspiel train "{SMALL}" --games 3000 --tuples large --seed 3 --threads 1'


def test_a_training_that_was_ended_before_a_score_has_a_picture_too(tmp_path) -> None:
    write_curve(tmp_path / "a.npz.curve.json", SMALL, [], drawn_points)
    assert (tmp_path / "a.npz.curve.svg").read_text().startswith("<svg")


def test_what_would_be_lost_or_cannot_be_is_refused(tmp_path) -> None:
    train(SMALL, {"games": 100, "threads": 1}, output=tmp_path / "a.npz")
    with pytest.raises(StarspielError, match="already exists"):
        train(SMALL, SETTINGS, output=tmp_path / "a.npz")
    with pytest.raises(StarspielError, match="cannot go on with"):
        train(SMALL, {"seed": 9}, output=tmp_path / "a.npz", resume=True)
    with pytest.raises(StarspielError, match="is of star_2048"):
        train("star_2048(rows=3)", {"games": 9}, output=tmp_path / "a.npz", resume=True)
    with pytest.raises(StarspielError, match="there is no checkpoint"):
        train(SMALL, {"games": 9}, output=tmp_path / "b.npz", resume=True)
    with pytest.raises(StarspielError, match="take 4 x 4 at most"):
        train("star_2048(rows=5)", SETTINGS, output=tmp_path / "b.npz")
    with pytest.raises(StarspielError, match="trained by NTupleSettings"):
        train(SMALL, TrainingSettings(), output=tmp_path / "b.npz")
    with pytest.raises(StarspielError, match="trained by TrainingSettings"):
        train("pig", NTupleSettings(), output=tmp_path / "b.npz")
    with pytest.raises(StarspielError, match="without hidden"):
        train(SMALL, {"hidden": (8,)}, output=tmp_path / "b.npz")


def test_patterns_cover_every_board_of_up_to_four_by_four() -> None:
    for rows in range(2, 5):
        for columns in range(2, 5):
            seen = set()
            for cells in fitting(rows, columns):
                at = [divmod(cell, 4) for cell in cells]
                for flip in (False, True):
                    for turn in (False, True):
                        way = {(rows - 1 - r if flip else r, columns - 1 - c if turn else c) for r, c in at}
                        seen |= way | ({(c, r) for r, c in way} if rows == columns else set())
            assert seen == {(row, column) for row in range(rows) for column in range(columns)}


@pytest.mark.parametrize("columns", [2, 3])
def test_tall_boards_are_trained_as_wide_ones_are(columns) -> None:
    trainer = native_status().module.NTupleTrainer(4, columns, fitting(4, columns))
    games, moves, points = trainer.train(seed=1, games=20)
    assert games == 20 < moves < points


def test_small_weights_take_few_bytes_and_are_finer_where_more_was_learnt(monkeypatch) -> None:
    draw = np.random.default_rng(1)
    count = 100_000
    weights = draw.normal(0, 1000, count).astype(np.float32)
    weights[: count // 2] = 0
    learnt = draw.random(count).astype(np.float32) ** 4
    whole, unit = small_weights(weights, learnt)
    assert np.abs(whole * unit - weights).max() <= 0.51 * unit < np.abs(weights).max() / 60_000
    monkeypatch.setattr(small_ntuples, "_MOST_BYTES", 30_000)
    small, same = small_weights(weights, learnt)
    assert same == unit
    size = sum(len(zlib.compress(part.tobytes(), 6)) for part in packed(small).values())
    assert 29_000 < size <= 30_000
    error = np.abs(small * unit - weights) / unit
    most = np.quantile(learnt[count // 2 :], 0.99)
    step = error[learnt > most].max() * 2  # of those that were learnt most
    assert np.all(error <= np.maximum(2 * step * most / learnt, 0.51))
    nothing, _ = small_weights(np.zeros(10, np.float32), np.zeros(10, np.float32))
    assert not nothing.any()
