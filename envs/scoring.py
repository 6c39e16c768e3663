"""The possible returns of games, and games that differ only in scoring."""

from starspiel.envs.base import Game
from starspiel.envs.named import goes_by
from starspiel.envs.openspiel.game import OpenSpielGame
from starspiel.envs.spec import Spec, as_spec

#: By short name: the parameter that says how results count, and what a win can count by its values.
_SCORED: dict[str, tuple[str, dict[str, tuple[float, ...]]]] = {
    "backgammon": (
        "scoring_type",
        {"winloss_scoring": (1.0,), "enable_gammons": (1.0, 2.0), "full_scoring": (1.0, 2.0, 3.0)},
    )
}


def returns_of(game: Game) -> tuple[float, ...] | None:
    """What a player's results can count, ascending; only the least and the greatest if no more is known.

    None if these have no known bounds.
    """
    if isinstance(game, OpenSpielGame) and (scored := _SCORED.get(_short(game.name))):
        parameter, wins = scored
        won = wins[game.pyspiel_game.get_parameters()[parameter]]
        return (*(-win for win in reversed(won)), *won)
    return game.utility_range


def differs_in_scoring(game: Game, name: str) -> bool:
    """Whether the game equals the named one up to its scoring."""
    short = _short(name)
    if not isinstance(game, OpenSpielGame) or short not in _SCORED or short != _short(game.name):
        return goes_by(game, name)
    parameter, _ = _SCORED[short]
    own = game.pyspiel_game.get_parameters()[parameter]
    return goes_by(game, str(Spec(short, {**as_spec(name).params, parameter: own})))


def _short(name: str) -> str:
    return name.partition("(")[0]
