"""Whether training for some minutes beats MCTS: of each game a network, and pairs against MCTS at equal time.

The network plays at `--plies` (or for as many seconds as MCTS has, with --plies 0). MCTS has 1000 simulations
in the trial that says how many seconds a move these take here, and then as many seconds as that. Networks and
results are kept in a folder: the same command again resumes where it was ended, whenever that was.

    python benchmarks/twelve_games.py [GAME ...] [--minutes 15] [--pairs 100] [--folder twelve_games]

Prints a line a game and the number of games that were won with p < 0.001.
"""

import argparse
import json
import re
from pathlib import Path
from typing import Any

import starspiel
from starspiel.envs.errors import StarspielError
from starspiel.evaluation import tournament
from starspiel.evaluation.statistics.comparisons import pair_score_p

GAMES = (
    "backgammon",
    "banqi",
    "breakthrough(rows=6,columns=6)",
    "clobber(rows=5,columns=6)",
    "connect_four",
    "einstein_wurfelt_nicht",
    "hex(board_size=7)",
    "knucklebones",
    "maedn",
    "mancala",
    "nine_mens_morris",
    "othello",
    "oware",
    "royal_game_of_ur",
    "tic_tac_toe",
    "yacht(players=2)",
)
SURE = 0.001


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--minutes", type=float, default=15.0)
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--threads", type=int, default=0, help="of training; 0: one for each core")
    parser.add_argument("--plies", type=int, default=0)
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--folder", type=Path, default=Path("twelve_games"))
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    print("| game | trained games | score against MCTS (95 %) | p | ms a move, network | MCTS |")
    print("|---|---:|---:|---:|---:|---:|")
    won = 0
    for game in given.games:
        try:
            found = of_game(game, given)
        except StarspielError as error:
            print(f"| {game} | not played: {error} | | | | |", flush=True)
            continue
        won += found["score"] > 0.5 and found["p"] < SURE
        print(line(found), flush=True)
    print(f"\n{won} of {len(given.games)} games won, each with p < {SURE:g}.")


def of_game(game: str, given: argparse.Namespace) -> dict[str, Any]:
    """The result on file, or of a training and a match."""
    stem = f"{re.sub(r'[^a-z0-9]+', '_', game).strip('_')}.{given.minutes:g}min"
    file = given.folder / f"{stem}.npz"
    result = given.folder / f"{stem}.plies{given.plies}.mcts{given.simulations}.pairs{given.pairs}.json"
    if result.exists():
        held: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
        return held
    settings = {"minutes": given.minutes, "threads": given.threads or None}
    begun = file.with_name(f"{file.name}.checkpoint").exists()
    training = starspiel.train(game, settings, output=file, resume=begun)
    if training.interrupted:
        raise KeyboardInterrupt
    found = {"game": game, "trained": training.games, **match(game, file, given)}
    aside = result.with_name(f".{result.name}.part")
    aside.write_text(json.dumps(found), encoding="utf-8")
    aside.replace(result)
    return found


def match(game: str, file: Path, given: argparse.Namespace) -> dict[str, Any]:
    """The network against MCTS at the seconds that its simulations take."""
    trial = tournament(game, {"random": "random", "mcts": f"mcts(simulations={given.simulations})"}, 1)
    seconds = max(round(trial.tally.agents[1].cost.seconds_per_move, 4), 0.001)
    limit = f"depth={given.plies}" if given.plies else f"seconds={seconds}"
    agents = {
        "network": f"star2({limit},evaluator=net(file={file.absolute()}))",
        "mcts": f"mcts(seconds={seconds})",
    }
    result = tournament(game, agents, given.pairs, store=file.with_suffix(f".{given.plies}.db"))
    if result.interrupted:
        raise KeyboardInterrupt
    low, high = result.matrix_interval
    own, theirs = (totals.cost.seconds_per_move for totals in result.tally.agents)
    return {
        "score": float(result.matrix[0, 1]),
        "low": float(low[0, 1]),
        "high": float(high[0, 1]),
        "p": pair_score_p(result.results.five(0, 1)),
        "seconds": own,
        "rival_seconds": theirs,
    }


def line(found: dict[str, Any]) -> str:
    """A line of the table."""
    score, low, high = (100 * found[name] for name in ("score", "low", "high"))
    own, theirs = (1000 * found[name] for name in ("seconds", "rival_seconds"))
    return (
        f"| {found['game']} | {found['trained']:,} | {score:.1f} % ({low:.0f} to {high:.0f}) "
        f"| {found['p']:.3g} | {own:.3g} | {theirs:.3g} |"
    )


if __name__ == "__main__":
    main()
