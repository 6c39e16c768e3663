"""What the file of a ladder holds: its settings and its agents."""

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
    """An agent on the ladder.

    Attributes:
        name: what tables and the store know it by.
        spec: what it is made of.
        identity: the same with what its files, modules and networks held when it was added.
        added: the day, as 2026-11-23.
        retired: whether it plays no more; its games stay.
    """

    name: str
    spec: str
    identity: str
    added: str
    retired: bool = False


class LadderSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a ladder's games have in common; the settings of a tournament by the same names.

    Attributes:
        keyed: whether dice and agents' seeds come from a key, and `seed` is the number that it goes by: the
            ladder's file can be read by its agents, and the key is not in it.
    """

    game: str = "einstein_wurfelt_nicht"
    seed: int = 1
    keyed: bool = False
    anchor: str | None = None
    clock: float | None = None
    move_limit: float | None = None
    memory_limit: int | None = None


class LadderFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What `ladder.json` holds."""

    version: int = 1
    rules: LadderSettings
    agents: tuple[Entry, ...] = ()


def with_key(rules: LadderSettings, key: str) -> LadderSettings:
    """The rules with dice that come from a key."""
    return msgspec.structs.replace(rules, seed=number_of_key(key), keyed=True)


def with_full_name(rules: LadderSettings) -> LadderSettings:
    """The rules with the game by its name with all parameters."""
    return msgspec.structs.replace(rules, game=load_game(rules.game).name)


def read(path: Path) -> LadderFile:
    try:
        return msgspec.json.decode(path.read_bytes(), type=LadderFile)
    except OSError as error:
        raise StarspielError(f"cannot read the ladder {path}: {error.strerror}.") from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise StarspielError(f"{path} is no ladder of this version of starspiel: {error}.") from None


def other_rules(folder: Path, own: LadderSettings, given: LadderSettings) -> str:
    name = next(
        name for name in LadderSettings.__struct_fields__ if getattr(own, name) != getattr(given, name)
    )
    return (
        f"the ladder {folder} has {name} {getattr(own, name)!r}, not {getattr(given, name)!r}; leave it "
        "out, or begin another ladder."
    )


@contextmanager
def changing(folder: Path, path: Path, settings: LadderSettings) -> Iterator[LadderFile | None]:
    """The file of a ladder as it is by now, which nobody else changes meanwhile; None if there is none yet.

    Raises StarspielError if it cannot be written, or is another ladder's by now.
    """
    is_new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise unwritable("the ladder", path, error) from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        now = read(path) if path.exists() else None
        if now is not None and now.rules != settings:
            raise StarspielError(other_rules(folder, now.rules, settings))
        yield now
    except BaseException:
        if is_new:
            with suppress(OSError):
                folder.rmdir()
        raise
    finally:
        os.close(lock)


def write(path: Path, file: LadderFile) -> None:
    """Writes the file of a ladder, whole or not at all."""
    with replacing("the ladder", path) as out:
        out.write(msgspec.json.format(msgspec.json.encode(file), indent=2).decode() + "\n")
