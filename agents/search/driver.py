"""Provides `search`, the entry point of every algorithm."""

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

import pyspiel

from starspiel.agents.evaluators.base import Evaluator, for_search, outlook_of
from starspiel.agents.evaluators.registry import as_evaluator
from starspiel.agents.evaluators.unwrapping import UnwrappingEvaluator
from starspiel.agents.evaluators.wrapped import WrappedEvaluator
from starspiel.agents.opponents import as_opponent
from starspiel.agents.registry import extra
from starspiel.agents.search.deepening import Deepening, Tell
from starspiel.agents.search.engines import SearchEngine, python_engine
from starspiel.agents.search.joint_deepening import JointDeepening, check_joint_moves
from starspiel.agents.search.limits import DEFAULT_DEPTH, Limits
from starspiel.agents.search.move_filters import MoveFilters, check_filters
from starspiel.agents.search.native import native_engine
from starspiel.agents.search.options import Options
from starspiel.agents.search.probcut import check_probcut
from starspiel.agents.search.result import SearchResult
from starspiel.agents.search.sampling import drawn
from starspiel.agents.search.task import SearchTask
from starspiel.envs.arguments import seed_number
from starspiel.envs.base import (
    CHANCE,
    SIMULTANEOUS,
    TERMINAL,
    Game,
    check_two_sided,
    has_vector_values,
    is_simultaneous,
)
from starspiel.envs.errors import StarspielError, UnsupportedGameError, shown
from starspiel.envs.load import game_of, searchable
from starspiel.envs.outlook import Outlook, outlook
from starspiel.envs.spec import Spec
from starspiel.envs.unchanged import refuse_changes

#: The depth that evaluators are prepared for if a search has no depth limit.
_OPEN_DEPTH = 4


def search(
    state: Any,
    algorithm: str = "star2",
    limits: Limits = Limits(depth=DEFAULT_DEPTH),  # noqa: B008 (frozen)
    evaluator: Evaluator | Callable[[Any], float] | str | Spec | None = "auto",
    seed: int | None = None,
    *,
    probes: int = 1,
    width: int = 10,
    exact_action_values: bool = True,
    explain: bool = True,
    engine: str = "auto",
    table_mb: int | None = 64,
    merge: bool | None = None,
    order: bool = True,
    ties: str = "soonest",
    opponent: Any = "optimal",
    opponents: str = "maxn",
    filters: MoveFilters | str | None = None,
    probcut: float | None = None,
    threads: int = 1,
    book: Any = None,
) -> SearchResult:
    """Searches from a decision node; values are the expected return of the whole game.

    Values are player 0's in one-player games and two-player zero-sum games. In all others each player
    maximises their own return (max^n), and values are those of the player to move: see `SearchResult`.

    Args:
        state: a pyspiel state of a qualifying game, or a State of any Game. It is not changed.
        algorithm: a field of `Options`, which describes it and all keyword-only arguments but `book`.
        limits: limits of depth, nodes and time. With a limit of nodes or time, the answer is that of the
            deepest completed iteration, unless a later one had already found a better action (`unfinished`).
        evaluator: values states at the horizon: an Evaluator, its spec ("rollout(n=20)", "heuristic"), None
            for zero everywhere, or any callable that returns player 0's expected return of a state. In games
            whose values are vectors, the callable returns a sequence of all players' expected returns.
            Defaults to "auto": the best shipped evaluator for the game (docs/evaluators.md), else rollouts
            in sampled games and zero in others. It must not change the state.
        seed: seed of evaluators and searches that use chance and, with the evaluator zero, of the order in
            which simultaneous moves are tried.
        book: a file that `starspiel book` wrote, or a Book. If it contains the position, it answers instead
            of a search: `algorithm` is then "book", and a note says so.

    A search with a node or time limit ends after its first ply if there is only one legal action.

    Raises:
        StarspielError: `state` is terminal or a chance node, or an argument is out of range.
        UnsupportedGameError: the game cannot be searched soundly.
        EvaluatorError: the evaluator raised an exception, or returned a value outside its range.
    """
    given = locals()
    options = Options(**{option.name: given[option.name] for option in fields(Options)})
    if book is not None:
        game = game_of(state)
        check_two_sided(game, "a book")
        found = extra("book")(game, book)
        _check_root(state, game)
        said: SearchResult | None = extra("answer by a book")(found, game, searchable(state), explain=explain)
        if said is not None:
            return said
    return search_with(options, state, limits, evaluator, seed)


def check_algorithm(options: Options, game: Game) -> None:
    """Raises UnsupportedGameError if the algorithm does not support the game."""
    if has_vector_values(game) and game.discount != 1.0:
        raise UnsupportedGameError(
            f"{game.name} discounts returns (discount={game.discount:g}); search supports discounted "
            "one-player and two-player zero-sum games only."
        )
    if not game.explicit_chance and not options.sampling:
        raise UnsupportedGameError(
            f"{game.name} has no list of its chance outcomes, so {options.algorithm} cannot play it; "
            "use a sampling search such as star2ss."
        )


def search_with(
    options: Options,
    state: Any,
    limits: Limits,
    evaluator: Evaluator | Callable[[Any], float] | str | Spec | None,
    seed: int | None,
    tell: Tell | None = None,
) -> SearchResult:
    """Searches like `search`, with the options as one value.

    `tell` is called with the result of each depth, from 1 on; Ctrl-C then ends the search like a limit.
    """
    game = game_of(state)
    check_joint_moves(game, options)
    check_filters(options, game)
    if not isinstance(limits, Limits):
        raise StarspielError(f"expected limits such as Limits(depth=3), got {shown(limits)}.")
    state, seed = searchable(state), seed_number(seed)
    if options.explain and isinstance(state, pyspiel.State):
        state = state.clone()  # Copied because the result keeps it, while the caller may change it.
    _check_root(state, game)
    refuse_changes(game, state)
    check_algorithm(options, game)
    asked = as_evaluator(evaluator, game, seed)
    check_probcut(options, asked, game)
    name = asked.name
    # An inner game has the same moves and values, and the core may know it. An opponent's model knows this
    # one.
    while options.opponent in (None, "optimal") and isinstance(asked, WrappedEvaluator):
        state, game, asked = asked.inside(state)
    task = _task(state, game, for_search(asked, state, limits.depth or _OPEN_DEPTH), options, seed)
    engine: SearchEngine | None = None
    if options.engine != "python" and not is_simultaneous(game):
        engine = native_engine(task.root, game, task.evaluator, limits, options, task.opponent)
    engine = engine or python_engine(task, limits)
    deepening = JointDeepening if task.root.current_player() == SIMULTANEOUS else Deepening

    def finished(found: SearchResult) -> SearchResult:
        told = outlook(game) if found.exact else outlook_of(asked, game)
        return _finished(found, task, name, told)

    told = None if tell is None else lambda found: tell(finished(found))
    return finished(deepening(task, engine, limits, told).run())


def _finished(found: SearchResult, task: SearchTask, evaluator: str, told: Outlook) -> SearchResult:
    """Converts a result to values of the whole game."""
    changes: dict[str, Any] = {"evaluator": evaluator}
    if task.options.explain:
        changes |= {"origin": task, "outlook": told}
    if task.frame != (0.0, 1.0):
        changes |= _of_whole_game(found, task)
    if not has_vector_values(task.game):
        value, values = changes.get("value", found.value), changes.get("action_values", found.action_values)
        changes |= _returns(value, values, task.game)
    return replace(found, **changes)


def _of_whole_game(result: SearchResult, task: SearchTask) -> dict[str, Any]:
    return {
        "value": task.of_whole_game(result.value),
        "action_values": {a: task.of_whole_game(v) for a, v in result.action_values.items()},
        "unfinished": {a: task.of_whole_game(v) for a, v in result.unfinished.items()},
        "strategies": tuple(each.rescaled(task.of_whole_game) for each in result.strategies),
    }


def _returns(value: float, action_values: Mapping[int, float], game: Game) -> dict[str, Any]:
    """Returns every player's returns from player 0's, for one-player games and two-player zero-sum games."""
    if game.num_players == 1:
        return {"returns": (value,), "action_returns": {a: (v,) for a, v in action_values.items()}}
    by_action = {a: (v, 0.0 - v) for a, v in action_values.items()}
    return {"returns": (value, 0.0 - value), "action_returns": by_action}


def _task(state: Any, game: Game, evaluator: Evaluator, options: Options, seed: int | None) -> SearchTask:
    opponent = as_opponent(options.opponent, game, seed)
    if opponent is not None:
        opponent = replace(opponent, player=1 - state.current_player())
    in_vectors = has_vector_values(game)
    root = state if in_vectors and game.explicit_chance else game.reroot(state)
    frame = (0.0, 1.0) if in_vectors or root is state else game.frame(state)
    if options.sampling:
        root = drawn(root, game, options.width, seed)
        evaluator = UnwrappingEvaluator(evaluator)
        opponent = opponent and opponent.of_inner()
    return SearchTask(root, game, evaluator, options, opponent, frame, seed)


def _check_root(state: Any, game: Game) -> None:
    player = state.current_player()
    if player == TERMINAL:
        raise StarspielError(f"cannot search from a terminal state of {game.name}: the game is over.")
    if player == CHANCE:
        outcome = "apply one of its outcomes first (state.chance_outcomes() lists them)"
        if not game.explicit_chance:
            outcome = "draw an outcome first (state.sample(rng))"
        raise StarspielError(f"cannot search from a chance node of {game.name}: {outcome}.")
