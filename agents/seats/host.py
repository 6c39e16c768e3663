"""Runs a Python agent as an engine: speaks the seat protocol for a spec, in its own process.

    PATHS FOLDER SPEC      (as `command_of` writes them)

Standard input and output are connected to the referee. The bot finds others in their place: what it prints
goes to standard error, of which the referee keeps the end. The bot is imported and made in FOLDER, where
relative names mean what the user meant, and plays in the process's own folder.
"""

import base64
import contextlib
import gc
import io
import os
import pickle
import random
import sys
from math import isfinite
from operator import index
from typing import Any

import msgspec
import numpy as np

from starspiel.agents.bot import hears_joint_moves, listens
from starspiel.agents.roster import find_agent, make_bot
from starspiel.agents.seats import protocol
from starspiel.agents.seats.protocol import Failure, Hello, Move, Ready
from starspiel.envs.base import SIMULTANEOUS, Game, joint_child
from starspiel.envs.errors import StarspielError, first_line
from starspiel.envs.load import load_game
from starspiel.envs.modules import place_in_named_module
from starspiel.envs.spec import parse_spec


def main() -> None:
    # What is loaded so far is never freed, so the garbage collector need not look at it again, not even at
    # exit.
    gc.freeze()
    folder, spec = sys.argv[2:]
    heard, said = os.fdopen(os.dup(0), "rb"), os.dup(1)
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    os.dup2(2, 1)
    own = os.getpid()
    host = Host(spec, folder)
    failed: Failure | None = None
    for line in heard:
        message = msgspec.json.decode(line)
        if message["type"] == "quit":
            break
        if message["type"] == "new_game":
            failed = None
        try:
            answer = failed or host.answer(message)
        except BaseException as error:  # anything that a bot raises ends its game, but not its process
            answer = failed = failure(error)
        if os.getpid() != own:
            os._exit(0)  # a child process that the bot forked and let return
        if answer is not None and message["type"] in protocol.ANSWERED:
            os.write(said, protocol.line_of(answer))


class Host:
    """Plays games with bots of one spec."""

    def __init__(self, spec: str, folder: str) -> None:
        self._spec = parse_spec(spec)
        self._folder = folder
        self._games: dict[tuple[str, str], Game] = {}

    def answer(self, message: dict[str, Any]) -> Any:
        match message["type"]:
            case "hello":
                with contextlib.chdir(self._folder):
                    agent = find_agent(self._spec.name)
                return Hello(protocol.VERSION, str(self._spec), ("state",), tuple(agent.parameters))
            case "new_game":
                self._new_game(message)
                return Ready()
            case "event":
                if self._listens and not self._is_joint:
                    self._bot.inform_action(self._shown(message), message["player"], message["action"])
                self._advance(message["player"], message["action"])
            case "move":
                return self._move(message)
        return None

    def _new_game(self, message: dict[str, Any]) -> None:
        seat, seed = message["seat"], message["seed"]
        random.seed(seed)
        np.random.seed(seed)
        key = name, pickled = message["game"], message.get("state", "")
        with contextlib.chdir(self._folder):
            if key not in self._games:
                self._games = {key: _unpickled(pickled, None) if pickled else load_game(name)}
            self._game = self._games[key]
            self._bot = make_bot(self._spec, self._game, seat, seed)
        self._state: Any = self._game.new_initial_state()
        self._seat = seat
        self._chosen: dict[int, int] = {}
        self._listens = listens(self._bot)
        self._counts = hasattr(self._bot, "last_nodes")

    def _move(self, message: dict[str, Any]) -> Move:
        action = int(index(self._bot.step(self._shown(message))))
        move = Move(action)
        nodes = self._bot.last_nodes if self._counts else None
        self._counts = nodes is not None  # a bot that reports nothing once is not asked again in this game
        if nodes is not None:
            found = getattr(self._bot, "last_result", None)
            value = None if found is None else float(found.value)
            move.nodes = index(nodes)
            move.value = value if value is not None and isfinite(value) else None
        if action in message["legal"]:
            self._advance(self._seat, action)
        return msgspec.convert(msgspec.to_builtins(move), Move)  # raises if its numbers are out of range

    def _shown(self, message: dict[str, Any]) -> Any:
        """Returns the position as a copy for the bot, which may change it."""
        if not self._game.explicit_chance:
            self._state = _unpickled(message["state"], self._game)
        return self._state.clone() if hasattr(self._state, "clone") else self._state

    @property
    def _is_joint(self) -> bool:
        return bool(self._state.current_player() == SIMULTANEOUS)

    def _advance(self, player: int, action: int) -> None:
        if self._game.explicit_chance:
            if not self._is_joint:
                self._state = self._state.child(action)
                return
            self._chosen[player] = action
            if len(self._chosen) == self._game.num_players:
                self._advance_jointly()

    def _advance_jointly(self) -> None:
        actions = [self._chosen[player] for player in range(self._game.num_players)]
        self._chosen = {}
        if hears_joint_moves(self._bot):
            self._bot.inform_actions(self._shown({}), actions)
        self._state = joint_child(self._state, actions)


def _unpickled(text: str, game: Game | None) -> Any:
    """Returns what the referee sent; nobody else writes to this process. `game` replaces the game that was
    left out of the message.
    """

    class Unpickler(pickle.Unpickler):
        def persistent_load(self, pid: Any) -> Any:
            if pid != protocol.THE_GAME or game is None:
                raise pickle.UnpicklingError(f"expected the id of the game, got {pid!r}")
            return game

    return Unpickler(io.BytesIO(base64.b64decode(text))).load()


def failure(error: BaseException) -> Failure:
    """Returns the answer that reports the exception, and where in the bot's module it was raised."""
    message = first_line(error)
    if isinstance(error, StarspielError):
        return Failure(message)
    place = place_in_named_module(error)
    message += f" ({place})" if place else ""
    return Failure(message.encode(errors="replace").decode(), type(error).__name__)
