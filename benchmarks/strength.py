"""Measures how strong Star2 is in each game, against fixed opponents, at equal time."""

import random
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from math import isnan, nan
from typing import Annotated, Any

from cyclopts import App, Parameter
from rich.table import Table

from starspiel.agents.bot import Bot, Policy
from starspiel.agents.bots.mcts import implementation
from starspiel.agents.bots.search_bot import SearchBot
from starspiel.agents.evaluators.heuristic import has_heuristic, heuristic_games
from starspiel.agents.evaluators.registry import make_evaluator
from starspiel.agents.evaluators.shipped import shipped_games
from starspiel.agents.reference.process import gnubg_program
from starspiel.agents.roster import make_bot
from starspiel.cli.output import show, show_json, stdout_kept_clean
from starspiel.envs.arguments import finite_number, whole_number
from starspiel.envs.base import CHANCE, TERMINAL, Game, possible_outcomes
from starspiel.envs.errors import StarspielError
from starspiel.envs.load import load_game
from starspiel.envs.spec import parse_spec
from starspiel.evaluation.result import TournamentResult
from starspiel.evaluation.statistics.comparisons import pair_score_p
from starspiel.evaluation.tournament import tournament

OK, INTERRUPTED = 0, 130
_HEADINGS = ("game", "evaluator", "depth", "against", "pairs", "score", "95 %", "p", "ms a move", "theirs")
#: The forms of games that are not played by two unless told.
_FOR_TWO = {"yacht": "yacht(players=2)", "pig": "pig(players=2)"}
#: Random games that an estimate is based on, and the moves after which one is long enough.
_TRIALS, _LONG = 2, 2000


@dataclass(frozen=True)
class Row:
    """The agent against one rival in one game.

    Attributes:
        evaluator, depth: the agent's, and the mean of the plies that its searches finished.
        rival: its spec by what plays it, or its name.
        pairs: of games with common dice and swapped seats.
        score, low, high: points a game of the agent, 0 to 1, with the 95 % interval over pairs.
        p: two-sided p of "the two score the same".
        seconds, rival_seconds: CPU seconds a move.
        interrupted: whether pairs are missing.
    """

    game: str
    agent: str
    evaluator: str
    depth: float
    rival: str
    pairs: int
    score: float
    low: float
    high: float
    p: float
    seconds: float
    rival_seconds: float
    interrupted: bool


@dataclass(frozen=True)
class Contest:
    """The agent, its evaluator's name, and its rivals in one game: name -> spec or factory."""

    game: Game
    agent: str
    evaluator: str
    rivals: dict[str, Any]
    seconds: float

    def duration(self, pairs: int) -> float:
        """About how many seconds the pairs take, if every search uses its time up."""
        moves = _moves(self.game)
        timed = sum(2 if "seconds" in name else 1 for name in self.rivals)
        return 2 * pairs * timed * self.seconds * moves / 2


def known_games() -> list[str]:
    """The games for two of which something is known: those with a network or a heuristic."""
    found = []
    for short in sorted({*shipped_games(), *heuristic_games()}):
        name = _FOR_TWO.get(short, short)
        try:
            players = load_game(name).num_players
        except StarspielError:  # a heuristic may be registered for a game that only its owner can make
            continue
        if players == 2:
            found.append(name)
    return found


def contest(name: str, seconds: float, evaluator: str = "auto") -> Contest:
    """The agent and the rivals of a game, at so many seconds a move.

    `yacht` and `pig` are those for two. Raises StarspielError if the game is not one for two with listed
    chances, or the evaluator does not support it.
    """
    game = load_game(_FOR_TWO.get(name, name))
    if game.num_players != 2 or not game.explicit_chance:
        raise StarspielError(
            f"the benchmark plays games for two whose chances are listed; {game.name} is not one. "
            "Use starspiel tournament."
        )
    made = make_evaluator(evaluator, game)
    specs = ["random"]
    if has_heuristic(game):
        specs.append("star2(depth=1,evaluator=heuristic)")
    specs.append(str(implementation(parse_spec(f"mcts(seconds={seconds!r})"), game)))
    if game.name == "backgammon":
        specs += ["pubeval", *(["gnubg"] if gnubg_program() else [])]
    return Contest(
        game,
        f"star2(seconds={seconds!r},evaluator={evaluator})",
        made.name,
        {spec: spec for spec in specs},
        seconds,
    )


def rows(contest: Contest, pairs: int, seed: int = 1) -> Iterator[Row]:
    """Plays the rivals in turn; after Ctrl-C the row so far, if a pair was finished, is the last."""
    for name, rival in contest.rivals.items():
        depths: list[int] = []
        agents = {"agent": partial(_noting, contest.agent, depths), name: rival}
        result = tournament(contest.game, agents, pairs, seed)
        if result.tally.pairs:
            yield _row(contest, name, result, depths)
        if result.interrupted:
            return


def _row(contest: Contest, rival: str, result: TournamentResult, depths: Sequence[int]) -> Row:
    low, high = result.matrix_interval
    cost, theirs = (totals.cost.seconds_per_move for totals in result.tally.agents)
    return Row(
        contest.game.name,
        contest.agent,
        contest.evaluator,
        sum(depths) / len(depths) if depths else nan,
        rival,
        result.tally.pairs,
        float(result.matrix[0, 1]),
        float(low[0, 1]),
        float(high[0, 1]),
        pair_score_p(result.results.five(0, 1)),
        cost,
        theirs,
        result.interrupted,
    )


class _Noting(Bot):
    """A SearchBot that notes how deep it searched."""

    def __init__(self, inner: SearchBot, depths: list[int]) -> None:
        super().__init__()
        self._inner, self._depths = inner, depths

    def restart(self) -> None:
        self._inner.restart()

    def step(self, state: Any) -> int:
        action = self._inner.step(state)
        self.last_nodes = self._inner.last_nodes
        if self._inner.last_result is not None:
            self._depths.append(self._inner.last_result.depth)
        return action

    def step_with_policy(self, state: Any) -> tuple[Policy, int]:
        action = self.step(state)
        return [(legal, float(legal == action)) for legal in state.legal_actions()], action


def _noting(spec: str, depths: list[int], game: Any, seat: int, seed: int) -> _Noting:
    return _Noting(make_bot(spec, game, seat, seed), depths)


def _moves(game: Game) -> float:
    """About how many moves a game has, those of both players."""
    rng = random.Random(1)
    return sum(_length(game, rng) for _ in range(_TRIALS)) / _TRIALS


def _length(game: Game, rng: random.Random) -> int:
    state: Any = game.new_initial_state()
    moves = 0
    while moves < _LONG and (player := state.current_player()) != TERMINAL:
        if player == CHANCE:
            outcomes, chances = zip(*possible_outcomes(state), strict=True)
            state = state.child(rng.choices(outcomes, chances)[0])
        else:
            state = state.child(rng.choice(state.legal_actions()))
            moves += 1
    return moves


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
    pubeval plays, too, and gnubg at 0 plies if that is installed. Ctrl-C ends early and prints what was
    played so far.

    For example:

        python benchmarks/strength.py
        python benchmarks/strength.py backgammon pig --pairs 50
        python benchmarks/strength.py "yacht(players=2)" --seconds 0.1 --markdown
        python benchmarks/strength.py backgammon --evaluator "net(file=mine.npz)"

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
            {
                "seconds": seconds,
                "seed": seed,
                "interrupted": interrupted,
                "rows": list(map(_as_json, played)),
            }
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
        f"{row.p:.3g}",
        f"{1000 * row.seconds:.3g}",
        f"{1000 * row.rival_seconds:.3g}",
    )


def _as_json(row: Row) -> dict[str, Any]:
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


if __name__ == "__main__":
    try:
        sys.exit(App(default_command=strength, result_action="return_value")())
    except StarspielError as error:
        sys.exit(f"strength.py: {error}")
