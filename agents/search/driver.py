"""`search`: the one entry to every algorithm, with iterative deepening, limits and the answer's story."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyspiel

from starspiel.agents.evaluators.base import Evaluator, for_search, quiet_of
from starspiel.agents.evaluators.registry import as_evaluator
from starspiel.agents.evaluators.unwrapping import UnwrappingEvaluator
from starspiel.agents.opponents import Opponent, as_opponent
from starspiel.agents.registry import extra
from starspiel.agents.search.context import BudgetSpentError, check_quiescence
from starspiel.agents.search.engine import SearchEngine, python_engine
from starspiel.agents.search.iteration import Iteration, better_than
from starspiel.agents.search.limits import DEFAULT_DEPTH, MAX_DEPTH, Limits
from starspiel.agents.search.native import native_engine
from starspiel.agents.search.options import Options
from starspiel.agents.search.pace import Pace
from starspiel.agents.search.result import Searched, SearchResult
from starspiel.agents.search.sampling import drawn, undrawn
from starspiel.agents.search.tie_breaking import searched_again, soonest_of
from starspiel.agents.search.variation import in_words, principal_variation
from starspiel.envs.arguments import seed_number
from starspiel.envs.base import CHANCE, TERMINAL, Game
from starspiel.envs.errors import StarspielError, UnsupportedGameError, shown
from starspiel.envs.load import game_of, searchable
from starspiel.envs.plays import play_names
from starspiel.envs.spec import Spec
from starspiel.envs.unchanged import refuse_changes

#: The plies that a search without a limit of depth is taken to look ahead, where an evaluator asks.
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
    quiescence: int = 0,
    threads: int = 1,
    book: Any = None,
) -> SearchResult:
    """Searches from a decision node; values are player 0's expected return of the whole game.

    Args:
        state: a pyspiel state of a qualifying game, or a State of any Game. It is not changed.
        algorithm: a field of `Options`, which says what it means, as are all that are given by name only.
        limits: how far to go; where nothing is said, to `DEFAULT_DEPTH` plies, as an agent does. On time-out
            the answer is that of the deepest completed iteration.
        evaluator: values states at the horizon: an Evaluator, its spec ("rollout(n=20)", "heuristic"), any
            callable from a state to player 0's expected return, or None for zero everywhere. Where nothing
            is said it is "auto", as an agent's: the game's heuristic where there is one, else zero. It must
            not change the state.
        seed: of evaluators and searches that use chance.
        book: a file that `starspiel book` wrote, or a Book. A position in it is answered by it and not
            searched: `algorithm` is then "book", and a note says so.

    A forced move (one legal action) ends a search with a node or time limit after its first ply.

    Raises:
        StarspielError: `state` is terminal or a chance node, or an argument is out of range.
        UnsupportedGameError: the game cannot be searched soundly.
        EvaluatorError: the evaluator raised, or left its range.
    """
    options = Options(
        algorithm=algorithm,
        probes=probes,
        width=width,
        engine=engine,
        table_mb=table_mb,
        merge=merge,
        order=order,
        ties=ties,
        opponent=opponent,
        quiescence=quiescence,
        threads=threads,
        exact_action_values=exact_action_values,
        explain=explain,
    )
    said = None if book is None else _by_book(book, state, explain)
    return search_with(options, state, limits, evaluator, seed) if said is None else said


def _by_book(book: Any, state: Any, explain: bool) -> SearchResult | None:
    """The book's answer; None where it does not hold the position."""
    game = game_of(state)
    found = extra("book")(game, book)
    _check_root(state, game)
    said: SearchResult | None = extra("answer by a book")(found, game, searchable(state), explain=explain)
    return said


def check_algorithm(options: Options, game: Game) -> None:
    """Raises UnsupportedGameError where the algorithm needs listed chances and the game has none."""
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
) -> SearchResult:
    """`search`, with its options as one value."""
    game = game_of(state)
    if not isinstance(limits, Limits):
        raise StarspielError(f"expected limits such as Limits(depth=3), got {shown(limits)}.")
    state, seed = searchable(state), seed_number(seed)
    if options.explain and isinstance(state, pyspiel.State):
        state = state.clone()  # The result keeps it, and its owner may play on.
    _check_root(state, game)
    refuse_changes(game, state)
    check_algorithm(options, game)
    asked = as_evaluator(evaluator, game, seed)
    check_quiescence(options, asked, game)
    chosen = for_search(asked, state, (limits.depth or _OPEN_DEPTH) + options.quiescence)
    opponent = as_opponent(options.opponent, game, seed)
    root = game.reroot(state)
    left_out = (0.0, 1.0) if root is state else game.frame(state)
    if options.sampling:
        root = drawn(root, game, options.width, seed)
        chosen = UnwrappingEvaluator(chosen, quiet=quiet_of(chosen, game))
        opponent = opponent and opponent.of_inner()
    engine: SearchEngine | None = None
    if options.engine != "python":
        engine = native_engine(root, game, chosen, limits, options, opponent)
    if engine is None:
        engine = python_engine(root, game, chosen, limits, options, opponent)
    try:
        result = _deepen(root, game, engine, chosen, limits, options, opponent)
    finally:
        engine.finish()
    if chosen.name != asked.name:
        result = replace(result, evaluator=asked.name)
    if options.explain:
        result = replace(result, origin=Searched(root, game, chosen, options, left_out, opponent))
    if left_out != (0.0, 1.0):
        return replace(
            result,
            value=_of_whole_game(result.value, left_out),
            action_values={a: _of_whole_game(v, left_out) for a, v in result.action_values.items()},
            unfinished={a: _of_whole_game(v, left_out) for a, v in result.unfinished.items()},
        )
    return result


def _of_whole_game(value: float, left_out: tuple[float, float]) -> float:
    """The return of the whole game, by that of play from a root that has left out what was collected."""
    collected, scale = left_out
    return collected + scale * value


def _check_root(state: Any, game: Game) -> None:
    player = state.current_player()
    if player == TERMINAL:
        raise StarspielError(f"cannot search from a terminal state of {game.name}: the game is over.")
    if player == CHANCE:
        outcome = "apply one of its outcomes first (state.chance_outcomes() lists them)"
        if not game.explicit_chance:
            outcome = "draw an outcome first (state.sample(rng))"
        raise StarspielError(f"cannot search from a chance node of {game.name}: {outcome}.")


def _deepen(
    state: Any,
    game: Game,
    engine: SearchEngine,
    evaluator: Evaluator,
    limits: Limits,
    options: Options,
    opponent: Opponent | None,
) -> SearchResult:
    """Searches deeper and deeper until a limit is met; the answer of the deepest completed iteration."""
    player = state.current_player()
    actions = state.legal_actions()
    last = limits.depth or MAX_DEPTH
    done: Iteration | None = None
    earlier: list[tuple[int, ...]] = []
    depth = 0
    best: tuple[int, ...] = ()
    soonest: tuple[int, ...] = ()
    line: tuple[tuple[int, int], ...] = ()
    values: dict[int, float] = {}
    found: Mapping[int, float] = {}
    stack_ended = False
    pace = Pace(engine, limits)
    try:
        for iteration in range(last if limits.depth_only else 1, last + 1):
            if not pace.next_fits():
                break
            first = _promising(done, soonest)
            values = {}
            evaluations = engine.evaluations
            engine.search_root(state, iteration, not options.exact_action_values, values, first)
            if not values or (options.exact_action_values and len(values) < len(actions)):
                raise StarspielError(
                    f"{game.name} cannot be searched: expected finite returns, got infinite ones or NaN at "
                    f"depth {iteration} from the state\n{state}"
                )
            done = Iteration(player, values, engine.size, engine.evaluations == evaluations)
            depth, best = iteration, done.best_actions
            soonest = best
            if options.ties == "soonest":
                again = limits.depth_only
                soonest = soonest_of(
                    best, searched_again(engine, state, depth, done.exact) if again else reversed(earlier)
                )
                earlier.append(best)
            if options.explain:
                line = principal_variation(
                    state, done, soonest[0], depth, engine, limits, options.ties, opponent
                )
            if done.exact or (len(actions) == 1 and not limits.depth_only):
                break
            pace.finished()
    except BudgetSpentError:
        ended = Iteration(player, values, engine.size)
        if done is not None and better_than(ended, soonest[0]):
            found = values
            best = soonest = ended.best_actions
            line = ()
    except RecursionError:
        if done is None:
            raise StarspielError(
                f"{game.name} cannot be searched to depth {last}: the line of play is too long for Python's "
                "stack; give a smaller depth."
            ) from None
        stack_ended = True
    if done is None:
        # Not even one ply was completed: the best action tried, or the first legal one.
        done = Iteration(player, values, engine.size)
        best = soonest = done.best_actions if values else (actions[0],)
    notes = list(engine.notes)
    if found:
        notes.append(
            f"the limit ended the search of {depth + 1} plies, which had found this move better than the "
            f"best of {depth}."
        )
    if options.prunes and engine.unbounded is not None:
        notes.append(engine.unbounded)
    if opponent is not None:
        notes.append(f"values are those of play against the opponent {opponent.name}, not against best play.")
    if stack_ended:
        notes.append(
            f"depth {depth + 1} is too deep for Python's stack; the answer is that of depth {depth}."
        )
    value = done.value if depth else engine.evaluate(state)
    return SearchResult(
        value=value,
        value_to_go=value - game.frame(undrawn(state))[0],
        best_action=soonest[0],
        best_actions=best,
        soonest_actions=soonest,
        action_values=done.values,
        principal_variation=line or ((player, soonest[0]),),
        player=player,
        depth=depth,
        exact=done.exact and not options.sampling,
        algorithm=options.label,
        evaluator=evaluator.name,
        engine=engine.name,
        statistics=engine.statistics(),
        notes=tuple(notes),
        unfinished=found,
        names=play_names(game, undrawn(state)) if options.explain else {},
        line=in_words(state, line or ((player, soonest[0]),)) if options.explain else (),
    )


def _promising(done: Iteration | None, soonest: Sequence[int]) -> tuple[int, ...]:
    """The actions whose values are known, the one that would be played first, then the better ones."""
    if done is None:
        return ()
    sign = -1 if done.player == 0 else 1
    rest = sorted(done.values, key=lambda action: sign * done.values[action])
    return (soonest[0], *(action for action in rest if action != soonest[0]))
