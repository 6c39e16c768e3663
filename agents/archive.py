"""NumPy's archives of arrays, .npz: written whole or not at all, and read without running what they hold."""

import json
import os
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from starspiel.envs.errors import StarspielError
from starspiel.envs.files import written_whole


@contextmanager
def opened_archive(path: str | os.PathLike[str]) -> Iterator[Any]:
    """The arrays of an archive by name, for as long as it is open.

    Raises OSError where it cannot be read, and what NumPy raises where it is damaged; but ValueError in words
    of ours for files and arrays that NumPy would advise to load with whatever code they hold.
    """
    with Path(path).open("rb") as file:
        if not zipfile.is_zipfile(file):
            raise ValueError("it is no .npz file, or one that was cut off")
        file.seek(0)
        try:
            with np.load(file, allow_pickle=False) as held:
                yield held
        except ValueError as error:
            if "pickle" in str(error):
                raise ValueError("it holds pickled objects, which may run code and are not loaded") from None
            raise


def save_archive(
    path: Path, about: dict[str, Any], arrays: dict[str, Any], *, what: str = "", compressed: bool = True
) -> None:
    """Writes the arrays and the text of `about` as JSON, whole or not at all.

    Args:
        what: how an error names the file, such as "the network".

    Raises StarspielError if the file cannot be written.
    """
    write = np.savez_compressed if compressed else np.savez
    try:
        with written_whole(path) as file:
            write(file, about=np.array(json.dumps(about)), **arrays)
    except OSError as error:
        raise StarspielError(f"cannot write {what} {path}: {error.strerror or error}.") from None
