"""How strong starspiel plays on this machine: Star2 with an evaluator of each game, against fixed rivals."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import nan
from typing import Any

from starspiel.agents.baselines.mcts import implementation
from starspiel.agents.baselines.peers import peers
from starspiel.agents.bots import Bot, Policy, SearchBot
from starspiel.agents.evaluators.networks import shipped_games
from starspiel.agents.evaluators.roster import has_heuristic, heuristic_games, make_evaluator
from starspiel.agents.roster import make_bot
from starspiel.envs.base import CHANCE, TERMINAL, Game, possible_outcomes
from starspiel.envs.errors import StarspielError
from starspiel.envs.load import load_game
from starspiel.envs.spec import parse_spec
from starspiel.evaluation.result import TournamentResult
from starspiel.evaluation.statistics.sprt import los
from starspiel.evaluation.tournament import tournament

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
        los: likelihood that the agent is the stronger.
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
    los: float
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
        """About how many seconds the pairs take, where every search uses its time up."""
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

    `yacht` and `pig` are those for two. Raises StarspielError where the game is not one for two with listed
    chances, or the evaluator does not support it.
    """
    game = load_game(_FOR_TWO.get(name, name))
    if game.num_players != 2 or not game.explicit_chance:
        raise StarspielError(
            f"bench strength plays games for two whose chances are listed; {game.name} is not one. "
            "Use starspiel tournament."
        )
    made = make_evaluator(evaluator, game)
    specs = ["random"]
    if has_heuristic(game):
        specs.append("star2(depth=1,evaluator=heuristic)")
    specs.append(str(implementation(parse_spec(f"mcts(seconds={seconds!r})"), game)))
    return Contest(
        game,
        f"star2(seconds={seconds!r},evaluator={evaluator})",
        made.name,
        {**{spec: spec for spec in specs}, **peers(game, plies=0)},
        seconds,
    )


def rows(contest: Contest, pairs: int, seed: int = 1) -> Iterator[Row]:
    """Plays the rivals in turn; after Ctrl-C the row so far, where a pair was finished, is the last."""
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
        los(result.results.five(0, 1)),
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
