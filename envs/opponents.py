"""Who sits in an environment's other seat: a callable, a bot, or an agent spec made into a bot.

Environments know no agent. Specs are made into bots by the factories that packages announce under the entry
point group `starspiel.bots`: callables `(spec, game, player, seed) -> bot`.
"""

from collections.abc import Callable
from functools import cache
from importlib.metadata import entry_points
from typing import Any

from starspiel.envs.base import Game
from starspiel.envs.errors import StarspielError

#: Takes a state where its player is to move, gives the action it plays.
Opponent = Callable[[Any], int]


def make_opponent(opponent: Any, game: Game, player: int, seed: int) -> Opponent:
    """`opponent` as a callable; a spec is made into a fresh bot with that seed.

    Raises `StarspielError` for anything that is neither a spec, nor callable, nor has a `step(state)`.
    """
    if isinstance(opponent, str):
        opponent = _bot_factory()(opponent, game, player, seed)
    elif hasattr(opponent, "restart"):
        opponent.restart()
    step = getattr(opponent, "step", opponent)
    if not callable(step):
        raise StarspielError(
            "opponent must be an agent spec such as 'star2(depth=2)', a callable state -> action, "
            f"or an object with step(state), got {opponent!r}."
        )
    action_of: Opponent = step
    return action_of


@cache
def _bot_factory() -> Callable[[str, Game, int, int], Any]:
    for entry in entry_points(group="starspiel.bots"):
        factory: Callable[[str, Game, int, int], Any] = entry.load()
        return factory
    raise StarspielError(
        "no agents are installed (entry point group 'starspiel.bots' is empty), so an opponent cannot be "
        "named by a spec. Reinstall starspiel, or pass a callable state -> action."
    )
