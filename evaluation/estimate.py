"""What a tournament would play, and about how long it would take."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from starspiel.evaluation.apart import Aside, apart
from starspiel.evaluation.config import TournamentConfig
from starspiel.evaluation.job import Job
from starspiel.evaluation.limits import HardLimits
from starspiel.evaluation.pairing import Pair
from starspiel.evaluation.prepare import check_memory, prepare
from starspiel.evaluation.store import Store
from starspiel.evaluation.tournament import checked_plan

#: Seconds after which no further meeting is tried out; the rest are taken to be like the others.
_TRIAL_SECONDS = 10.0


@dataclass(frozen=True)
class Estimate:
    """The pairs of a tournament that are stored and that are missing, and the seconds these would take."""

    game: str
    stored_pairs: int
    missing_pairs: int
    missing_games: int
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "game": self.game,
            "stored_pairs": self.stored_pairs,
            "missing_pairs": self.missing_pairs,
            "missing_games": self.missing_games,
            "seconds": round(self.seconds, 1),
        }

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        minutes, seconds = divmod(round(self.seconds), 60)
        yield Text(
            f"{self.game}: {self.missing_games:,} games in {self.missing_pairs:,} pairs to play, "
            f"{self.stored_pairs:,} pairs stored; about {minutes} min {seconds:02} s."
        )


def estimate(game: str, settings: TournamentConfig) -> Estimate:
    """Checks everything, and times one pair of each meeting that is not stored yet; stores nothing."""
    job = prepare(
        game, settings.agents, settings.seed, luck=settings.luck, starts=settings.starts, clock=settings.clock
    )
    schedule, _ = checked_plan(job, settings.pair_count, settings.format, settings.sprt, settings.anchor)
    limits = HardLimits(settings.move_limit, settings.memory_limit)
    check_memory(job, limits)
    stored = set()
    if settings.store is not None and Path(settings.store).exists():
        with Store(settings.store, read_only=True, limits=limits) as store:
            stored = store.stored(job, schedule)
    missing = [pair for pair in schedule if pair not in stored]
    seconds = apart(partial(_seconds, job, missing), settings.move_limit) / settings.workers
    games = sum(len(list(pair.seatings())) for pair in missing)
    return Estimate(job.game.name, len(stored), len(missing), games, seconds)


def _seconds(job: Job, missing: list[Pair], aside: Aside) -> float:
    timed: dict[tuple[int, ...], float] = {}
    began = perf_counter()
    for pair in missing:
        if pair.agents not in timed and perf_counter() - began < _TRIAL_SECONDS:
            aside.say(f"a trial pair of {' and '.join(job.field[agent].name for agent in pair.agents)}")
            started = perf_counter()
            job.play(pair, aside.watch)
            timed[pair.agents] = perf_counter() - started
    mean = sum(timed.values()) / len(timed) if timed else 0.0
    return sum(timed.get(pair.agents, mean) for pair in missing)
