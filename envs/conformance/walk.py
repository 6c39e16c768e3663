"""Plays random games and checks their positions and ends against the contract."""

import math
import random
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from starspiel.envs.base import CHANCE, TERMINAL, Game, has_vector_values, utility_sum
from starspiel.envs.conformance.positions import draw, in_words, picture, successors, where
from starspiel.envs.conformance.report import Check, Tally
from starspiel.envs.conformance.timer import PLAYING, Timer, TimeUpError
from starspiel.envs.openspiel.game import OpenSpielGame

#: The maximum number of plies of a random game.
LONGEST = 5000
_TOLERANCE = 1e-9


@dataclass(frozen=True)
class End:
    """The end of a random game; `returns` are those of the players whose values count, see `envs/base.py`."""

    returns: tuple[float, ...]
    plies: int
    finished: bool


class Walk:
    """Plays random games of `game` until `timer` ends them, and tallies what is wrong."""

    def __init__(self, game: Game, timer: Timer) -> None:
        self.game = game
        self.timer = timer
        self.players = Tally("players and moves", "looks at positions")
        self.chances = Tally("probabilities", "looks at chance nodes")
        self.rewards = Tally("returns as declared", "looks at positions")
        self.still = Tally("states stay as they are", "positions searched two plies deep")
        self.replay = Tally("replay", "positions reached again from their history")

    def checks(self) -> list[Check]:
        tallies = (self.players, self.chances, self.rewards, self.still, self.replay)
        return [tally.done() for tally in tallies if tally.count or tally not in (self.chances, self.replay)]

    def play(self, rng: random.Random, closely: bool) -> End | None:
        """Plays a random game and returns its end; None if time ran out.

        With `closely`, checks every position, not only the moves and the end.
        """
        state = self.game.new_initial_state()
        history: list[int] = []
        thrown: set[Hashable] = set()
        try:
            while not state.is_terminal() and len(history) < LONGEST:
                self.timer.tick(PLAYING)
                if closely:
                    self._look(state)
                    if rng.random() < 0.05:
                        self._look_twice(state, history, rng)
                    self._look_for_circles(state, thrown)
                outcomes = successors(self.game, state, rng)
                if outcomes is None:
                    history.append(-1)
                    state = state.sample(np.random.default_rng(rng.getrandbits(64)))
                    continue
                if not outcomes:
                    break  # already reported as a finding
                history.append(draw(outcomes, rng))
                state = state.child(history[-1])
            finished = bool(state.is_terminal())
            if finished:
                self._look(state)
            counted = self.game.num_players if has_vector_values(self.game) else 1
            return End(tuple(state.returns()[:counted]), len(history), finished)
        except TimeUpError:
            return None

    def _look_for_circles(self, state: Any, thrown: set[Hashable]) -> None:
        """Checks that a chance node is not in `thrown`, those since the last decision, and adds it."""
        if not state.is_chance_node():
            thrown.clear()
        elif (key := self.game.key(state)) is not None:
            self.chances.check(
                key not in thrown,
                lambda: (
                    "chance events lead back to this position without a decision, so that no search of them "
                    f"ends; let a player pass in between, {where(state)}"
                ),
            )
            thrown.add(key)

    def _look(self, state: Any) -> None:
        """Checks players, moves, probabilities and returns of one position."""
        game, player = self.game, state.current_player()
        over, chance = state.is_terminal(), state.is_chance_node()
        legal = [] if player == CHANCE else list(state.legal_actions())
        self.players.check(
            (over, chance) == (player == TERMINAL, player == CHANCE)
            and (player in (CHANCE, TERMINAL) or 0 <= player < game.num_players),
            lambda: (
                f"current_player() is {player} while is_terminal() is {over} and is_chance_node() is "
                f"{chance}, {where(state)}"
            ),
        )
        if player == TERMINAL:
            self.players.check(not legal, lambda: f"{len(legal)} legal actions after the end, {where(state)}")
        elif player != CHANCE:
            self.players.check(bool(legal), lambda: f"no legal action at a decision, {where(state)}")
            self.players.check(
                legal == sorted(set(legal)) and all(0 <= a < game.num_distinct_actions for a in legal),
                lambda: (
                    f"legal actions {legal[:9]} are not ascending in "
                    f"range({game.num_distinct_actions}), {where(state)}"
                ),
            )
        elif game.explicit_chance:
            chances = dict(outcomes := list(state.chance_outcomes()))
            total = math.fsum(p for _, p in outcomes)
            self.chances.check(
                abs(total - 1.0) <= _TOLERANCE and all(p > 0 for _, p in outcomes),
                lambda: (
                    f"probabilities {[p for _, p in outcomes[:9]]} sum to {total:.12g}, expected "
                    f"positive ones that sum to 1, {where(state)}"
                ),
            )
            self.chances.check(
                len(chances) == len(outcomes), lambda: f"an outcome is listed twice, {where(state)}"
            )
            above = getattr(game, "max_chance_outcomes", None)
            self.chances.check(
                above is None or max(chances) < above,
                lambda: (
                    f"outcome {max(chances)}, expected all below max_chance_outcomes, {above}, {where(state)}"
                ),
            )
            legal = list(chances)
        for action in legal:  # raises if a name is invalid
            state.action_to_string(player, action)
        self._look_at_returns(state, player)

    def _look_at_returns(self, state: Any, player: int) -> None:
        game, returns = self.game, list(state.returns())
        said = f"returns {returns}"
        self.rewards.check(
            len(returns) == game.num_players and all(map(math.isfinite, returns)),
            lambda: f"{said}, expected {game.num_players} finite numbers, {where(state)}",
        )
        total = utility_sum(game) if len(returns) > 1 else None
        self.rewards.check(
            total is None
            or (total != 0 and player != TERMINAL)
            or abs(sum(returns) - total) <= _TOLERANCE * max(1.0, *map(abs, returns)),
            lambda: f"{said} do not sum to {total or 'zero'}, {where(state)}",
        )
        self.rewards.check(
            game.step_rewards or player == TERMINAL or not any(returns),
            lambda: f"{said} before the end in a game without step rewards, {where(state)}",
        )
        if game.step_rewards and player == TERMINAL:
            collected, _ = game.frame(state)
            self.rewards.check(
                abs(collected - returns[0]) <= _TOLERANCE * max(1.0, abs(collected)),
                lambda: f"frame() says {collected} is collected, returns() {returns[0]}, {where(state)}",
            )

    def _look_twice(self, state: Any, history: Sequence[int], rng: random.Random) -> None:
        """Checks that a search of two plies does not change the state, and that its history reproduces it."""
        before = picture(self.game, state)
        for child in self._some_successors(state, rng):
            self.timer.tick(PLAYING)
            for grandchild in self._some_successors(child, rng):
                self.timer.tick(PLAYING)
                picture(self.game, grandchild)
                self.game.frame(grandchild)
        self.still.check(
            picture(self.game, state) == before,
            lambda: f"looking at its successors changed the state, {where(state)}",
        )
        if -1 in history:
            return  # a sampled outcome cannot be reproduced
        again = self.game.new_initial_state()
        for action in history:
            self.timer.tick(PLAYING)
            again = again.child(action)
        self.replay.check(
            picture(self.game, again) == before,
            lambda: f"the same {len(history)} actions from the start lead elsewhere, {where(state)}",
        )

    def _some_successors(self, state: Any, rng: random.Random) -> Iterator[Any]:
        outcomes = successors(self.game, state, rng)
        if outcomes is None:
            return (state.sample(np.random.default_rng(rng.getrandbits(64))) for _ in range(2))
        return (state.child(action) for action, _ in outcomes[:: max(1, len(outcomes) // 8)])


def look_at_ends(game: Game, ends: Sequence[End]) -> Iterator[Check]:
    """Checks that games end inside `utility_range` and with different returns."""
    finished = [end for end in ends if end.finished]
    if game.discount == 1.0 and ends and not finished:
        found = (
            f"none of {len(ends):,} random games had ended after {LONGEST:,} plies, so nothing is known of "
            "their returns; a game needs an end that random play can reach, or a cap on its moves (a horizon)"
        )
        yield Check("games end", False, "1 random games, 1 wrong", (found,))
    if game.utility_range is not None and finished:
        least, greatest = game.utility_range
        bounds = Tally("bounds", "random games")
        for end in finished:
            inside = all(least - _TOLERANCE <= each <= greatest + _TOLERANCE for each in end.returns)
            if not bounds.check(inside):
                bounds.found(
                    f"a random game of {end.plies} plies returned {in_words(end.returns)}, outside the "
                    f"declared utility_range [{least:g}, {greatest:g}]; Star pruning with it would give "
                    "wrong values"
                )
        yield bounds.done(f" in [{least:g}, {greatest:g}]" if not bounds.wrong else "")
    plies = [end.plies for end in finished]
    # If lengths vary widely, returns should vary.
    if game.num_players >= 2 and len(plies) >= 50 and max(plies) >= 1.2 * min(plies):
        results = Tally("games have results", "random games")
        same = len({end.returns for end in finished}) == 1
        for end in finished:
            if not results.check(not same):
                results.found(
                    f"a game that ended after {end.plies} plies returned {in_words(end.returns)}, and so did "
                    "every other one: either returns() does not tell who wins, or a limit ends every game "
                    "before anyone can"
                )
        yield results.done()


def notes_on(game: Game, ends: Sequence[End]) -> Iterator[str]:
    """Yields remarks on the random games that are not failures."""
    cut = sum(not end.finished for end in ends)
    if cut:
        yield f"{cut:,} of {len(ends):,} random games had not ended after {LONGEST:,} plies"
    values = {end.returns for end in ends}
    if len(values) == 1 and cut < len(ends):
        yield f"all {len(ends):,} random games returned {in_words(values.pop())}"
    if game.utility_range is None:
        yield "no bounds are declared: Star pruning is off"
    if not game.explicit_chance:
        yield "chances can only be sampled: only sampling searches play this game"
    if isinstance(game, OpenSpielGame):
        least, greatest = game.pyspiel_game.min_utility(), game.pyspiel_game.max_utility()
        wrong = sum(not all(least <= each <= greatest for each in end.returns) for end in ends)
        if wrong:
            yield (
                f"OpenSpiel's own bounds [{least:g}, {greatest:g}] were passed in {wrong:,} of {len(ends):,} "
                f"random games; starspiel does not use them"
            )
