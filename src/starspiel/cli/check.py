"""`starspiel check`: whether a game keeps the contract that searches rely on."""

from typing import Annotated

from cyclopts import Parameter, validators

from starspiel.cli.output import show_json
from starspiel.envs.conformance import Check, ClaimedGame, Report, check_game
from starspiel.envs.errors import UnsupportedGameError
from starspiel.envs.load import load_game
from starspiel.envs.openspiel import load_pyspiel

_POSITIVE = Parameter(validator=validators.Number(gte=1))


def check(
    game: str,
    /,
    *,
    games: Annotated[int, _POSITIVE] = 1000,
    positions: Annotated[int, _POSITIVE] = 5000,
    seconds: Annotated[float, Parameter(validator=validators.Number(gt=0))] = 20.0,
    seed: int = 1,
    claims: Annotated[bool, Parameter(negative="")] = False,
    as_json: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> int:
    """Check a game by random play: probabilities, players, moves, bounds, keys, replay, encoding.

    Exits with 0 if all checks hold and 1 if one does not, or if search cannot play the game at all.

    Examples:
        starspiel check pig
        starspiel check FrozenLake-v1
        starspiel check "2048(max_tile=64)" --claims

    Parameters
    ----------
    game
        A game string or the id of a Gymnasium environment.
    games
        How many random games to play.
    positions
        How many positions to walk in search of two with one key and different futures.
    seconds
        The longest that playing, and then walking, may take.
    seed
        Where the random play starts from.
    claims
        Check what OpenSpiel itself says of the game (its bounds, its text as the key) instead of what
        starspiel makes of it.
    as_json
        Print one JSON object and nothing else.
    """
    try:
        subject = ClaimedGame(load_pyspiel(game)) if claims else load_game(game)
    except UnsupportedGameError as error:
        report = Report(game, (Check("search can play it", False, "the game's kind", (str(error),)),))
    else:
        report = check_game(subject, games=games, positions=positions, seconds=seconds, seed=seed)
    if as_json:
        show_json(
            {
                "game": report.subject,
                "ok": report.ok,
                "checks": [
                    {
                        "name": part.name,
                        "ok": part.ok,
                        "looked_at": part.looked_at,
                        "findings": list(part.findings),
                    }
                    for part in report.checks
                ],
                "notes": list(report.notes),
            }
        )
    else:
        print(report)
    return 0 if report.ok else 1
