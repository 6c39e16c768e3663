"""Provides bots that play through an engine: for one game, and for any position."""

import base64
import io
import pickle
import secrets
import weakref
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import pyspiel

from starspiel.agents.bot import Bot, Policy
from starspiel.agents.hard_limits import HardLimits
from starspiel.agents.seats import protocol
from starspiel.agents.seats.command import command_of
from starspiel.agents.seats.pool import give_back, lease
from starspiel.agents.seats.protocol import Move, Ready
from starspiel.envs.arguments import seed_number
from starspiel.envs.base import Game, actions_of, mover_of
from starspiel.envs.errors import SeatError, SpecError, StarspielError
from starspiel.envs.load import load_game
from starspiel.envs.named import canonical_name, same_game


class Said(NamedTuple):
    """The value that an engine reported for its move: player 0's expected return."""

    value: float


class SeatBot:
    """Plays one game through an engine, which is sent events and legal moves.

    Args:
        command: the engine's command, from `command_of`.
        seconds: the time per move, in seconds, that the engine is told.

    Every failure of the engine raises SeatError, also in the constructor.

    Attributes:
        last_nodes, last_result, last_policy: what it reported with its last move; None if it reported
            nothing.
    """

    last_nodes: int | None = None
    last_result: Said | None = None
    last_policy: Policy | None = None

    def __init__(
        self,
        command: Sequence[str],
        game: Game,
        player: int,
        seed: int,
        limits: HardLimits | None = None,
        seconds: float | None = None,
    ) -> None:
        self._limits, self._seconds = limits or HardLimits(), seconds
        self._game, self._player = game, player
        self._has_answered = False
        self.process = lease(command, self._limits)
        self.cpu_seconds = self.process.cpu_seconds
        wants = self.process.hello.wants
        self._wants_names, self._wants_text = "names" in wants, "text" in wants
        self._wants_state = "state" in wants and not game.explicit_chance
        try:
            self.process.begin_game()
            message = protocol.new_game(canonical_name(game), game.num_players, player, seed)
            if "state" in wants:
                message |= _as_pickled(game)
            self._asked(message, Ready)
        except BaseException as error:
            if isinstance(error, SeatError):
                error.args = (f"{error}{self.printed()}",)
            self.process.close()
            raise

    def step(self, state: Any) -> int:
        """Returns the engine's move, after checking its report against the protocol."""
        legal = actions_of(state, self._player)
        message = protocol.move(legal, self._seconds)
        if self._wants_names:
            player = mover_of(state, self._player)
            message["names"] = [state.action_to_string(player, action) for action in legal]
        if self._wants_text:
            message["text"] = str(state)
        if self._wants_state:
            message |= _pickled(state, self._game)
        answer = self._asked(message, Move)
        if answer.action in legal:
            protocol.check_policy(answer, legal)
        self._has_answered = True
        self.last_nodes = answer.nodes
        self.last_policy = None if answer.policy is None else list(answer.policy)
        self.last_result = None if answer.value is None else Said(answer.value)
        return int(answer.action)

    def inform_action(self, state: Any, player: int, action: int) -> None:
        """Records that `player`, or chance, takes `action`; the engine is told before its next move."""
        message = protocol.event(player, action)
        if self._wants_state:
            message |= _pickled(state, self._game)
        self.process.post(message)

    def inform_actions(self, state: Any, actions: Sequence[int]) -> None:
        """Records the moves of all players at once; the engine's own move only if it was not asked for it."""
        for player, action in enumerate(actions):
            if player != self._player or not self._has_answered:
                self.inform_action(state, player, action)
        self._has_answered = False

    def printed(self) -> str:
        """Returns the last lines that the engine printed in this game, as the end of a sentence; or ""."""
        return self.process.printed()

    def leave(self, returns: Sequence[float] | None, *, sound: bool) -> None:
        """Ends the game; an engine that works is kept for the next one."""
        if sound:
            self.process.end_game(protocol.end(returns))
            give_back(self.process)
        else:
            self.process.close()

    def _asked(self, message: dict[str, Any], kind: type) -> Any:
        answer = self.process.ask(message, self._limits.move_seconds)
        if not isinstance(answer, kind):
            expected = "a move" if kind is Move else "ready as the answer to new_game"
            raise SeatError("broken", f"expected {expected}, got {answer}")
        return answer


def seat_bot(
    spec: str,
    game: Game,
    player: int,
    seed: int,
    limits: HardLimits,
    seconds: float | None = None,
) -> SeatBot:
    """Makes the bot of a spec in a process of its own; arguments as for SeatBot."""
    return SeatBot(command_of(spec), game, player, seed, limits, seconds)


def parameters_of_engine(spec: str, limits: HardLimits) -> tuple[str, ...]:
    """Returns the parameters that an agent's spec can set, as its own process reports them. Raises SeatError
    if that fails.
    """
    process = lease(command_of(spec), limits)
    give_back(process)
    return process.hello.takes


def _pickled(thing: Any, game: Game | None = None) -> dict[str, str]:
    """Returns the message field with a pickled object for Python hosts; `game` is left out."""

    class Pickler(pickle.Pickler):
        def persistent_id(self, part: Any) -> str | None:
            return protocol.THE_GAME if part is game and game is not None else None

    written = io.BytesIO()
    Pickler(written).dump(thing)
    return {"state": base64.b64encode(written.getvalue()).decode()}


#: The last game asked for, and its message field, since tournaments ask for the same game all the time.
_LAST: list[tuple[Game, dict[str, str]]] = []


def _as_pickled(game: Game) -> dict[str, str]:
    """Returns the message field with the pickled game, or {} if the game can be loaded by its name."""
    if not (_LAST and _LAST[0][0] is game):
        _LAST[:] = [(game, _told_of(game))]
    return _LAST[0][1]


def _told_of(game: Game) -> dict[str, str]:
    try:
        if same_game(load_game(canonical_name(game)), game):
            return {}
    except StarspielError:
        pass
    try:
        return _pickled(game)
    except Exception as error:  # anything that a user's game raises when it is pickled
        raise StarspielError(
            f"{game.name} cannot be sent to an agent's own process: {type(error).__name__}: {error}. Name "
            "the game by its module, as in my_module:MyRules(sides=8), or give the agent as a Python object."
        ) from None


class EngineBot(Bot):
    """The bot of a spec `exec:COMMAND`: an engine in any language that speaks the seat protocol.

    It learns of a position from the state's history; in games whose states have none, from `inform_action`.
    Raises SpecError if the engine cannot be started or does not play the game, and SeatError, a
    StarspielError, if it fails later.
    """

    _engine: SeatBot

    def __init__(self, command: str, game: Game, player: int = 0, seed: int | None = None) -> None:
        super().__init__()
        self._command = command_of(command)
        self._game = game
        self._player = player
        self._seed = seed_number(seed)
        self._finalizer: weakref.finalize[[], EngineBot] | None = None
        self.restart()

    @property
    def last_result(self) -> Said | None:
        return self._engine.last_result

    def restart(self) -> None:
        if self._finalizer is not None:
            self._finalizer()
        seed = secrets.randbits(31) if self._seed is None else self._seed % 2**31
        try:
            self._engine = SeatBot(self._command, self._game, self._player, seed)
        except SeatError as error:
            raise SpecError(f"{error}") from None
        self._finalizer = weakref.finalize(self, partial(self._engine.leave, None, sound=True))
        self._told: list[tuple[int, int]] = []
        self._answer: tuple[int, tuple[int, int]] | None = None
        self.last_nodes = None

    def step(self, state: Any) -> int:
        self._catch_up(state)
        try:
            action = self._engine.step(state)
        except SeatError as error:
            printed = self._engine.printed()
            assert self._finalizer is not None
            self._finalizer.detach()
            self._engine.leave(None, sound=False)
            raise SeatError(error.kind, f"{error}{printed}") from None
        self.last_nodes = self._engine.last_nodes
        if isinstance(state, pyspiel.State):
            place = len(self._told) + (self._player if state.is_simultaneous_node() else 0)
            self._answer = place, (mover_of(state, self._player), action)
        return action

    def step_with_policy(self, state: Any) -> tuple[Policy, int]:
        """Returns the engine's own policy if it reports one, otherwise probability one for its move."""
        action = self.step(state)
        said = dict(self._engine.last_policy or [(action, 1.0)])
        return [(each, said.get(each, 0.0)) for each in actions_of(state, self._player)], action

    def provides_policy(self) -> bool:
        return False

    def provides_force_action(self) -> bool:
        return False

    def is_clonable(self) -> bool:
        return False

    def inform_action(self, state: Any, player: int, action: int) -> None:
        if not isinstance(state, pyspiel.State):
            self._engine.inform_action(state, player, action)

    def _catch_up(self, state: Any) -> None:
        """Tells the engine what has happened since, if the state knows its history."""
        if not isinstance(state, pyspiel.State):
            return
        history = [(each.player, each.action) for each in state.full_history()]
        happened = self._answer is None or self._answer[1] in history[self._answer[0] :][:1]
        if self._told != history[: len(self._told)] or not happened:
            self.restart()
        for place, (player, action) in enumerate(history[len(self._told) :], start=len(self._told)):
            if (place, (player, action)) != self._answer:
                self._engine.inform_action(state, player, action)
        self._told, self._answer = history, None
