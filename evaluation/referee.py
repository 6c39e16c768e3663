"""Provides `Referee`, which seats the agents of a pair, runs its games and attributes faults."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Any

from starspiel.agents.evaluators import Evaluator
from starspiel.agents.registry import extra
from starspiel.envs.base import Game
from starspiel.envs.errors import SeatError
from starspiel.envs.modules import resolve
from starspiel.evaluation.entrant import Entrant
from starspiel.evaluation.identity import of_luck
from starspiel.evaluation.job import Job, Meeting
from starspiel.evaluation.play.faults import FaultError, ended_early, fault_of
from starspiel.evaluation.play.match import play_game
from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.play.record import Fault, GameRecord, Luck, PairRecord
from starspiel.evaluation.play.seat import Player, Seat
from starspiel.evaluation.seating import Seating

#: Tolerance of the clock, as a factor: longer moves count as overruns.
GRACE = 1.1
#: The optional module that measures luck, resolved by name.
LUCK = "starspiel.evaluation.luck"
#: An engine can play further games after these kinds of faults.
_SOUND = frozenset({"illegal", "raised"})

#: Index of a game in its pair -> the fault that ended it before it could be finished.
Forfeits = Mapping[int, Fault]


@dataclass(frozen=True)
class Referee:
    """Referees the pairs of a job between the agents of a field; `luck` is the evaluator that measures it."""

    job: Job
    field: tuple[Entrant, ...]
    luck: Evaluator | None = None

    @classmethod
    def of(
        cls, game: Game, field: Sequence[Entrant], seed: int, luck: Evaluator | None = None, **more: Any
    ) -> "Referee":
        """Returns the referee of a game between these agents; `more` are further attributes of its `Job`."""
        job = Job(
            game,
            tuple([entrant.name for entrant in field]),
            tuple([entrant.identity(game) for entrant in field]),
            frozenset(agent for agent, entrant in enumerate(field) if entrant.is_foreign),
            seed,
            luck_identity=None if luck is None else of_luck(luck, game),
            **more,
        )
        return cls(job, tuple(field), luck)

    def __getstate__(self) -> dict[str, Any]:
        """Returns the state for other processes, without the makers of bots, which these recreate."""
        return {name: value for name, value in self.__dict__.items() if name != "makers"}

    @cached_property
    def makers(self) -> tuple[Callable[[int, int], Player], ...]:
        """Functions that make the bots in this process, in the order of the field."""
        return tuple(_never if each.is_foreign else each.maker(self.job.game) for each in self.field)

    @property
    def has_specs_only(self) -> bool:
        """Whether no agent is a Python object."""
        return all(entrant.is_named for entrant in self.field)

    def with_other_dice(self) -> "Referee":
        """Returns a copy for trial games; see `Job.with_other_dice`."""
        return replace(self, job=self.job.with_other_dice())

    def referee(
        self, pair: Pair, seating: Seating | None = None, forfeits: Forfeits | None = None
    ) -> PairRecord:
        """Plays a pair and returns its record.

        A pair with a fault is void and is played once more with other dice; the second attempt stands. If an
        external agent is at fault, the first attempt stands, because the agent may have seen that it was
        losing. `forfeits` are faults that have already ended games of the pair.
        """
        seating, forfeits = seating or Seating(), forfeits or {}
        voided: tuple[tuple[int, Fault], ...] = ()
        while True:
            games = []
            for place, seats in enumerate(pair.seatings()):
                if place in forfeits:
                    games.append(ended_early(self.job.game, seats, (), forfeits[place]))
                    continue
                if seating.board is not None:
                    seating.board.game = place
                games.append(self.play_game(pair, seats, seating, again=bool(voided)))
            record = PairRecord(pair, tuple(games), voided)
            if voided or not record.faults or any(agent in self.job.foreign for agent, _ in record.faults):
                return record
            voided, forfeits = record.faults, {}

    def play_game(
        self, pair: Pair, seats: tuple[int, ...], seating: Seating | None = None, *, again: bool = False
    ) -> GameRecord:
        """Plays the game of the pair with `field[seats[i]]` in seat i; `again` after a void attempt."""
        job, meeting = self.job, self.job.meeting(pair, seats, again=again)
        seating = seating or Seating()
        apart = {agent for agent in seats if self.field[agent].sits_apart(seating)}
        taken: list[Seat] = []
        record: GameRecord | None = None
        try:
            fault = self._seat_all(meeting, seats, seating, taken)
            if fault is None:
                record = play_game(job.game, taken, meeting.dice, meeting.start)
                fault = record.fault
            else:
                record = ended_early(job.game, seats, (), fault)
            for seat in taken:
                if fault is not None and fault.seat == seat.number and seat.agent in apart:
                    said = seat.bot.printed().encode(errors="replace").decode()
                    record = replace(record, fault=replace(fault, message=fault.message + said))
        finally:
            for seat in taken:
                if seat.agent in apart:
                    returns, sound = _parting(seat.number, record)
                    seat.bot.leave(returns, sound=sound)
        if self.luck is None:
            return record
        return replace(record, luck=self.luck_of(record.actions, len(meeting.start)))

    def luck_of(self, actions: Sequence[int], skip: int) -> Luck:
        """Returns the luck in a game, whose first `skip` actions are a start position."""
        assert self.luck is not None
        luck: Luck = resolve(f"{LUCK}:game_luck")(self.job.game, actions, self.luck, skip=skip)
        return luck

    def _seat_all(
        self, meeting: Meeting, seats: tuple[int, ...], seating: Seating, taken: list[Seat]
    ) -> Fault | None:
        """Appends the seats to `taken`. Returns the fault of an agent that cannot be seated, or None."""
        clock = inf if self.job.clock is None else self.job.clock
        for seat, agent in enumerate(seats):
            try:
                bot = self._bot(agent, seat, self.job.bot_seed(meeting, seat, agent), seating)
                if self.field[agent].sits_apart(seating):
                    seating.watch(bot, agent)
                taken.append(Seat(seat, bot, clock, agent))
            except FaultError as error:
                return error.fault
            except BaseException as error:
                if self.field[agent].sits_apart(seating) and not isinstance(error, SeatError):
                    raise  # a failure to start its process is not the agent's fault
                return fault_of(seat, error)
        return None

    def _bot(self, agent: int, seat: int, seed: int, seating: Seating) -> Player:
        entrant, clock = self.field[agent], self.job.clock
        if not entrant.sits_apart(seating):
            return self.makers[agent](seat, seed)
        seconds = None if clock is None else round(clock / GRACE, 9)
        limits = seating.limits.for_strangers(seconds) if entrant.is_foreign else seating.limits
        with seating.asking(agent):
            bot: Player = extra("agent in a process of its own")(
                entrant.source, self.job.game, seat, seed, limits, seconds
            )
            return bot


def _never(seat: int, seed: int) -> Player:
    raise AssertionError("a foreign agent sits in a process of its own")


def _parting(seat: int, record: GameRecord | None) -> tuple[tuple[float, ...] | None, bool]:
    """Returns the returns that an engine is told at the end of its game, and whether it may play another."""
    if record is None:  # the tournament itself is ending, by Ctrl-C or an error
        return None, False
    fault = record.fault
    if fault is None:
        return record.returns, True
    return None, fault.seat != seat or fault.kind in _SOUND
