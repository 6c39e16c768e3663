"""The possible returns of games, and games that differ only in scoring."""

from collections.abc import Mapping
from typing import Any

from starspiel.envs.base import Game
from starspiel.envs.named import goes_by
from starspiel.envs.openspiel.game import OpenSpielGame
from starspiel.envs.spec import Spec, as_spec

#: By short name: the parameter that sets the scoring, and for each of its values how much a win can count.
_SCORED: dict[str, tuple[str, dict[str, tuple[float, ...]]]] = {
    "backgammon": (
        "scoring_type",
        {"winloss_scoring": (1.0,), "enable_gammons": (1.0, 2.0), "full_scoring": (1.0, 2.0, 3.0)},
    )
}
#: Names of results that count at least so many points, by their points.
_GREATER = {"backgammon": {2.0: "gammon", 3.0: "backgammon"}}


def points_of(game: str) -> float | None:
    """Returns how many points a return of 1 stands for in a one-player game, by the game's name.

    Returns None if the game's returns are not known to be points. OpenSpiel divides the points of yacht by
    the maximum score of all categories together.
    """
    short = _short(game)
    if short == "start_at":
        return points_of(str(as_spec(game).params.get("game", "")))
    if short == "yacht":
        parameters = as_spec(game).params
        return _most_points(parameters) if parameters.get("players") == 1 else None
    return 1.0 if short in ("2048", "star_2048") else None


def _most_points(yacht: Mapping[str, Any]) -> float:
    """Returns the sum of OpenSpiel's maximum score for each category of yacht."""
    dice, sides = yacht.get("num_dice", 5), yacht.get("dice_sides", 6)
    by_number = dice * sum(range(1, min(sides, 6) + 1))
    sums = 1 + (dice >= 4) + (dice >= 5)  # chance, four of a kind, full house
    straights = ((sides >= 5) + (sides >= 6)) * (dice >= 5)
    return float(by_number + sums * dice * sides + 30 * straights + 50)


def returns_of(game: Game) -> tuple[float, ...] | None:
    """Returns a player's possible returns, ascending; only the least and the greatest if no more are known.

    Returns None if there are no known bounds.
    """
    if isinstance(game, OpenSpielGame) and (scored := _SCORED.get(_short(game.name))):
        parameter, wins = scored
        won = wins[game.pyspiel_game.get_parameters()[parameter]]
        return (*(-win for win in reversed(won)), *won)
    return game.utility_range


def differs_in_scoring(game: Game, name: str) -> bool:
    """Returns whether the game equals the named one except perhaps for its scoring."""
    short = _short(name)
    if not isinstance(game, OpenSpielGame) or short not in _SCORED or short != _short(game.name):
        return goes_by(game, name)
    parameter, _ = _SCORED[short]
    own = game.pyspiel_game.get_parameters()[parameter]
    return goes_by(game, str(Spec(short, {**as_spec(name).params, parameter: own})))


def told_chances(game: str, chances: Mapping[float, float], player: int) -> str:
    """Returns the chances of player 0's returns in words, from the side of `player`.

    Each way to win includes those that count more, as is usual in backgammon.
    """
    words = _GREATER.get(_short(game), {})
    sides = []
    for verb, sign in (("win", 1.0), ("lose", -1.0)):
        own = sign if player == 0 else -sign
        parts = []
        for least in sorted({abs(value) for value in chances}):
            chance = sum(each for value, each in chances.items() if value * own >= least)
            word = verb if least == 1.0 else words.get(least, f"{least:g} points")
            parts.append(f"{word} {100 * chance:.1f} %")
        sides.append(", ".join(parts))
    return "; ".join(sides)


def _short(name: str) -> str:
    return name.partition("(")[0]
