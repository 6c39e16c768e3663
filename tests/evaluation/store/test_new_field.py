"""One more field of a game is declared in its record, and is stored, exported and counted by that."""

import shutil
import subprocess
import sys
from pathlib import Path

import starspiel.evaluation

#: Imports evaluation from a copy of it, which lies in the current folder.
FROM_COPY = """
import sys
from importlib.util import spec_from_file_location
from pathlib import Path

class FromCopy:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.split(".")[:2] != ["starspiel", "evaluation"]:
            return None
        place = Path.cwd().joinpath(*name.split(".")[1:])
        if not place.is_dir():
            return spec_from_file_location(name, place.with_suffix(".py"))
        return spec_from_file_location(name, place / "__init__.py", submodule_search_locations=[str(place)])

sys.meta_path.insert(0, FromCopy)
"""

#: Plays with a store, and looks for the fields wherever a field of a game is to be found.
LOOK = """
import csv, io, json
from starspiel.evaluation import tournament
from starspiel.evaluation.plan import plan
from starspiel.evaluation.checked_settings import checked
from starspiel.evaluation.store.export import write_csv
from starspiel.evaluation.store.finished import finished
from starspiel.evaluation.store.store import Store

match = dict(game="pig(players=2,winscore=20)", agents=["random", "greedy"], pairs=2, seed=1)
played = tournament(**match, store="games.db")
again = tournament(**match, store="games.db")
assert again.games == played.games == 4
assert again.tally.facts == played.tally.facts
assert played.tally.facts["measured"] == 3 * played.tally.actions
with Store("games.db", read_only=True) as store:
    planned = plan(checked(**match))
    found = finished(store, planned.job, planned.schedule).faultless
    games, outcomes = list(store.games()), list(store.rows())
    records = [json.loads(row.json) for row in store.rows()]
    out = io.StringIO()
    write_csv(outcomes, [], out)
rows = list(csv.DictReader(io.StringIO(out.getvalue())))
lengths = [len(game.record.actions) for game in games]
thrice = [3 * length for length in lengths]
assert [outcome.outcome.facts.doubled for outcome in outcomes] == [2 * length for length in lengths]
assert [int(row["doubled"]) for row in rows] == [2 * length for length in lengths]
assert [game.record.measured for game in games] == thrice
assert [float(row["measured"]) for row in rows] == thrice
assert [record["measured"] for record in records] == thrice
assert "doubled" not in records[0]
assert found.facts["measured"].tolist() == thrice
assert [game.facts.measured for _, pair in found.each() for game in pair] == thrice
"""


def changed(file: Path, *changes: tuple[str, str]) -> None:
    text = file.read_text(encoding="utf-8")
    for before, after in changes:
        assert text.count(before) == 1, f"{file.name} no longer holds {before!r} once: change this test"
        text = text.replace(before, after)
    file.write_text(text, encoding="utf-8")


def test_a_field_of_a_game_is_declared_in_the_record_and_nowhere_else(tmp_path):
    copy = tmp_path / "evaluation"
    shutil.copytree(Path(starspiel.evaluation.__file__).parent, copy)
    changed(
        copy / "play" / "record.py",
        ("    actions_key: int\n", "    actions_key: int\n    doubled: int\n    measured: float\n"),
        ("    luck: Luck = nan\n", "    luck: Luck = nan\n    measured: float = 0.0\n"),
        (
            "    @property\n    def actions_key(",
            "    @property\n    def doubled(self) -> int:\n        return 2 * len(self.actions)\n\n"
            "    @property\n    def actions_key(",
        ),
    )
    changed(
        copy / "play" / "match.py",
        ("returns, moves, fault)\n", "returns, moves, fault, measured=3.0 * len(actions))\n"),
    )
    done = subprocess.run(
        [sys.executable, "-c", FROM_COPY + LOOK], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
