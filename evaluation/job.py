"""Who plays what from which seeds: everything that determines the games of a tournament."""

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import inf
from typing import Any, NamedTuple

from starspiel.agents.evaluators import Evaluator
from starspiel.agents.evaluators.base import FunctionEvaluator
from starspiel.agents.factories import made_by
from starspiel.agents.from_openspiel import bot_of, is_player, maker_of
from starspiel.agents.roster import bot_maker, registered_here
from starspiel.agents.seats.bot import SeatBot
from starspiel.agents.seats.command import command_of
from starspiel.agents.seats.limits import HardLimits
from starspiel.agents.seats.protocol import SeatError
from starspiel.envs.base import Game
from starspiel.envs.errors import StarspielError
from starspiel.envs.gymnasium.sampled.game import SampledGame
from starspiel.envs.identity import canonical_name, identity_of
from starspiel.envs.openspiel.game import OpenSpielGame
from starspiel.envs.spec import parse_spec
from starspiel.envs.trust import foreign_names
from starspiel.evaluation.identity import (
    is_ours,
    of_agent,
    of_evaluator,
    of_player,
    of_python,
    with_contents,
)
from starspiel.evaluation.play.course import time_limit
from starspiel.evaluation.play.dice import Dice, bot_seed, encoded, game_dice, game_key, key_of, meeting_key
from starspiel.evaluation.play.faults import FaultError, ended_early, fault_of
from starspiel.evaluation.play.luck import game_luck
from starspiel.evaluation.play.match import play_game
from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.play.record import Fault, GameRecord, PairRecord
from starspiel.evaluation.play.seat import Player, Seat
from starspiel.evaluation.seating import Seating

#: A clock is read in steps, and a move ends with the step it is in: up to so many times it is no overrun.
GRACE = 1.1

#: (game, seat, seed) -> a fresh bot for one game; the game is a pyspiel.Game where it is one of OpenSpiel's.
PlayerFactory = Callable[[Any, int, int], Player]
#: By its place in a pair: the fault that has ended a game before it could be played out.
Forfeits = Mapping[int, Fault]


@dataclass(frozen=True, slots=True)
class Entrant:
    """An agent of a tournament: its name in tables and seeds, and where its bots come from.

    Attributes:
        source: its spec, a factory, or what plays as it is (`is_player` of agents/from_openspiel.py).
    """

    name: str
    source: Any

    def identity(self, game: Game) -> str:
        """What this agent's games are known by in a store: see evaluation/identity.py."""
        if isinstance(self.source, str):
            return of_agent(self.source, game)
        return of_player(self.source) if is_player(self.source) else of_python(self.source)

    def maker(self, game: Game) -> Callable[[int, int], Player]:
        """(seat, seed) -> a fresh bot for one game. Raises StarspielError where the spec names nothing."""
        if isinstance(self.source, str):
            return bot_maker(self.source, game)
        if is_player(self.source):
            return maker_of(self.source, game)
        return partial(_made, self.source, game)

    @property
    def is_foreign(self) -> bool:
        """Whether its spec names code that is neither ours nor OpenSpiel's: a module's, or a program's."""
        return isinstance(self.source, str) and bool(foreign_names([self.source]))

    @property
    def is_named(self) -> bool:
        """Whether a spec makes it in any process; else it is a Python object of this one."""
        return isinstance(self.source, str) and parse_spec(self.source).name not in registered_here()

    def sits_apart(self, seating: Seating) -> bool:
        """Whether its engine is a process of its own: always where it is foreign, and where it is limited.

        Raises StarspielError where a Python object is to be limited: it plays in the referee's process.
        """
        if self.is_foreign:
            return True
        if not self.is_named:
            if seating.limits != HardLimits():
                raise StarspielError(
                    f"a limit is kept by an agent's own process, and {self.name} is a Python object, which "
                    "plays in the referee's; give it as package.module:factory."
                )
            return False
        return seating.apart or seating.limits != HardLimits()

    @property
    def has_clock(self) -> bool:
        """Whether its spec limits its seconds a move."""
        return isinstance(self.source, str) and "seconds" in parse_spec(self.source).params


def _never(seat: int, seed: int) -> Player:
    raise AssertionError("a foreign agent sits in a process of its own")


def _made(factory: PlayerFactory, game: Game, seat: int, seed: int) -> Player:
    """The bot of what a factory returns for a game."""
    bot: Player = bot_of(made_by(factory, game, seat, seed), game, seat, seed)
    return bot


@dataclass(frozen=True)
class Job:
    """Everything that determines the games of a tournament, for whoever plays them.

    Attributes:
        seed: of the dice and the agents; with a `key`, the number that it goes by.
        key: a secret that dice and seeds come from instead, or None.
        common_dice: whether also foreign agents play on dice that have been thrown before: see `shares_dice`.
        starts: the histories that `Pair.start` counts through.
        luck: the evaluator that luck is measured with, or None.
        clock: seconds of a move, CPU or wall-clock, beyond which it counts as an overrun, or None.
        kind: what keeps its games apart from those of a tournament of fixed length, with which they are not
            to be pooled: "sprt" if a sequential test may end it, "ladder", or nothing.
    """

    game: Game
    field: tuple[Entrant, ...]
    seed: int
    starts: tuple[tuple[int, ...], ...] = ((),)
    luck: Evaluator | None = None
    clock: float | None = None
    kind: str = ""
    key: str | None = dataclasses.field(default=None, repr=False)
    common_dice: bool = False

    def __getstate__(self) -> dict[str, Any]:
        """For other machines, where what makes the bots is made anew."""
        made_anew = ("makers", "_meetings", "_encoded_seats")
        return {name: value for name, value in self.__dict__.items() if name not in made_anew}

    @cached_property
    def makers(self) -> tuple[Callable[[int, int], Player], ...]:
        """What makes the bots that sit in this process, in the order of the field."""
        return tuple(_never if entrant.is_foreign else entrant.maker(self.game) for entrant in self.field)

    @cached_property
    def identities(self) -> tuple[str, ...]:
        """What the agents' games are known by in a store."""
        return tuple(entrant.identity(self.game) for entrant in self.field)

    @cached_property
    def luck_identity(self) -> str | None:
        """The same of the luck evaluator; None without one."""
        if self.luck is None:
            return None
        if is_ours(self.luck) and not isinstance(self.luck, FunctionEvaluator):
            return of_evaluator(self.luck.name, self.game)
        made = self.luck.function if isinstance(self.luck, FunctionEvaluator) else self.luck
        return f"{self.luck.name} {of_python(made)}"

    @cached_property
    def game_identity(self) -> str:
        """The same of the game: what it is, what its module holds, and the source of rules made in Python."""
        if ":" in self.game.name or is_ours(self.game):
            written = [of_python(kind) for kind in self._classes]
            if isinstance(self.game, SampledGame) and self.game.settings:
                written.append(self.game.settings)
            if (limit := time_limit(self.game)) is not None:
                written.append(f"at most {limit} moves")
            return " ".join([with_contents(identity_of(self.game)), *written])
        return f"{self.game.name} {of_python(self.game)}"

    @property
    def _classes(self) -> tuple[type, ...]:
        """The Python classes of an OpenSpiel game and of those it wraps, or of an environment."""
        if isinstance(self.game, SampledGame):
            return self.game.classes
        return self.game.contents.classes if isinstance(self.game, OpenSpielGame) else ()

    def play(
        self, pair: Pair, seating: Seating | None = None, forfeits: Forfeits | None = None
    ) -> PairRecord:
        """Plays a pair; one with a fault is void, played once more, and then stands.

        It is played again with other dice, which nobody who has seen the first knows. A foreign agent's fault
        stands at once: a second try would be worth having for whoever sees that the first is lost. So do
        `forfeits`, the faults that have ended games of the pair already, by their place in it.
        """
        record = self._attempt(pair, seating or Seating(), forfeits or {})
        if not record.faults or any(agent in self.foreign for agent, _ in record.faults):
            return record
        again = self._attempt(pair, seating or Seating(), {}, again=True)
        return PairRecord(pair, again.games, voided=record.faults)

    def _attempt(
        self, pair: Pair, seating: Seating, forfeits: Forfeits, *, again: bool = False
    ) -> PairRecord:
        games = []
        for place, seats in enumerate(pair.seatings()):
            if place in forfeits:
                games.append(ended_early(self.game, seats, (), forfeits[place]))
                continue
            if seating.board is not None:
                seating.board.begin_game(place)
            games.append(self.play_game(pair, seats, seating, again=again))
        return PairRecord(pair, tuple(games))

    def play_game(
        self, pair: Pair, seats: tuple[int, ...], seating: Seating | None = None, *, again: bool = False
    ) -> GameRecord:
        """The game of the pair with `field[seats[i]]` in seat i; `again` after a void one."""
        meeting = self._meeting(pair, seats, again=again)
        record = self._played(meeting, seats, seating or Seating())
        if self.luck is None:
            return record
        luck = game_luck(self.game, record.actions, self.luck, skip=len(meeting.start))
        return replace(record, luck=luck)

    def with_other_dice(self) -> "Job":
        """The same with dice that are never thrown in the games themselves: for a trial of them."""
        return replace(self, key=f"trial {self.key or self.seed}")

    def shares_dice(self, agents: Iterable[int]) -> bool:
        """Whether the games of a pair between these agents have common dice.

        An agent of somebody else's may remember a game, or write it down, and know what is rolled in the
        next: dice that it has seen are not thrown again.
        """
        return self.common_dice or self.foreign.isdisjoint(agents)

    def seen_as(self, pair: Pair) -> str:
        """What the dice of a pair are known by to whoever counts how often they were thrown.

        It says nothing of the key, and is the same under every clock, limit and version.
        """
        names = sorted(self.field[agent].name for agent in pair.agents)
        dice = game_key(self._meeting_key(pair), pair.number, self.starts[pair.start])
        return key_of(encoded("seen", *names) + dice)

    @property
    def has_specs_only(self) -> bool:
        """Whether no agent is a Python object."""
        return all(entrant.is_named for entrant in self.field)

    @cached_property
    def foreign(self) -> frozenset[int]:
        """The agents that are foreign, by index."""
        return frozenset(agent for agent, entrant in enumerate(self.field) if entrant.is_foreign)

    def _meeting(self, pair: Pair, seats: tuple[int, ...], *, again: bool = False) -> "_Meeting":
        """What a game of a pair is played from.

        Names, not positions in the field, enter the seeds: agents play the same games in every field. All
        agents of a one-player game share their dice, but for foreign ones; every meeting of two agents has
        its own.
        """
        start = self.starts[pair.start]
        key = game_key(self._meeting_key(pair), pair.number, start, again=again, attempt=pair.attempt)
        own = () if self.shares_dice(seats) else [self.field[agent].name for agent in seats]
        return _Meeting(start, key, game_dice(key, own))

    def _meeting_key(self, pair: Pair) -> bytes:
        meeting = self._meetings.get(pair.agents)
        if meeting is None:
            names = sorted(self.field[agent].name for agent in pair.agents) if len(pair.agents) > 1 else []
            meeting = self._meetings[pair.agents] = meeting_key(
                self.key or self.seed, canonical_name(self.game), names, self.kind
            )
        return meeting

    @cached_property
    def _meetings(self) -> dict[tuple[int, ...], bytes]:
        return {}

    @cached_property
    def _encoded_seats(self) -> dict[tuple[int, int], bytes]:
        """By seat and agent: the end of the key of a bot's seed."""
        return {
            (seat, agent): encoded(seat, entrant.name)
            for seat in range(self.game.num_players)
            for agent, entrant in enumerate(self.field)
        }

    def _played(self, meeting: "_Meeting", seats: tuple[int, ...], seating: Seating) -> GameRecord:
        clock = inf if self.clock is None else self.clock
        taken: list[Seat] = []
        engines: dict[int, SeatBot] = {}
        record: GameRecord | None = None
        try:
            for seat, agent in enumerate(seats):
                seed = bot_seed(meeting.key, self._encoded_seats[seat, agent])
                try:
                    bot = self._bot(agent, seat, seed, seating)
                    if isinstance(bot, SeatBot):
                        engines[seat] = bot
                        seating.watch(bot, agent)
                    taken.append(Seat(seat, bot, clock, agent))
                except FaultError as error:
                    record = ended_early(self.game, seats, (), error.fault)
                    break
                except BaseException as error:
                    if self.field[agent].sits_apart(seating) and not isinstance(error, SeatError):
                        raise  # what goes wrong at starting it is not the agent's
                    record = ended_early(self.game, seats, (), fault_of(seat, error))
                    break
            else:
                record = play_game(self.game, taken, meeting.dice, meeting.start)
            return record if record.fault is None else _with_what_was_printed(record, engines)
        finally:
            for seat, engine in engines.items():
                returns, sound = _parting(seat, record)
                engine.leave(returns, sound=sound)

    def _bot(self, agent: int, seat: int, seed: int, seating: Seating) -> Player:
        entrant = self.field[agent]
        if not entrant.sits_apart(seating):
            return self.makers[agent](seat, seed)
        seconds = None if self.clock is None else round(self.clock / GRACE, 9)
        limits = seating.limits.for_strangers(seconds) if entrant.is_foreign else seating.limits
        with seating.asking(agent):
            return SeatBot(command_of(entrant.source), self.game, seat, seed, limits, seconds)


def _parting(seat: int, record: GameRecord | None) -> tuple[tuple[float, ...] | None, bool]:
    """What an engine is told of the end of its game, and whether it may play another."""
    if record is None:  # the tournament itself ends, by Ctrl-C or an error
        return None, False
    fault = record.fault
    if fault is None:
        return record.returns, True
    return None, fault.seat != seat or fault.kind in _SOUND


#: After these faults an engine can still be asked.
_SOUND = frozenset({"illegal", "raised"})


def _with_what_was_printed(record: GameRecord, engines: dict[int, SeatBot]) -> GameRecord:
    """The record of a forfeited game, with what the agent at fault printed last."""
    fault = record.fault
    if fault is None or fault.seat not in engines:
        return record
    said = engines[fault.seat].printed().encode(errors="replace").decode()
    return replace(record, fault=replace(fault, message=fault.message + said))


class _Meeting(NamedTuple):
    """What a game is played from."""

    start: tuple[int, ...]
    key: bytes
    dice: Dice
