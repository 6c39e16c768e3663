"""`starspiel calibrate`: whether an evaluator is a positive linear function of the expected return."""

from dataclasses import asdict
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from rich.console import Console
from rich.text import Text

from starspiel.agents.calibration import Calibration
from starspiel.agents.calibration import calibrate as calibrate_evaluator
from starspiel.agents.calibration.calibrate import GAMES, POSITIONS, TOLERANCE
from starspiel.cli.output import show, show_json
from starspiel.envs.errors import StarspielError
from starspiel.envs.spec import parse_spec
from starspiel.evaluation.outputs import check_output, files_of_spec, replacing


def calibrate(
    evaluator: str,
    game: str,
    /,
    *,
    positions: int = POSITIONS,
    games: int = GAMES,
    agent: str | None = None,
    truth: str | None = None,
    depth: int | None = None,
    tolerance: float = TOLERANCE,
    seed: int = 1,
    plot: Path | None = None,
    require: Annotated[bool, Parameter(negative="")] = False,
    as_json: Annotated[bool, Parameter(name="--json", negative="")] = False,
) -> int:
    """Tell whether an evaluator is a positive linear function of the expected return.

    Chance nodes need that: they average values, and what merely keeps their order changes the move.

    For example:

        starspiel calibrate heuristic pig
        starspiel calibrate net backgammon --positions 500 --plot net.svg
        starspiel calibrate heuristic pig --truth "solution(file=pig.npz)" --json

    Parameters
    ----------
    evaluator
        Its spec, e.g. heuristic, net, "rollout(n=10)" or my_module:evaluator.
    game
        A game string, the id of a Gymnasium environment, or module:Rules.
    positions
        How many, each of another game with some random moves.
    games
        Games played on from each to the end; their mean, less their luck, is what it is worth.
    agent
        Who plays; unless told, the move whose successor the evaluator auto likes best.
    truth
        An evaluator whose values are true, e.g. "solution(file=pig.npz)", instead of games.
    depth
        Moves after which games are broken off and the evaluator auto is asked.
    tolerance
        The greatest bend of a linear evaluator, as a part of the spread of its values.
    seed
        Of everything random.
    plot
        Write the reliability picture to this file (.svg).
    require
        Exit with 1 unless the evaluator is linear.
    as_json
        Print one JSON object and nothing else.
    """
    if plot is not None:
        if plot.suffix.lower() != ".svg":
            raise StarspielError(f"a plot is written to a .svg file, got {str(plot)!r}.")
        specs = [parse_spec(given) for given in (evaluator, truth, agent) if given is not None]
        check_output("the plot", plot, [file for spec in specs for file in files_of_spec(spec)])
    with Console(stderr=True).status("position 1", spinner="line") as status:

        def tell(done: int, of: int) -> None:
            status.update(f"position {done:,} of {of:,}")

        found = calibrate_evaluator(
            evaluator,
            game,
            positions=positions,
            games=games,
            agent=agent,
            truth=truth,
            depth=depth,
            tolerance=tolerance,
            seed=seed,
            tell=tell,
        )
    if plot is not None:
        with replacing("the plot", plot) as file:
            file.write(found.picture())
    if as_json:
        show_json(_as_json(found, plot))
    else:
        show(found)
        if plot is not None:
            show(Text(f"the plot is in {plot}"))
    return 1 if require and not found.linear else 0


def _as_json(found: Calibration, plot: Path | None) -> dict[str, Any]:
    answer = {name: value for name, value in asdict(found).items() if name not in ("values", "truths")}
    finite: dict[str, Any] = _finite(answer)
    return finite | {"linear": found.linear, "plot": None if plot is None else str(plot)}


def _finite(value: Any) -> Any:
    """The same with None for NaN and infinite ends, which JSON does not have."""
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not isfinite(value) else value
