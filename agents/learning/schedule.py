"""What a training does when: targets and learning rates by how much of it is done."""

import math
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from starspiel.agents.learning.settings import Settings, TrainingSettings

#: How often the network is scored: the most, and the least if time is short; and the part of the time that
#: the matches take, each of them so many seconds if that can be.
_MOST_MATCHES, _LEAST_MATCHES, _MATCH_TIME, _MATCH_SECONDS = 10, 2, 0.1, 5.0
#: The part of the training that has exact targets, in games with chance: of its time, and of its games, which
#: take so many times as long.
_EXACT_TIME, _EXACT_GAMES, _EXACT_LENGTH = 0.4, 0.02, 35
#: All games of a round are played before they are learnt from: the rounds of TD and of exact targets, at
#: least, and the most seconds of each. TD needs many: by each, a position learns of few more moves.
_ROUNDS, _EXACT_ROUNDS, _ROUND_SECONDS = 80, 20, 60.0
#: Adam's rate, which falls from the first to the last, for TD and for exact targets; and lambda of each.
_FIRST_RATE, _LAST_RATE = 0.002, 0.00002
_LAMBDA, _EXACT_LAMBDA = 0.9, 0.8
#: The part of the training at whose end the heuristic has no weight in the targets any more.
_HEURISTIC = 0.15
#: The pace is measured over at least so many seconds of self-play.
_PACE_SECONDS = 10.0


@dataclass(frozen=True)
class Phase:
    """How a network learns for a while.

    Attributes:
        exact: whether targets are exact.
        rate: Adam's.
        lambda_: how much of a target is what came later in the game.
        heuristic: its weight in each target.
    """

    exact: bool
    rate: float
    lambda_: float
    heuristic: float = 0.0


def exact_part(settings: TrainingSettings, chance: bool) -> float:
    """The part of a training, at its end, that has exact targets.

    In games with chance that is all of one that starts from a network: TD would first undo what it knew.
    """
    if not chance:
        return 0.0
    if settings.start is not None:
        return 1.0
    return _EXACT_TIME if settings.games is None else _EXACT_GAMES


def round_length(settings: TrainingSettings, chance: bool, exact: bool) -> float:
    """The most seconds of a round or, if games are counted, its most games."""
    part = exact_part(settings, chance)
    share = part / _EXACT_ROUNDS if exact else (1 - part) / _ROUNDS
    if settings.games is not None:
        return max(1, int(settings.games * share))
    return min(_ROUND_SECONDS, 60 * settings.minutes * share)


def share_before(settings: TrainingSettings, begun_with: Any, threads: int, chance: bool) -> float:
    """The part, 0 to 1, that earlier trainings have of a longer one which they and this one make up.

    They are those that led to the network which this one begins with, as its file tells. They count by
    processor time or, if games are counted, by games.
    """
    unit = "processor_seconds" if settings.games is None else "games"
    before = 0.0
    while isinstance(begun_with, Mapping) and isinstance(made := begun_with.get("made"), Mapping):
        told = made.get(unit)
        if isinstance(told, int | float) and told > 0:  # a file may tell anything
            before += min(told, 1e18)
        begun_with = made.get("begun_with")
    ahead = 60 * settings.minutes * threads
    if settings.games is not None:
        ahead = settings.games * (_EXACT_LENGTH if chance else 1)
    return before / (before + ahead)


def phase(settings: TrainingSettings, share: float, chance: bool, before: float = 0.0) -> Phase:
    """The phase at a share of the training, 0 to 1, if a share `before` of it is another's."""

    def rate(done: float) -> float:
        return _FIRST_RATE + (_LAST_RATE - _FIRST_RATE) * (before + (1 - before) * done)

    exact = exact_part(settings, chance)
    begins = 1.0 - exact
    if exact == 0.0 or share < begins:
        known = max(0.0, 1 - share / _HEURISTIC) if settings.heuristic else 0.0
        return Phase(False, rate(share / begins), _LAMBDA, known)
    return Phase(True, rate((share - begins) / exact), _EXACT_LAMBDA)


@dataclass
class Clock:
    """How much of a training is done.

    If minutes are given, they say when it ends, and processor time which phase it is in: the share that was
    used of what can still be used at the best pace seen. So the learning rate waits while others use the
    machine.

    Attributes:
        games: of self-play.
        before: wall-clock seconds before this session.
        playing, computing: wall-clock and processor seconds of self-play.
        pace: the greatest number of processors that worked at once; 0 before it is measured.
        phased: the share by which the phase goes; it never falls.
        elsewhere: processor seconds that other processes have spent on self-play in this session.
    """

    settings: Settings
    games: int = 0
    before: float = 0.0
    playing: float = 0.0
    computing: float = 0.0
    pace: float = 0.0
    phased: float = 0.0
    elsewhere: float = 0.0

    def __post_init__(self) -> None:
        self.started = time.perf_counter()
        self._window = [0.0, 0.0]

    @property
    def seconds(self) -> float:
        """Wall-clock time, of earlier sessions too."""
        return self.before + time.perf_counter() - self.started

    @property
    def matches(self) -> int:
        """How often the network is scored."""
        if self.settings.games is not None:
            return _MOST_MATCHES
        fit = int(60 * self.settings.minutes * _MATCH_TIME / _MATCH_SECONDS)
        return min(_MOST_MATCHES, max(_LEAST_MATCHES, fit))

    @property
    def matches_due(self) -> int:
        """How many of these by now."""
        return int(self.share * self.matches + 1e-9)

    @property
    def _whole(self) -> float:
        """Seconds until the last match begins."""
        return 60 * self.settings.minutes * (1 - _MATCH_TIME / self.matches)

    @property
    def share(self) -> float:
        """How much is done, 0 to 1."""
        if self.settings.games is not None:
            return min(1.0, self.games / self.settings.games)
        return min(1.0, self.seconds / self._whole)

    @property
    def match_seconds(self) -> float | None:
        """Processor time of one match; None if games are counted."""
        if self.settings.games is not None:
            return None
        return 60 * self.settings.minutes * _MATCH_TIME / self.matches

    @property
    def left(self) -> float:
        """Seconds until the last match begins, and a moment at least."""
        return max(0.01, self._whole - self.seconds)

    @property
    def match_end(self) -> float:
        """When a match that begins now must be over, in `time.perf_counter()`; never if games are counted.

        At the end of the time, and before if others hold the machine: after twice its processor time. A match
        that is left over when the time ends still has its own.
        """
        own = self.match_seconds
        if own is None:
            return math.inf
        end = self.started + max(60 * self.settings.minutes - self.before, own)
        return min(end, time.perf_counter() + 2 * own)

    def processor_time(self) -> float:
        """Processor seconds of this process, and of those that play for it."""
        return time.process_time() + self.elsewhere

    def phase_share(self) -> float:
        """How much is done for the phase: `share`, but by processor time if minutes are given."""
        if self.settings.games is not None:
            return self.share
        left = max(0.0, self._whole - self.seconds) * (1 - _MATCH_TIME)
        if self.pace > 0:
            # A longer training that goes on from a checkpoint is further from its end than before.
            ahead = self.computing / max(self.computing + self.pace * left, 1e-9)
            self.phased = min(1.0, max(self.phased, ahead))
        return self.phased

    @contextmanager
    def playing_games(self) -> Iterator[None]:
        """Self-play happens within."""
        wall, processor = time.perf_counter(), self.processor_time()
        yield
        spent = time.perf_counter() - wall, self.processor_time() - processor
        self.playing += spent[0]
        self.computing += spent[1]
        self._window = [total + part for total, part in zip(self._window, spent, strict=True)]
        if self._window[0] >= _PACE_SECONDS or self.pace == 0:
            self.pace = max(self.pace, self._window[1] / max(self._window[0], 1e-9))
            self._window = [0.0, 0.0]
