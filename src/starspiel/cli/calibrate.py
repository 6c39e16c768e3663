"""`starspiel calibrate`: whether an evaluator is a positive linear function of the expected return."""

from dataclasses import asdict
from pathlib import Path

from rich.text import Text

from starspiel.agents.calibration import calibrate as calibrate_evaluator
from starspiel.agents.calibration.calibrate import GAMES, POSITIONS, TOLERANCE
from starspiel.cli.flags import Json
from starspiel.cli.names import AgentName, GameName
from starspiel.cli.output import counting, show, show_json
from starspiel.envs.errors import StarspielError
from starspiel.envs.spec import parse_spec
from starspiel.evaluation.outputs import check_output, files_of_spec, replacing


def calibrate(
    evaluator: str,
    game: GameName,
    /,
    *,
    positions: int = POSITIONS,
    games: int = GAMES,
    agent: AgentName | None = None,
    truth: str | None = None,
    depth: int | None = None,
    tolerance: float = TOLERANCE,
    seed: int = 1,
    plot: Path | None = None,
    require: bool = False,
    as_json: Json = False,
) -> int:
    """Tell whether an evaluator is a positive linear function of the expected return.

    Chance nodes need that: they average values, and what merely keeps their order changes the move.

    For example:

        starspiel calibrate heuristic pig
        starspiel calibrate net backgammon --positions 500 --plot net.svg
        starspiel calibrate heuristic pig --truth "solution(file=pig.npz)" --json

    Args:
        evaluator: Its spec, e.g. heuristic, net, "rollout(n=10)" or my_module:evaluator.
        game: A game string, the id of a Gymnasium environment, or module:Rules.
        positions: How many positions, each of another game with some random moves.
        games: Games played on from each to the end; their mean, less their luck, is what it is worth.
        agent: Who plays; defaults to the move whose successor the evaluator auto likes best.
        truth: An evaluator whose values are true, e.g. "solution(file=pig.npz)", instead of games.
        depth: Break games off after this many moves and ask the evaluator auto.
        tolerance: The greatest bend of a linear evaluator, as a part of the spread of its values.
        seed: Seed of everything random.
        plot: Write the reliability picture to this file (.svg).
        require: Exit with 1 unless the evaluator is linear.
    """
    if plot is not None:
        if plot.suffix.lower() != ".svg":
            raise StarspielError(f"a plot is written to a .svg file, got {str(plot)!r}.")
        specs = [parse_spec(given) for given in (evaluator, truth, agent) if given is not None]
        check_output("the plot", plot, [file for spec in specs for file in files_of_spec(spec)])
    with counting("position", "of") as tell:
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
        answer = {name: value for name, value in asdict(found).items() if name not in ("values", "truths")}
        show_json(answer | {"linear": found.linear, "plot": plot})
    else:
        show(found)
        if plot is not None:
            show(Text(f"the plot is in {plot}"))
    return 1 if require and not found.linear else 0
