"""A store notices when it is not as it was written, names what is damaged, and gives out what is sound."""

import random
import shutil
import sqlite3

import pytest
from support.commands import output, refusal, run

from starspiel.envs.errors import StarspielError
from starspiel.evaluation.store.merge import merge
from starspiel.evaluation.store.store import Store
from starspiel.evaluation.tournament import tournament

PIG = "pig(players=2,winscore=20)"
AGENTS = ["random", "greedy", "star2(depth=1)"]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "a.db"
    tournament(PIG, AGENTS, pairs=10, store=path, luck="heuristic")
    return path


def contents(path):
    """All that can be read of a store: its runs and games, by what names them."""
    with Store(path, read_only=True) as store:
        evaluators = store.evaluators()
        rows = zip(store.games(), store.rows(), strict=True)
        found = {row.id: (repr(game), row.json, repr(row)) for game, row in rows}
        return found | {run["id"]: repr(run) for run in store.runs()} | {"evaluators": repr(evaluators)}


def flipped(path, copy, bit):
    content = bytearray(path.read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    copy.write_bytes(content)


def test_bit_flips(path, tmp_path):
    """Each is noticed, or is where the file holds nothing: what is read is then what was written."""
    rng, copy = random.Random(1), tmp_path / "copy.db"
    whole, bits = contents(path), 8 * path.stat().st_size
    flips, noticed, tried, saved = 100, 0, 0, 0
    for number in range(flips):
        flipped(path, copy, rng.randrange(bits))
        try:
            assert contents(copy) == whole
        except StarspielError:
            noticed += 1
        else:
            continue
        if noticed % 8:
            continue
        tried += 1
        mended = tmp_path / f"{number}.db"
        try:
            merge([copy], mended, salvage=True)
        except StarspielError:
            continue
        saved += 1
        found = contents(mended)
        games = [identity for identity in found if identity in whole and identity != "evaluators"]
        assert len(games) == len(found) - 1
        assert all(found[game][0] == whole[game][0] for game in games)
    print(
        f"{noticed} of {flips} flips noticed, the others changed nothing; {saved} of {tried} stores salvaged"
    )
    assert noticed >= flips / 3
    assert saved >= tried / 2


@pytest.fixture
def damaged(path, tmp_path):
    """A store with a digit of one return changed, as a bit flip may do, and the id of the game's pair."""
    copy = tmp_path / "damaged.db"
    shutil.copy(path, copy)
    db = sqlite3.connect(copy)
    game, pair = db.execute("SELECT id, pair FROM games WHERE return0 = 1 LIMIT 1").fetchone()
    with db:
        db.execute("UPDATE games SET return0 = -1 WHERE id = ?", (game,))
    db.close()
    return copy, pair, game


@pytest.mark.parametrize(
    "command", [("export",), ("export", "--format", "jsonl"), ("tournament", PIG, "--agents", *AGENTS)]
)
def test_a_damaged_pair_is_named(damaged, command, capsys):
    store, pair, _ = damaged
    before = store.read_bytes()
    name, *more = command
    err = refusal(capsys, *([*command, "--store", store] if name == "tournament" else [name, store, *more]))
    assert f"1 pair does not match its checksum: {pair} (number " in err
    assert f"starspiel merge {store} --salvage" in err
    assert store.read_bytes() == before


def test_a_sound_pair_of_a_damaged_store_is_replayed(damaged, capsys):
    store, pair, game = damaged
    db = sqlite3.connect(store)
    [sound] = db.execute("SELECT id FROM games WHERE pair != ? LIMIT 1", (pair,)).fetchone()
    db.close()
    output(capsys, "replay", store, sound)
    assert run(capsys, "replay", store, game)[0] == 2


def test_a_salvaged_store_is_gone_on_with(damaged, path, tmp_path, capsys):
    store, pair, _ = damaged
    mended = tmp_path / "mended.db"
    code, out, err = run(capsys, "merge", store, "--salvage", "--output", mended)
    assert code == 0
    assert "mended.db holds 29 pairs" in out
    assert pair in err
    played = []
    again = tournament(PIG, AGENTS, pairs=10, store=mended, luck="heuristic", on_pair=played.append)
    assert len(played) == 1
    assert again.ranked_names == tournament(PIG, AGENTS, pairs=10, store=path, luck="heuristic").ranked_names


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE records SET moves = replace(moves, '\"nodes\":[', '\"nodes\": [')",
        "UPDATE pairs SET seed = seed + 1",
        "UPDATE luck SET value = value + 0.5",
        "UPDATE luck SET evaluator = CAST(evaluator AS BLOB)",
        "UPDATE runs SET config = replace(config, '1', '2')",
        "DELETE FROM games",
        "DELETE FROM pairs",
        "DELETE FROM records WHERE rowid = 3",
        "UPDATE games SET seat0 = CAST(X'ff' AS TEXT) WHERE rowid = 1",
    ],
)
def test_whatever_changes_is_noticed(path, tmp_path, change):
    copy = tmp_path / "copy.db"
    shutil.copy(path, copy)
    with sqlite3.connect(copy) as db:
        db.execute(change)
    db.close()
    with Store(copy, read_only=True) as store, pytest.raises(StarspielError, match="is damaged"):
        store.check()


def test_nothing_is_written_into_a_damaged_store(damaged, path):
    store, _, _ = damaged
    before = store.read_bytes()
    for salvage, says in ((True, "needs --output"), (False, "1 pair does not match")):
        with pytest.raises(StarspielError, match=says):
            merge([store, path], salvage=salvage)
    assert store.read_bytes() == before


@pytest.mark.parametrize(("share", "saved"), [(0.85, 10), (0.99, 25), (0.3, 0)])
def test_what_is_left_of_a_store_that_is_cut_off_is_saved(path, tmp_path, share, saved):
    """As a copy that found no more room: SQLite itself opens no such file."""
    copy, mended = tmp_path / "cut.db", tmp_path / "mended.db"
    content = path.read_bytes()
    copy.write_bytes(content[: int(share * len(content))])
    with pytest.raises(StarspielError, match=r"damaged.*`starspiel merge \S* --salvage"):
        Store(copy, read_only=True)
    if not saved:
        with pytest.raises(StarspielError, match=r"nothing can be saved from \S*cut\.db: none"):
            merge([copy], mended, salvage=True)
        assert not mended.exists()
        return
    assert merge([copy], mended, salvage=True).pairs >= saved
    whole, found = contents(path), contents(mended)
    assert all(found[game][0] == whole[game][0] for game in found if game != "evaluators")
    assert copy.stat().st_size == int(share * len(content)), "nothing is written to it"


@pytest.mark.parametrize("kept", [200, 4096])
def test_a_store_of_which_only_the_header_is_left_is_named_as_it_was(path, tmp_path, kept):
    copy = tmp_path / "cut.db"
    content = path.read_bytes()
    copy.write_bytes(content[:200] if kept == 200 else content[:100] + bytes(kept - 100) + content[kept:])
    with pytest.raises(StarspielError, match=r"nothing can be saved from \S*cut\.db: none") as refused:
        merge([copy], tmp_path / "mended.db", salvage=True)
    assert "--salvage" not in str(refused.value)
