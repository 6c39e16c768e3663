"""`starspiel bench strength`: how strong the agents are here, game by game."""

import signal
import sys
from collections.abc import Sequence
from dataclasses import asdict
from math import isnan
from typing import Annotated, Any

from cyclopts import Parameter
from rich.table import Table

from starspiel.cli.app import INTERRUPTED, OK
from starspiel.cli.output import show, show_json, stdout_kept_clean
from starspiel.envs.arguments import finite_number, whole_number
from starspiel.envs.errors import StarspielError
from starspiel.evaluation.strength import Contest, Row, contest, known_games, rows

_HEADINGS = ("game", "evaluator", "depth", "against", "pairs", "score", "95 %", "LOS", "ms a move", "theirs")


def strength(
    *game: str,
    evaluator: str = "auto",
    seconds: float = 0.05,
    pairs: int = 10,
    seed: int = 1,
    markdown: Annotated[bool, Parameter(negative="")] = False,
    as_json: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> int:
    """Play Star2 with the best evaluator of each game against random moves, the heuristic and MCTS.

    Star2 and MCTS have the same seconds a move; the CPU time that each took is in the table. In backgammon
    pubeval and gnubg at 0 plies play, too, where gnubg-nn is installed. Ctrl-C ends early and prints what was
    played so far.

    For example:

        starspiel bench strength
        starspiel bench strength backgammon pig --pairs 50
        starspiel bench strength "yacht(players=2)" --seconds 0.1 --markdown
        starspiel bench strength backgammon --evaluator "net(file=mine.npz)"

    Parameters
    ----------
    game
        Game strings, yacht and pig for two; if none, the games for two that have a network or a heuristic.
    evaluator
        What Star2 values positions by: auto, the best that comes with the package, unless told.
    seconds
        A move, by the wall clock.
    pairs
        Of games against each rival, with common dice and swapped seats.
    seed
        Of the dice and the agents.
    markdown
        Print the table as Markdown.
    as_json
        Print one JSON object and nothing else.
    """
    if finite_number("seconds", seconds) <= 0:
        raise StarspielError(f"seconds must be positive, got {seconds:g}.")
    whole_number("pairs", pairs, 1, 1_000_000)
    if evaluator != "auto" and not game:
        raise StarspielError(f"name the games that --evaluator {evaluator} is for.")
    contests = [contest(name, seconds, evaluator) for name in dict.fromkeys(game) or known_games()]
    say(_announced(contests, pairs))
    with stdout_kept_clean():
        played = _played(contests, pairs, seed)
    interrupted = len(played) < sum(len(each.rivals) for each in contests) or played[-1].interrupted
    if interrupted:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # A second Ctrl-C is not to lose what was played.
    if as_json:
        show_json(
            {"seconds": seconds, "seed": seed, "interrupted": interrupted, "rows": list(map(_row, played))}
        )
    elif markdown:
        print(_in_markdown(played))
    else:
        show(_table(played))
    return INTERRUPTED if interrupted else OK


def _announced(contests: Sequence[Contest], pairs: int) -> str:
    games, minutes = len(contests), sum(each.duration(pairs) for each in contests) / 60
    time = f"{60 * minutes:.0f} s" if minutes < 2 else f"{minutes:.0f} min"
    counted = [
        f"{number} {noun}{'' if number == 1 else 's'}" for number, noun in ((games, "game"), (pairs, "pair"))
    ]
    return f"{counted[0]}, {counted[1]} a rival: about {time}, more on a busy machine"


def _played(contests: Sequence[Contest], pairs: int, seed: int) -> list[Row]:
    """The rows; those that were finished, after Ctrl-C."""
    played: list[Row] = []
    try:
        for each in contests:
            for row in rows(each, pairs, seed):
                played.append(row)
                say("  ".join(_texts(row)))
            if not played or played[-1].interrupted or played[-1].rival != list(each.rivals)[-1]:
                break
    except KeyboardInterrupt:
        pass
    return played


def say(line: str) -> None:
    """How far it has come, on standard error."""
    print(line, file=sys.stderr, flush=True)


def _texts(row: Row) -> tuple[str, ...]:
    return (
        row.game,
        row.evaluator,
        "–" if isnan(row.depth) else f"{row.depth:.1f}",
        row.rival,
        f"{row.pairs:,}",
        f"{100 * row.score:.1f} %",
        f"{100 * row.low:.0f} to {100 * row.high:.0f}",
        f"{100 * row.los:.1f} %",
        f"{1000 * row.seconds:.3g}",
        f"{1000 * row.rival_seconds:.3g}",
    )


def _row(row: Row) -> dict[str, Any]:
    return {
        name: None if isinstance(value, float) and isnan(value) else value
        for name, value in asdict(row).items()
    }


def _in_markdown(played: Sequence[Row]) -> str:
    lines = [_HEADINGS, ("---", "---", "---:", "---", *("---:",) * 6), *map(_texts, played)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _table(played: Sequence[Row]) -> Table:
    table = Table(box=None, pad_edge=False)
    for place, heading in enumerate(_HEADINGS):
        table.add_column(heading, justify="left" if place in (0, 1, 3) else "right", overflow="fold")
    for row in played:
        table.add_row(*_texts(row))
    return table
