"""Archives of arrays: what may run code is refused, and nobody is told how to load it all the same."""

import io
import os
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest

from starspiel.agents.book import Book
from starspiel.agents.evaluators.network_file import read_network
from starspiel.agents.evaluators.ntuple_file import read_ntuples
from starspiel.agents.learning.ntuple_checkpoint import read_checkpoint
from starspiel.agents.solve.solution import Solution
from starspiel.envs.errors import StarspielError


class Payload:
    def __reduce__(self):
        return Path.touch, (Path("executed"),)


def pickled() -> bytes:
    return pickle.dumps(Payload())


def array_of_objects() -> bytes:
    content = io.BytesIO()
    np.save(content, np.array([Payload()], dtype=object), allow_pickle=True)
    return content.getvalue()


def archive_of_objects() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("about.npy", array_of_objects())
    return content.getvalue()


@pytest.mark.parametrize(
    ("read", "command"),
    [
        (read_network, "`starspiel train` writes one"),
        (read_ntuples, "`starspiel train star_2048` writes one"),
        (read_checkpoint, "no checkpoint of an n-tuple network's training"),
        (Book.load, "no file of `starspiel book`"),
        (Solution.load, "no solution file of `starspiel solve`"),
    ],
)
@pytest.mark.parametrize(
    ("content", "why"),
    [
        (pickled, "it is not an .npz file, or it is truncated"),
        (array_of_objects, "it is not an .npz file, or it is truncated"),
        (archive_of_objects, "it holds pickled objects, which may run code and are not loaded"),
    ],
)
def test_pickles_are_refused_without_advice_to_load_them(read, command, content, why, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "file.npz"
    file.write_bytes(content())
    with pytest.raises(StarspielError) as caught:
        read(file)
    said = str(caught.value)
    assert why in said
    assert command in said
    assert "allow_pickle" not in said
    assert not Path("executed").exists()


def test_devices_are_not_read_as_some_never_end():
    with pytest.raises(StarspielError, match="it is a device or a pipe"):
        read_network(os.devnull)


@pytest.mark.parametrize(
    ("read", "said"),
    [
        (read_network, "holds no network"),
        (read_ntuples, "holds no n-tuple network"),
        (Book.load, "is no file of `starspiel book`"),
        (Solution.load, "is no solution file"),
    ],
)
def test_a_file_of_another_kind_is_not_taken_for_another_version(read, said, tmp_path):
    file = tmp_path / "other.npz"
    np.savez(file, about=np.array('{"format": 99, "game": "pig"}'))
    with pytest.raises(StarspielError, match=said):
        read(file)
