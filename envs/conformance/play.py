"""Random games, each position of which is held against the contract."""

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from starspiel.envs.base import CHANCE, TERMINAL, Game
from starspiel.envs.conformance.positions import draw, picture, successors, where
from starspiel.envs.conformance.report import Check, Tally
from starspiel.envs.conformance.timer import PLAYING, Timer, TimeUpError

#: Plies after which a random game is given up.
LONGEST = 5000
_TOLERANCE = 1e-9


@dataclass(frozen=True)
class End:
    """How a random game ended."""

    returns: float
    plies: int
    finished: bool


class Walk:
    """Random games, each position of which is held against the contract."""

    def __init__(self, game: Game, timer: Timer) -> None:
        self.game = game
        self.timer = timer
        self.players = Tally("players and moves", "looks at positions")
        self.chances = Tally("probabilities", "looks at chance nodes")
        self.rewards = Tally("returns as declared", "looks at positions")
        self.still = Tally("states stay as they are", "positions searched two plies deep")
        self.replay = Tally("replay", "positions reached again from their history")

    def checks(self) -> Iterator[Check]:
        yield self.players.done()
        if self.chances.count:
            yield self.chances.done()
        yield self.rewards.done()
        yield self.still.done()
        if self.replay.count:
            yield self.replay.done()

    def play(self, rng: random.Random, closely: bool) -> End | None:
        """One random game; `closely` looks at every position, otherwise only at the moves played.

        None if time ended it.
        """
        try:
            return self._played(rng, closely)
        except TimeUpError:
            return None

    def _played(self, rng: random.Random, closely: bool) -> End:
        state = self.game.new_initial_state()
        history: list[int] = []
        while not state.is_terminal() and len(history) < LONGEST:
            self.timer.tick(PLAYING)
            if closely:
                self.look(state)
                if rng.random() < 0.05:
                    self.look_twice(state, history, rng)
            outcomes = successors(self.game, state, rng)
            if outcomes is None:
                state = state.sample(np.random.default_rng(rng.getrandbits(64)))
                history.append(-1)
                continue
            if not outcomes:
                break  # already among the findings
            action = draw(outcomes, rng)
            state = state.child(action)
            history.append(action)
        finished = bool(state.is_terminal())
        if finished:
            self.look(state)
        return End(state.returns()[0], len(history), finished)

    def look(self, state: Any) -> None:
        """Players, moves, probabilities and returns of one position."""
        game, player = self.game, state.current_player()
        legal = [] if player == CHANCE else list(state.legal_actions())
        expected = player == TERMINAL, player == CHANCE
        if not self.players.check(
            (state.is_terminal(), state.is_chance_node()) == expected
            and (player in (CHANCE, TERMINAL) or 0 <= player < game.num_players)
        ):
            self.players.found(
                f"current_player() is {player} where is_terminal() is {state.is_terminal()} and "
                f"is_chance_node() is {state.is_chance_node()}, {where(state)}"
            )
        if player == TERMINAL:
            if not self.players.check(not legal):
                self.players.found(f"{len(legal)} legal actions after the end, {where(state)}")
        elif player != CHANCE:
            if not self.players.check(bool(legal)):
                self.players.found(f"no legal action at a decision, {where(state)}")
            if not self.players.check(
                legal == sorted(set(legal)) and all(0 <= a < game.num_distinct_actions for a in legal)
            ):
                self.players.found(
                    f"legal actions {legal[:9]} are not ascending in range({game.num_distinct_actions}), "
                    f"{where(state)}"
                )
        elif game.explicit_chance:
            outcomes = list(state.chance_outcomes())
            total = math.fsum(p for _, p in outcomes)
            if not self.chances.check(abs(total - 1.0) <= _TOLERANCE and all(p > 0 for _, p in outcomes)):
                self.chances.found(
                    f"probabilities {[p for _, p in outcomes[:9]]} sum to {total:.12g}, expected "
                    f"positive ones that sum to 1, {where(state)}"
                )
            if not self.chances.check(len({a for a, _ in outcomes}) == len(outcomes)):
                self.chances.found(f"an outcome is listed twice, {where(state)}")
        self.look_at_returns(state, player)

    def look_at_returns(self, state: Any, player: int) -> None:
        game, returns = self.game, list(state.returns())
        if not self.rewards.check(len(returns) == game.num_players and all(map(math.isfinite, returns))):
            self.rewards.found(
                f"returns {returns}, expected {game.num_players} finite numbers, {where(state)}"
            )
        if not self.rewards.check(len(returns) < 2 or abs(sum(returns)) <= _TOLERANCE):
            self.rewards.found(f"returns {returns} do not sum to zero, {where(state)}")
        if not self.rewards.check(game.step_rewards or player == TERMINAL or not any(returns)):
            self.rewards.found(
                f"returns {returns} before the end in a game without step rewards, {where(state)}"
            )
        if game.step_rewards and player == TERMINAL:
            collected, _ = game.frame(state)
            if not self.rewards.check(abs(collected - returns[0]) <= _TOLERANCE * max(1.0, abs(collected))):
                self.rewards.found(
                    f"frame() says {collected} is collected, returns() {returns[0]}, {where(state)}"
                )

    def look_twice(self, state: Any, history: Sequence[int], rng: random.Random) -> None:
        """Whether a search leaves the state alone, and whether its history leads to it again."""
        before = picture(self.game, state)
        _search_two_plies(self.game, state, rng, self.timer)
        if not self.still.check(picture(self.game, state) == before):
            self.still.found(f"looking at its successors changed the state, {where(state)}")
        if -1 in history:
            return  # a sampled outcome cannot be asked for again
        again = self.game.new_initial_state()
        for action in history:
            self.timer.tick(PLAYING)
            again = again.child(action)
        if not self.replay.check(picture(self.game, again) == before):
            self.replay.found(
                f"the same {len(history)} actions from the start lead elsewhere, {where(state)}"
            )


def _search_two_plies(game: Game, state: Any, rng: random.Random, timer: Timer) -> None:
    """Everything that a search of two plies asks of a state and its successors."""
    for child in _some_successors(game, state, rng):
        timer.tick(PLAYING)
        for grandchild in _some_successors(game, child, rng):
            timer.tick(PLAYING)
            picture(game, grandchild)
            game.frame(grandchild)


def _some_successors(game: Game, state: Any, rng: random.Random) -> Iterator[Any]:
    outcomes = successors(game, state, rng)
    if outcomes is None:
        for _ in range(2):
            yield state.sample(np.random.default_rng(rng.getrandbits(64)))
        return
    for action, _ in outcomes[:: max(1, len(outcomes) // 8)]:
        yield state.child(action)
