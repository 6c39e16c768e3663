"""Prints how often the 95 % intervals of rollouts hold the truth.

    python benchmarks/rollout_coverage.py [--positions 3] [--games 300] [--rollouts 60]

From every move of positions out of random games, games are played on, as a rollout plays them. Rollouts are
then drawn from these games, which are so their whole world: what the mean of all of them is, a rollout should
find. It ends, and drops moves, as rollouts do. The table goes by how many games a move got: for the values of
moves, and for how far they are behind the best one, how many intervals hold the truth, and how many there
were. In brackets, the share by Student's t alone, without what `_MISSED` adds for what was not met.
"""

import argparse
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from starspiel.agents.evaluators.registry import as_evaluator
from starspiel.agents.means import margin, mean_and_error
from starspiel.agents.rollouts import Continuation, Trial, roll_out
from starspiel.envs.base import Game, possible_outcomes
from starspiel.envs.load import load_game

GAMES = (
    "backgammon",
    "cant_stop",
    "dice(line=3,size=3)",
    "einstein_wurfelt_nicht",
    "knucklebones",
    "maedn(players=2)",
    "pig(winscore=40)",
    "royal_game_of_ur",
    "star_pig(goal=30)",
    "yacht(players=2,num_dice=2)",
)
BROKEN_OFF = (4, 12)  # after so many moves
MOVES = 3  # of each position
MOST = 324  # games of a rollout
BINS = (8, 18, 61, MOST)  # up to so many games from a move
Floats = NDArray[np.float64]


@dataclass
class Pool:
    """A rollout's continuation: games drawn from those played on after the moves 0, 1, ... of a position.

    Attributes:
        trials: (result, result less its luck) by move and game.
        order: which game comes as number 1, 2, ...; the same after every move.
    """

    trials: Floats
    order: NDArray[np.int64]
    evaluator: Any
    agent: str = "drawn"
    depth: int = 0
    notes: tuple[str, ...] = ()

    @property
    def game(self) -> Any:
        return self

    @property
    def utility_range(self) -> Any:
        return self.evaluator.range

    def key(self, state: "Position") -> int | None:
        return state.move

    def play(self, state: "Position", number: int) -> Trial:
        assert state.move is not None
        raw, adjusted = self.trials[state.move, self.order[number]]
        return Trial(raw, raw - adjusted, 1)


@dataclass(frozen=True)
class Position:
    """The root of a rollout from a pool, or what comes after one of its moves."""

    player: int
    moves: int
    move: int | None = None

    def current_player(self) -> int:
        return self.player

    def legal_actions(self) -> range:
        return range(self.moves)

    def is_terminal(self) -> bool:
        return False

    def child(self, move: int) -> "Position":
        return Position(self.player, self.moves, move)

    def action_to_string(self, player: int, action: int) -> str:
        return str(action)

    def get_game(self) -> Any:
        return load_game("pig")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positions", type=int, default=3, help="of each game")
    parser.add_argument("--games", type=int, default=300, help="played on from every move")
    parser.add_argument("--rollouts", type=int, default=60, help="drawn of every position")
    print_table(**vars(parser.parse_args()))


def print_table(positions: int = 3, games: int = 300, rollouts: int = 60) -> None:
    rng = np.random.default_rng(1)
    held: dict[tuple[int, str], list[tuple[bool, bool]]] = {}
    for name in GAMES:
        for pool, player in _pools(load_game(name), positions, games):
            for _ in range(rollouts):
                pool.order = rng.integers(0, games, MOST + 1)
                _note(pool, player, held)
    print("| games from a move | values held, % | differences held, % |\n|---:|---:|---:|")
    for most in (*BINS, None):
        bins = BINS if most is None else (most,)
        cells = [
            _cell([each for number in bins for each in held.get((number, kind), [])])
            for kind in ("value", "behind")
        ]
        print(f"| {'all' if most is None else f'up to {most}'} | {' | '.join(cells)} |")


def _pools(game: Game, positions: int, games: int) -> Iterator[tuple[Pool, int]]:
    rng = random.Random(game.name)
    evaluator = as_evaluator("auto", game, 1)
    for number in range(positions):
        state = _decision(game, rng)
        moves = state.legal_actions()
        moves = rng.sample(list(moves), min(MOVES, len(moves)))
        played = Continuation(game, evaluator, depth=BROKEN_OFF[number % 2], seed=number)
        trials = [[played.play(state.child(move), n) for n in range(games)] for move in moves]
        pairs = np.array([[(trial.raw, trial.adjusted) for trial in of_move] for of_move in trials])
        yield Pool(pairs, np.arange(0), evaluator), state.current_player()


def _decision(game: Game, rng: random.Random) -> Any:
    """A decision with a choice, out of a random game."""
    while True:
        state, met = game.new_initial_state(), []
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*possible_outcomes(state), strict=True)
                state = state.child(rng.choices(outcomes, chances)[0])
                continue
            if len(state.legal_actions()) > 1:
                met.append(state)
            state = state.child(rng.choice(state.legal_actions()))
        if met:
            return rng.choice(met)


def _note(pool: Pool, player: int, held: dict[tuple[int, str], list[tuple[bool, bool]]]) -> None:
    """One rollout: which of its intervals hold the truth, with and without what was not met."""
    truth, sign = pool.trials[:, :, 1].mean(axis=1), 1 if player == 0 else -1
    result = roll_out(Position(player, len(truth)), pool, games=MOST, confidence=0.95)  # type: ignore[arg-type]
    best = result.best_action
    for move in result.moves:
        own = pool.trials[move.action, pool.order[1 : move.games + 1], 1]
        lead = pool.trials[best, pool.order[1 : move.games + 1], 1] - own
        bin = next(most for most in BINS if move.games <= most)
        apart = sign * (truth[best] - truth[move.action])
        for kind, found, width, true, results in (
            ("value", move.value, move.margin, truth[move.action], own),
            ("behind", move.behind, move.behind_margin, apart, lead),
        ):
            if width >= 0.0:  # not unknown
                plain = margin(mean_and_error(results)[1], len(results))
                off = abs(found - true)
                held.setdefault((bin, kind), []).append((off <= width, off <= plain))


def _cell(found: list[tuple[bool, bool]]) -> str:
    if not found:
        return "–"
    ours, plain = 100.0 * np.mean(found, axis=0)
    return f"{ours:.1f} of {len(found):,} ({plain:.1f})"


if __name__ == "__main__":
    main()
