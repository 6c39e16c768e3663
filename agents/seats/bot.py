"""An engine at a seat of one game, and as an OpenSpiel bot that can be shown any position."""

import base64
import io
import pickle
import secrets
import weakref
from collections.abc import Sequence
from typing import Any, NamedTuple

import pyspiel

from starspiel.agents.bot import Bot, Policy
from starspiel.agents.seats import protocol
from starspiel.agents.seats.command import command_of
from starspiel.agents.seats.limits import HardLimits
from starspiel.agents.seats.pool import give_back, lease
from starspiel.agents.seats.process import last_lines
from starspiel.agents.seats.protocol import Move, Ready, SeatError
from starspiel.envs.arguments import seed_number
from starspiel.envs.base import Game
from starspiel.envs.errors import SpecError, StarspielError
from starspiel.envs.load import load_game
from starspiel.envs.named import canonical_name, same_game


class Said(NamedTuple):
    """What an engine said of its move: player 0's expected return."""

    value: float


class SeatBot:
    """Plays one game through an engine, which knows of it what it is informed of, and its legal moves.

    Args:
        command: of the engine, as `command_of` gives it.
        seconds: what it is told that a move may take.

    Whatever goes wrong in the engine is raised as a SeatError, by the constructor, too.

    Attributes:
        last_nodes, last_result: what it said of its last move; None where it said nothing.
    """

    def __init__(
        self,
        command: Sequence[str],
        game: Game,
        player: int,
        seed: int,
        limits: HardLimits | None = None,
        seconds: float | None = None,
    ) -> None:
        self.last_nodes: int | None = None
        self.last_result: Said | None = None
        self.last_policy: Policy | None = None
        self._limits = limits or HardLimits()
        self._seconds = seconds
        self._game = game
        self._explicit = game.explicit_chance
        self.process = lease(command, self._limits)
        self.cpu_seconds = self.process.cpu_seconds
        self._wants = frozenset(self.process.hello.wants)
        try:
            self.process.begin_game()
            message = protocol.new_game(canonical_name(game), game.num_players, player, seed)
            if "state" in self._wants:
                message |= _as_pickled(game)
            answer = self.process.ask(message, self._limits.move_seconds)
            if not isinstance(answer, Ready):
                raise SeatError("broken", f"expected ready as the answer to new_game, got {answer}")
        except BaseException as error:
            if isinstance(error, SeatError) and (printed := last_lines(self.process.printed())):
                error.args = (f"{error}{printed}",)
            self.process.close()
            raise

    def step(self, state: Any) -> int:
        """The engine's move; what it says of a legal one is as the protocol has it."""
        legal = state.legal_actions()
        message = protocol.move(legal, self._seconds)
        if self._wants:
            message |= self._wanted(state)
        answer = self.process.ask(message, self._limits.move_seconds)
        if not isinstance(answer, Move):
            raise SeatError("broken", f"expected a move, got {answer}")
        if answer.action in legal:
            protocol.check_policy(answer, legal)
        self.last_nodes = answer.nodes
        self.last_policy = None if answer.policy is None else list(answer.policy)
        self.last_result = None if answer.value is None else Said(answer.value)
        return answer.action

    def inform_action(self, state: Any, player: int, action: int) -> None:
        """`player`, or chance, is about to do `action`; the engine is told with its next question."""
        message = protocol.event(player, action)
        if not self._explicit and "state" in self._wants:
            message |= _pickled(state, self._game)
        self.process.post(message)

    def printed(self) -> str:
        """The last lines of what the engine printed in this game, as the end of a sentence; or nothing."""
        return last_lines(self.process.printed())

    def leave(self, returns: Sequence[float] | None, *, sound: bool) -> None:
        """The game is over; an engine that is sound is kept for another."""
        if sound:
            self.process.end_game(protocol.end(returns))
            give_back(self.process)
        else:
            self.process.close()

    def _wanted(self, state: Any) -> dict[str, Any]:
        told: dict[str, Any] = {}
        if "names" in self._wants:
            player = state.current_player()
            told["names"] = [state.action_to_string(player, action) for action in state.legal_actions()]
        if "text" in self._wants:
            told["text"] = str(state)
        if "state" in self._wants and not self._explicit:
            told |= _pickled(state, self._game)
        return told


class _Pickler(pickle.Pickler):
    """Leaves the game out, which its reader has: to load an environment again takes a second."""

    def __init__(self, file: io.BytesIO, game: Game | None) -> None:
        super().__init__(file)
        self._game = game

    def persistent_id(self, thing: Any) -> str | None:
        return protocol.THE_GAME if thing is self._game and thing is not None else None


def _pickled(thing: Any, game: Game | None = None) -> dict[str, str]:
    """For hosts, which read it from the referee alone; of `game`, if given, they have their own."""
    written = io.BytesIO()
    _Pickler(written, game).dump(thing)
    return {"state": base64.b64encode(written.getvalue()).decode()}


def _as_pickled(game: Game) -> dict[str, str]:
    """The game itself, where its name does not make it; else nothing."""
    for known, told in _LAST:
        if known is game:
            return told
    told = _told_of(game)
    _LAST[:] = [(game, told)]
    return told


#: The last game that was asked for, and what is told of it: tournaments ask for one all the time.
_LAST: list[tuple[Game, dict[str, str]]] = []


def _told_of(game: Game) -> dict[str, str]:
    try:
        if same_game(load_game(canonical_name(game)), game):
            return {}
    except StarspielError:
        pass
    try:
        return _pickled(game)
    except Exception as error:  # whatever a user's game raises when it is pickled
        raise StarspielError(
            f"{game.name} cannot be sent to an agent's own process: {type(error).__name__}: {error}. Name "
            "the game by its module, as in my_module:MyRules(sides=8), or give the agent as a Python object."
        ) from None


class EngineBot(Bot):
    """The bot of a spec `exec:COMMAND`: an engine in any language that speaks the seat protocol.

    It is told of a position by the history that led there; where the game's states have none, by
    `inform_action`. Raises SpecError where the engine cannot be started or does not play the game, and
    SeatError, a StarspielError, where it fails later.
    """

    last_result: Said | None = None

    def __init__(self, command: str, game: Game, player: int = 0, seed: int | None = None) -> None:
        super().__init__()
        self._command = command_of(command)
        self._game = game
        self._player = player
        self._seed = seed_number(seed)
        self._engine: SeatBot | None = None
        self._told: list[tuple[int, int]] = []
        self.restart()

    def restart(self) -> None:
        self._retire()
        try:
            self._engine = SeatBot(self._command, self._game, self._player, self._game_seed())
        except SeatError as error:
            raise SpecError(f"{error}") from None
        self._told = []
        self.last_nodes, self.last_result = None, None
        self._finalizer = weakref.finalize(self, _leave, self._engine)

    def step(self, state: Any) -> int:
        self._catch_up(state)
        assert self._engine is not None
        try:
            action = self._engine.step(state)
        except SeatError as error:
            printed = self._engine.printed()
            self._finalizer.detach()
            self._engine.leave(None, sound=False)
            raise SeatError(error.kind, f"{error}{printed}") from None
        self.last_nodes, self.last_result = self._engine.last_nodes, self._engine.last_result
        self._told.append((state.current_player(), action))
        return action

    def step_with_policy(self, state: Any) -> tuple[Policy, int]:
        """The policy is the engine's own, where it says one, else its move alone."""
        action = self.step(state)
        assert self._engine is not None
        policy = self._engine.last_policy or [(action, 1.0)]
        said = dict(policy)
        return [(each, said.get(each, 0.0)) for each in state.legal_actions()], action

    def provides_policy(self) -> bool:
        return False

    def provides_force_action(self) -> bool:
        return False

    def is_clonable(self) -> bool:
        return False

    def inform_action(self, state: Any, player: int, action: int) -> None:
        if not isinstance(state, pyspiel.State):
            assert self._engine is not None
            self._engine.inform_action(state, player, action)

    def _catch_up(self, state: Any) -> None:
        """Tells the engine what has happened up to a state that knows it."""
        if not isinstance(state, pyspiel.State):
            return
        history = [(each.player, each.action) for each in state.full_history()]
        if self._told != history[: len(self._told)]:
            self.restart()
        assert self._engine is not None
        for player, action in history[len(self._told) :]:
            self._engine.inform_action(state, player, action)
        self._told = history

    def _game_seed(self) -> int:
        return secrets.randbits(31) if self._seed is None else self._seed % 2**31

    def _retire(self) -> None:
        if self._engine is not None and self._finalizer.detach():
            self._engine.leave(None, sound=True)
        self._engine = None


def _leave(engine: SeatBot) -> None:
    engine.leave(None, sound=True)
