"""The user's cache: made once, checked when read, made again when damaged, and not needed."""

import numpy as np
import pytest

from starspiel.agents.solve.cache import cached_table, forget_tables, why_not_kept


@pytest.fixture
def made(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    made = []

    def table(name="a"):
        def make():
            made.append(name)
            return np.arange(3.0)

        assert cached_table(name, make).tolist() == [0.0, 1.0, 2.0]
        return len(made)

    return table


def test_made_once(made, tmp_path):
    assert [made(), made(), made("b"), made("b")] == [1, 1, 2, 2]
    assert sorted(path.name for path in (tmp_path / "starspiel").iterdir()) == ["a.npz", "b.npz"]


def test_damage_is_made_again(made, tmp_path):
    made()
    file = tmp_path / "starspiel" / "a.npz"
    file.write_bytes(file.read_bytes()[:-40])
    assert [made(), made()] == [2, 2]
    np.savez(file, table=np.zeros(3), checksum=np.array("0"))
    assert [made(), made()] == [3, 3]


def test_another_name_has_another_table(made, tmp_path):
    made("a")
    (tmp_path / "starspiel" / "a.npz").rename(tmp_path / "starspiel" / "b.npz")
    assert made("b") == 2


def test_nobody_is_at_home(made, monkeypatch):
    monkeypatch.delenv("XDG_CACHE_HOME")

    def lost():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr("starspiel.agents.solve.cache.Path.home", lost)
    assert [made(), made()] == [1, 2]
    assert why_not_kept() == "there is no home folder"
    forget_tables("a")


def test_nothing_can_be_written(made, tmp_path):
    assert why_not_kept() == ""
    (tmp_path / "starspiel").rmdir()
    (tmp_path / "starspiel").write_text("a file where the folder should be")
    assert [made(), made()] == [1, 2]
    assert why_not_kept() == f"{tmp_path / 'starspiel'}: File exists"
