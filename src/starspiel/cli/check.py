"""`starspiel check`: checks that a game meets the contract that searches rely on."""

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

#: The maximum number of games that a bot plays, because it may take seconds for each move.
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

    With --agent or --evaluator, check that agent or evaluator in the game instead.

    Exit codes: 0 if all checks pass, 1 if one fails or search cannot play the game at all.

    For example:

        starspiel check pig
        starspiel check FrozenLake-v1
        starspiel check "my_game:RaceToTen(sides=8)"
        starspiel check pig --agent my_package.my_module:MyBot
        starspiel check pig --agent "exec:./my_engine --threads 1"

    Args:
        game: A game string, the id of a Gymnasium environment, or module:Rules for your own.
        games: Number of random games to play.
        positions: Number of positions to search for two with the same key but different futures.
        seconds: Approximate time limit for all checks, once the game is loaded.
        seed: Seed of the random play.
        agent: Check this agent instead: it makes legal moves, leaves states unchanged, plays the same game
            from the same seed, and gives valid policies. A program, exec:COMMAND, must also follow the seat
            protocol.
        evaluator: Check this evaluator instead: its values are finite and inside its range, and it leaves
            states unchanged.
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
            if is_simultaneous(subject):  # search may support it, but check does not
                raise StarspielError(f"{game} has simultaneous moves; check supports only moves in turn.")
            report = check_game(subject, games=games, positions=positions, seconds=seconds, seed=seed)
        except UnsupportedGameError as error:
            report = Report(game, (Check("search can play it", False, "the game's kind", (str(error),)),))
    if as_json:
        checks = [picked(part, "name ok decided looked_at findings") for part in report.checks]
        show_json({"game": report.subject, "ok": report.ok, "checks": checks, "notes": report.notes})
    else:
        print(printable_lines(str(report)))
    return 0 if report.ok else 1
