"""Who plays what from which seeds: everything that determines the games of a tournament."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import inf
from typing import Any, NamedTuple

from starspiel.agents.evaluators import Evaluator
from starspiel.agents.evaluators.base import FunctionEvaluator
from starspiel.agents.factories import game_for_factory
from starspiel.agents.openspiel.incoming import bot_of, is_player, maker_of
from starspiel.agents.roster import bot_maker
from starspiel.envs.base import Game
from starspiel.envs.gymnasium.sampled.game import SampledGame
from starspiel.envs.identity import canonical_name, identity_of
from starspiel.envs.openspiel.game import OpenSpielGame
from starspiel.envs.spec import parse_spec
from starspiel.evaluation.identity import (
    is_ours,
    of_agent,
    of_evaluator,
    of_player,
    of_python,
    with_contents,
)
from starspiel.evaluation.play.course import time_limit
from starspiel.evaluation.play.dice import Dice, encoded, seed_of
from starspiel.evaluation.play.faults import FaultError, ended_early, fault_of
from starspiel.evaluation.play.luck import game_luck
from starspiel.evaluation.play.match import play_game
from starspiel.evaluation.play.pairing import Pair
from starspiel.evaluation.play.record import GameRecord, PairRecord
from starspiel.evaluation.play.seat import NOBODY, Player, Seat, Watch, watched

#: (game, seat, seed) -> a fresh bot for one game; the game is a pyspiel.Game where it is one of OpenSpiel's.
PlayerFactory = Callable[[Any, int, int], Player]


@dataclass(frozen=True, slots=True)
class Entrant:
    """An agent of a tournament: its name in tables and seeds, and where its bots come from.

    Attributes:
        source: its spec, a factory, or what plays as it is (`is_player` of agents/openspiel/incoming.py).
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
        """Whether its spec names a factory of somebody's module."""
        return isinstance(self.source, str) and ":" in parse_spec(self.source).name

    @property
    def has_clock(self) -> bool:
        """Whether its spec limits its seconds a move."""
        return isinstance(self.source, str) and "seconds" in parse_spec(self.source).params


def _made(factory: PlayerFactory, game: Game, seat: int, seed: int) -> Player:
    """The bot of what a factory returns for a game."""
    bot: Player = bot_of(factory(game_for_factory(game), seat, seed), game, seat, seed)
    return bot


@dataclass(frozen=True)
class Job:
    """Everything that determines the games of a tournament, for whoever plays them.

    Attributes:
        starts: the histories that `Pair.start` counts through.
        luck: the evaluator that luck is measured with, or None.
        clock: seconds of a move, CPU or wall-clock, beyond which it counts as an overrun, or None.
        sequential: whether a sequential test may end it, so that its games are not to be pooled with others.
    """

    game: Game
    field: tuple[Entrant, ...]
    seed: int
    starts: tuple[tuple[int, ...], ...] = ((),)
    luck: Evaluator | None = None
    clock: float | None = None
    sequential: bool = False

    def __getstate__(self) -> dict[str, Any]:
        """For other machines, where what makes the bots is made anew."""
        made_anew = ("makers", "_encoded_names", "_encoded_seats")
        return {name: value for name, value in self.__dict__.items() if name not in made_anew}

    @cached_property
    def makers(self) -> tuple[Callable[[int, int], Player], ...]:
        """What makes the bots, in the order of the field."""
        return tuple(entrant.maker(self.game) for entrant in self.field)

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

    def play(self, pair: Pair, watch: Watch | None = None) -> PairRecord:
        """Plays a pair; one with a fault is void, played once more with the same dice, and then stands."""
        record = self._attempt(pair, watch)
        if not record.faults:
            return record
        again = self._attempt(pair, watch)
        return PairRecord(pair, again.games, voided=record.faults)

    def _attempt(self, pair: Pair, watch: Watch | None) -> PairRecord:
        meeting = self._meeting(pair)
        return PairRecord(pair, tuple([self._game(meeting, seats, watch, None) for seats in pair.seatings()]))

    def play_game(
        self,
        pair: Pair,
        seats: tuple[int, ...],
        watch: Watch | None = None,
        journal: list[int] | None = None,
    ) -> GameRecord:
        """The game of the pair with `field[seats[i]]` in seat i; `journal` gets its actions as they come."""
        return self._game(self._meeting(pair), seats, watch, journal)

    def _meeting(self, pair: Pair) -> "_Meeting":
        """What the games of a pair have in common.

        Names, not positions in the field, enter the seeds: agents play the same games in every field. All
        agents of a one-player game share their dice; every meeting of two agents has its own.
        """
        start = self.starts[pair.start]
        who = self._encoded_names.get(pair.agents)
        if who is None:
            names = sorted(self.field[agent].name for agent in pair.agents) if len(pair.agents) > 1 else []
            who = self._encoded_names[pair.agents] = encoded(self.seed, canonical_name(self.game), *names)
        key = who + encoded(pair.number, *start)
        return _Meeting(start, _BOT + key, Dice.of(_DICE + key))

    @cached_property
    def _built_in(self) -> frozenset[int]:
        """The agents that are made by code of ours."""
        ours = (isinstance(entrant.source, str) and not entrant.is_foreign for entrant in self.field)
        return frozenset(agent for agent, its in enumerate(ours) if its)

    @cached_property
    def _encoded_names(self) -> dict[tuple[int, ...], bytes]:
        return {}

    @cached_property
    def _encoded_seats(self) -> dict[tuple[int, int], bytes]:
        """By seat and agent: the end of the key of a bot's seed."""
        return {
            (seat, agent): encoded(seat, entrant.name)
            for seat in range(self.game.num_players)
            for agent, entrant in enumerate(self.field)
        }

    def _game(
        self, meeting: "_Meeting", seats: tuple[int, ...], watch: Watch | None, journal: list[int] | None
    ) -> GameRecord:
        record = self._played(meeting, seats, watch, journal)
        if watch is not None:  # Whatever goes wrong from here on is not the last mover's fault.
            watch(NOBODY)
        if self.luck is None:
            return record
        luck = game_luck(self.game, record.actions, self.luck, skip=len(meeting.start))
        return replace(record, luck=luck)

    def _played(
        self, meeting: "_Meeting", seats: tuple[int, ...], watch: Watch | None, journal: list[int] | None
    ) -> GameRecord:
        bots: list[Player] = []
        for seat, agent in enumerate(seats):
            make = self.makers[agent]
            if watch is not None:
                make = watched(make, watch, agent, agent in self._built_in)
            try:
                bot_seed = seed_of(meeting.bots_key + self._encoded_seats[seat, agent])
                bots.append(make(seat, bot_seed))
            except BaseException as error:
                return ended_early(self.game, seats, (), fault_of(seat, error))
        clock = inf if self.clock is None else self.clock
        try:
            taken = [Seat(seat, bots[seat], clock, watch, agent) for seat, agent in enumerate(seats)]
        except FaultError as error:
            return ended_early(self.game, seats, (), error.fault)
        return play_game(self.game, taken, meeting.dice, meeting.start, journal)


_BOT, _DICE = encoded("bot"), encoded("dice")


class _Meeting(NamedTuple):
    """What the games of a pair have in common."""

    start: tuple[int, ...]
    bots_key: bytes
    dice: Dice
