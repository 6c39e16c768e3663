"""`starspiel check`: whether a game keeps the contract that searches rely on."""

from typing import Annotated

from cyclopts import Parameter, validators

from starspiel.agents.conformance import check_bot, check_evaluator
from starspiel.agents.registry import extra
from starspiel.cli.flags import Json
from starspiel.cli.names import AgentName, GameName
from starspiel.cli.output import picked, show_json
from starspiel.envs.base import is_simultaneous
from starspiel.envs.conformance import Check, Report, check_game
from starspiel.envs.errors import StarspielError, UnsupportedGameError
from starspiel.envs.load import load_game
from starspiel.envs.spec import is_command
from starspiel.envs.text import printable_lines

#: A bot may take seconds for a move: it plays no more games than this.
_BOT_GAMES = 20
_POSITIVE = Parameter(validator=validators.Number(gte=1))


def check(
    game: GameName,
    /,
    *,
    games: Annotated[int, _POSITIVE] = 1000,
    positions: Annotated[int, _POSITIVE] = 5000,
    seconds: Annotated[float, Parameter(validator=validators.Number(gt=0))] = 20.0,
    seed: int = 1,
    agent: AgentName | None = None,
    evaluator: str | None = None,
    as_json: Json = False,
) -> int:
    """Check a game by random play: probabilities, players, moves, bounds, keys, replay, encoding.

    With --agent or --evaluator, checks that agent or evaluator in the game instead. Exits with 0 if all
    checks hold and 1 if one does not, or if search cannot play the game at all.

    For example:

        starspiel check pig
        starspiel check FrozenLake-v1
        starspiel check "my_game:RaceToTen(sides=8)"
        starspiel check pig --agent my_package.my_module:MyBot
        starspiel check pig --agent "exec:./my_engine --threads 1"

    Args:
        game: A game string, the id of a Gymnasium environment, or module:Rules for your own.
        games: How many random games to play.
        positions: Number of positions among which to look for equal keys with different futures.
        seconds: Approximate time limit for all checks, once the game is loaded.
        seed: Seed of the random play.
        agent: Check an agent instead, given by its spec: legal moves, unchanged states, the same game from
            the same seed, policies. For a program, exec:COMMAND, also that it follows the seat protocol.
        evaluator: Check an evaluator instead, given by its spec: finite values inside its range, unchanged
            states.
    """
    if agent is not None and evaluator is not None:
        raise StarspielError("check one thing at a time: --agent or --evaluator.")
    if agent is not None:
        check_agent = extra("check of an engine") if is_command(agent) else check_bot
        report = check_agent(agent, load_game(game), games=min(games, _BOT_GAMES), seconds=seconds, seed=seed)
    elif evaluator is not None:
        report = check_evaluator(evaluator, load_game(game), positions=positions, seconds=seconds, seed=seed)
    else:
        try:
            subject = load_game(game)
            if is_simultaneous(subject):  # which search may well play
                raise StarspielError(f"{game} has simultaneous moves; check takes games of moves in turn.")
            report = check_game(subject, games=games, positions=positions, seconds=seconds, seed=seed)
        except UnsupportedGameError as error:
            report = Report(game, (Check("search can play it", False, "the game's kind", (str(error),)),))
    if as_json:
        checks = [picked(part, "name ok decided looked_at findings") for part in report.checks]
        show_json({"game": report.subject, "ok": report.ok, "checks": checks, "notes": report.notes})
    else:
        print(printable_lines(str(report)))
    return 0 if report.ok else 1
