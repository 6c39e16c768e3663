"""One game: a plain loop over a State, with fresh bots, keyed dice and a record of everything.

The result of a game is a function of (game, agents, seeds) alone, for agents limited by depth, nodes or
simulations: whatever the number of workers, the order or the machine.
"""

import signal
from array import array
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from math import inf, nan
from operator import index
from time import perf_counter, process_time
from typing import Any, NamedTuple, Protocol

import pyspiel

from starspiel.agents.bots import Bot
from starspiel.agents.evaluators import Evaluator
from starspiel.agents.roster import bot_maker
from starspiel.agents.spec import parse_spec
from starspiel.envs.base import CHANCE, Game
from starspiel.envs.load import load_game
from starspiel.envs.openspiel import OpenSpielGame
from starspiel.evaluation.dice import Dice, encoded, outcome_at, seed_of
from starspiel.evaluation.identity import with_contents
from starspiel.evaluation.luck import game_luck
from starspiel.evaluation.pairing import Pair

#: Moves quicker than this are timed by the wall clock: reading the CPU clock costs half a microsecond.
_INSTANT = 1e-5
#: After a slow move, so many quick ones are timed by the CPU clock before the wall clock is trusted again;
#: also in the agent's next game.
_WARY = 16
#: What a record can hold: a game's nodes in 63 bits, values in single precision.
_MOST_NODES, _GREATEST_VALUE = 2**45, 1e38
#: Longer messages of bots are cut off.
_LONGEST_MESSAGE = 300


class Player(Protocol):
    """What a match needs of a bot; every `pyspiel.Bot` has it.

    What a bot tells of its last move goes on record: `last_nodes` (None where it counts nothing), and
    `last_result`, a `SearchResult` with a value, or None where no search was needed.
    """

    def step(self, state: Any) -> int:
        """The action to play at a decision node."""


#: (game, seat, seed) -> a fresh bot for one game.
PlayerFactory = Callable[[Game, int, int], Player]


#: Told the agent (its index in the field) whose code is about to run; NOBODY when no agent's is.
Watch = Callable[[int], None]
NOBODY = -1


@dataclass(frozen=True, slots=True)
class Entrant:
    """An agent of a tournament: its name in tables and seeds, and its spec or what makes its bots."""

    name: str
    source: str | PlayerFactory

    @property
    def identity(self) -> str:
        """The spec, or the name of the factory: what tells this agent's games from another's in a store."""
        if isinstance(self.source, str):
            return self.source
        factory = self.source
        return (
            f"{getattr(factory, '__module__', '')}:{getattr(factory, '__qualname__', type(factory).__name__)}"
        )

    def maker(self, game: Game) -> Callable[[int, int], Player]:
        """(seat, seed) -> a fresh bot for one game. Raises StarspielError where the spec names nothing."""
        if isinstance(self.source, str):
            return bot_maker(self.source, game)
        return partial(self.source, game)

    @property
    def has_clock(self) -> bool:
        """Whether its spec limits its seconds a move."""
        return isinstance(self.source, str) and "seconds" in parse_spec(self.source).params


@dataclass(frozen=True, slots=True)
class Fault:
    """What an agent did wrong in a game: `kind` is illegal, raised, crashed, hung or memory."""

    seat: int
    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class Moves:
    """What one seat's decisions cost and said, in order.

    Attributes:
        seconds: CPU seconds of each; wall-clock seconds where a move takes less than 10 microseconds, and of
            the first that takes longer after 16 such moves.
        nodes: nodes or simulations of each; empty where the bot does not tell.
        values: player 0's expected return in the eyes of the mover; empty where the bot does not tell.
        overruns: how many took more CPU seconds than the tournament's clock.
        wall_overruns: how many took more wall-clock seconds than it.
    """

    seconds: "array[float]"
    nodes: "array[int]"
    values: "array[float]"
    overruns: int = 0
    wall_overruns: int = 0

    @property
    def cost(self) -> "Cost":
        """The sums."""
        return Cost(
            len(self.seconds),
            sum(self.seconds),
            len(self.nodes),
            sum(self.nodes),
            self.overruns,
            self.wall_overruns,
        )


class Cost(NamedTuple):
    """What a seat's decisions cost together: `told` of the `moves` come with `nodes`."""

    moves: int
    seconds: float
    told: int
    nodes: int
    overruns: int
    wall_overruns: int


class Outcome(NamedTuple):
    """A game without its moves: what tables and statistics are made of. Attributes as in GameRecord."""

    agents: tuple[int, ...]
    returns: tuple[float, ...]
    fault: "Fault | None"
    luck: float
    length: int
    costs: tuple[Cost, ...]

    def score(self, seat: int) -> float:
        """1 for a win, 0.5 for a draw, 0 for a loss; in one-player games the return."""
        return _score(self.returns, self.fault, seat)


def _score(returns: tuple[float, ...], fault: "Fault | None", seat: int) -> float:
    if fault is not None and len(returns) == 2:
        return float(fault.seat != seat)
    own = returns[seat]
    if len(returns) == 1:
        return own
    return 0.5 if own == 0.0 else float(own > 0.0)


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One game, complete enough to replay.

    Attributes:
        agents: the field's index of the agent at each seat.
        actions: every action and chance outcome in order.
        returns: each seat's return; of a forfeited game, the returns when it stopped (with one player, the
            least return there is, where that is known).
        moves: the cost of each seat's decisions.
        fault: why the game ended early, or None. The seat at fault has lost.
        luck: what the dice gave player 0, in return, where the tournament adjusts for luck; else NaN.
    """

    agents: tuple[int, ...]
    actions: tuple[int, ...]
    returns: tuple[float, ...]
    moves: tuple[Moves, ...]
    fault: Fault | None = None
    luck: float = nan

    @property
    def outcome(self) -> Outcome:
        """The record without its moves."""
        costs = tuple(moves.cost for moves in self.moves)
        return Outcome(self.agents, self.returns, self.fault, self.luck, len(self.actions), costs)

    def score(self, seat: int) -> float:
        """1 for a win, 0.5 for a draw, 0 for a loss; in one-player games the return."""
        return _score(self.returns, self.fault, seat)


@dataclass(frozen=True, slots=True)
class PairRecord:
    """The games of one pair, in the order of `pair.seatings()`.

    Attributes:
        voided: the faults of a first attempt that was void; the pair was played again with the same dice.
    """

    pair: Pair
    games: tuple[GameRecord, ...]
    voided: tuple[tuple[int, Fault], ...] = ()

    @property
    def faults(self) -> tuple[tuple[int, Fault], ...]:
        """(agent, fault) of every forfeited game."""
        return tuple((game.agents[game.fault.seat], game.fault) for game in self.games if game.fault)


@dataclass(frozen=True)
class Job:
    """Everything that determines the games of a tournament, for whoever plays them.

    Attributes:
        starts: the histories that `Pair.start` counts through.
        luck: the evaluator that luck is measured with, or None.
        clock: seconds of a move, CPU or wall-clock, beyond which it counts as an overrun, or None.
    """

    game: Game
    field: tuple[Entrant, ...]
    seed: int
    starts: tuple[tuple[int, ...], ...] = ((),)
    luck: Evaluator | None = None
    clock: float | None = None

    def __getstate__(self) -> dict[str, Any]:
        """For other machines: OpenSpiel games go by their names, and what makes the bots is made anew."""
        made_anew = ("makers", "_encoded_names", "_encoded_seats", "_wary")
        state = {name: value for name, value in self.__dict__.items() if name not in made_anew}
        if isinstance(self.game, OpenSpielGame):
            state["game"] = self.game.name
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if isinstance(state["game"], str):
            state["game"] = load_game(state["game"])
        self.__dict__.update(state)

    @cached_property
    def makers(self) -> tuple[Callable[[int, int], Player], ...]:
        """What makes the bots, in the order of the field."""
        return tuple(entrant.maker(self.game) for entrant in self.field)

    @cached_property
    def identities(self) -> tuple[str, ...]:
        """What tells the agents' games from others in a store: specs with the contents of their files."""
        return tuple(
            with_contents(entrant.source) if isinstance(entrant.source, str) else entrant.identity
            for entrant in self.field
        )

    @cached_property
    def luck_identity(self) -> str | None:
        """The same of the luck evaluator; None without one."""
        return None if self.luck is None else with_contents(self.luck.name)

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
            who = self._encoded_names[pair.agents] = encoded(self.seed, self.game.name, *names)
        key = who + encoded(pair.number, *start)
        return _Meeting(start, _BOT + key, Dice.of(_DICE + key))

    @cached_property
    def _encoded_names(self) -> dict[tuple[int, ...], bytes]:
        return {}

    @cached_property
    def _wary(self) -> dict[int, int]:
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
            if watch is not None:
                watch(agent)
            try:
                bot_seed = seed_of(meeting.bots_key + self._encoded_seats[seat, agent])
                bots.append(self.makers[agent](seat, bot_seed))
            except BaseException as error:
                return ended_early(self.game, seats, (), _raised(seat, error))
        return play_game(
            self.game,
            bots,
            meeting.dice,
            agents=seats,
            start=meeting.start,
            clock=inf if self.clock is None else self.clock,
            watch=watch,
            journal=journal,
            wary=self._wary,
        )


_BOT, _DICE = encoded("bot"), encoded("dice")


class _Meeting(NamedTuple):
    """What the games of a pair have in common."""

    start: tuple[int, ...]
    bots_key: bytes
    dice: Dice


def play_game(
    game: Game,
    bots: Sequence[Player],
    dice: Dice,
    *,
    agents: tuple[int, ...] = (),
    start: Sequence[int] = (),
    clock: float = inf,
    watch: Watch | None = None,
    journal: list[int] | None = None,
    wary: dict[int, int] | None = None,
) -> GameRecord:
    """Plays one game. Bots are never stepped at chance nodes, and told every event that is not theirs.

    A bot that is neither ours nor OpenSpiel's own is shown copies of the state: what it does to one changes
    nothing in the game. `wary` takes from game to game how far the speed of each agent's moves is trusted.
    """
    # Local names throughout: this loop is what harness overhead is made of.
    state: Any = game.new_initial_state()
    actions: list[int] = [] if journal is None else journal
    turns = [0] * len(bots)
    causer, turn, event = CHANCE, 0, 0
    seats: list[_Seat] = []
    for number, bot in enumerate(bots):
        try:
            seats.append(_Seat(bot))
        except BaseException as error:
            return ended_early(game, agents, (), _raised(number, error))
    if wary:
        for own, agent in zip(seats, agents, strict=True):
            own.wary = wary.get(agent, 1)
    if watch is not None:
        for own, agent in zip(seats, agents, strict=True):
            own.step = _watched_step(own.step, watch, agent)
            own.told = own.told and _watched(own.told, watch, agent)
    listeners = [own.told and _guarded(own.told, number) for number, own in enumerate(seats)]
    everyone = [told for told in listeners if told]
    fault: Fault | None = None
    try:
        for action in start:
            player = state.current_player()
            if player == CHANCE:
                event += 1
            elif player != causer:
                turns[player] += 1
                causer, turn, event = player, turns[player], 0
            for inform in everyone:
                inform(state, player, action)
            actions.append(action)
            state = state.child(action)

        in_place = isinstance(state, pyspiel.State)
        current_player, legal_actions, chance_outcomes, apply = _views(state)
        others = [[told for told in everyone if told is not own] for own in listeners]
        unwatched = in_place and not everyone
        for own in seats:
            # OpenSpiel's check costs half of what comparing with a list does, but prints what it refuses.
            own.checked_apply = state.apply_action_with_legality_check if unwatched and own.ours else None
        seat = seats[causer]
        rolls, lane, note = dice.eight_turns(causer, turn), turn & 7, actions.append
        while (player := current_player()) >= CHANCE:
            if player == CHANCE:
                while event >= len(rolls):
                    dice.extend(rolls, causer, turn)
                action = outcome_at(chance_outcomes(), rolls[event][lane])
                event += 1
                if everyone:
                    for inform in everyone:
                        inform(state, CHANCE, action)
            else:
                if player != causer:
                    turn = turns[player] = turns[player] + 1
                    causer, event = player, 0
                    rolls, lane, seat = dice.eight_turns(player, turn), turn & 7, seats[player]
                try:
                    if seat.wary:
                        wall_before, before = perf_counter(), process_time()
                        action = seat.step(state)
                        spent, wall_spent = process_time() - before, perf_counter() - wall_before
                        seat.wary = seat.wary - 1 if wall_spent < _INSTANT else _WARY
                        if wall_spent > clock:
                            seat.wall_overruns += 1
                    else:
                        before = perf_counter()
                        action = seat.step(state)
                        spent = perf_counter() - before
                        if spent > _INSTANT:
                            seat.wary = _WARY
                            if spent > clock:
                                seat.wall_overruns += 1
                    if type(action) is not int:
                        action = index(action)
                except BaseException as error:
                    fault = _raised(player, error)
                    break
                if seat.telling:
                    try:
                        seat.tell()
                    except BaseException as error:
                        fault = _raised(player, error, " in last_nodes or last_result")
                        break
                if seat.checked_apply is not None:
                    try:
                        seat.checked_apply(action)
                    except pyspiel.SpielError:
                        if action in legal_actions():
                            raise
                        fault = Fault(player, "illegal", _illegal(state, action))
                        break
                    seat.note_seconds(spent)
                    note(action)
                    continue
                if action not in legal_actions():
                    fault = Fault(player, "illegal", _illegal(state, action))
                    break
                seat.note_seconds(spent)
                if everyone:
                    for inform in others[player]:
                        inform(state, player, action)
            note(action)
            if in_place:
                apply(action)
            else:
                state = state.child(action)
                current_player, legal_actions, chance_outcomes, apply = _views(state)
    except _ListenerError as failed:
        fault = _raised(failed.seat, failed.error)
    if wary is not None:
        for own, agent in zip(seats, agents, strict=True):
            wary[agent] = own.wary
    returns = tuple(state.returns())
    if fault is not None and len(returns) == 1:
        returns = _least_return(game, returns)
    return GameRecord(agents, tuple(actions), returns, tuple([seat.moves(clock) for seat in seats]), fault)


class _Seat:
    """A bot in one game, and what its moves cost."""

    __slots__ = (
        "bot",
        "checked_apply",
        "nodes",
        "note_seconds",
        "ours",
        "seconds",
        "step",
        "telling",
        "told",
        "values",
        "wall_overruns",
        "wary",
    )

    def __init__(self, bot: Player) -> None:
        if not callable(getattr(bot, "step", None)):
            raise TypeError(f"{bot!r} has no step(state) and so is no bot")
        self.bot = bot
        self.ours = _is_ours(type(bot))
        self.told = _listener(bot)
        if self.told is not None and not self.ours:
            self.told = _shown_a_copy(self.told)
        self.step: Callable[[Any], int] = bot.step if self.ours else _shown_a_copy(bot.step)
        self.checked_apply: Callable[[int], None] | None = None
        self.seconds = array("f")
        self.note_seconds = self.seconds.append
        self.nodes = array("q")
        self.values = array("f")
        self.wall_overruns = 0
        self.telling = hasattr(bot, "last_nodes")
        #: How many more quick moves it takes until the wall clock is trusted with the next.
        self.wary = 1

    def tell(self) -> None:
        nodes = self.bot.last_nodes  # type: ignore[attr-defined]
        if nodes is None:
            self.telling = False
            return
        found = getattr(self.bot, "last_result", None)
        nodes = index(nodes)
        value = nan if found is None else float(found.value)
        if not 0 <= nodes <= _MOST_NODES:
            raise ValueError(f"expected 0 to {_MOST_NODES:,} nodes, got {nodes:,}")
        if abs(value) > _GREATEST_VALUE:
            raise ValueError(f"expected a finite value, got {value:g}")
        self.nodes.append(nodes)
        self.values.append(value)

    def moves(self, clock: float) -> "Moves":
        overruns = 0 if clock == inf else sum(seconds > clock for seconds in self.seconds)
        del self.nodes[len(self.seconds) :], self.values[len(self.seconds) :]  # told of an illegal move
        return Moves(self.seconds, self.nodes, self.values, overruns, self.wall_overruns)


def _views(state: Any) -> tuple[Callable[[], int], Callable[[], Any], Callable[[], Any], Any]:
    apply = getattr(state, "apply_action", None)
    return state.current_player, state.legal_actions, state.chance_outcomes, apply


#: What these classes do when informed is nothing, so they need not be called.
_DEAF = (pyspiel.Bot.inform_action, Bot.inform_action)


def _listener(bot: Player) -> Callable[[Any, int, int], None] | None:
    """The bot's inform_action, or None where it has none, or one that does nothing."""
    listener = getattr(type(bot), "inform_action", None)
    # A plain `pyspiel.Bot` is some C++ bot, whose own inform_action cannot be seen from here.
    if listener is None or (listener in _DEAF and type(bot) is not pyspiel.Bot):
        return None
    return bot.inform_action  # type: ignore[attr-defined,no-any-return]


@lru_cache(maxsize=256)
def _is_ours(kind: type) -> bool:
    """Whether a class's bots never change a state, and may be shown the game itself: ours and OpenSpiel's."""
    return kind.__module__.partition(".")[0] in ("starspiel", "pyspiel")


def _shown_a_copy(call: Callable[..., Any]) -> Callable[..., Any]:
    """`call` with a copy of the state, its first argument."""

    def shown(state: Any, *more: int) -> Any:
        return call(state.clone() if isinstance(state, pyspiel.State) else copy(state), *more)

    return shown


class _ListenerError(Exception):
    """A bot's inform_action raised."""

    def __init__(self, seat: int, error: BaseException) -> None:
        super().__init__(seat, error)
        self.seat = seat
        self.error = error


def _guarded(told: Callable[[Any, int, int], None], seat: int) -> Callable[[Any, int, int], None]:
    """`told`, whose errors say whose they are."""

    def inform(state: Any, player: int, action: int) -> None:
        try:
            told(state, player, action)
        except BaseException as error:
            raise _ListenerError(seat, error) from error

    return inform


def _illegal(state: Any, action: int) -> str:
    legal = list(state.legal_actions())
    shown = ", ".join(map(str, legal[:12])) + (", …" if len(legal) > 12 else "")
    played = action if action.bit_length() < 64 else f"a number of {action.bit_length()} bits"
    return f"played {played} where the legal actions are {shown}"


def _raised(seat: int, error: BaseException, where: str = "") -> Fault:
    """The fault of an error. Ctrl-C is none and goes on; workers ignore it, so there it is the bot's own."""
    if isinstance(error, KeyboardInterrupt) and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        raise error
    kind = "memory" if isinstance(error, MemoryError) else "raised"
    try:
        lines = str(error).strip().splitlines()
    except Exception:  # bots' own errors may fail at that, too
        lines = []
    message = f"{type(error).__name__}{where}" + (f": {lines[0]}" if lines else "")
    return Fault(seat, kind, message[:_LONGEST_MESSAGE].encode(errors="replace").decode())


def _watched(
    told: Callable[[Any, int, int], None], watch: Watch, agent: int
) -> Callable[[Any, int, int], None]:
    def inform(state: Any, player: int, action: int) -> None:
        watch(agent)
        told(state, player, action)

    return inform


def _watched_step(step: Callable[[Any], int], watch: Watch, agent: int) -> Callable[[Any], int]:
    def watched(state: Any) -> int:
        watch(agent)
        return step(state)

    return watched


def _least_return(game: Game, returns: tuple[float, ...]) -> tuple[float, ...]:
    return returns if game.utility_range is None else (game.utility_range[0],)


def ended_early(game: Game, agents: tuple[int, ...], actions: Sequence[int], fault: Fault) -> GameRecord:
    """The record of a game that a fault ended after `actions`, with nothing known of its moves' cost.

    A process that died may have left anything: the actions count up to the first that is not legal.
    """
    state = game.new_initial_state()
    for played, action in enumerate(actions):
        chance = state.current_player() == CHANCE
        if action not in ([roll for roll, _ in state.chance_outcomes()] if chance else state.legal_actions()):
            actions = actions[:played]
            break
        state = state.child(action)
    returns = tuple(state.returns())
    if len(agents) == 1:
        returns = _least_return(game, returns)
    none = Moves(array("f"), array("q"), array("f"))
    return GameRecord(agents, tuple(actions), returns, (none,) * len(agents), fault)
