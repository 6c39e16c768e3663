"""`starspiel calibrate`: tests whether an evaluator is a positive linear function of the expected return."""

from dataclasses import asdict, replace
from pathlib import Path

from rich.text import Text

from starspiel.agents.calibration import calibrate as calibrate_evaluator
from starspiel.agents.calibration import fit_depths
from starspiel.agents.calibration.calibrate import GAMES, POSITIONS, TOLERANCE
from starspiel.agents.evaluators.network_file import read_network
from starspiel.cli.flags import Json
from starspiel.cli.names import AgentName, GameName
from starspiel.cli.output import counting, show, show_json
from starspiel.envs.errors import StarspielError
from starspiel.envs.load import load_game
from starspiel.envs.named import goes_by
from starspiel.envs.spec import Spec, parse_spec
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
    depth_fits: int | None = None,
    as_json: Json = False,
) -> int:
    """Test whether an evaluator is a positive linear function of the expected return.

    Chance nodes average values, so an evaluator that only ranks positions correctly can lead to wrong moves.

    For example:

        starspiel calibrate heuristic pig
        starspiel calibrate net backgammon --positions 500 --plot net.svg
        starspiel calibrate heuristic pig --truth "solution(file=pig.npz)" --json
        starspiel calibrate "net(file=mine.npz)" backgammon --depth-fits 3

    Args:
        evaluator: The evaluator to test, e.g. heuristic, net, "rollout(n=10)" or my_module:evaluator.
        game: A game string, the id of a Gymnasium environment, or module:Rules.
        positions: Number of positions, each from a different game with some random moves.
        games: Number of games to play out from each position. Their mean result, adjusted for luck, is the
            position's expected return.
        agent: The agent that plays all of these games. By default, each player makes the move whose successor
            the evaluator auto values highest.
        truth: An evaluator that gives the true values, e.g. "solution(file=pig.npz)", instead of games.
        depth: Truncate games after this many moves and use the value of the evaluator auto.
        tolerance: Maximum bend of a linear evaluator, as a fraction of the spread of its values.
        seed: Seed of all random choices.
        plot: Write the reliability diagram to this file (.svg).
        require: Exit with 1 unless the evaluator is linear.
        depth_fits: Measure instead how values change with each ply up to this depth, and add the result to
            the network's file, for the option probcut of searches.
    """
    if depth_fits is not None:
        others = games, agent, truth, depth, tolerance, plot, require
        if others != (GAMES, None, None, None, TOLERANCE, None, False):
            raise StarspielError("--depth-fits supports only the flags --positions, --seed and --json.")
        return _add_depth_fits(parse_spec(evaluator), game, depth_fits, positions, seed, as_json)
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


def _add_depth_fits(evaluator: Spec, game: str, depth: int, positions: int, seed: int, as_json: bool) -> int:
    file = evaluator.params.get("file")
    if evaluator.name != "net" or not isinstance(file, str):
        raise StarspielError(f"depth fits are added to a file, as in net(file=mine.npz), got {evaluator}.")
    network = read_network(file)
    if not goes_by(load_game(game), network.game):
        raise StarspielError(f"{file} is a network for {network.game}: measure it in that game, not {game}.")
    with counting("position", "of") as tell:
        fits = fit_depths(evaluator, game, depth, positions=positions, seed=seed, tell=tell)
    replace(network, depth_fits=fits).save(file)
    if as_json:
        show_json({"depth_fits": [fit._asdict() for fit in fits], "file": file})
        return 0
    for plies, fit in enumerate(fits, start=2):
        value = f"{fit.slope:.3f} x the value at {plies - 1} {fit.offset:+.4f}"
        show(Text(f"value at {plies} plies: {value}, standard error {fit.error:.4f}"))
    show(Text(f"{file} now has these fits: star2(depth={depth + 1},evaluator={evaluator},probcut=2)"))
    return 0
