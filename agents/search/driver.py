"""`search`: the one entry to every algorithm, with iterative deepening, limits and the answer's story."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

from starspiel.agents.evaluators.base import Evaluator, by_position, not_by_position
from starspiel.agents.evaluators.roster import as_evaluator
from starspiel.agents.search.engine import Engine, PythonEngine
from starspiel.agents.search.limits import MAX_DEPTH, Limits
from starspiel.agents.search.native import ENGINES, native_engine, table_bytes
from starspiel.agents.search.result import SearchResult, tie_tolerance
from starspiel.agents.search.run import BudgetSpentError
from starspiel.agents.search.sampling import SAMPLING, DrawnEvaluator, drawn
from starspiel.agents.search.table import interval_table, tabled
from starspiel.envs.base import CHANCE, TERMINAL, Game, possible_outcomes
from starspiel.envs.errors import SpecError, StarspielError, UnsupportedGameError, did_you_mean
from starspiel.envs.load import game_of, searchable

ALGORITHMS = ("expectiminimax", "star1", "star2", *SAMPLING)


def search(
    state: Any,
    algorithm: str = "star2",
    limits: Limits = Limits(depth=3),  # noqa: B008 (frozen)
    evaluator: Evaluator | Callable[[Any], float] | str | None = None,
    seed: int | None = None,
    *,
    probes: int = 1,
    width: int = 10,
    exact_action_values: bool = True,
    explain: bool = True,
    engine: str = "auto",
    table_mb: int | None = 64,
    merge: bool = True,
    order: bool = True,
    deeper: bool = False,
) -> SearchResult:
    """Searches from a decision node; values are player 0's expected return.

    Args:
        state: a pyspiel state of a qualifying game, or a State of any Game. It is not changed.
        algorithm: "expectiminimax", "star1" or "star2", or one of their sampling forms "expss", "star1ss" and
            "star2ss", which also play games whose chance outcomes cannot be listed.
        limits: how far to go. On time-out the answer is that of the deepest completed iteration.
        evaluator: values states at the horizon: an Evaluator, its spec ("rollout(n=20)", "heuristic"), any
            callable from a state to player 0's expected return, or None for zero everywhere. It must not
            change the state.
        seed: of evaluators and searches that use chance.
        probes: for star2, how many moves of each successor to probe; 0 is star1.
        width: for the sampling searches, how many outcomes to draw at a chance node.
        exact_action_values: whether every root action's value is wanted. Without, root actions prune each
            other: faster, with the same value and best actions.
        explain: whether to add names and the principal variation; its extra nodes are not counted.
        engine: "native" for the C++ core over OpenSpiel's own states, "python", or "auto": native where it
            applies. Both give the same values; the result says which it was.
        table_mb: megabytes of memory for a transposition table, or None for no table. The native engine has
            one, and the Python engine for games with keys that are not OpenSpiel's.
        merge: whether the native engine searches equal successors once.
        order: whether the native engine tries promising moves first.
        deeper: whether the native engine takes what its table knows from a deeper search of a position for a
            search of fewer plies. Fewer nodes, but values of mixed depths: no longer those of the depth.

    The table, merging and ordering need an evaluator that values equal positions alike. Functions are not
    taken to do so unless FunctionEvaluator(function, by_position=True) says it; the result's notes tell.

    A forced move (one legal action) ends a search with a node or time limit after its first ply.

    Raises:
        StarspielError: `state` is terminal or a chance node, or an argument is out of range.
        UnsupportedGameError: the game cannot be searched soundly.
        EvaluatorError: the evaluator raised, or left its range.
    """
    game = game_of(state)
    if not isinstance(limits, Limits):
        raise StarspielError(f"expected limits such as Limits(depth=3), got {limits!r}.")
    state = searchable(state)
    _check_root(state, game)
    check_options(algorithm, probes, width, engine, table_mb, merge=merge, order=order, deeper=deeper)
    sampling = SAMPLING.get(algorithm)
    if not game.explicit_chance and sampling is None:
        raise UnsupportedGameError(
            f"{game.name} has no list of its chance outcomes, so {algorithm} cannot play it; "
            "use a sampling search such as star2ss."
        )
    chosen = as_evaluator(evaluator, game, seed)
    collected, scale = game.frame(state) if game.discount != 1 else (0.0, 1.0)
    root = game.reroot(state)
    if sampling is not None:
        root = drawn(root, game, width, seed)
        chosen = DrawnEvaluator(chosen)
    base = sampling or algorithm
    probes, table_mb = int(probes), None if table_mb is None else int(table_mb)
    searcher: Engine | None = None
    if engine != "python":
        searcher = native_engine(
            root,
            game,
            base,
            probes,
            limits,
            chosen,
            table_mb,
            merge,
            order,
            deeper=deeper,
            required=engine == "native",
        )
    if searcher is None:
        table = None if sampling else interval_table(root, game, chosen, table_mb)
        notes: tuple[str, ...] = ()
        if not sampling and not by_position(chosen) and tabled(root, game, table_mb):
            notes = (not_by_position(chosen, "the table is"),)
        searcher = PythonEngine(chosen, game, limits, base, probes, table, notes)
    try:
        result = _deepen(root, game, searcher, base, probes, limits, chosen, exact_action_values, explain)
    finally:
        searcher.finish()
    if sampling is not None:
        result = replace(result, algorithm=f"{algorithm}(width={width})", exact=False)
    if (collected, scale) == (0.0, 1.0):
        return result
    return replace(
        result,
        value=collected + scale * result.value,
        action_values={action: collected + scale * value for action, value in result.action_values.items()},
    )


def check_options(
    algorithm: str, probes: int, width: int, engine: str, table_mb: int | None, **switches: bool
) -> None:
    """Raises SpecError where an option of `search` is none it takes."""
    if algorithm not in ALGORITHMS:
        raise SpecError(f"unknown algorithm {algorithm!r}.{did_you_mean(algorithm, ALGORITHMS)}")
    for name, value, least in (("probes", probes, 0), ("width", width, 1)):
        if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
            raise SpecError(f"{name} must be a whole number of at least {least}, got {value!r}.")
    if engine not in ENGINES:
        raise SpecError(f"unknown engine {engine!r}.{did_you_mean(str(engine), ENGINES)}")
    for name, switch in switches.items():
        if not isinstance(switch, bool):
            raise SpecError(f"{name} must be true or false, got {switch!r}.")
    table_bytes(table_mb)


def _check_root(state: Any, game: Game) -> None:
    player = state.current_player()
    if player == TERMINAL:
        raise StarspielError(f"cannot search from a terminal state of {game.name}: the game is over.")
    if player == CHANCE:
        outcome = "apply one of its outcomes first (state.chance_outcomes() lists them)"
        if not game.explicit_chance:
            outcome = "draw an outcome first (state.sample(rng))"
        raise StarspielError(f"cannot search from a chance node of {game.name}: {outcome}.")


@dataclass(frozen=True, slots=True)
class _Root:
    """One iteration at the root: values of the actions searched, and the search's `size`."""

    player: int
    values: dict[int, float]
    size: float

    @property
    def value(self) -> float:
        return max(self.values.values()) if self.player == 0 else min(self.values.values())

    @property
    def best_actions(self) -> tuple[int, ...]:
        best, tolerance = self.value, tie_tolerance(self.size)
        return tuple(sorted(a for a, v in self.values.items() if abs(v - best) <= tolerance))


def _deepen(
    state: Any,
    game: Game,
    engine: Engine,
    algorithm: str,
    probes: int,
    limits: Limits,
    evaluator: Evaluator,
    exact_action_values: bool,
    explain: bool,
) -> SearchResult:
    player = state.current_player()
    actions = state.legal_actions()
    last = limits.depth or MAX_DEPTH
    done: _Root | None = None
    depth, exact = 0, False
    line: tuple[tuple[int, int], ...] = ()
    values: dict[int, float] = {}
    stack_ended = False
    try:
        for iteration in range(last if limits.depth_only else 1, last + 1):
            values = {}
            evaluations = engine.evaluations
            engine.search_root(state, iteration, not exact_action_values, values)
            done, depth = _Root(player, values, engine.size), iteration
            exact = engine.evaluations == evaluations
            if explain:
                line = _principal_variation(state, done, depth, engine, limits)
            if exact or (len(actions) == 1 and not limits.depth_only):
                break
    except BudgetSpentError:
        pass
    except RecursionError:
        if done is None:
            raise StarspielError(
                f"{game.name} cannot be searched to depth {last}: the line of play is too long for Python's "
                "stack; give a smaller depth."
            ) from None
        stack_ended = True
    if done is None:
        # Not even one ply was completed: the best action tried, or the first legal one.
        done = _Root(player, values, engine.size)
    best = done.best_actions if done.values else (actions[0],)
    notes = list(engine.notes)
    if algorithm != "expectiminimax" and engine.unbounded is not None:
        notes.append(engine.unbounded)
    if stack_ended:
        notes.append(
            f"depth {depth + 1} is too deep for Python's stack; the answer is that of depth {depth}."
        )
    return SearchResult(
        value=done.value if done.values else engine.evaluate(state),
        best_action=best[0],
        best_actions=best,
        action_values=done.values,
        principal_variation=line or ((player, best[0]),),
        player=player,
        depth=depth,
        exact=exact,
        algorithm=algorithm if probes == 1 else f"{algorithm}(probes={probes})",
        evaluator=evaluator.name,
        engine=engine.name,
        statistics=engine.statistics(),
        notes=tuple(notes),
        names={a: state.action_to_string(player, a) for a in actions} if explain else {},
        line=_in_words(state, line or ((player, best[0]),)) if explain else (),
    )


def _principal_variation(
    state: Any,
    root: _Root,
    depth: int,
    engine: Engine,
    limits: Limits,
) -> tuple[tuple[int, int], ...]:
    """Best play from the root, searched again a ply shallower at each step within what the limits leave."""
    action = root.best_actions[0]
    line = [(root.player, action)]
    state = state.child(action)
    side: Engine | None = None
    try:
        side = engine.aside(_remaining(limits, engine))
        while True:
            player = state.current_player()
            if player == TERMINAL:
                break
            if player == CHANCE:
                action = max(possible_outcomes(state), key=lambda outcome: outcome[1])[0]
            else:
                depth -= 1
                if depth == 0:
                    break
                values: dict[int, float] = {}
                side.search_root(state, depth, True, values)
                action = _Root(player, values, max(root.size, side.size)).best_actions[0]
            line.append((player, action))
            state = state.child(action)
    except BudgetSpentError:
        pass
    finally:
        if side is not None:
            side.finish()
    while line[-1][0] == CHANCE:
        line.pop()
    return tuple(line)


def _remaining(limits: Limits, engine: Engine) -> Limits:
    """What is left of the limits; raises BudgetSpentError where nothing is."""
    nodes = None if limits.nodes is None else limits.nodes - engine.nodes
    seconds = None if limits.seconds is None else limits.seconds - engine.elapsed()
    if (nodes is not None and nodes < 1) or (seconds is not None and seconds <= 0):
        raise BudgetSpentError
    return Limits(depth=MAX_DEPTH, nodes=nodes, seconds=seconds)


def _in_words(state: Any, line: Sequence[tuple[int, int]]) -> tuple[str, ...]:
    words = []
    for player, action in line:
        name = state.action_to_string(player, action)
        words.append(f"({name})" if player == CHANCE else name)
        state = state.child(action)
    return tuple(words)
