"""Schedules a training: its matches, targets and learning rates by how much of it is done."""

import math
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from starspiel.agents.learning.settings import Settings, TrainingSettings

#: The most matches of the network, and the least if time is short; the share of the time that matches take;
#: and the least seconds of a match if more than the least matches are played.
_MOST_MATCHES, _LEAST_MATCHES, _MATCH_TIME, _MATCH_SECONDS = 10, 2, 0.1, 5.0
#: In games with chance, the share of the training that has exact targets: of its time, or of its games; and
#: how many times as long a game with exact targets takes.
_EXACT_TIME, _EXACT_GAMES, _EXACT_LENGTH = 0.4, 0.02, 35
#: All games of a round are played before they are learnt from. The least number of rounds of TD and of exact
#: targets, and the most seconds of a round. TD needs many rounds: in each, a position learns from few more
#: moves.
_ROUNDS, _EXACT_ROUNDS, _ROUND_SECONDS = 80, 20, 60.0
#: Adam's learning rate, which falls from the first to the last, separately for TD and for exact targets; and
#: lambda of each.
_FIRST_RATE, _LAST_RATE = 0.002, 0.00002
_LAMBDA, _EXACT_LAMBDA = 0.9, 0.8
#: The share of the training over which the heuristic's weight in the targets falls to 0.
_HEURISTIC = 0.15
#: The least seconds of self-play over which the pace is measured.
_PACE_SECONDS = 10.0


@dataclass(frozen=True)
class Phase:
    """How a network learns during a part of the training.

    Attributes:
        exact: whether targets are exact.
        rate: Adam's learning rate.
        lambda_: the weight, in a target, of what came later in the game.
        heuristic: the heuristic's weight in each target.
    """

    exact: bool
    rate: float
    lambda_: float
    heuristic: float = 0.0


def exact_part(settings: TrainingSettings, chance: bool) -> float:
    """Returns the share of a training, at its end, that has exact targets.

    In games with chance, a training that starts from a network has only exact targets: TD would first undo
    what the network has learnt.
    """
    if not chance:
        return 0.0
    if settings.start is not None:
        return 1.0
    return _EXACT_TIME if settings.games is None else _EXACT_GAMES


def round_length(settings: TrainingSettings, chance: bool, exact: bool) -> float:
    """Returns the most seconds of a round or, if games are counted, the most games."""
    part = exact_part(settings, chance)
    share = part / _EXACT_ROUNDS if exact else (1 - part) / _ROUNDS
    if settings.games is not None:
        return max(1, int(settings.games * share))
    return min(_ROUND_SECONDS, 60 * settings.minutes * share)


def share_before(settings: TrainingSettings, begun_with: Any, threads: int, chance: bool) -> float:
    """Returns the share, 0 to 1, of earlier trainings in the longer one that they and this one make up.

    Earlier trainings are those that led to the network with which this one begins, according to its file.
    They are measured in processor time or, if games are counted, in games.
    """
    unit = "processor_seconds" if settings.games is None else "games"
    before = 0.0
    while isinstance(begun_with, Mapping) and isinstance(made := begun_with.get("made"), Mapping):
        told = made.get(unit)
        if isinstance(told, int | float) and told > 0:  # the file may contain anything
            before += min(told, 1e18)
        begun_with = made.get("begun_with")
    ahead = 60 * settings.minutes * threads
    if settings.games is not None:
        ahead = settings.games * (_EXACT_LENGTH if chance else 1)
    return before / (before + ahead)


def phase(settings: TrainingSettings, share: float, chance: bool, before: float = 0.0) -> Phase:
    """Returns the phase at a share of the training, 0 to 1; earlier trainings are a share `before` of it."""

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
    """Measures how much of a training is done.

    If minutes are given, wall-clock time decides when it ends, and processor time which phase it is in. The
    phase depends on the processor time used, as a share of all that can be used at the best pace seen. So the
    learning rate waits while other programs use the machine.

    Attributes:
        games: games of self-play.
        before: wall-clock seconds before this session.
        playing, computing: wall-clock and processor seconds of self-play.
        pace: the greatest number of processors that worked at once; 0 before it is measured.
        phased: the share that determines the phase; it never falls.
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
        """Wall-clock time, including earlier sessions."""
        return self.before + time.perf_counter() - self.started

    @property
    def matches(self) -> int:
        """The number of matches of the training."""
        if self.settings.games is not None:
            return _MOST_MATCHES
        fit = int(60 * self.settings.minutes * _MATCH_TIME / _MATCH_SECONDS)
        return min(_MOST_MATCHES, max(_LEAST_MATCHES, fit))

    @property
    def matches_due(self) -> int:
        """The number of matches that are due by now."""
        return int(self.share * self.matches + 1e-9)

    @property
    def _whole(self) -> float:
        """Seconds from the start until the last match begins."""
        return 60 * self.settings.minutes * (1 - _MATCH_TIME / self.matches)

    @property
    def share(self) -> float:
        """The share of the training that is done, 0 to 1."""
        if self.settings.games is not None:
            return min(1.0, self.games / self.settings.games)
        return min(1.0, self.seconds / self._whole)

    @property
    def match_seconds(self) -> float | None:
        """Processor time for one match; None if games are counted."""
        if self.settings.games is not None:
            return None
        return 60 * self.settings.minutes * _MATCH_TIME / self.matches

    @property
    def left(self) -> float:
        """Seconds from now until the last match begins, but at least a moment."""
        return max(0.01, self._whole - self.seconds)

    @property
    def match_end(self) -> float:
        """When a match that begins now must end, in `time.perf_counter()`; infinite if games are counted.

        It must end at the end of the training, or after twice its processor time if other programs use the
        machine. A match that has not begun when the training's time ends still gets its own time.
        """
        own = self.match_seconds
        if own is None:
            return math.inf
        end = self.started + max(60 * self.settings.minutes - self.before, own)
        return min(end, time.perf_counter() + 2 * own)

    def processor_time(self) -> float:
        """Returns the processor seconds of this process, and of those that play for it."""
        return time.process_time() + self.elsewhere

    def phase_share(self) -> float:
        """Returns the share done that determines the phase: `share`, or by processor time if minutes are
        given.
        """
        if self.settings.games is not None:
            return self.share
        left = max(0.0, self._whole - self.seconds) * (1 - _MATCH_TIME)
        if self.pace > 0:
            # A training that was made longer when it was resumed is further from its end than before.
            ahead = self.computing / max(self.computing + self.pace * left, 1e-9)
            self.phased = min(1.0, max(self.phased, ahead))
        return self.phased

    @contextmanager
    def playing_games(self) -> Iterator[None]:
        """Measures the time of self-play, which happens within the context."""
        wall, processor = time.perf_counter(), self.processor_time()
        yield
        spent = time.perf_counter() - wall, self.processor_time() - processor
        self.playing += spent[0]
        self.computing += spent[1]
        self._window = [total + part for total, part in zip(self._window, spent, strict=True)]
        if self._window[0] >= _PACE_SECONDS or self.pace == 0:
            self.pace = max(self.pace, self._window[1] / max(self._window[0], 1e-9))
            self._window = [0.0, 0.0]
