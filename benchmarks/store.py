"""How long each command takes on a store of 100,000 games.

    python benchmarks/store.py [FILE]

Six agents first play 50,010 pairs of pig, which takes 20 minutes of one core. Seconds of whole commands,
start of Python included, by the processor and by the wall clock; the best of three if nothing is written.
With FILE, the store stays there for other trials.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from starspiel.evaluation.plan import plan
from starspiel.evaluation.settings import Settings
from starspiel.evaluation.statistics.ratings import rate
from starspiel.evaluation.statistics.tally import Tally
from starspiel.evaluation.store.finished import finished
from starspiel.evaluation.store.store import Store

GAME = "pig"
AGENTS = [
    "random",
    "greedy",
    "mcts(simulations=5)",
    "mcts(simulations=20)",
    "star2(depth=1)",
    "star2(depth=2)",
]
PAIRS = 3334
COMMAND = [sys.executable, "-c", "from starspiel.cli import main; main()"]
TOURNAMENT = [*COMMAND, "tournament", GAME, "--agents", *AGENTS, "--pairs", str(PAIRS)]


def main(path: Path, folder: Path) -> None:
    stored = [*TOURNAMENT, "--store", str(path)]
    if not path.exists():
        subprocess.run([*stored, "--workers", "2"], check=True)
    with Store(path, read_only=True) as store:
        some = next(store.games()).id
    print(f"{path.stat().st_size / 2**20:.0f} MiB\n\n| command | CPU s | wall s |\n|---|---:|---:|")
    _time("tournament, nothing to play", stored)
    _time("tournament --dry-run", [*stored, "--dry-run"])
    _time("tournament --report", [*stored, "--report", str(folder / "report.html")])
    _time("export --format csv", [*COMMAND, "export", str(path), "-o", str(folder / "games.csv")])
    out = str(folder / "games.jsonl")
    _time("export --format jsonl", [*COMMAND, "export", str(path), "--format", "jsonl", "-o", out])
    _time("replay", [*COMMAND, "replay", str(path), some[:10]])
    _time("tournament --luck heuristic, first", [*stored, "--luck", "heuristic"], rounds=1)
    _time("tournament --luck heuristic, again", [*stored, "--luck", "heuristic"])
    tally = _tally(path)
    began, started = time.perf_counter(), time.process_time()
    rate(tally.results)
    cpu, wall = time.process_time() - started, time.perf_counter() - began
    print(f"| ratings of six agents | {cpu:.1f} | {wall:.1f} |")


def _tally(path: Path) -> Tally:
    planned = plan(Settings(game=GAME, agents=AGENTS, pairs=PAIRS))
    tally = Tally(len(AGENTS))
    with Store(path, read_only=True) as store:
        tally.count_all(finished(store, planned.job, planned.schedule).faultless)
    return tally


def _time(name: str, command: list[str], rounds: int = 3) -> None:
    taken = []
    for _ in range(rounds):
        began, before = time.perf_counter(), os.times()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        after = os.times()
        cpu = after.children_user + after.children_system - before.children_user - before.children_system
        taken.append((cpu, time.perf_counter() - began))
    cpu, wall = (min(column) for column in zip(*taken, strict=True))
    print(f"| {name} | {cpu:.1f} | {wall:.1f} |", flush=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        main(Path(sys.argv[1]) if len(sys.argv) > 1 else folder / "games.db", folder)
