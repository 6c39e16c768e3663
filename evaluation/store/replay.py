"""Replays a stored game, event by event."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isnan
from typing import Any

from starspiel.envs.base import CHANCE, NO_ACTION, Game
from starspiel.envs.errors import StarspielError
from starspiel.envs.load import load_game
from starspiel.envs.outlook import Outlook
from starspiel.envs.plays import name_of
from starspiel.envs.trust import check_consent
from starspiel.evaluation.play.course import retraced
from starspiel.evaluation.play.record import winners
from starspiel.evaluation.store.rows import StoredGame


@dataclass(frozen=True, slots=True)
class Event:
    """One action or chance outcome of a game.

    Attributes:
        number: its index in the history, from 0.
        player: who acted: a seat, or CHANCE.
        name: the move or outcome in words.
        seconds, nodes, value: CPU seconds, nodes and value of the move on record; None if unknown. The value
            is player 0's expected return as the mover estimated it; with more than two players, the mover's.
        after: the state after the event.
    """

    number: int
    player: int
    action: int
    name: str
    seconds: float | None
    nodes: int | None
    value: float | None
    after: Any


def events(game: StoredGame, rules: Game | None = None, *, trust: bool = False) -> Iterator[Event]:
    """Yields the events of a game in order, by `rules` or, without them, by the game that its name loads.

    Raises StarspielError if a move is not legal in the present rules. Also raises it if the game's name would
    import a module outside starspiel and pyspiel without consent: `trust`, or a yes at the terminal.
    """
    if rules is None:
        check_consent(f"the record of game {game.id}", [game.game], trust=trust)
        rules = load_game(game.game)
    return _events(game, rules)


def ending(game: StoredGame, told: Outlook) -> str:
    """Returns a sentence on how a game ended: who forfeited or won it, or the return of a single player."""
    fault, returns = game.record.fault, game.record.returns
    if fault is not None:
        return f"Forfeited by player {fault.seat}, {game.names[fault.seat]}: {fault.kind}, {fault.message}."
    if len(returns) == 1:
        return f"The game ended with {told.paid(returns[0])}."
    first = winners(returns)
    if len(first) == len(returns):
        same = round(returns[0], 9)
        return "A draw." if same == 0 else f"All players have the same return, {same:g}."
    if len(first) > 1:
        return f"Players {' and '.join(map(str, first))} shared the best result."
    return f"Player {first[0]}, {game.names[first[0]]}, won."


def _events(game: StoredGame, rules: Game) -> Iterator[Event]:
    actions, number = game.record.actions, -1
    after: Any = None
    made = [0] * len(game.names)
    for number, (state, action, after) in enumerate(retraced(rules, actions)):
        player = state.current_player()
        seconds, nodes, value = None, None, None
        if player != CHANCE and action != NO_ACTION and number >= len(game.start):
            moves, index = game.record.moves[player], made[player]
            made[player] += 1
            # A game that ended by a crash has actions, but no costs of them.
            if index < len(moves.seconds):
                seconds = moves.seconds[index]
            if index < len(moves.nodes):
                nodes = moves.nodes[index]
                value = None if isnan(moves.values[index]) else moves.values[index]
        is_seed = number == 0 and not rules.explicit_chance
        name = f"seed {action}" if is_seed else name_of(state, player, action)
        yield Event(number, player, action, name, seconds, nodes, value, after)
    if number + 1 < len(actions):
        raise StarspielError(
            f"game {game.id}: action {actions[number + 1]}, number {number + 1}, is not legal by the present "
            f"rules of {game.game}."
        )
    if rules.explicit_chance or game.record.fault is not None:
        return
    if (returns := tuple(after.returns())) != game.record.returns:
        raise StarspielError(
            f"game {game.id}: played again from its seed, {game.game} returns {returns}, and the record says "
            f"{game.record.returns}: its dice do not follow from the seed alone, or it has changed since."
        )
