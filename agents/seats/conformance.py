"""Checks whether an engine follows the seat protocol, for `starspiel check --agent exec:…`."""

import math
import random
from typing import Any

import numpy as np

from starspiel.agents.conformance import check_bot, check_policy
from starspiel.agents.hard_limits import HardLimits
from starspiel.agents.seats import protocol
from starspiel.agents.seats.bot import SeatBot
from starspiel.agents.seats.command import command_of
from starspiel.agents.seats.process import QUIT_SECONDS, SeatProcess
from starspiel.agents.seats.protocol import Ready
from starspiel.envs.base import TERMINAL, Game, check_in_turn
from starspiel.envs.conformance import Check, Report, Tally, draw, successors
from starspiel.envs.errors import SeatError
from starspiel.envs.load import load_game
from starspiel.envs.named import canonical_name

_TOLERANCE = 1e-6
#: The limits that tournaments set by default. An engine that exceeds them counts as not answering.
_PATIENCE = HardLimits().for_strangers()
#: The number of seconds to wait for lines that were not requested.
_SILENT_SECONDS = 0.2
#: A message type that no version of the protocol has.
_UNKNOWN = {"type": "starspiel-check", "unknown": [1, {"a": None}]}


def check_engine(
    spec: str, game: Any, *, games: int = 10, seconds: float = math.inf, seed: int = 1
) -> Report:
    """Checks whether the engine `exec:COMMAND` speaks the seat protocol, and plays as `check_bot` requires.

    Arguments are those of `check_bot`. Raises SpecError if there is no such program.
    """
    played = load_game(game)
    check_in_turn(played, "check_engine")
    command = command_of(spec)
    checks = _spoken(command, played, seed)
    if not all(check.ok for check in checks):
        return Report(f"{spec} in {played.name}", tuple(checks))
    checks += _said(command, played, seed)

    def make(player: int, seed: int) -> SeatBot:
        return SeatBot(command, played, player, seed, _PATIENCE)

    report = check_bot(make, played, games=games, seconds=seconds, seed=seed)
    notes = tuple(note for note in report.notes if "policy" not in note)
    return Report(f"{spec} in {played.name}", (*checks, *report.checks), notes)


def _spoken(command: tuple[str, ...], game: Game, seed: int) -> list[Check]:
    """Checks the protocol without a game: start, end, and ignored messages."""
    checks: list[Check] = []
    name = "it says hello"
    process: SeatProcess | None = None
    try:
        process = SeatProcess(command, _PATIENCE)
        about = process.hello.name or "it gives no name"
        checks.append(Check(name, True, f"{about}, version {process.hello.protocol}"))

        name = "it ignores unknown messages, and begins games at any time"
        for number in range(3):
            process.post(_UNKNOWN)
            message = protocol.new_game(canonical_name(game), game.num_players, 0, seed + number)
            answer = process.ask(message | {"unknown": None}, _PATIENCE.move_seconds)
            if not isinstance(answer, Ready):
                raise SeatError("broken", f"expected ready, got {answer}")
        process.post(protocol.end(None))
        checks.append(Check(name, True, "3 games"))

        name = "it says nothing without being asked"
        if unasked := process.overheard(_SILENT_SECONDS):
            raise SeatError("broken", f"it said {unasked!r}")
        checks.append(Check(name, True, f"{_SILENT_SECONDS:g} s"))

        name = "it ends when told to quit"
        if status := process.quit():
            raise SeatError("broken", f"exit code {status}, expected exit code 0")
        if status is None:
            raise SeatError("broken", f"it was still there after {QUIT_SECONDS:g} s, expected exit code 0")
        checks.append(Check(name, True, "1 time"))
    except SeatError as error:
        checks.append(_failed(name, error))
    finally:
        if process is not None:
            process.close()
    return checks


def _failed(name: str, error: SeatError) -> Check:
    return Check(name, False, "1 time", (f"{error.kind}: {error}",))


def _said(command: tuple[str, ...], game: Game, seed: int) -> list[Check]:
    """Checks the engine's reports in a game at each seat against random moves."""
    values = Tally("values are within the game's bounds", "values")
    policies = Tally("policies are over legal moves", "policies")
    for seat in range(game.num_players):
        try:
            bot = SeatBot(command, game, seat, seed, _PATIENCE)
            _play(bot, game, seat, random.Random(seed + seat), values, policies)
        except SeatError as error:
            return [_failed("it answers every move", error)]
    return [tally.done() for tally in (values, policies) if tally.count]


def _play(bot: SeatBot, game: Game, seat: int, rng: random.Random, values: Tally, policies: Tally) -> None:
    state: Any = game.new_initial_state()
    sound = False
    try:
        while (player := state.current_player()) != TERMINAL:
            if player == seat:
                action = bot.step(state)
                legal = list(state.legal_actions())
                if action not in legal:
                    break  # the games of `check_bot` report it
                if bot.last_result is not None:
                    low, high = game.utility_range or (-math.inf, math.inf)
                    value = bot.last_result.value
                    if not values.check(low - _TOLERANCE <= value <= high + _TOLERANCE):
                        values.found(
                            f"value {value:g}, outside [{low:g}, {high:g}]: it is player 0's expected return"
                        )
                if bot.last_policy is not None:
                    check_policy(policies, bot.last_policy, legal, action)
            else:
                choices = successors(game, state, rng)
                if choices is None:
                    state = state.sample(np.random.default_rng(rng.getrandbits(64)))
                    continue
                action = draw(choices, rng)
                bot.inform_action(state, player, action)
            state = state.child(action)
        sound = True
    finally:
        bot.leave(None, sound=sound)
