"""The seal of a store: a file that says what it holds, under a key that nobody has who would change it.

The seal of games.db is games.db.seal. It has a hash of every pair and run, and of the luck by each evaluator
in each pair, and an HMAC (SHA-256) over all of them.
"""

import hmac
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import msgspec

from starspiel.envs.errors import StarspielError
from starspiel.evaluation.outputs import replacing
from starspiel.evaluation.store.checksums import checksum, raw_pairs
from starspiel.evaluation.store.store import Store

_HASH_BYTES = 16


class _Seal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the file holds."""

    rows: dict[str, str]
    mac: str


class SealCheck(msgspec.Struct, frozen=True):
    """How many pairs, runs and lucks are as they were `sealed`, or `newer`, and what is not, in words."""

    sealed: int
    newer: int
    broken: tuple[str, ...]


def seal_of(store: Path) -> Path:
    """Where the seal of a store is."""
    return store.with_name(f"{store.name}.seal")


def write_seal(store: Store, key: str) -> Path:
    """Seals what the store holds, in place of what was sealed before."""
    path, rows = seal_of(store.path), _hashes(store)
    with replacing("the seal", path) as file:
        file.write(msgspec.json.encode(_Seal(rows, _mac(rows, key))).decode() + "\n")
    return path


def check_seal(store: Store, key: str) -> SealCheck:
    """Compares a store with its seal. Raises StarspielError if there is none."""
    path = seal_of(store.path)
    try:
        seal = msgspec.json.decode(path.read_bytes(), type=_Seal)
    except OSError as error:
        raise StarspielError(f"cannot read the seal {path}: {error.strerror}; --seal makes one.") from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        return SealCheck(0, 0, (f"{path} is no seal: {error}",))
    if not hmac.compare_digest(seal.mac.encode(), _mac(seal.rows, key).encode()):
        return SealCheck(0, 0, (f"the seal {path} is of another key, or has been altered",))
    rows = _hashes(store)
    broken = [
        f"{name} is {'not as it was sealed' if name in rows else 'gone'}"
        for name, digest in seal.rows.items()
        if rows.get(name) != digest
    ]
    return SealCheck(len(seal.rows) - len(broken), len(rows.keys() - seal.rows.keys()), tuple(broken))


def _hashes(store: Store) -> dict[str, str]:
    """A hash of every pair and run, and of every pair's luck by an evaluator, by what each is called."""
    with store.explained() as db:
        rows = {f"pair {pair.id.decode()}": pair.digest(_HASH_BYTES) for pair in raw_pairs(db)}
        for run, *said in db.execute("SELECT id, config, environment FROM runs ORDER BY id"):
            rows[f"run {run}"] = checksum(*said, size=_HASH_BYTES)
        lucks = db.execute(
            "SELECT evaluator, pair, game, value FROM luck JOIN games ON games.id = luck.game "
            "ORDER BY evaluator, pair, game"
        )
        for (evaluator, pair), its_rows in groupby(lucks, key=itemgetter(0, 1)):
            rows[f"luck by {evaluator} in pair {pair}"] = checksum(*its_rows, size=_HASH_BYTES)
    return rows


def _mac(rows: dict[str, str], key: str) -> str:
    return hmac.new(key.encode(), msgspec.json.encode(sorted(rows.items())), "sha256").hexdigest()
