"""`starspiel games`: lists the games that can be searched."""

from typing import Any

import pyspiel

from starspiel.agents.evaluators import has_heuristic
from starspiel.cli.flags import Json
from starspiel.cli.output import show, show_json, table_of
from starspiel.envs.games import GAMES
from starspiel.envs.load import load_game
from starspiel.envs.openspiel.game import OpenSpielGame, qualifying_games


def games(*, stochastic: bool = False, as_json: Json = False) -> None:
    """List the shipped games and the OpenSpiel games that can be searched, with their default parameters.

    In all of them, players move in turn. `players` is how many can play, set by the parameter of that name.
    `bounds` on player 0's return let Star1 and Star2 prune. A `key` identifies positions, for transposition
    tables and for merging equal ones. `heuristic` says whether the evaluator of that name supports the game.

    For example:

        starspiel games
        starspiel games --stochastic --json

    Args:
        stochastic: List only games with chance.
    """
    names = [*GAMES, *(name for name in qualifying_games() if name not in GAMES)]
    rows = [row for row in map(_row, names) if row["chance"] or not stochastic]
    if as_json:
        show_json({"games": rows})
        return
    table = table_of("game", "source", right=("players", "chance", "bounds", "key", "heuristic"))
    for row in rows:
        bounds = "none" if row["utility_range"] is None else "{:g} to {:g}".format(*row["utility_range"])
        chance, *flags = ("yes" if row[flag] else "-" for flag in ("chance", "key", "heuristic"))
        least, most = row["least_players"], row["most_players"]
        players = f"{least}" if least == most else f"{least} to {most}"
        table.add_row(row["name"], row["source"], players, chance, bounds, *flags)
    show(table)


def _row(name: str) -> dict[str, Any]:
    game = load_game(name)
    source, chance, has_key = "starspiel", True, True
    least = most = game.num_players
    if isinstance(game, OpenSpielGame):
        source, kind = "OpenSpiel", game.pyspiel_game.get_type()
        least, most = kind.min_num_players, kind.max_num_players
        chance = kind.chance_mode != pyspiel.GameType.ChanceMode.DETERMINISTIC
        has_key = game.has_key
    return {
        "name": name,
        "source": source,
        "players": game.num_players,
        "least_players": least,
        "most_players": most,
        "chance": chance,
        "utility_range": game.utility_range,
        "key": has_key,
        "heuristic": has_heuristic(game),
    }
