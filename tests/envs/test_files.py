"""Atomic writes: what cannot be replaced is named."""

import pytest

from starspiel.envs.files import written_whole


def test_a_target_that_cannot_be_replaced_is_named_and_left(tmp_path):
    target = tmp_path / "curve.json"
    target.mkdir()
    with pytest.raises(IsADirectoryError) as raised, written_whole(target, "w") as file:
        file.write("{}")
    assert raised.value.filename == str(target)
    assert list(tmp_path.iterdir()) == [target]
