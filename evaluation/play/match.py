"""One game: a plain loop over a State, with fresh bots, keyed dice and a record of everything.

The result of a game is a function of (game, agents, seeds) alone, for agents limited by depth, nodes or
simulations: whatever the number of workers, the order or the machine, and whether the native core plays it.
"""

import signal
from array import array
from collections.abc import Callable, Sequence
from copy import copy
from functools import lru_cache
from math import inf, isfinite, nan
from operator import index
from time import perf_counter, process_time
from typing import Any, NamedTuple, Protocol

import pyspiel

from starspiel.agents.bots import Bot
from starspiel.envs.base import CHANCE, Game
from starspiel.envs.errors import StarspielError
from starspiel.envs.rules import RulesError
from starspiel.evaluation.play.dice import Dice, outcome_at
from starspiel.evaluation.play.record import Fault, GameRecord, Moves

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


#: Told the agent (its index in the field) whose code is about to run; NOBODY when no agent's is.
Watch = Callable[[int], None]
NOBODY = -1

#: A bot's inform_action.
Listener = Callable[[Any, int, int], None]
#: Where a bot raised.
_IN_TELL = " in last_nodes or last_result"


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
    core: Any = None,
) -> GameRecord:
    """Plays one game. Bots are never stepped at chance nodes, and told every event that is not theirs.

    A bot that is neither ours nor OpenSpiel's own is shown copies of the state: what it does to one changes
    nothing in the game. `wary` takes from game to game how far the speed of each agent's moves is trusted.
    `core`, the native core, plays games written in C++ that nobody listens to, and gives the same record.
    """
    state: Any = game.new_initial_state()
    actions: list[int] = [] if journal is None else journal
    turns = [0] * len(bots)
    causer, turn, event = CHANCE, 0, 0
    seats: list[_Seat] = []
    for number, bot in enumerate(bots):
        try:
            seats.append(_Seat(bot))
        except BaseException as error:
            return ended_early(game, agents, (), fault_of(number, error))
    if wary:
        for own, agent in zip(seats, agents, strict=True):
            own.wary = wary.get(agent, 1)
    if watch is not None:
        for own, agent in zip(seats, agents, strict=True):
            own.step = watched(own.step, watch, agent, own.ours)
            own.told = own.told and watched(own.told, watch, agent, own.ours)
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

        begun = _Turn(causer, turn, event)
        if core is not None and not everyone and journal is None:
            fault = _played_by(core, state, seats, dice, turns, begun, clock, actions)
        else:
            state, fault = _played(state, seats, listeners, dice, turns, begun, clock, actions)
    except _ListenerError as failed:
        fault = fault_of(failed.seat, failed.error)
    if wary is not None:
        for own, agent in zip(seats, agents, strict=True):
            wary[agent] = own.wary
    returns = tuple(state.returns())
    if not all(map(isfinite, returns)):
        raise StarspielError(
            f"{game.name}: the returns are {returns} after {actions}; expected finite numbers."
        )
    if fault is not None and len(returns) == 1:
        returns = _least_return(game, returns)
    return GameRecord(agents, tuple(actions), returns, tuple([seat.moves(clock) for seat in seats]), fault)


class _Turn(NamedTuple):
    """Who caused the dice thrown now, in which of the own turns, and which event of it comes next."""

    causer: int
    turn: int
    event: int


def _played(
    state: Any,
    seats: Sequence["_Seat"],
    listeners: Sequence[Listener | None],
    dice: Dice,
    turns: list[int],
    begun: _Turn,
    clock: float,
    actions: list[int],
) -> tuple[Any, Fault | None]:
    """The state at the end of the game, or where a fault ended it. native/match.hpp is the same in C++."""
    # Local names throughout: this loop is what harness overhead is made of.
    in_place = isinstance(state, pyspiel.State)
    current_player, legal_actions, chance_outcomes, apply = _views(state)
    everyone = [told for told in listeners if told]
    others = [[told for told in everyone if told is not own] for own in listeners]
    unwatched = in_place and not everyone
    for own in seats:
        # OpenSpiel's check costs half of what comparing with a list does, but prints what it refuses.
        own.checked_apply = state.apply_action_with_legality_check if unwatched and own.ours else None
    causer, turn, event = begun
    seat = seats[causer]
    rolls, lane, note = dice.eight_turns(causer, turn), turn & 7, actions.append
    try:
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
                        action = int(index(action))
                except BaseException as error:
                    if isinstance(error, RulesError):
                        _refuse_rules(seat, state, error)
                    return state, fault_of(player, error)
                if seat.telling:
                    try:
                        seat.telling = seat.tell()
                    except BaseException as error:
                        return state, fault_of(player, error, _IN_TELL)
                if seat.checked_apply is not None:
                    try:
                        seat.checked_apply(action)
                    except pyspiel.SpielError:
                        if action in legal_actions():
                            raise
                        return state, _illegal(player, state, action)
                    seat.note_seconds(spent)
                    note(action)
                    continue
                if action not in legal_actions():
                    return state, _illegal(player, state, action)
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
        return state, fault_of(failed.seat, failed.error)
    return state, None


def _played_by(
    core: Any,
    state: Any,
    seats: Sequence["_Seat"],
    dice: Dice,
    turns: list[int],
    begun: _Turn,
    clock: float,
    actions: list[int],
) -> Fault | None:
    """The same in the native core, which changes `state`."""
    ended = core.play(state, dice, list(seats), turns, begun, (_INSTANT, _WARY, clock), actions)
    if ended is None:
        return None
    seat, wrong, told = ended
    if isinstance(wrong, BaseException):
        return fault_of(seat, wrong, _IN_TELL if told else "")
    return _illegal(seat, state, wrong)


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

    def tell(self) -> bool:
        """Notes what the bot tells of its last move. False where it tells nothing in this game."""
        nodes = self.bot.last_nodes  # type: ignore[attr-defined]
        if nodes is None:
            return False
        found = getattr(self.bot, "last_result", None)
        nodes = index(nodes)
        value = nan if found is None else float(found.value)
        if not 0 <= nodes <= _MOST_NODES:
            raise ValueError(f"expected 0 to {_MOST_NODES:,} nodes, got {nodes:,}")
        if abs(value) > _GREATEST_VALUE:
            raise ValueError(f"expected a finite value, got {value:g}")
        self.nodes.append(nodes)
        self.values.append(value)
        return True

    def moves(self, clock: float) -> "Moves":
        overruns = 0 if clock == inf else sum(seconds > clock for seconds in self.seconds)
        del self.nodes[len(self.seconds) :], self.values[len(self.seconds) :]  # told of an illegal move
        return Moves(self.seconds, self.nodes, self.values, overruns, self.wall_overruns)


def _views(state: Any) -> tuple[Callable[[], int], Callable[[], Any], Callable[[], Any], Any]:
    apply = getattr(state, "apply_action", None)
    return state.current_player, state.legal_actions, state.chance_outcomes, apply


#: What these classes do when informed is nothing, so they need not be called.
_DEAF = (pyspiel.Bot.inform_action, Bot.inform_action)


def _listener(bot: Player) -> Listener | None:
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


def _guarded(told: Listener, seat: int) -> Listener:
    """`told`, whose errors say whose they are."""

    def inform(state: Any, player: int, action: int) -> None:
        try:
            told(state, player, action)
        except BaseException as error:
            raise _ListenerError(seat, error) from error

    return inform


def _illegal(seat: int, state: Any, action: int) -> Fault:
    legal = list(state.legal_actions())
    shown = ", ".join(map(str, legal[:12])) + (", …" if len(legal) > 12 else "")
    played = action if action.bit_length() < 64 else f"a number of {action.bit_length()} bits"
    return Fault(seat, "illegal", f"played {played} where the legal actions are {shown}")


def _refuse_rules(seat: "_Seat", state: Any, error: RulesError) -> None:
    """Raises where rules that contradict themselves are at fault, and not a bot that went its own ways."""
    if seat.ours:
        raise error
    state.legal_actions()  # which raises where this very position is at fault


def fault_of(seat: int, error: BaseException, where: str = "") -> Fault:
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


def watched(call: Callable[..., Any], watch: Watch, agent: int, ours: bool) -> Callable[..., Any]:
    """`call`, and whose it is noted before. An alarm that a foreign bot leaves set would hit its opponent."""

    def noted(*arguments: Any) -> Any:
        watch(agent)
        return call(*arguments)

    def noted_and_silenced(*arguments: Any) -> Any:
        watch(agent)
        try:
            return call(*arguments)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)

    return noted if ours else noted_and_silenced


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
