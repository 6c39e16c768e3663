"""Opponents in an environment's other seats: callables, bots, or agent specs.

Environments do not depend on agents. Specs are made into bots by factories that packages declare in the entry
point group `starspiel.bots`: callables `(spec, game, player, seed) -> bot`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from operator import index
from typing import Any

from starspiel.envs.base import NO_ACTION, Game, actions_of
from starspiel.envs.environments.errors import IllegalActionError
from starspiel.envs.errors import StarspielError
from starspiel.envs.rules import Rules

#: An agent spec, a callable from a state to an action, or an object with `step(state)`; or a list of these
#: with one for each other seat, in seat order.
Opponent = Any


@dataclass(frozen=True)
class Seated:
    """An opponent for one game.

    Attributes:
        given: the opponent as it was given to the environment.
        step: returns the opponent's action in a state in which it is to move.
        inform: is told (state, player, action) of other players and chance.
        inform_all: is told (state, actions) of simultaneous moves.
    """

    given: Opponent
    step: Callable[[Any], int]
    inform: Callable[[Any, int, int], None]
    inform_all: Callable[[Any, Sequence[int]], None]


def make_opponents(
    opponent: Opponent, game: Game, seat: int, seed_of: Callable[[], int]
) -> dict[int, Seated]:
    """Returns the opponents of the agent in `seat`, by their seats, each seeded by a call of `seed_of`.

    Raises `StarspielError` as `make_opponent` does, for a list whose length is not the number of other seats,
    and for an object that would play several seats.
    """
    others = [player for player in range(game.num_players) if player != seat]
    if not isinstance(opponent, list | tuple):
        if len(others) > 1 and hasattr(opponent, "step"):
            raise StarspielError(
                f"an object with step(state) plays one seat, and {game.name} has {len(others)} others; "
                "opponent must be a list of one for each of them, an agent spec or a callable."
            )
        opponent = [opponent] * len(others)
    if len(opponent) != len(others):
        raise StarspielError(
            f"expected one opponent for each of the other {len(others)} seats of {game.name}, got "
            f"{len(opponent)}."
        )
    return {
        player: make_opponent(given, game, player, seed_of())
        for player, given in zip(others, opponent, strict=True)
    }


def make_opponent(opponent: Opponent, game: Game, player: int, seed: int) -> Seated:
    """Returns an opponent for one game: a new bot with that seed for a spec, an object after its `restart()`.

    Raises `StarspielError` for anything that is not an opponent, and for OpenSpiel's compiled bots if the
    rules are in Python.
    """
    given = opponent
    if isinstance(opponent, str):
        opponent = _bot_factory()(opponent, game, player, seed)
    elif hasattr(opponent, "restart"):
        opponent.restart()
    if isinstance(game, Rules) and type(opponent).__module__ == "pyspiel":
        raise StarspielError(
            f"OpenSpiel's own bots take states of OpenSpiel only, and {game.name} is rules in Python; "
            "opponent must be an agent spec such as 'mcts', a callable state -> action, or an object with "
            "step(state)."
        )
    step = getattr(opponent, "step", opponent)
    if not callable(step):
        raise StarspielError(
            "opponent must be an agent spec such as 'star2(depth=2)', a callable state -> action, "
            f"or an object with step(state), got {opponent!r}."
        )
    return Seated(
        given,
        step,
        getattr(opponent, "inform_action", lambda state, player, action: None),
        getattr(opponent, "inform_actions", lambda state, actions: None),
    )


def inform(others: Mapping[int, Seated], state: Any, player: int, action: int) -> None:
    """Tells all opponents except the player what the player, or chance, does."""
    for seat, other in others.items():
        if seat != player:
            other.inform(state, player, action)


def answer_of(other: Seated, state: Any, player: int) -> int:
    """Returns an opponent's action; NO_ACTION if all move at once and it has none.

    Raises IllegalActionError if the action is illegal.
    """
    legal = list(actions_of(state, player))
    if not legal:
        return NO_ACTION
    answer = other.step(state)
    action = whole(answer)
    if action is None or action not in legal:
        raise IllegalActionError(
            f"the opponent {other.given!r} played {answer!r}; expected a legal action of {legal}."
        )
    return action


def whole(number: Any) -> int | None:
    """Returns an action as an int; None unless it is a whole number. Booleans are not."""
    try:
        return None if isinstance(number, bool) else index(number)
    except TypeError:
        return None


@cache
def _bot_factory() -> Callable[[str, Game, int, int], Any]:
    for entry in entry_points(group="starspiel.bots"):
        factory: Callable[[str, Game, int, int], Any] = entry.load()
        return factory
    raise StarspielError(
        "no agents are installed (entry point group 'starspiel.bots' is empty), so an opponent cannot be "
        "named by a spec. Reinstall starspiel, or pass a callable state -> action."
    )
