"""Provides `calibrate`, which compares an evaluator with the true values of positions."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from starspiel.agents.calibration.fit import Fit, fit, varies
from starspiel.agents.calibration.positions import sampled_position
from starspiel.agents.calibration.result import Calibration
from starspiel.agents.evaluators.base import Evaluator
from starspiel.agents.evaluators.registry import as_evaluator
from starspiel.agents.evaluators.zero import ZeroEvaluator
from starspiel.agents.luck import value_of
from starspiel.agents.rollouts.continuation import Continuation, continuation_evaluator
from starspiel.agents.roster import bot_maker, make_bot
from starspiel.envs.arguments import finite_number, seed_number, whole_number
from starspiel.envs.base import Game, check_two_sided
from starspiel.envs.errors import SpecError, shown
from starspiel.envs.load import load_game
from starspiel.envs.spec import Spec, as_spec

#: Defaults: the number of positions, the games from each, and the greatest bend of a linear evaluator, as a
#: share of the spread of the line.
POSITIONS, GAMES, TOLERANCE = 300, 4, 0.1
#: The greatest correlation with the truth of an evaluator that counts as unrelated to it.
UNRELATED = 0.2
#: The fewest positions in which a bend can be seen: those of two bins.
LEAST = 20
_MOST = 10**9


def calibrate(
    evaluator: Evaluator | Callable[[Any], float] | str | Spec | None,
    game: Any,
    *,
    positions: int = POSITIONS,
    games: int = GAMES,
    agent: str | Spec | None = None,
    truth: Evaluator | Callable[[Any], float] | str | Spec | None = None,
    depth: int | None = None,
    tolerance: float = TOLERANCE,
    seed: int = 1,
    tell: Callable[[int, int], None] = lambda done, positions: None,
) -> Calibration:
    """Tests whether an evaluator is a positive linear function of player 0's expected return.

    Chance nodes require it: they average values, so a transformation that only preserves their order changes
    the chosen move (Russell & Norvig, "Stochastic games").

    Args:
        evaluator: an Evaluator, its spec, or a function of a state.
        game: anything that `load_game` accepts, for one player, or for two in turn with zero sum.
        positions: number of positions, at least 20, each from another game of `agent` against itself, in
            which three in ten moves are random.
        games: number of games played on from each position to the end. Their luck-adjusted mean is the
            position's true value.
        agent: the agent that plays; by default, it plays the move whose successor the evaluator `auto` values
            highest.
        truth: an evaluator whose values are true, such as `solution(file=pig.npz)`, used instead of games.
        depth: number of decisions after which games are cut off and valued by the evaluator `auto`; None for
            never.
        tolerance: the greatest bend of a linear evaluator, as a share of the spread of the line.
        seed: seed of everything random.
        tell: called after every position, with the number of positions done and their total number.

    Raises StarspielError if an argument is out of range, or if the game or the evaluator fails, and
    UnsupportedGameError if the game is of another kind.
    """
    started = time.perf_counter()
    played = load_game(game)
    check_two_sided(played, "calibrate")
    count = whole_number("calibrate: positions", positions, LEAST, _MOST)
    many = 0 if truth is not None else whole_number("calibrate: games", games, 1, _MOST)
    if depth is not None:
        depth = whole_number("calibrate: depth", depth, 1, _MOST)
    allowed = finite_number("calibrate: tolerance", tolerance)
    if not allowed > 0.0:
        raise SpecError(f"calibrate: tolerance must be above 0, such as {TOLERANCE}, got {shown(tolerance)}.")
    root = seed_number(seed) or 0
    asked = as_evaluator(evaluator, played, root)
    exact = None if truth is None else as_evaluator(truth, played, root)
    going_on = _continuation(played, agent, depth, root)
    values, truths, noise = np.empty(count), np.empty(count), np.zeros(count)
    for number in range(count):
        state = sampled_position(played, going_on.make, root, number)
        values[number] = value_of(asked, state, played, ())
        if exact is not None:
            truths[number] = value_of(exact, state, played, ())
        else:
            numbers = range(number * many, (number + 1) * many)
            results = np.array([going_on.play(state, each).adjusted for each in numbers])
            truths[number] = results.mean()
            noise[number] = results.var(ddof=1) / many if many > 1 else 0.0
        tell(number + 1, count)
    found = fit(values, truths, noise, root) if varies(values) else None
    notes = _told_by_numbers(asked, played, values, truths)
    far = "" if depth is None else f", broken off after {depth} moves"
    by_games = f"{many} game{'s' if many > 1 else ''} of {going_on.agent} from each{far}"
    return Calibration(
        evaluator=asked.name,
        game=played.name,
        truth=by_games if exact is None else exact.name,
        agent=going_on.agent,
        positions=count,
        games=many,
        verdict=_verdict(found, allowed),
        tolerance=allowed,
        mean=float(truths.mean()),
        fit=found,
        values=tuple(values.tolist()),
        truths=tuple(truths.tolist()),
        seconds=time.perf_counter() - started,
        notes=(*notes, *_told_by_games(going_on, agent is None, many)),
    )


def _continuation(game: Game, agent: str | Spec | None, depth: int | None, seed: int) -> Continuation:
    evaluator = continuation_evaluator(game, "auto", seed)
    if agent is None:
        return Continuation(game, evaluator, depth=depth, seed=seed)
    make_bot(agent, game, seed=seed)  # checked here rather than in the middle of a game
    return Continuation(
        game, evaluator, players=bot_maker(agent, game), depth=depth, seed=seed, agent=str(as_spec(agent))
    )


def _verdict(found: Fit | None, tolerance: float) -> str:
    """Returns the verdict by the intervals of slope and bend; "undecided" if they do not decide it."""
    if found is None:
        return "constant"
    if found.slope.high < 0.0:
        return "inverted"
    if found.slope.low <= 0.0:
        steepest = max(-found.slope.low, found.slope.high) * found.said
        return "unrelated" if 0.0 < steepest <= UNRELATED * found.true else "undecided"
    if found.bend.high <= tolerance * found.spread:
        return "linear"
    return "bent" if found.bend.low > tolerance * found.spread else "undecided"


def _told_by_numbers(asked: Evaluator, game: Game, values: Any, truths: Any) -> Iterator[str]:
    if not varies(values):
        yield (
            f"{asked.name} values every position at {values[0]:g}: it knows nothing of {game.name}, and a "
            "search with it sees nothing but the game's end."
        )
    if not varies(truths):
        yield (
            f"all {len(truths)} positions are worth {truths[0]:g}, so there is nothing to compare with: "
            "other players (agent) may tell positions apart."
        )


def _told_by_games(going_on: Continuation, nobody_named: bool, games: int) -> Iterator[str]:
    if nobody_named and isinstance(going_on.evaluator, ZeroEvaluator):
        yield (
            f"nothing is known of {going_on.game.name}, so the games were played at random: name who plays "
            "(agent), such as mcts(simulations=100)."
        )
    if games > 0:
        yield from going_on.notes
    if games == 1:
        yield "with one game from each position its luck is part of scatter and error."
