"""Opponents in an environment's other seats: callables, bots, or agent specs.

Environments know no agent. Specs are made into bots by the factories that packages announce under the entry
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

#: An agent spec, a callable from a state to the action it plays there, or an object with `step(state)`; or a
#: list of one for each of the other seats, in their order.
Opponent = Any


@dataclass(frozen=True)
class Seated:
    """An opponent for one game.

    Attributes:
        given: who it is, as the environment was told.
        step: takes a state in which it is to move, gives the action it plays.
        inform: takes (state, player, action) of what others and chance do.
        inform_all: takes (state, actions) of what all players have done at once.
    """

    given: Opponent
    step: Callable[[Any], int]
    inform: Callable[[Any, int, int], None]
    inform_all: Callable[[Any, Sequence[int]], None]


def make_opponents(
    opponent: Opponent, game: Game, seat: int, seed_of: Callable[[], int]
) -> dict[int, Seated]:
    """Everybody but the agent in `seat`, by their seats, each seeded by a call of `seed_of`.

    Raises `StarspielError` as `make_opponent`, for a list that has not one for each other seat, and for an
    object that would sit in several.
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
    """`opponent` seated; a spec is made into a fresh bot with that seed, an object's `restart()` is called.
    Raises `StarspielError` for what is no opponent, and for OpenSpiel's compiled bots if the rules are in
    Python."""
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
    """Tells everybody but the player what the player, or chance, does."""
    for seat, other in others.items():
        if seat != player:
            other.inform(state, player, action)


def answer_of(other: Seated, state: Any, player: int) -> int:
    """Returns an opponent's action, NO_ACTION if all move at once and it has none. Raises IllegalActionError
    if it is illegal.
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
    """Returns an action as an int; None unless it is a whole number, which excludes True."""
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
