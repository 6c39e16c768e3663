"""The agents of a tournament for which none are named."""

from contextlib import suppress

from starspiel.agents.roster import make_bot
from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.load import load_game

#: Baselines, and the three searches at the same depth.
AGENTS = (
    "random",
    "mcts(simulations=100)",
    "mcts(simulations=1000)",
    "expectiminimax(depth=3)",
    "star1(depth=3)",
    "star2(depth=3)",
)


def default_field(game: str) -> list[str]:
    """The specs of those of the usual agents that can play the game.

    Raises StarspielError where the game cannot be loaded, or none of them can play it.
    """
    loaded = load_game(game)
    field = []
    for agent in AGENTS:
        with suppress(UnsupportedGameError):
            make_bot(agent, loaded)
            field.append(agent)
    if not field:
        raise StarspielError(f"none of the usual agents can play {loaded.name}; name some with --agents.")
    return field
