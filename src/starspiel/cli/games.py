"""`starspiel games`: what can be played."""

from dataclasses import dataclass
from typing import Annotated

import pyspiel
from cyclopts import Parameter
from rich.table import Table

from starspiel.agents.evaluators import has_heuristic
from starspiel.cli.output import show, show_json
from starspiel.envs.games import GAMES
from starspiel.envs.load import load_game
from starspiel.envs.openspiel.game import OpenSpielGame, qualifying_games


@dataclass(frozen=True, slots=True)
class _Row:
    name: str
    source: str
    players: int
    chance: bool
    utility_range: tuple[float, float] | None
    key: bool
    heuristic: bool


def games(
    *,
    stochastic: Annotated[bool, Parameter(negative="")] = False,
    as_json: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> None:
    """List the games that ship and the OpenSpiel games that search plays, with their default parameters.

    `bounds` (the returns player 0 can end with) let Star1 and Star2 prune; a `key` lets tables and merging
    work; a `heuristic` is what agents value positions by unless they name another.

    For example:

        starspiel games
        starspiel games --stochastic --json

    Parameters
    ----------
    stochastic
        Only games with chance.
    as_json
        Print one JSON object and nothing else.
    """
    names = [*GAMES, *(name for name in qualifying_games() if name not in GAMES)]
    rows = [row for row in map(_row, names) if row.chance or not stochastic]
    if as_json:
        show_json(
            {
                "games": [
                    {
                        "name": row.name,
                        "source": row.source,
                        "players": row.players,
                        "chance": row.chance,
                        "utility_range": row.utility_range,
                        "key": row.key,
                        "heuristic": row.heuristic,
                    }
                    for row in rows
                ]
            }
        )
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("game", style="bold")
    table.add_column("source")
    for column in ("players", "chance", "bounds", "key", "heuristic"):
        table.add_column(column, justify="right")
    for row in rows:
        bounds = "none" if row.utility_range is None else "{:g} to {:g}".format(*row.utility_range)
        flags = ["yes" if flag else "-" for flag in (row.chance, row.key, row.heuristic)]
        table.add_row(row.name, row.source, str(row.players), flags[0], bounds, *flags[1:])
    show(table)


def _row(name: str) -> _Row:
    game = load_game(name)
    source, chance, has_key = "starspiel", True, True
    if isinstance(game, OpenSpielGame):
        source = "OpenSpiel"
        chance = game.pyspiel_game.get_type().chance_mode != pyspiel.GameType.ChanceMode.DETERMINISTIC
        has_key = game.has_key
    return _Row(name, source, game.num_players, chance, game.utility_range, has_key, has_heuristic(game))
