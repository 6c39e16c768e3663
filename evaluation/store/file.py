"""The SQLite file of a store: created whole, written by one process at a time, checked when it is opened."""

import fcntl
import json
import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any
from weakref import WeakSet

import msgspec

from starspiel.envs.errors import StarspielError
from starspiel.envs.text import printable
from starspiel.evaluation.outputs import unwritable
from starspiel.evaluation.store.schema import APPLICATION, SCRIPT, UNCHECKED, VERSION, foreign_parts

#: Seconds between commits while games are quicker than that.
_COMMIT_SECONDS = 0.2
#: Altered parts that a message names.
_NAMED = 3
#: What SQLite writes at the start of a file.
_HEADER_BYTES = 100


class DamagedStoreError(StarspielError):
    """The file of a store is damaged, and says how what is sound in it is saved."""


class StoreFile:
    """A store's file, opened for writing (one process at a time) or for reading (any number).

    Attributes:
        has_checksums: whether it is of the version that has them; one that has not is open for reading only.

    Raises StarspielError where it is no store, damaged, of another version, or in use, and where it has other
    tables than a store has, or triggers; with `any_schema` these are taken as they are, to be salvaged.
    """

    def __init__(self, path: Path, *, read_only: bool, any_schema: bool = False) -> None:
        self.path = path
        self._db: sqlite3.Connection | None = None
        self._lock: int | None = None
        self._opened = False
        self._any_schema = any_schema
        self.has_checksums = True
        self._last_commit = monotonic()
        if path.exists() and not path.is_file():
            kind = "a folder" if path.is_dir() else "a device or a pipe"
            raise StarspielError(f"{path} cannot be a store: it is {kind}; name a file.")
        if read_only and not path.exists():
            raise StarspielError(f"there is no store {path}.")
        try:
            with self.explained():
                if not read_only:
                    self._take()
                self._open(read_only)
            self._opened = True
        except BaseException:
            self.close()
            raise

    def _take(self) -> None:
        """Creates the file where there is none, and locks it."""
        try:
            if not self.path.exists():
                _create(Path(os.path.realpath(self.path)))
            self._lock = os.open(self.path, os.O_RDWR)
            _locked.add(self)
        except OSError as error:
            raise unwritable("the store", self.path, error) from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise StarspielError(
                f"the store {self.path} is in use by another tournament; wait for it, or use another file."
            ) from None

    def _open(self, read_only: bool) -> None:
        if self.path.stat().st_size < _HEADER_BYTES:
            cure = "" if read_only else " Remove it to begin a new one."
            raise StarspielError(f"{self.path} is not a store of starspiel: it is empty or cut off.{cure}")
        self._db = sqlite3.connect(self.path, isolation_level=None, timeout=30.0)
        # Before the first page is read: SQLite would put a log of unfinished writes away.
        log = Path(f"{os.path.realpath(self.path)}-wal")
        logged = log.exists() and log.stat().st_size > 0
        try:
            application = self._pragma("application_id")
        except sqlite3.OperationalError as error:
            if not read_only or log.exists() or "unable to open" not in str(error):
                raise
            # Where nothing can be written, SQLite has no place for the index of its log; there is no log.
            self._db.close()
            self._db = sqlite3.connect(
                f"{self.path.resolve().as_uri()}?immutable=1", isolation_level=None, uri=True
            )
            application = self._pragma("application_id")
        if application != APPLICATION:
            raise StarspielError(f"{self.path} is not a store of starspiel.")
        self._check_version(version := int(self._pragma("user_version")), read_only)
        self._check_schema(version)
        if not self._whole(logged, read_only):
            raise DamagedStoreError(
                f"the store {self.path} is damaged: it is cut off, or pages of it are broken. Nothing was "
                f"written to it; use a copy or another file. {self._cure}"
            )
        if read_only:
            self._db.execute("PRAGMA query_only = 1")
        else:
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")

    def _check_version(self, version: int, read_only: bool) -> None:
        self.has_checksums = version != UNCHECKED
        if version == UNCHECKED and not read_only:
            raise StarspielError(
                f"the store {self.path} is of version {version}, which has no checksums yet: it can be read, "
                f"and not written. To go on with its games, copy them: `starspiel merge {self.path} --output "
                "NEW`, and name NEW as the store."
            )
        if version not in (UNCHECKED, VERSION):
            raise StarspielError(
                f"the store {self.path} has version {version}, this starspiel reads versions {UNCHECKED} and "
                f"{VERSION}; use another file, or the starspiel that wrote it."
            )

    def _check_schema(self, version: int) -> None:
        """Raises DamagedStoreError where the file holds more than a store's tables, or others."""
        self.connection.execute("PRAGMA trusted_schema = 0")
        if self._any_schema or not (foreign := foreign_parts(self.connection, version)):
            return
        raise DamagedStoreError(
            f"the store {self.path} has been altered: {', '.join(map(printable, foreign[:_NAMED]))} "
            f"{'is' if len(foreign) == 1 else 'are'} not as starspiel makes a store, and may change what is "
            f"written or read. Nothing was written to it; use a copy or another file. {self._cure}"
        )

    def _whole(self, logged: bool, read_only: bool) -> bool:
        """Whether the file has all its pages; pages may also be in the log that a killed process left."""
        if not logged:
            pages, size = (self._pragma(name) for name in ("page_count", "page_size"))
            return self.path.stat().st_size >= int(pages) * int(size)
        return read_only or str(self._pragma("quick_check(1)")) == "ok"

    def _pragma(self, name: str) -> Any:
        return self.connection.execute(f"PRAGMA {name}").fetchone()[0]

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Within it, what goes wrong with the file is a StarspielError that says what to do."""
        try:
            yield
        except sqlite3.OperationalError as error:
            if "full" in str(error):
                raise StarspielError(
                    f"no space is left for the store {self.path}. What it holds is kept: make room, and run "
                    "the same command again to go on."
                ) from None
            if "disk I/O" in str(error):
                raise StarspielError(
                    f"the store {self.path} cannot be read or written: its disk is gone, or takes no more. "
                    "What was stored is kept: see to the disk, and run the same command again to go on."
                ) from None
            raise StarspielError(f"the store {self.path} cannot be used: {error}.") from None
        except (
            sqlite3.DatabaseError,
            msgspec.MsgspecError,
            json.JSONDecodeError,
            UnicodeDecodeError,
        ) as error:
            what = f"{self.path} is not a store of starspiel, or is damaged: {error}."
            if self._opened or "malformed" in str(error):
                raise DamagedStoreError(f"{what} {self._cure}") from None
            raise StarspielError(what) from None

    @property
    def _cure(self) -> str:
        return f"`starspiel merge {self.path} --salvage --output NEW` saves the pairs that are sound."

    @property
    def connection(self) -> sqlite3.Connection:
        """The open database."""
        assert self._db is not None
        return self._db

    @contextmanager
    def saving(self) -> Iterator[sqlite3.Connection]:
        """A part of a transaction that is committed now and then."""
        if not self.connection.in_transaction:
            self.connection.execute("BEGIN IMMEDIATE")
        yield self.connection
        if monotonic() - self._last_commit > _COMMIT_SECONDS:
            self.commit()

    def commit(self) -> None:
        """Writes what was saved so far."""
        if self.connection.in_transaction:
            self.connection.execute("COMMIT")
        self._last_commit = monotonic()

    def close(self) -> None:
        """Commits and closes."""
        try:
            if self._db is not None:
                with self.explained():
                    self.commit()
                self._db.close()
                self._db = None
        finally:
            # Not before the database is closed: closing any descriptor of the file drops SQLite's own locks.
            if self._lock is not None:
                # Not by closing alone: the lock would last as long as any process has the descriptor.
                fcntl.flock(self._lock, fcntl.LOCK_UN)
                os.close(self._lock)
                self._lock = None


#: The stores that this process has locked.
_locked: "WeakSet[StoreFile]" = WeakSet()


def _leave_locks() -> None:
    """A forked process has no part in the locks: it may outlive this one, as a bot's own children do."""
    for file in list(_locked):
        if file._lock is not None:
            os.close(file._lock)
            file._lock = None


os.register_at_fork(after_in_child=_leave_locks)


def _create(path: Path) -> None:
    """Makes a store at `path`, whole or not at all; another process may do the same meanwhile.

    Raises OSError where nothing can be written there.
    """
    unfinished = path.with_name(f".{path.name[:100]}.{secrets.token_hex(8)}.part")
    descriptor = os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644)
    try:
        db = sqlite3.connect(unfinished, isolation_level=None)
        try:
            db.execute("PRAGMA journal_mode = MEMORY")  # no second file beside this one
            db.executescript(SCRIPT)
        finally:
            db.close()
        os.fsync(descriptor)
        put(unfinished, path)
    finally:
        os.close(descriptor)
        unfinished.unlink(missing_ok=True)


def put(unfinished: Path, path: Path) -> bool:
    """Gives the file its name, unless there is a file of that name by now; returns whether it has it."""
    try:
        os.link(unfinished, path)
        return True
    except FileExistsError:
        return False
    except OSError:  # A file system without links, such as a USB stick's; renaming would replace a file.
        folder = os.open(path.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        free = not path.exists()
        if free:
            unfinished.rename(path)
        return free
    finally:
        os.close(folder)
