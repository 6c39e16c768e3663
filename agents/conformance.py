"""Provides `check_bot` and `check_evaluator`, tests of what tournaments and searches rely on."""

import math
import random
from collections.abc import Callable, Iterator, Sequence
from numbers import Integral
from typing import Any

import numpy as np

from starspiel.agents.bot import provides_policy
from starspiel.agents.evaluators import Evaluator
from starspiel.agents.evaluators.base import has_constant_sum
from starspiel.agents.evaluators.registry import as_evaluator
from starspiel.agents.roster import make_bot
from starspiel.agents.search.vector_leaves import as_vector
from starspiel.envs.arguments import whole_number
from starspiel.envs.base import TERMINAL, Game, check_in_turn, has_vector_values, utility_sum
from starspiel.envs.conformance import (
    Report,
    Tally,
    Timer,
    described,
    draw,
    in_words,
    picture,
    successors,
    where,
)
from starspiel.envs.errors import StarspielError, shown
from starspiel.envs.load import load_game

_TOLERANCE = 1e-6
#: Number of plies after which a game is abandoned.
_LONGEST = 2000
#: Seconds that count as no limit.
_FOR_EVER = 1e9

Maker = Callable[[int, int], Any]


def check_bot(
    bot: str | Maker, game: Any, *, games: int = 10, seconds: float = math.inf, seed: int = 1
) -> Report:
    """Checks whether a bot can play in a tournament: its moves are legal, it changes no state, and bots made
    with equal seeds play equal games.

    Args:
        bot: an agent's spec, or a function of (player, seed) that makes a bot.
        game: anything that `load_game` accepts.
        games: number of games; the bot plays each seat in turn, against random moves.
        seconds: time after which no further move is requested.
    """
    played = load_game(game)
    check_in_turn(played, "check_bot")
    games, seed = whole_number("games", games), whole_number("seed", seed)
    timer = Timer(_seconds(seconds))
    make: Maker = bot if callable(bot) else lambda player, seed: make_bot(bot, played, player, seed)
    checks = _BotChecks(played, timer)
    number = 0
    while number < games and not checks.answers.wrong and not (number and timer.over()):
        checks.play(make, number % played.num_players, random.Random(f"{seed % 2**64} {number}"))
        number += 1
    notes = []
    if not checks.policy.count and not checks.answers.wrong and number:
        notes.append("no policy was checked: the bot has none (provides_policy), which is allowed")
    if timer.over():
        notes.append(f"{number:,} of {games:,} games were started before time was up")
    return Report(f"{bot} in {played.name}", checks.done(), tuple(notes))


def _seconds(given: Any) -> float:
    if isinstance(given, bool) or not isinstance(given, int | float) or not given >= 0:
        raise StarspielError(f"seconds must be a number of at least 0, got {shown(given)}.")
    return float(given) if given < _FOR_EVER else math.inf


def check_policy(
    tally: Tally, policy: Sequence[tuple[int, float]], legal: Sequence[int], action: int, place: str = ""
) -> None:
    """Records whether a policy is a distribution over the legal actions that includes the action played."""
    chances = dict(policy)
    whole = abs(math.fsum(chances.values()) - 1.0) <= _TOLERANCE and min(chances.values(), default=0.0) >= 0.0
    if not tally.check(whole and set(chances) <= set(legal)):
        tally.found(f"the policy {list(policy)[:9]} is not a distribution over {list(legal)[:9]}{place}")
    if not tally.check(chances.get(action, 0.0) > 0.0):
        tally.found(f"plays {action}, which its own policy never does{place}")


class _BotChecks:
    def __init__(self, game: Game, timer: Timer) -> None:
        self.game = game
        self.timer = timer
        self.answers = Tally("every call is answered", "calls")
        self.legal = Tally("moves are legal", "moves")
        self.still = Tally("the state is left alone", "moves")
        self.same = Tally("the same seed plays the same", "moves")
        self.policy = Tally("policies are over legal moves", "policies")

    def done(self) -> tuple[Any, ...]:
        tallies = self.answers, self.legal, self.still, self.same, self.policy
        return tuple(tally.done() for tally in tallies if tally.count)

    def play(self, make: Maker, player: int, rng: random.Random) -> None:
        """Plays one game with the bot, a duplicate and, if it has a policy, a third copy whose policy is
        checked.
        """
        seed = rng.getrandbits(31)
        place = "making the bot raised "
        try:
            bot, duplicate = make(player, seed), make(player, seed)
            asked = make(player, seed) if hasattr(bot, "provides_policy") and provides_policy(bot) else None
            place = ""
            self._play_on(bot, duplicate, asked, player, rng)
        except Exception as error:  # of the bot's maker, the game's rules, or inform_action
            if place and isinstance(error, StarspielError):  # a spec that cannot make a bot for this game
                raise
            self.answers.check(False)
            self.answers.found(f"{place}{described(error)}")

    def _play_on(self, bot: Any, duplicate: Any, asked: Any, player: int, rng: random.Random) -> None:
        state = self.game.new_initial_state()
        for _ in range(_LONGEST):
            acting = state.current_player()
            if acting == TERMINAL or (self.answers.count and self.timer.over()):
                break
            if acting == player:
                action = self._asked(bot, duplicate, asked, state)
                if action is None:
                    break
            else:
                choices = successors(self.game, state, rng)
                if choices is None:  # a sampled outcome has no number to inform bots of
                    state = state.sample(np.random.default_rng(rng.getrandbits(64)))
                    continue
                action = draw(choices, rng)
                for each in (bot, duplicate, asked):
                    if (inform := getattr(each, "inform_action", None)) is not None:
                        inform(state, acting, action)
            state = state.child(action)

    def _asked(self, bot: Any, duplicate: Any, asked: Any, state: Any) -> Any:
        """Returns the bot's move; None if the game cannot continue with it."""
        try:
            before = picture(self.game, state)
            action = bot.step(state)
            legal = state.legal_actions()
            is_whole = isinstance(action, Integral) and not isinstance(action, bool)
            is_legal = self.legal.check(is_whole and action in legal)
            if not is_legal:
                self.legal.found(f"plays {shown(action)}, but {list(legal)[:12]} are legal, {where(state)}")
            if not self.still.check(picture(self.game, state) == before):
                self.still.found(f"step() changed the state, {where(state)}")
            if not self.same.check(duplicate.step(state) == action):
                self.same.found(f"two bots made with one seed play differently, {where(state)}")
            if asked is not None:
                policy, drawn = asked.step_with_policy(state)
                check_policy(self.policy, policy, state.legal_actions(), drawn, f", {where(state)}")
        except Exception as error:  # anything that a user's bot raises is a finding of the check
            self.answers.check(False)
            self.answers.found(f"{described(error)}, {where(state)}")
            return None
        self.answers.check(True)
        return action if is_legal else None


def check_evaluator(
    evaluator: str | Evaluator | Callable[[Any], Any],
    game: Any,
    *,
    positions: int = 1000,
    seconds: float = math.inf,
    seed: int = 1,
) -> Report:
    """Checks whether a search can use an evaluator: its values are finite and inside its range, also at
    chance nodes. In games whose values are vectors, it must return one number per player; they must add up
    to the game's sum if the evaluator has `constant_sum`.

    Args:
        evaluator: a spec, an Evaluator, or a function of a state.
        game: anything that `load_game` accepts.
        positions: number of positions to value, from random games, including terminal ones.
        seconds: time after which no further position is valued.
    """
    played = load_game(game)
    positions, seed = whole_number("positions", positions), whole_number("seed", seed)
    timer = Timer(_seconds(seconds))
    made = as_evaluator(evaluator, played, seed)
    checks = _EvaluatorChecks(played, made)
    came_up = _positions(played, random.Random(seed), positions)
    while not (checks.answers.count and timer.over()):
        try:
            state = next(came_up, None)
            if state is None:
                break
            before = picture(played, state)
        except Exception as error:  # the game's rules
            checks.answers.check(False)
            checks.answers.found(described(error))
            break
        checks.look(state, before)
    ends = checks.ends
    notes = []
    if ends.wrong:
        notes.append(
            f"{ends.wrong:,} of {ends.count:,} terminal states are not valued at their return, which "
            "searches do not require"
        )
    if timer.over():
        notes.append(f"{checks.answers.count:,} of {positions:,} positions were valued before time was up")
    if checks.bounds is None:
        notes.append("neither the evaluator nor the game has a range: Star pruning is off")
    tallies = checks.answers, checks.finite, checks.inside, checks.sums, checks.still
    found = tuple(tally.done() for tally in tallies if tally.count)
    return Report(f"{made.name} in {played.name}", found, tuple(notes))


class _EvaluatorChecks:
    def __init__(self, game: Game, evaluator: Evaluator) -> None:
        self.game, self.evaluator = game, evaluator
        self.bounds = evaluator.range or game.utility_range
        self.answers = Tally("every call is answered", "calls")
        self.finite = Tally("values are finite numbers", "positions")
        self.total = utility_sum(game) if has_constant_sum(evaluator) else None
        self._expected = "a finite number"
        if has_vector_values(game):
            self._expected = f"{game.num_players} finite numbers, one return a player"
        self.sums = Tally("values sum as promised", "positions")
        self.inside = Tally("values are inside the range", "positions")
        self.still = Tally("the state is left alone", "positions")
        self.ends = Tally("ends have their return as value", "ends")

    def look(self, state: Any, before: Any) -> None:
        """Values a state, and compares its text afterwards with `before`, its text before."""
        try:
            value: Any = self.evaluator(state)
        except Exception as error:  # anything that a user's evaluator raises is a finding of the check
            self.answers.check(False)
            self.answers.found(f"{described(error)}, {where(state)}")
            return
        self.answers.check(True)
        values = self._numbers(value)
        if not self.finite.check(values is not None) or values is None:
            self.finite.found(f"value {shown(value)}, expected {self._expected}, {where(state)}")
            return
        if self.bounds is not None:
            low, high = self.bounds
            if not self.inside.check(all(low - _TOLERANCE <= each <= high + _TOLERANCE for each in values)):
                self.inside.found(f"value {in_words(values)}, outside [{low:g}, {high:g}], {where(state)}")
        if self.total is not None and not self.sums.check(abs(sum(values) - self.total) <= _TOLERANCE):
            self.sums.found(
                f"value {in_words(values)} sums to {sum(values):.9g}, expected {self.total:g}, {where(state)}"
            )
        if not self.still.check(picture(self.game, state) == before):
            self.still.found(f"valuing it changed the state, {where(state)}")
        if state.is_terminal():
            ends = zip(values, state.returns()[: len(values)], strict=True)
            self.ends.check(all(abs(value - truth) <= _TOLERANCE for value, truth in ends))

    def _numbers(self, value: Any) -> tuple[float, ...] | None:
        """Returns the value as a tuple of finite numbers, one per player if values are vectors; None if it is
        anything else.
        """
        if has_vector_values(self.game):
            vector = as_vector(value, self.game.num_players)
            return vector if vector is not None and all(map(math.isfinite, vector)) else None
        return (value,) if isinstance(value, int | float) and math.isfinite(value) else None


def _positions(game: Game, rng: random.Random, count: int) -> Iterator[Any]:
    """Yields positions of random games: chance nodes, decision nodes and terminal states."""
    state = game.new_initial_state()
    for _ in range(count):
        yield state
        choices = successors(game, state, rng)
        if choices is None:
            state = state.sample(np.random.default_rng(rng.getrandbits(64)))
        else:
            state = state.child(draw(choices, rng)) if choices else game.new_initial_state()
