"""Opens the SQLite file of a store: created atomically, locked for one writer, and checked when opened."""

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Any, Self
from weakref import WeakSet

import msgspec

from starspiel.envs.errors import StarspielError
from starspiel.envs.files import beside
from starspiel.envs.text import printable
from starspiel.evaluation.outputs import unwritable
from starspiel.evaluation.store.tables import APPLICATION, SCRIPT, VERSION, foreign_parts

#: The minimum time between commits in seconds: several short games are committed together.
_COMMIT_SECONDS = 0.2
#: The maximum number of altered parts that a message names.
_NAMED = 3
#: The size of the header that SQLite writes at the start of a file.
HEADER_BYTES = 100


class DamagedStoreError(StarspielError):
    """The file of a store is damaged; the message says how to salvage it."""


class StoreFile:
    """A store's file, opened for writing (one process at a time) or for reading (any number).

    Raises StarspielError if it is not a store, is damaged, is of another version, is in use, or has triggers
    or tables other than those of a store.
    """

    def __init__(self, path: str | Path, *, read_only: bool = False) -> None:
        #: The path, as given.
        self.path = path = Path(path)
        self._db: sqlite3.Connection | None = None
        self._lock: int | None = None
        self._opened = False
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

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _take(self) -> None:
        """Creates the file if there is none, and locks it."""
        try:
            if not self.path.exists():
                with suppress(FileExistsError):  # another process has just created it
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
        if self.path.stat().st_size < HEADER_BYTES:
            cure = "" if read_only else " Remove it to begin a new one."
            raise StarspielError(f"{self.path} is not a store of starspiel: it is empty or cut off.{cure}")
        # Checked before the first page is read: SQLite would then remove a log of unfinished writes.
        logged = has_log(self.path)
        self._db = connected(self.path, read_only)
        if self._pragma("application_id") != APPLICATION:
            raise StarspielError(f"{self.path} is not a store of starspiel.")
        check_version(self.path, int(self._pragma("user_version")))
        if foreign := foreign_parts(self._db):
            raise DamagedStoreError(
                f"the store {self.path} has been altered: {', '.join(map(printable, foreign[:_NAMED]))} "
                f"{'is' if len(foreign) == 1 else 'are'} not as starspiel makes a store, and may change what "
                f"is written or read. Nothing was written to it; use a copy or another file. {self._cure}"
            )
        if not self._whole(logged, read_only):
            raise DamagedStoreError(
                f"the store {self.path} is damaged: it is cut off, or pages of it are broken. Nothing was "
                f"written to it; use a copy or another file. {self._cure}"
            )
        if not read_only:
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")

    def _whole(self, logged: bool, read_only: bool) -> bool:
        """Returns whether the file has all its pages, of which some may be in the log of a killed process."""
        if not logged:
            pages, size = (self._pragma(name) for name in ("page_count", "page_size"))
            return self.path.stat().st_size >= int(pages) * int(size)
        return read_only or str(self._pragma("quick_check(1)")) == "ok"

    def _pragma(self, name: str) -> Any:
        return self.connection.execute(f"PRAGMA {name}").fetchone()[0]

    @contextmanager
    def explained(self) -> Iterator[sqlite3.Connection]:
        """A context that converts SQLite's errors to a StarspielError with the remedy."""
        try:
            yield self._db  # type: ignore[misc]
        except sqlite3.OperationalError as error:
            if "full" in str(error):
                raise StarspielError(
                    f"no space is left for the store {self.path}. What it holds is kept: free some space, "
                    "and run the same command again to resume."
                ) from None
            if "disk I/O" in str(error):
                raise StarspielError(
                    f"the store {self.path} cannot be read or written: its disk is missing, full or failing. "
                    "What was stored is kept: check the disk, and run the same command again to resume."
                ) from None
            raise StarspielError(f"the store {self.path} cannot be used: {error}.") from None
        except (
            sqlite3.DatabaseError,
            msgspec.MsgspecError,
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
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A context for a transaction, which writes either everything or nothing."""
        with self.explained() as db:
            self.commit()
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                self.commit()
            except BaseException:
                db.execute("ROLLBACK")
                raise

    @contextmanager
    def saving(self) -> Iterator[sqlite3.Connection]:
        """A context for a part that is saved completely or not at all; parts are committed in groups."""
        with self.explained() as db:
            if not db.in_transaction:
                db.execute("BEGIN IMMEDIATE")
            db.execute("SAVEPOINT part")
            try:
                yield db
                db.execute("RELEASE part")
            except BaseException:  # Ctrl-C as well
                if db.in_transaction:
                    db.execute("ROLLBACK TO part")
                raise
            if monotonic() - self._last_commit > _COMMIT_SECONDS:
                self.commit()

    def commit(self) -> None:
        """Commits what was saved so far."""
        if self.connection.in_transaction:
            self.connection.execute("COMMIT")
        self._last_commit = monotonic()

    def close(self) -> None:
        """Commits, closes the database and releases the lock."""
        try:
            if self._db is not None:
                with self.explained():
                    self.commit()
                self._db.close()
                self._db = None
        finally:
            # Only after the database is closed: closing any descriptor of the file drops SQLite's own locks.
            if self._lock is not None:
                # Closing is not enough: the lock would last as long as any process has the descriptor.
                fcntl.flock(self._lock, fcntl.LOCK_UN)
                os.close(self._lock)
                self._lock = None


def connected(path: Path, read_only: bool) -> sqlite3.Connection:
    """Returns a connection to the database in a file, whose schema is not trusted."""
    db = sqlite3.connect(path, isolation_level=None, timeout=30.0)
    try:
        db.execute("PRAGMA application_id")
    except sqlite3.OperationalError as error:
        if not read_only or has_log(path) or "unable to open" not in str(error):
            raise
        # On a read-only medium, SQLite cannot create the index of its log; but there is no log.
        db.close()
        db = sqlite3.connect(f"{path.resolve().as_uri()}?immutable=1", isolation_level=None, uri=True)
    db.execute("PRAGMA trusted_schema = 0")
    if read_only:
        db.execute("PRAGMA query_only = 1")
    return db


def has_log(path: Path) -> bool:
    """Returns whether SQLite's log next to a database contains pages."""
    log = Path(f"{os.path.realpath(path)}-wal")
    return log.exists() and log.stat().st_size > 0


def check_version(path: Path, version: int) -> None:
    """Raises StarspielError if this starspiel cannot read stores of this version."""
    if version != VERSION:
        raise StarspielError(
            f"the store {path} has version {version}, this starspiel reads version {VERSION}; use another "
            "file, or the starspiel that wrote it."
        )


#: The stores that this process has locked.
_locked: "WeakSet[StoreFile]" = WeakSet()


def _leave_locks() -> None:
    """Closes the locks in a forked process, which may outlive this one, like the child of a bot."""
    for file in list(_locked):
        if file._lock is not None:
            os.close(file._lock)
            file._lock = None


os.register_at_fork(after_in_child=_leave_locks)


def _create(path: Path) -> None:
    """Creates an empty store. Raises OSError if the file cannot be written or exists by now."""
    with beside(path, replace=False) as unfinished:
        db = sqlite3.connect(unfinished, isolation_level=None)
        try:
            db.executescript(SCRIPT)
        finally:
            db.close()
