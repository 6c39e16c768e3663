"""Files that are written whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

#: The longest part of a name that the file beside it keeps: names have at most 255 bytes.
_KEPT = 100


@contextmanager
def written_whole(target: Path, mode: str = "wb", **options: Any) -> Iterator[IO[Any]]:
    """A file beside the target that gets its name once all is written; `options` are those of `open`.

    Raises OSError if it cannot be written; the target is then as it was before.
    """
    aside = target.with_name(f".{target.name[:_KEPT]}.{os.getpid()}.part")
    try:
        with aside.open(mode, **options) as file:
            yield file
        aside.replace(target)
    except BaseException:
        with suppress(OSError):
            aside.unlink()
        raise
