"""`starspiel check`: whether a game keeps the contract that searches rely on."""

from typing import Annotated

from cyclopts import Parameter, validators

from starspiel.agents.conformance import check_bot, check_evaluator
from starspiel.agents.seats.command import is_exec
from starspiel.agents.seats.conformance import check_engine
from starspiel.cli.output import show_json
from starspiel.envs.conformance import Check, ClaimedGame, Report, check_game
from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.load import load_game
from starspiel.envs.openspiel.game import load_pyspiel
from starspiel.envs.text import printable_lines

#: A bot may take seconds for a move: it plays no more games than this.
_BOT_GAMES = 20

_POSITIVE = Parameter(validator=validators.Number(gte=1))


def check(
    game: str,
    /,
    *,
    games: Annotated[int, _POSITIVE] = 1000,
    positions: Annotated[int, _POSITIVE] = 5000,
    seconds: Annotated[float, Parameter(validator=validators.Number(gt=0))] = 20.0,
    seed: int = 1,
    agent: str | None = None,
    evaluator: str | None = None,
    claims: Annotated[bool, Parameter(negative="")] = False,
    as_json: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> int:
    """Check a game by random play: probabilities, players, moves, bounds, keys, replay, encoding.

    With --agent or --evaluator, checks that agent or evaluator in the game instead. Exits with 0 if all
    checks hold and 1 if one does not, or if search cannot play the game at all.

    For example:

        starspiel check pig
        starspiel check FrozenLake-v1
        starspiel check "my_game:RaceToTen(sides=8)"
        starspiel check "2048(max_tile=64)" --claims
        starspiel check pig --agent my_package.my_module:MyBot
        starspiel check pig --agent "exec:./my_engine --threads 1"

    Parameters
    ----------
    game
        A game string, the id of a Gymnasium environment, or module:Rules for one of your own.
    games
        How many random games to play.
    positions
        How many positions to walk in search of two with one key and different futures.
    seconds
        About the longest that all of it may take, once the game is loaded.
    seed
        Where the random play starts from.
    agent
        An agent's spec: legal moves, states left alone, the same game from the same seed, policies. Of a
        program, exec:COMMAND, also whether it keeps the seat protocol.
    evaluator
        An evaluator's spec: finite values inside its range, states left alone.
    claims
        Check what OpenSpiel itself says of the game (its bounds, its text as the key) instead of what
        starspiel makes of it.
    as_json
        Print one JSON object and nothing else.
    """
    if agent is not None or evaluator is not None:
        if claims or (agent is not None and evaluator is not None):
            raise StarspielError("check one thing at a time: --agent, --evaluator or --claims.")
        played = load_game(game)
        check_agent = check_engine if agent is not None and is_exec(agent) else check_bot
        report = (
            check_agent(agent, played, games=min(games, _BOT_GAMES), seconds=seconds, seed=seed)
            if agent is not None
            else check_evaluator(str(evaluator), played, positions=positions, seconds=seconds, seed=seed)
        )
    else:
        report = _of_game(game, games, positions, seconds, seed, claims)
    if as_json:
        show_json(
            {
                "game": report.subject,
                "ok": report.ok,
                "checks": [
                    {
                        "name": part.name,
                        "ok": part.ok,
                        "decided": part.decided,
                        "looked_at": part.looked_at,
                        "findings": list(part.findings),
                    }
                    for part in report.checks
                ],
                "notes": list(report.notes),
            }
        )
    else:
        print(printable_lines(str(report)))
    return 0 if report.ok else 1


def _of_game(game: str, games: int, positions: int, seconds: float, seed: int, claims: bool) -> Report:
    try:
        subject = ClaimedGame(load_pyspiel(game)) if claims else load_game(game)
    except UnsupportedGameError as error:
        return Report(game, (Check("search can play it", False, "the game's kind", (str(error),)),))
    return check_game(subject, games=games, positions=positions, seconds=seconds, seed=seed)
