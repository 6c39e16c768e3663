"""Chooses the default agents of a tournament, and how deep they search, to suit the game.

The cost of a game is estimated from a few random games. These always use the same seed, so a command has the
same agents on every machine.
"""

import random
import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import prod
from statistics import fmean
from typing import Any

from starspiel.agents.bots.mcts import implementation, openspiel_refuses
from starspiel.agents.roster import make_bot
from starspiel.agents.search.joint_deepening import unsearched
from starspiel.envs.base import (
    SIMULTANEOUS,
    Game,
    has_vector_values,
    is_simultaneous,
    joint_child,
    joint_moves,
    possible_outcomes,
)
from starspiel.envs.errors import EndlessGameWarning, StarspielError, UnsupportedGameError
from starspiel.envs.kits import BY_NAME
from starspiel.envs.load import load_game
from starspiel.envs.openspiel.game import OpenSpielGame
from starspiel.envs.spec import parse_spec
from starspiel.evaluation.play.match import MOST_EVENTS

#: The default agents for sampled games.
_SAMPLING_AGENTS = ("random", "mcts(simulations=100)", "auto")
#: The number of random games, and their maximum length in events.
_GAMES, _EVENTS = 3, 2000
#: A random game longer than this many events counts as endless; this many random games are tried.
_ENDLESS, _TRIALS = 5000, 2
#: The most time an agent may take in one game, in microseconds.
_MOST = 2_000_000.0
#: Rough costs in microseconds: of a move listed in a random game by `mcts`, and of a leaf of the full tree.
_NATIVE, _OPENSPIEL, _PYTHON = (0.02, 0.05), (0.1, 2.0), (2.0, 30.0)


def default_field(game: Any) -> list[str]:
    """Returns the specs of the default agents that support the game, searching as deep as time allows.

    Raises StarspielError if there are none.
    """
    loaded = load_game(game)
    if reason := unsearched(loaded):
        raise UnsupportedGameError(f"{loaded.name} {reason} Name agents with --agents.")
    field = []
    for spec in _usual(loaded):
        agent = str(implementation(parse_spec(spec), loaded))
        with suppress(UnsupportedGameError):
            make_bot(agent, loaded)
            field.append(agent)
    if not field:
        raise StarspielError(f"none of the usual agents can play {loaded.name}; name some with --agents.")
    return field


def _usual(game: Game) -> Sequence[str]:
    """Returns the specs of the baselines, and of the three searches at the same depth."""
    if not game.explicit_chance:
        return _SAMPLING_AGENTS
    size = _size(game)
    kit = BY_NAME.get(parse_spec(game.name).name)
    native = kit is not None and bool(kit.heuristic)
    compiled = isinstance(game, OpenSpielGame) and not is_simultaneous(game)
    listed, leaf = _NATIVE if native else _OPENSPIEL if compiled else _PYTHON
    depth = next((each for each in (3, 2) if size.moves * size.leaves[each - 1] * leaf <= _MOST), 1)
    mcts = "mcts"
    refused = openspiel_refuses(game)
    if native and (refused or 1000 * size.listed * _OPENSPIEL[0] > _MOST):
        mcts = "uct"  # the same search in the native core
    elif not refused:
        listed = _OPENSPIEL[0]
    budgets = [each for each in (100, 1000) if each * size.listed * listed <= _MOST] or [10]
    # In max^n, Star2 would be the same as Star1.
    star2 = "star2(opponents=paranoid," if has_vector_values(game) else "star2("
    return (
        "random",
        *(f"{mcts}(simulations={budget})" for budget in budgets),
        f"expectiminimax(depth={depth})",
        f"star1(depth={depth})",
        f"{star2}depth={depth})",
    )


@dataclass(frozen=True, slots=True)
class _Size:
    """Means over random games.

    Attributes:
        moves: decisions of one player in a game.
        listed: moves and outcomes listed in one game, if a random game is played for each of these decisions.
        leaves: estimated leaves of the full trees of depths 1, 2 and 3 at a decision: the product of the
            numbers of moves and outcomes along a random path (Knuth, 1975).
    """

    moves: float
    listed: float
    leaves: tuple[float, ...]


def _size(game: Game) -> _Size:
    rng = random.Random(1)
    moves, listed = [], []
    products: tuple[list[float], ...] = ([], [], [])
    for _ in range(_GAMES):
        plies, _ = _played(game, rng, _EVENTS)
        moves.append(len(plies) / game.num_players)
        listed.append(moves[-1] * sum(map(sum, plies)))
        for depth, found in enumerate(products, start=1):
            found += [
                prod(map(prod, plies[first : first + depth])) for first in range(len(plies) - depth + 1)
            ]
    return _Size(fmean(moves), fmean(listed), tuple(fmean(found or [1.0]) for found in products))


def warn_of_endless(game: Game) -> None:
    """Issues EndlessGameWarning if random games do not end.

    Searches may then not end either, and tournaments give up only much later.
    """
    rng = random.Random(1)
    if game.explicit_chance and not any(_played(game, rng, _ENDLESS)[1] for _ in range(_TRIALS)):
        warnings.warn(
            f"{game.name}: random games had not ended after {_ENDLESS:,} events. If its rules have no end, a "
            f"search may never answer, and tournaments give up after {MOST_EVENTS:,}, with an error: count "
            "the moves in positions, and end a long game as a draw.",
            EndlessGameWarning,
            stacklevel=2,
        )


def _played(game: Game, rng: random.Random, most: int) -> tuple[list[list[int]], bool]:
    """Plays a random game of at most `most` events; returns its branching factors, and whether it ended.

    There is one list for each decision: the number of legal moves, followed by the number of outcomes of each
    chance event before the next decision.
    """
    state = game.new_initial_state()
    plies: list[list[int]] = [[]]
    for _ in range(most):
        if state.is_terminal():
            return plies[1:], True
        if state.is_chance_node():
            outcomes = possible_outcomes(state)
            plies[-1].append(len(outcomes))
            actions, weights = zip(*outcomes, strict=True)
            (action,) = rng.choices(actions, weights)
            state = state.child(action)
        elif state.current_player() == SIMULTANEOUS:
            legal_of_each = joint_moves(state, game.num_players)
            plies.append([prod(map(len, legal_of_each))])
            state = joint_child(state, [rng.choice(legal) for legal in legal_of_each])
        else:
            legal = state.legal_actions()
            plies.append([len(legal)])
            state = state.child(rng.choice(legal))
    return plies[1:], False
