"""Networks on file: what is written is read, and whatever is wrong is refused in words, with nothing run."""

import contextlib
import errno
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from starspiel.agents.evaluators.network_file import NetworkFile, read_network
from starspiel.agents.evaluators.ntuple_file import NTupleFile, read_ntuples
from starspiel.envs.errors import StarspielError


def network(**changes: Any) -> NetworkFile:
    draw = np.random.default_rng(1)
    layers = tuple(
        (draw.normal(0, 1, sizes).astype(np.float32), draw.normal(0, 1, sizes[1]).astype(np.float32))
        for sizes in ((7, 5), (5, 3), (3, 1))
    )
    facts: dict[str, Any] = {
        "game": "pig(winscore=20)",
        "encoder": ("observation", 1),
        "returns": (-1.0, 1.0),
        "layers": layers,
        "made": {"command": "starspiel train pig", "seed": 7, "games": 100, "seconds": 1.5},
    }
    return NetworkFile(**(facts | changes))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "pig.npz"
    network().save(path)
    return path


def rewrite(path: Path, facts: dict[str, Any] | None = None, /, **arrays: Any) -> None:
    """Writes the file again with other facts or arrays; None takes one out."""
    with np.load(path) as held:
        parts = {name: held[name] for name in held}
    about = json.loads(str(parts["about"])) | (facts or {})
    parts |= {"about": np.array(json.dumps(about))} | arrays
    np.savez(path, **{name: part for name, part in parts.items() if part is not None})


def test_what_is_written_is_read(file: Path) -> None:
    written, read = network(), read_network(file)
    assert (read.game, read.encoder, read.range) == (written.game, written.encoder, written.range)
    assert read.made == written.made
    assert read.sizes == (7, 5, 3, 1)
    for held, own in zip(read.layers, written.layers, strict=True):
        assert np.array_equal(held[0], own[0])
        assert np.array_equal(held[1], own[1])
    assert read.checksum == written.checksum


def test_a_full_disk_leaves_the_network_that_was_there(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(opened: Any, **arrays: Any) -> None:
        opened.write(b"the beginning")
        raise OSError(errno.ENOSPC, "No space left on device")

    before = file.read_bytes()
    monkeypatch.setattr(np, "savez_compressed", full)
    with pytest.raises(StarspielError, match=r"cannot write the network .*No space left"):
        network(made={}).save(file)
    assert file.read_bytes() == before
    assert [path.name for path in file.parent.iterdir()] == ["pig.npz"]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(StarspielError, match=r"cannot read the network .*none\.npz: No such file"):
        read_network(tmp_path / "none.npz")
    with pytest.raises(StarspielError, match="cannot read the network"):
        read_network(tmp_path)
    with pytest.raises(StarspielError, match="cannot write the network"):
        network().save(tmp_path / "nowhere" / "pig.npz")


def test_a_network_of_the_other_kind_says_what_reads_it(file: Path, tmp_path: Path) -> None:
    with pytest.raises(StarspielError, match=r"holds no n-tuples, but a network, which net\(file=…\) reads"):
        read_ntuples(file)
    tuples = NTupleFile("star_2048", 1, 2, ((0, 1),), np.zeros(256, np.int16), 0.0, 1.0)
    tuples.save(tmp_path / "tuples.npz")
    with pytest.raises(StarspielError, match=r"holds an n-tuple network, which ntuple\(file=…\) reads"):
        read_network(tmp_path / "tuples.npz")


def test_a_file_cut_off_or_of_something_else(file: Path) -> None:
    whole = file.read_bytes()
    for content in (b"", b"no network", whole[: len(whole) // 2], whole[:-30]):
        file.write_bytes(content)
        with pytest.raises(StarspielError, match="holds no network"):
            read_network(file)
    np.save(file.with_suffix(".npy"), np.zeros(3))
    with pytest.raises(StarspielError, match="holds no network"):
        read_network(file.with_suffix(".npy"))


def test_any_byte_that_is_wrong_is_noticed_or_without_effect(file: Path) -> None:
    whole = file.read_bytes()
    checksum = read_network(file).checksum
    for at in range(0, len(whole), 17):
        damaged = bytearray(whole)
        damaged[at] ^= 0x55
        file.write_bytes(damaged)
        with contextlib.suppress(StarspielError):
            assert read_network(file).checksum == checksum


def test_weights_without_their_checksum(file: Path) -> None:
    rewrite(file, w1=network().layers[1][0] + np.float32(1e-3))
    with pytest.raises(StarspielError, match="damaged: the weights do not have the checksum"):
        read_network(file)


@pytest.mark.parametrize(
    ("about", "arrays", "words"),
    [
        ({"format": 2}, {}, "of format 2; this version reads format 1"),
        ({"sizes": [7, 5, 3, 2]}, {}, "not of the sizes"),
        ({"sizes": [7, 4, 3, 1]}, {}, "not of the sizes"),
        ({"sizes": [7, 5]}, {}, "not of the sizes"),
        ({"sizes": []}, {}, "not of the sizes"),
        ({"sizes": 3}, {}, "holds no network"),
        ({"encoder": "observation"}, {}, "holds no network"),
        ({"encoder": ["observation", float("inf")]}, {}, "holds no network"),
        ({"made": 3}, {}, "holds no network"),
        ({"range": [-1, 3]}, {}, "expected a range from -x to x"),
        ({"range": [1, -1]}, {}, "expected a range from -x to x"),
        ({"range": [float("-inf"), float("inf")]}, {}, "expected a range from -x to x"),
        ({"range": [float("nan"), float("nan")]}, {}, "expected a range from -x to x"),
        ({}, {"w0": np.full((7, 5), np.nan, np.float32)}, "finite"),
        ({}, {"b2": np.array([np.inf], np.float32)}, "finite"),
        ({}, {"w0": np.array("text")}, "holds no network"),
        ({}, {"w1": None}, "holds no network"),
        ({}, {"about": np.array("[" * 100_000)}, "holds no network"),
        ({}, {"about": np.array("[]")}, "holds no network"),
    ],
)
def test_what_does_not_fit_is_refused(
    file: Path, about: dict[str, Any], arrays: dict[str, Any], words: str
) -> None:
    rewrite(file, about, **arrays)
    with pytest.raises(StarspielError, match=words):
        read_network(file)
