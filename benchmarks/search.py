"""Times the searches beside OpenSpiel's own, at positions drawn by a seed."""

import math
import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import date
from importlib.metadata import version
from itertools import product
from statistics import median
from typing import Annotated, Any

import numpy as np
from cyclopts import App, Parameter
from positions import GAMES, drawn
from rich.console import Console
from rich.table import Table
from rich.text import Text
from searches import EVALUATORS, FULL, PLAIN, SHORT, STATES, Measured, geometric_mean, measure

from starspiel.cli.output import show, show_json
from starspiel.envs.errors import StarspielError, did_you_mean

#: What --require asks of FULL with the heuristic: times as fast as OpenSpiel's, in the geometric mean over
#: the games that OpenSpiel has in C++, and in the 10th percentile of each game.
LEAST_MEAN, LEAST_TENTH = 300.0, 60.0
#: And of PLAIN at each position, and of STATES in the median of each game. STATES makes OpenSpiel's calls,
#: and the time that these take varies by some percent from run to run.
LEAST_PLAIN, LEAST_STATES = 1.0, 0.95

#: Positions that OpenSpiel searches to the end of the game within so many seconds are left out, and others
#: drawn in their place: of so many for each that is wanted.
LEAST_SECONDS, SPARE = SHORT, 3


def search(
    *,
    games: Annotated[tuple[str, ...], Parameter(consume_multiple=True)] = GAMES,
    positions: int = 30,
    seed: str | None = None,
    patience: float = 0.5,
    reach: float = 20.0,
    require: Annotated[bool, Parameter(negative="")] = False,
    as_json: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> int:
    """Time the searches beside OpenSpiel's own, at positions drawn by a seed.

    Half of the positions are from random games and half from games of shipped agents; a third each are early,
    in the middle and late. Seconds are of processor time. Exits with 1 if two searches of one position and
    depth find different values.

    For example:

        python benchmarks/search.py
        python benchmarks/search.py --games pig banqi --positions 6 --seed 2026-01-31

    Parameters
    ----------
    games
        Only these games.
    positions
        How many positions to draw from each game.
    seed
        Draws the positions; today's date if not given.
    patience
        OpenSpiel's search is timed at the deepest depth that takes it at most so many seconds.
    reach
        Star2 is timed at the deepest depth that would take OpenSpiel's search at most so many seconds, by its
        nodes. With the same patience nothing is estimated.
    require
        Exit with 1 also if, with the heuristic, native Star2 is not 300 times as fast as OpenSpiel's search
        in the mean over OpenSpiel's C++ games and 60 times in the 10th percentile of each game, or native
        expectiminimax is slower anywhere, or slower without a model in the median of a game.
    as_json
        Print one JSON object and nothing else.
    """
    if positions < 1 or not 0 < patience <= reach < math.inf:
        raise StarspielError(
            "expected at least one position and 0 < patience <= reach, got "
            f"{positions}, {patience:g} and {reach:g}."
        )
    chosen = [_known(game) for game in games]
    seed = seed or date.today().isoformat()
    table = _table(f"{positions} positions a game, seed {seed}")
    measured: list[Measured] = []
    progress = Console(stderr=True)
    for game in chosen:
        with progress.status(game) as status:
            done = 0
            for position in drawn(game, SPARE * positions, seed):
                found = [measure(position, evaluator, patience, reach) for evaluator in EVALUATORS]
                if min(each.openspiel_seconds for each in found) < LEAST_SECONDS:
                    continue
                measured += found
                done += 1
                status.update(f"{game}: {done} of {positions} positions done")
                if done == positions:
                    break
        for evaluator in EVALUATORS:
            table.add_row(*_row([each for each in _of(measured, evaluator) if each.position.game == game]))
    disagreements = [line for each in measured for line in each.disagreements]
    short = shortfalls(measured) if require else []
    if as_json:
        show_json(_as_json(measured, seed, disagreements, short))
    else:
        show(table)
        for line in _summary(measured):
            show(Text(line, style="bold"))
        for line in (
            *(f"values differ: {each}" for each in disagreements),
            *(f"too slow: {s}" for s in short),
        ):
            show(Text(line, style="red"))
    return 1 if disagreements or short else 0


def shortfalls(measured: Sequence[Measured]) -> list[str]:
    """What is slower than --require asks; one sentence each."""
    short = []
    own = _of(measured, EVALUATORS[0])
    for game in dict.fromkeys(each.position.game for each in own):
        found = [each for each in own if each.position.game == game]
        for name, what, reached, least in (
            (FULL, "10th percentile", tenth(found, FULL), LEAST_TENTH),
            (PLAIN, "minimum", min(speed_ups(found, PLAIN)), LEAST_PLAIN),
            (STATES, "median", median(speed_ups(found, STATES) or [math.inf]), LEAST_STATES),
        ):
            if reached < least:
                short.append(f"{game}: {name}, {what}: {reached:.2f} times as fast, not {least:g}.")
    mean = geometric_mean(speed_ups([each for each in own if each.compiled], FULL))
    if mean < LEAST_MEAN:  # nan, if there is no game in C++
        short.append(f"{FULL}, geometric mean: {mean:.1f} times as fast, not {LEAST_MEAN:g}.")
    return short


def speed_ups(measured: Sequence[Measured], name: str) -> list[float]:
    """A search's speed-ups, at the positions where it ran."""
    return [factor for each in measured if (factor := each.speed_up(name)) is not None]


def tenth(measured: Sequence[Measured], name: str) -> float:
    """The 10th percentile of a search's speed-ups."""
    return float(np.percentile(speed_ups(measured, name), 10))


def _known(game: str) -> str:
    name = next((known for known in GAMES if known.split("(")[0] == game.split("(")[0]), game)
    if name not in GAMES:
        raise StarspielError(f"the benchmark does not support {game}.{did_you_mean(game, list(GAMES))}")
    return name


def _by_language(measured: Sequence[Measured]) -> dict[str, list[Measured]]:
    """Apart, because OpenSpiel's search in Python is many times slower than its search in C++."""
    return {
        kind: [each for each in measured if each.compiled == compiled]
        for kind, compiled in (
            ("games that OpenSpiel has in C++", True),
            ("games registered in Python", False),
        )
    }


def _of(measured: Sequence[Measured], evaluator: str) -> list[Measured]:
    return [each for each in measured if each.evaluator == evaluator]


def _table(title: str) -> Table:
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    table.add_column("game")
    table.add_column("evaluator")
    for column in ("plies", "OpenSpiel, s", "Star2: mean", "10 %", "least", "plain: mean", "least", "states"):
        table.add_column(column, justify="right")
    return table


def _row(measured: Sequence[Measured]) -> list[str]:
    """Of one game and evaluator."""
    plies = sorted({each.reached.plies for each in measured})
    full, plain, states = (speed_ups(measured, name) for name in (FULL, PLAIN, STATES))
    return [
        measured[0].position.game,
        measured[0].evaluator,
        f"{plies[0]}-{plies[-1]}" if len(plies) > 1 else f"{plies[0]}",
        f"{median(each.openspiel_seconds for each in measured):.2f}",
        f"{geometric_mean(full):,.0f}",
        f"{tenth(measured, FULL):,.0f}",
        f"{min(full):,.0f}",
        f"{geometric_mean(plain):,.1f}",
        f"{min(plain):,.1f}",
        f"{median(states):.2f}" if states else "",
    ]


def _summary(measured: Sequence[Measured]) -> list[str]:
    lines = []
    for (kind, own), evaluator in product(_by_language(measured).items(), EVALUATORS):
        found = _of(own, evaluator)
        if found:
            lines.append(
                f"Star2 with {evaluator}, {kind}: {geometric_mean(speed_ups(found, FULL)):.0f} times as "
                f"fast as OpenSpiel's search in the geometric mean, {tenth(found, FULL):.0f} in the 10th "
                "percentile"
            )
    deeper = sum(each.reached.plies > each.timed.plies for each in measured)
    foreseen = [each.foreseen for each in measured if each.foreseen is not None]
    if deeper and foreseen:
        low, high = np.percentile(foreseen, (10, 90))
        lines.append(
            f"{deeper} of {len(measured)} of OpenSpiel's times are estimated by nodes. Of times that were "
            f"measured such estimates are {median(foreseen):.2f} times as long ({low:.2f} to {high:.2f} in "
            "four of five)."
        )
    return lines


def _as_json(
    measured: Sequence[Measured], seed: str, disagreements: list[str], short: list[str]
) -> dict[str, Any]:
    names = (FULL, PLAIN, STATES)
    return {
        "ok": not disagreements and not short,
        "seed": seed,
        "disagreements": disagreements,
        "too_slow": short,
        "geometric_mean": {each: geometric_mean(speed_ups(_of(measured, each), FULL)) for each in EVALUATORS},
        "10th_percentile": {each: tenth(_of(measured, each), FULL) for each in EVALUATORS},
        "machine": platform.machine(),
        "python": platform.python_version(),
        "open_spiel": version("open_spiel"),
        "positions": [
            asdict(each)
            | {
                "openspiel_seconds": each.openspiel_seconds,
                "times_as_fast": {name: each.speed_up(name) for name in names},
            }
            for each in measured
        ],
    }


if __name__ == "__main__":
    try:
        sys.exit(App(default_command=search, result_action="return_value")())
    except StarspielError as error:
        sys.exit(f"search.py: {error}")
