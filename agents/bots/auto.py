"""Provides the agent `auto`, which chooses an agent for a game and gives its reasons."""

import functools
import random
import warnings
from collections.abc import Hashable
from dataclasses import dataclass
from math import prod
from time import perf_counter
from typing import Any

import numpy as np

from starspiel.agents.bot import Bot
from starspiel.agents.bots.mcts import implementation
from starspiel.agents.evaluators.auto import knows
from starspiel.agents.roster import bot_maker
from starspiel.agents.search import Limits, search
from starspiel.agents.search.joint_deepening import unsearched
from starspiel.agents.solve import solve, solve_small
from starspiel.envs.arguments import whole_number
from starspiel.envs.base import (
    CHANCE,
    SIMULTANEOUS,
    TERMINAL,
    Game,
    SampledState,
    SelfPlayingState,
    conforms,
    has_vector_values,
    is_simultaneous,
    joint_child,
    joint_moves,
    possible_outcomes,
)
from starspiel.envs.errors import SlowEnvironmentWarning, StarspielError, UnsupportedGameError
from starspiel.envs.gymnasium.table import TableGame
from starspiel.envs.spec import Spec, parse_spec

#: Default number of steps that the random games for one move may take.
STEPS = 2_000
#: States that a search without random games may visit per move.
NODES = 20_000
#: The cost of cloning a sampled environment for a random game, in steps.
CLONE = 10
#: The cost of a move in games that list their chance outcomes, in steps.
LISTED = 0.1
#: That cost if all players move at once: regret matching updates all their moves.
JOINT = 0.5
#: Moves after which a random game is cut off.
ROLLOUT_DEPTH = 100
#: The most states of a table, times its horizon if it has one, for which the table is solved.
SOLVED = 20_000
#: The most bytes that the native core may use to solve a small game; this takes some tenths of a second.
SOLVED_BYTES = 50_000_000

#: The agent warns that it will be slow if a move takes at least this many seconds.
SLOW = 2.0
#: The number of random games measured for a choice.
_TRIALS = 16


def usual_search(game: Game) -> str:
    """Returns the spec of the default opponent, hint, reference and analysis.

    This is two plies of Star2, or of Star1 in games where Star2 would be the same (agents/search/maxn.py). If
    nothing is known about the game, a search would see all positions alike, so it is Monte-Carlo tree search.
    A small game in which all players move at once is searched to its ends instead. Raises
    UnsupportedGameError if no search plays the game.
    """
    if reason := unsearched(game):
        raise UnsupportedGameError(f"{game.name} {reason}")
    if is_simultaneous(game) and _ends_in_sight(game):
        return f"star2(nodes={NODES})"
    if game.explicit_chance and not knows(game):
        return str(implementation(Spec("mcts", {"simulations": 1000}), game))
    star = "star1" if has_vector_values(game) else "star2"
    return f"{star}(depth=2)" if game.explicit_chance else f"{star}ss(depth=2)"


def unknown(game: Game) -> str:
    """Returns a sentence on why `usual_search` chooses Monte-Carlo tree search; empty if it does not."""
    if unsearched(game) or parse_spec(usual_search(game)).name not in ("mcts", "uct"):
        return ""
    return f"no heuristic or network of {game.name} is known: moves are valued by random games."


@dataclass(frozen=True)
class Choice:
    """An agent for a game: the spec for `make_bot`, and the reasons in words."""

    spec: Spec
    why: str

    def __str__(self) -> str:
        """Returns the spec, or just its name if it contains a solution in memory."""
        return self.spec.name if "solution" in self.spec.params else str(self.spec)


def chosen_agent(game: Game, player: int = 0, seed: int | None = None, *, steps: int = STEPS) -> Bot:
    """Makes the bot of the spec `auto`, which `choose` selects; `steps` is the budget per move."""
    spec = choose(game, whole_number("steps", steps, 1)).spec
    bot: Bot = bot_maker(spec, game)(player, seed)
    return bot


def choose(game: Game, steps: int = STEPS) -> Choice:
    """Chooses the agent for a game, deterministically.

    - A table of at most `SOLVED` states is solved, and played from its exact values. So is a one-player or
      two-player zero-sum game that the native core solves within `SOLVED_BYTES`.
    - A game that has an evaluator (a network or tables shipped for it, or a heuristic) is searched by Star2
      (max^n if values are vectors), as deep as `NODES` states per move allow. So is a game in which all
      players move at once, if that is enough to search it to all its ends.
    - Any other game is searched by MCTS, with as many random games as take about `steps` steps per move. This
      is measured in a few games.
    """
    chosen: Choice = _remembered(game, steps) if isinstance(game, Hashable) else _chosen(game, steps)
    return chosen


def _chosen(game: Game, steps: int) -> Choice:
    if isinstance(game, TableGame):
        return _solved(game, steps)
    if not has_vector_values(game) and (solution := solve_small(game, SOLVED_BYTES)):
        return Choice(
            Spec("optimal", {"solution": solution}),
            f"a game of {solution.states:,} positions, small enough to be solved: perfect play is worth "
            f"{solution.value:.6g}",
        )
    if game.explicit_chance and knows(game):
        if has_vector_values(game):
            return Choice(
                Spec("star1", {"nodes": NODES}),
                "chances are listed and there is an evaluator: max^n, pruned as by Star1, as deep as "
                f"{NODES:,} states a move allow",
            )
        return Choice(
            Spec("star2", {"nodes": NODES}),
            f"chances are listed and there is an evaluator: Star2, as deep as {NODES:,} states a move allow",
        )
    if is_simultaneous(game) and _ends_in_sight(game):
        return Choice(
            Spec("star2", {"nodes": NODES}),
            f"all players move at once: mixed strategies by Star2, exact within {NODES:,} states a move",
        )
    return _by_mcts(game, steps, "")


_remembered = functools.lru_cache(maxsize=8)(_chosen)


def _ends_in_sight(game: Game) -> bool:
    """Returns whether `NODES` states are enough to search a game to all its ends from the first move."""
    sees: bool = _remembered_sight(game) if isinstance(game, Hashable) else _sees_ends(game)
    return sees


def _sees_ends(game: Game) -> bool:
    state, rng, draw = game.new_initial_state(), np.random.default_rng(1), random.Random(1)
    while state.current_player() == CHANCE:
        state = _outcome(state, rng, draw)
    return search(state, "star2", Limits(nodes=NODES), explain=False, exact_action_values=False).exact


_remembered_sight = functools.lru_cache(maxsize=8)(_sees_ends)


def _solved(game: TableGame, steps: int) -> Choice:
    entries = game.num_states * (game.horizon or 1)
    if entries > SOLVED:
        return _by_mcts(game, steps, f"the table has {entries:,} entries, too many to solve it first: ")
    try:
        solution = solve(game)
    except StarspielError as error:
        return _by_mcts(game, steps, f"the table could not be solved ({error}): ")
    clock = "" if game.horizon is None else f" and {game.horizon} steps"
    return Choice(
        Spec("optimal", {"solution": solution}),
        f"a table of {game.num_states:,} states{clock}, small enough to be solved: "
        f"perfect play is worth {solution.value:.6g}",
    )


def _by_mcts(game: Game, steps: int, why: str) -> Choice:
    started = perf_counter()
    moves, length = measured(game)
    seconds = (perf_counter() - started) / _TRIALS
    affordable = round(steps / cost(game, length))
    simulations = max(round(moves), affordable)  # at least one per move
    takes = "a" if simulations == affordable else "more than the"
    known = "chances are listed" if game.explicit_chance else "chances are known by samples only"
    spec = Spec("mcts", {"simulations": simulations})
    if implementation(spec, game).name == "uct":  # our own MCTS, whose random games can be cut off
        if simulations * seconds > SLOW:  # the measurement does not apply to OpenSpiel's, which is C++
            _warn_of(game, simulations * seconds, steps, simulations == round(moves))
        spec = Spec("uct", {"simulations": simulations, "rollout_moves": ROLLOUT_DEPTH})
    return Choice(
        spec,
        f"{why}{known}, and no heuristic or network of the game is known: Monte-Carlo tree search, "
        f"{simulations:,} random games a move; with {moves:.3g} moves to choose from and games of "
        f"{length:.3g} moves that takes {takes} budget of {steps:,} steps",
    )


def cost(game: Game, length: float) -> float:
    """Returns the cost of a random game of `length` moves, in steps."""
    if not game.explicit_chance:
        return CLONE + length
    return (JOINT if is_simultaneous(game) else LISTED) * length


def _warn_of(game: Game, seconds: float, steps: int, is_once_each: bool) -> None:
    fewer = f"auto(steps={max(1, steps // 10)})"
    what, cure = f"{steps:,} steps of random games", f"{fewer} as the spec takes a tenth, and chooses worse"
    if is_once_each:  # then a smaller budget changes nothing
        fewer = f"uct(seconds=1,rollout_moves={ROLLOUT_DEPTH})"
        what, cure = "a random game of each action", f"{fewer} chooses among those that it has time for"
    warnings.warn(
        f"{game.name}: a move will take about {seconds:.2g} s on this machine, for {what}. {cure}: "
        f'EnvAgent("{fewer}", env)',
        SlowEnvironmentWarning,
        stacklevel=2,
    )


def measured(game: Game) -> tuple[float, float]:
    """Returns the mean number of moves if there is a choice, and the mean length of a random game, which is
    cut off at ROLLOUT_DEPTH.
    """
    rng, draw = np.random.default_rng(1), random.Random(1)
    widths: list[int] = []
    played = sum(_play(game.new_initial_state(), rng, draw, widths) for _ in range(_TRIALS))
    return (sum(widths) / len(widths) if widths else 1.0), max(1.0, played / _TRIALS)


def _play(state: Any, rng: np.random.Generator, draw: random.Random, widths: list[int]) -> float:
    """Plays a random game from a state and returns approximately how many moves it lasted; appends the
    numbers of legal moves to `widths`.

    A state that plays on by itself does so in strides of doubling length. When it ended within the last
    stride is not known, so half of that stride is counted.
    """
    length = 0.0
    stride = 1
    while length < ROLLOUT_DEPTH and (player := state.current_player()) != TERMINAL:
        if player == CHANCE:
            state = _outcome(state, rng, draw)
            continue
        if player == SIMULTANEOUS:
            moves_of_each = joint_moves(state, len(state.returns()))
            widths.append(prod(map(len, moves_of_each)))
            state = joint_child(state, [draw.choice(moves) for moves in moves_of_each])
            length += 1
            continue
        moves = state.legal_actions()
        if len(moves) > 1:
            widths.append(len(moves))
        if not conforms(state, SelfPlayingState):
            state = state.child(draw.choice(moves))
            length += 1
            continue
        state = state.play_on(rng, stride)
        length += (stride + 1) / 2 if state.is_terminal() else stride
        stride *= 2
    return min(length, ROLLOUT_DEPTH)


def _outcome(state: Any, rng: np.random.Generator, draw: random.Random) -> Any:
    if conforms(state, SampledState):
        return state.sample(rng)
    outcomes, chances = zip(*possible_outcomes(state), strict=True)
    return state.child(draw.choices(outcomes, chances)[0])
