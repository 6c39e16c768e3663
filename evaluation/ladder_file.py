"""Reads, writes and locks the file of a ladder: its settings and agents."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from starspiel.envs.errors import StarspielError
from starspiel.envs.load import load_game
from starspiel.evaluation.outputs import replacing, unwritable
from starspiel.evaluation.play.dice import number_of_key


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """An agent on the ladder, with the name used in tables and in the store.

    Attributes:
        identity: its spec, with hashes of its files, modules and networks when it was added.
        added: the day it was added, such as 2026-11-23.
        retired: whether it no longer plays; its games stay.
    """

    name: str
    spec: str
    identity: str
    added: str
    retired: bool = False

    def check_same(self, name: str, identity: str) -> None:
        """Raises StarspielError if the agent's code or files have changed since it was added."""
        if (name, identity) != (self.name, self.identity):
            raise StarspielError(
                f"{self.name} has changed since it was added on {self.added}: it was {self.identity}, and is "
                f"{identity}. Its games would not be those of one agent: add it under a new name, "
                f'new="{self.spec}", and retire this one.'
            )


class LadderSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings that a ladder's games have in common; names are those of a tournament's settings.

    Attributes:
        keyed: whether dice and agents' seeds are derived from a key. `seed` is then the number that stands
            for the key: the key is not in the file, because agents could read it.
    """

    game: str = "einstein_wurfelt_nicht"
    seed: int = 1
    keyed: bool = False
    anchor: str | None = None
    clock: float | None = None
    move_limit: float | None = None
    memory_limit: int | None = None

    def with_key(self, key: str) -> "LadderSettings":
        """Returns a copy whose dice are derived from a key."""
        return msgspec.structs.replace(self, seed=number_of_key(key), keyed=True)

    def with_full_name(self) -> "LadderSettings":
        """Returns a copy with the game's full name, including all parameters."""
        return msgspec.structs.replace(self, game=load_game(self.game).name)

    def check_same(self, given: "LadderSettings", folder: Path) -> None:
        """Raises StarspielError unless `given` equals these settings; loads a game only if names differ."""
        if given.game != self.game:
            given = given.with_full_name()
        for name in self.__struct_fields__:
            if (own := getattr(self, name)) != (other := getattr(given, name)):
                raise StarspielError(
                    f"the ladder {folder} has {name} {own!r}, not {other!r}; leave it out, or create another "
                    "ladder."
                )


class LadderFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The contents of `ladder.json`."""

    version: int = 1
    rules: LadderSettings
    agents: tuple[Entry, ...] = ()


def read(path: Path) -> LadderFile:
    """Reads the file of a ladder. Raises StarspielError if it is invalid."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=LadderFile)
    except OSError as error:
        raise StarspielError(f"cannot read the ladder {path}: {error.strerror}.") from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise StarspielError(f"{path} is not a ladder of this version of starspiel: {error}.") from None


def write(path: Path, file: LadderFile) -> None:
    """Writes the file of a ladder atomically."""
    with replacing("the ladder", path) as out:
        out.write(msgspec.json.format(msgspec.json.encode(file), indent=2).decode() + "\n")


@contextmanager
def locked(folder: Path, path: Path) -> Iterator[None]:
    """A context in which the ladder is locked. Raises StarspielError if the ladder cannot be written."""
    is_new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise unwritable("the ladder", path, error) from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    except BaseException:
        if is_new:
            with suppress(OSError):
                folder.rmdir()
        raise
    finally:
        os.close(lock)
