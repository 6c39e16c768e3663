"""Whether an engine keeps the seat protocol: what `starspiel check --agent exec:…` checks beside its play."""

import math
import random
from typing import Any

import numpy as np

from starspiel.agents.conformance import check_bot
from starspiel.agents.seats import protocol
from starspiel.agents.seats.bot import SeatBot
from starspiel.agents.seats.command import command_of
from starspiel.agents.seats.limits import HardLimits
from starspiel.agents.seats.process import QUIT_SECONDS, SeatProcess
from starspiel.agents.seats.protocol import Ready, SeatError
from starspiel.envs.base import TERMINAL, Game
from starspiel.envs.conformance import Check, Report, Tally, draw, successors
from starspiel.envs.load import load_game
from starspiel.envs.named import canonical_name

_TOLERANCE = 1e-6
#: An engine that takes longer to answer is taken not to.
_PATIENCE = HardLimits(move_seconds=60.0)
#: An engine has so long to speak without being asked.
_SILENT_SECONDS = 0.2
#: What no version of the protocol has.
_UNKNOWN = {"type": "starspiel-check", "unknown": [1, {"a": None}]}


def check_engine(
    spec: str, game: Any, *, games: int = 10, seconds: float = math.inf, seed: int = 1
) -> Report:
    """Whether the engine `exec:COMMAND` speaks the seat protocol, and plays as `check_bot` asks of bots.

    Args as of `check_bot`. Raises SpecError where there is no such program.
    """
    played = load_game(game)
    command = command_of(spec)
    checks: list[Check] = []
    try:
        process = SeatProcess(command, _PATIENCE)
    except SeatError as error:
        return Report(f"{spec} in {played.name}", (_failed("it says hello", error),))
    try:
        about = process.hello.name or "it gives no name"
        checks.append(Check("it says hello", True, f"{about}, version {process.hello.protocol}"))
        checks.append(_tolerant(process, played, seed))
        checks.append(_silent(process))
        if all(check.ok for check in checks):
            checks.append(_quits(process))
    finally:
        process.close()
    if not all(check.ok for check in checks):
        return Report(f"{spec} in {played.name}", tuple(checks))
    checks += _said(command, played, seed)
    report = check_bot(spec, played, games=games, seconds=seconds, seed=seed)
    notes = tuple(note for note in report.notes if "policy" not in note)
    return Report(report.subject, (*checks, *report.checks), notes)


def _failed(name: str, error: SeatError) -> Check:
    return Check(name, False, "1 time", (f"{error.kind}: {error}",))


def _tolerant(process: SeatProcess, game: Game, seed: int) -> Check:
    """Types and keys that it does not know, and games that begin while another is under way."""
    name = "it passes over what it does not know, and begins games at any time"
    try:
        for number in range(3):
            process.post(_UNKNOWN)
            message = protocol.new_game(canonical_name(game), game.num_players, 0, seed + number)
            answer = process.ask(message | {"unknown": None}, _PATIENCE.move_seconds)
            if not isinstance(answer, Ready):
                return Check(name, False, "3 games", (f"expected ready, got {answer}",))
        process.post(protocol.end(None))
    except SeatError as error:
        return _failed(name, error)
    return Check(name, True, "3 games")


def _silent(process: SeatProcess) -> Check:
    name = "it says nothing without being asked"
    unasked = process.overheard(_SILENT_SECONDS)
    if unasked:
        return Check(name, False, f"{_SILENT_SECONDS:g} s", (f"it said {unasked!r}",))
    return Check(name, True, f"{_SILENT_SECONDS:g} s")


def _quits(process: SeatProcess) -> Check:
    name = "it ends when told to quit"
    status = process.quit()
    if status == 0:
        return Check(name, True, "1 time")
    what = f"exit code {status}" if status is not None else f"it was still there after {QUIT_SECONDS:g} s"
    return Check(name, False, "1 time", (f"{what}, expected exit code 0",))


def _said(command: tuple[str, ...], game: Game, seed: int) -> list[Check]:
    """What it says of its moves, in a game of each seat against random moves."""
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
        while state.current_player() != TERMINAL:
            player = state.current_player()
            if player == seat:
                action = bot.step(state)
                legal = list(state.legal_actions())
                if action not in legal:
                    break  # which the games of `check_bot` show
                _look(bot, game, legal, action, values, policies)
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


def _look(bot: SeatBot, game: Game, legal: list[int], action: int, values: Tally, policies: Tally) -> None:
    if bot.last_result is not None:
        low, high = game.utility_range or (-math.inf, math.inf)
        value = bot.last_result.value
        if not values.check(low - _TOLERANCE <= value <= high + _TOLERANCE):
            values.found(f"value {value:g}, outside [{low:g}, {high:g}]: it is player 0's expected return")
    if bot.last_policy is not None:
        said = dict(bot.last_policy)
        whole = abs(math.fsum(said.values()) - 1.0) <= _TOLERANCE and min(said.values(), default=0.0) >= 0.0
        if not policies.check(whole and set(said) <= set(legal) and said.get(action, 0.0) > 0.0):
            policies.found(
                f"{bot.last_policy[:9]} is no distribution over {legal[:9]} with its move {action}"
            )
